/// \file The two entry points through which a stock `mlir-opt` loads pgopt, and
/// the check that it is the MLIR that pgopt was built for.
#include "bridge/bridge.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Config/mlir-config.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "pgopt/passes.h"
#include "llvm/Config/llvm-config.h"

#include <cstdio>
#include <cstring>
#include <link.h>

/// Finds a loaded libMLIR or libLLVM of another version than ours.
static int findForeignLibrary(dl_phdr_info *info, size_t, void *found) {
  const char *slash = strrchr(info->dlpi_name, '/');
  const char *name = slash ? slash + 1 : info->dlpi_name;
  bool ours = strstr(name, ".so." PGOPT_MLIR_VERSION) != nullptr;
  if ((strncmp(name, "libMLIR", 7) && strncmp(name, "libLLVM", 7)) || ours)
    return 0;
  *static_cast<const char **>(found) = info->dlpi_name;
  return 1;
}

/// The API version to answer the host with: 0, which every host refuses, when
/// it runs on another MLIR.
static uint32_t checkedApiVersion() {
  const char *foreign = nullptr;
  dl_iterate_phdr(findForeignLibrary, &foreign);
  if (!foreign)
    return MLIR_PLUGIN_API_VERSION;
  fprintf(stderr,
          "pgopt: this plugin is built for MLIR " PGOPT_MLIR_VERSION
          ", but the program that loads it runs on %s\n",
          foreign);
  return 0;
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {checkedApiVersion(), "pgopt", LLVM_VERSION_STRING,
          [] { pgopt_register_passes(); }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {checkedApiVersion(), "pgopt", LLVM_VERSION_STRING,
          [](mlir::DialectRegistry *registry) {
            pgopt_register_dialects(wrap(registry));
          }};
}
