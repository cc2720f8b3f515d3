/// \file Any text as a pass and its options, "schedule-rr count=3". Where the
/// options name no file, the pass runs on a small network too.
#include "fuzz.h"

#include "mlir-c/Diagnostics.h"
#include "passes/passes.h"
#include "pgopt/passes.h"

#include <string.h>

static const char network[] =
    "func.func @f(%a: tensor<7x5xf32>, %b: tensor<5x3xf32>) -> "
    "tensor<7x3xf32> {\n"
    "  %e = tensor.empty() : tensor<7x3xf32>\n"
    "  %z = arith.constant 0.0 : f32\n"
    "  %i = linalg.fill ins(%z : f32) outs(%e : tensor<7x3xf32>) -> "
    "tensor<7x3xf32>\n"
    "  %m = linalg.matmul ins(%a, %b : tensor<7x5xf32>, tensor<5x3xf32>) "
    "outs(%i : tensor<7x3xf32>) -> tensor<7x3xf32>\n"
    "  return %m : tensor<7x3xf32>\n"
    "}\n";

/// Attributes stay in a context: it is made anew now and then.
enum { RUNS_A_CONTEXT = 200 };

static MlirLogicalResult swallow(MlirDiagnostic diagnostic, void *data) {
  (void)diagnostic;
  ++*(int *)data;
  return mlirLogicalResultSuccess();
}

static MlirContext take_context(void) {
  static MlirContext context;
  static int runs;
  if (runs++ % RUNS_A_CONTEXT)
    return context;
  if (context.ptr)
    mlirContextDestroy(context);
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  pgopt_register_dialects(registry);
  context = mlirContextCreateWithRegistry(registry, false);
  mlirContextLoadAllAvailableDialects(context);
  mlirDialectRegistryDestroy(registry);
  return context;
}

/// Passes that would start a process, take long, or touch files stay out.
static bool may_run(const char *argument, const char *options) {
  static const char *const words[] = {"output", "parameters", "inputs",
                                      "keep",   "store",      "file",
                                      "trace",  "costs"};
  // What keeps a pass that measures from doing so.
  static const char *const quiet[][2] = {{"profile", "mode=static"},
                                         {"layout-search", "prices=random"},
                                         {"schedule-auto", "confirm=false"},
                                         {"pgopt-optimize", "mode=static"}};
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
    if (strstr(options, words[i]))
      return false;
  for (size_t i = 0; i < sizeof quiet / sizeof *quiet; ++i)
    if (!strcmp(argument, quiet[i][0]))
      return strstr(options, quiet[i][1]);
  return strcmp(argument, "pgopt-lower");
}

/// The pass of that name, or any.
static const char *choose_pass(const char *name) {
  size_t count = 0;
  for (; pgopt_all_passes[count]; ++count)
    if (!strcmp(pgopt_all_passes[count]->argument, name))
      return name;
  return pgopt_all_passes[(unsigned char)*name % count]->argument;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!size || size > 4096)
    return 0;
  setenv("PGOPT_STORE", "none", 1);
  pgopt_register_passes();
  char *text = strndup((const char *)data, size);
  char *options = text + strcspn(text, " ");
  if (*options)
    *options++ = 0;
  const char *argument = choose_pass(text);
  MlirContext context = take_context();
  MlirPass pass = pgopt_create_pass_by_name(argument, options);
  if (pass.ptr) {
    int errors = 0;
    MlirDiagnosticHandlerID handler =
        mlirContextAttachDiagnosticHandler(context, swallow, &errors, NULL);
    MlirPassManager manager = mlirPassManagerCreate(context);
    mlirPassManagerAddOwnedPass(manager, pass);
    if (may_run(argument, options)) {
      MlirModule module = mlirModuleCreateParse(
          context, mlirStringRefCreateFromCString(network));
      FUZZ_CHECK(!mlirModuleIsNull(module));
      MlirLogicalResult result =
          mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(module));
      FUZZ_CHECK(mlirLogicalResultIsSuccess(result) || errors > 0);
      mlirModuleDestroy(module);
    }
    mlirPassManagerDestroy(manager);
    mlirContextDetachDiagnosticHandler(context, handler);
  }
  free(text);
  return 0;
}
