#include "codegen/jit.h"

#include "base/memory.h"
#include "llvm-c/Core.h"
#include "llvm-c/Error.h"
#include "llvm-c/LLJIT.h"
#include "llvm-c/Orc.h"
#include "llvm-c/Target.h"

#include <stdint.h>
#include <stdlib.h>

struct pgopt_jit {
  LLVMOrcLLJITRef lljit;
  pgopt_error session_error; ///< what the session reported since it was cleared
};

/// Turns LLVM's error, which it consumes, into ours. The session's own report
/// goes first: it names the missing symbols, the lookup only says it failed.
static pgopt_status fail(pgopt_jit *jit, pgopt_error *error, const char *what,
                         LLVMErrorRef llvm_error) {
  char *message = LLVMGetErrorMessage(llvm_error);
  const char *why =
      jit && jit->session_error.status ? jit->session_error.message : message;
  pgopt_status status = pgopt_fail(error, PGOPT_INVALID, "%s: %s", what, why);
  LLVMDisposeErrorMessage(message);
  return status;
}

static void keep_session_error(void *data, LLVMErrorRef llvm_error) {
  pgopt_error *error = data;
  char *message = LLVMGetErrorMessage(llvm_error);
  if (!error->status)
    pgopt_fail(error, PGOPT_INVALID, "%s", message);
  LLVMDisposeErrorMessage(message);
}

pgopt_status pgopt_jit_create(pgopt_jit **jit, pgopt_error *error) {
  *jit = NULL;
  LLVMInitializeNativeTarget();
  LLVMInitializeNativeAsmPrinter();
  pgopt_jit *created = pgopt_allocate(1, sizeof *created);
  LLVMErrorRef llvm_error = LLVMOrcCreateLLJIT(&created->lljit, NULL);
  if (llvm_error) {
    free(created);
    return fail(NULL, error, "cannot create a JIT", llvm_error);
  }
  LLVMOrcExecutionSessionSetErrorReporter(
      LLVMOrcLLJITGetExecutionSession(created->lljit), keep_session_error,
      &created->session_error);
  *jit = created;
  return PGOPT_OK;
}

void pgopt_jit_destroy(pgopt_jit *jit) {
  if (!jit)
    return;
  LLVMConsumeError(LLVMOrcDisposeLLJIT(jit->lljit));
  free(jit);
}

pgopt_status pgopt_jit_add_object(pgopt_jit *jit, const void *data, size_t size,
                                  pgopt_error *error) {
  LLVMMemoryBufferRef buffer =
      LLVMCreateMemoryBufferWithMemoryRangeCopy(data, size, "object");
  LLVMErrorRef llvm_error = LLVMOrcLLJITAddObjectFile(
      jit->lljit, LLVMOrcLLJITGetMainJITDylib(jit->lljit), buffer);
  return llvm_error ? fail(jit, error, "cannot load an object", llvm_error)
                    : PGOPT_OK;
}

pgopt_status pgopt_jit_add_library(pgopt_jit *jit, const char *path,
                                   pgopt_error *error) {
  LLVMOrcDefinitionGeneratorRef generator;
  LLVMErrorRef llvm_error = LLVMOrcCreateDynamicLibrarySearchGeneratorForPath(
      &generator, path, LLVMOrcLLJITGetGlobalPrefix(jit->lljit), NULL, NULL);
  if (llvm_error)
    return fail(jit, error, "cannot load a shared library", llvm_error);
  LLVMOrcJITDylibAddGenerator(LLVMOrcLLJITGetMainJITDylib(jit->lljit),
                              generator);
  return PGOPT_OK;
}

pgopt_status pgopt_jit_define(pgopt_jit *jit, const char *name,
                              void (*function)(void), pgopt_error *error) {
  LLVMOrcCSymbolMapPair pair = {
      .Name = LLVMOrcLLJITMangleAndIntern(jit->lljit, name),
      .Sym = {.Address = (uintptr_t)function,
              .Flags = {.GenericFlags = LLVMJITSymbolGenericFlagsExported |
                                        LLVMJITSymbolGenericFlagsCallable}}};
  LLVMOrcMaterializationUnitRef unit = LLVMOrcAbsoluteSymbols(&pair, 1);
  LLVMErrorRef llvm_error =
      LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(jit->lljit), unit);
  if (!llvm_error)
    return PGOPT_OK;
  LLVMOrcDisposeMaterializationUnit(unit);
  return fail(jit, error, "cannot define a function", llvm_error);
}

pgopt_status pgopt_jit_lookup(pgopt_jit *jit, const char *name, void **address,
                              pgopt_error *error) {
  LLVMOrcExecutorAddress found = 0;
  jit->session_error = (pgopt_error){0};
  LLVMErrorRef llvm_error = LLVMOrcLLJITLookup(jit->lljit, &found, name);
  if (llvm_error)
    return fail(jit, error, "cannot link the program", llvm_error);
  *address = (void *)(uintptr_t)found;
  return PGOPT_OK;
}
