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

namespace {
/// What runs beside the plugin, in the order it was loaded.
struct LoadedLibraries {
  const char *foreign = nullptr; ///< a libMLIR or libLLVM of another version
  bool passedPlugin = false;
  bool hostSharesMlir = false; ///< our libMLIR was there before the plugin
};
} // namespace

static bool holdsAddress(const dl_phdr_info *info, uintptr_t address) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    if (info->dlpi_phdr[i].p_type == PT_LOAD && address >= begin &&
        address - begin < info->dlpi_phdr[i].p_memsz)
      return true;
  }
  return false;
}

static int visitLibrary(dl_phdr_info *info, size_t, void *result) {
  auto *libraries = static_cast<LoadedLibraries *>(result);
  const char *slash = strrchr(info->dlpi_name, '/');
  const char *name = slash ? slash + 1 : info->dlpi_name;
  bool isMlir = !strncmp(name, "libMLIR", 7);
  bool isOurs = strstr(name, ".so." PGOPT_MLIR_VERSION) != nullptr;
  if (holdsAddress(info, reinterpret_cast<uintptr_t>(&visitLibrary)))
    libraries->passedPlugin = true;
  else if (isMlir && isOurs)
    libraries->hostSharesMlir |= !libraries->passedPlugin;
  else if ((isMlir || !strncmp(name, "libLLVM", 7)) && !isOurs)
    libraries->foreign = info->dlpi_name;
  return 0;
}

/// The API version to answer the host with: 0, which every host refuses, when
/// it runs on another MLIR, or on a copy of its own: passes would then meet
/// objects of classes that only look like theirs.
static uint32_t checkedApiVersion() {
  LoadedLibraries libraries;
  dl_iterate_phdr(visitLibrary, &libraries);
  if (libraries.hostSharesMlir && !libraries.foreign)
    return MLIR_PLUGIN_API_VERSION;
  fprintf(stderr,
          "pgopt: this plugin needs a program that runs on "
          "libMLIR.so." PGOPT_MLIR_VERSION
          ", but the one that loads it runs on %s\n",
          libraries.foreign ? libraries.foreign : "an MLIR linked into it");
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
