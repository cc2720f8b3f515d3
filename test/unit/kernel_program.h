/// \file Programs compiled from text, for tests and benchmarks of kernels.
#ifndef PGOPT_TEST_KERNEL_PROGRAM_H
#define PGOPT_TEST_KERNEL_PROGRAM_H

#include "codegen/object.h"
#include "codegen/program.h"
#include "ir/entry.h"
#include "ir/ir.h"
#include "mlir-c/Pass.h"
#include "mlir-c/RegisterEverything.h"
#include "pgopt/passes.h"

#include <stdio.h>

static inline MlirContext kernel_context_create(void) {
  mlirRegisterAllPasses();
  pgopt_register_passes();
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  pgopt_register_dialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  pgopt_object_prepare_context(context);
  return context;
}

static inline void kernel_program_complain(MlirStringRef message,
                                           void *unused) {
  (void)unused;
  fprintf(stderr, "%.*s\n", (int)message.length, message.data);
}

/// Runs the passes. A module for which they fail, which has been reported, is
/// destroyed and null.
static inline void kernel_module_run(MlirContext context, MlirModule *module,
                                     const char *passes) {
  MlirPassManager manager = mlirPassManagerCreate(context);
  if (mlirLogicalResultIsFailure(mlirOpPassManagerAddPipeline(
          mlirPassManagerGetAsOpPassManager(manager), pgopt_ref(passes),
          kernel_program_complain, NULL)) ||
      mlirLogicalResultIsFailure(
          mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(*module)))) {
    mlirModuleDestroy(*module);
    *module = (MlirModule){NULL};
  }
  mlirPassManagerDestroy(manager);
}

/// The text as a module after the passes. Null on failure, which has been
/// reported.
static inline MlirModule kernel_module_lower(MlirContext context,
                                             const char *source,
                                             const char *passes) {
  MlirModule module = mlirModuleCreateParse(context, pgopt_ref(source));
  if (!mlirModuleIsNull(module))
    kernel_module_run(context, &module, passes);
  return module;
}

/// The function @forward of a module in the LLVM dialect, which is destroyed.
/// Null on failure, which has been reported, and for a null module.
static inline pgopt_program *kernel_program_compile(MlirModule module) {
  pgopt_program *program = NULL;
  if (mlirModuleIsNull(module))
    return NULL;
  MlirOperation op = mlirModuleGetOperation(module), entry;
  pgopt_program_options program_options = {0};
  if (mlirLogicalResultIsSuccess(pgopt_find_entry(op, "forward", &entry)))
    pgopt_program_create(op, entry, &program_options, &program);
  mlirModuleDestroy(module);
  return program;
}

/// The function @forward of the text after the passes, which lower it. Null on
/// failure, which has been reported.
static inline pgopt_program *kernel_program_pipeline(MlirContext context,
                                                     const char *source,
                                                     const char *passes) {
  return kernel_program_compile(kernel_module_lower(context, source, passes));
}

/// The function @forward of the text, lowered with the options of
/// `pgopt-lower`.
static inline pgopt_program *kernel_program_load(MlirContext context,
                                                 const char *source,
                                                 const char *options) {
  pgopt_text passes = {0};
  pgopt_text_append(&passes, "pgopt-lower{%s}", options);
  pgopt_program *program =
      kernel_program_pipeline(context, source, passes.data);
  pgopt_text_free(&passes);
  return program;
}

#endif // PGOPT_TEST_KERNEL_PROGRAM_H
