/// \file The one way from LLVM dialect to code. Triple and data layout are set
/// before optimising: without the triple, O2 turns copy loops into byte loops.
#include "codegen/object.h"

#include "base/memory.h"
#include "codegen/object_cache.h"
#include "dialect_c/attributes.h"
#include "ir/ir.h"
#include "mlir-c/RegisterEverything.h"
#include "mlir-c/Target/LLVMIR.h"
#include "llvm-c/Analysis.h"
#include "llvm-c/BitWriter.h"
#include "llvm-c/Core.h"
#include "llvm-c/Error.h"
#include "llvm-c/Target.h"
#include "llvm-c/TargetMachine.h"
#include "llvm-c/Transforms/PassBuilder.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const char pipeline[] = "default<O2>";

/// The object cache stays below this size.
static const int64_t cache_limit_bytes = (int64_t)1 << 30;

typedef struct compiler {
  MlirOperation module; ///< where errors go
  LLVMContextRef context;
  LLVMModuleRef ir;
  LLVMTargetMachineRef machine;
  char *triple, *cpu, *features;
  pgopt_text complaint; ///< first error LLVM reported by itself
} compiler;

void pgopt_object_prepare_context(MlirContext context) {
  mlirRegisterAllLLVMTranslations(context);
}

static void initialize_target(void) {
  LLVMInitializeNativeTarget();
  LLVMInitializeNativeAsmPrinter();
}

/// Keeps LLVM from writing to stderr, or exiting, on its own.
static void keep_complaint(LLVMDiagnosticInfoRef info, void *data) {
  compiler *compile = data;
  if (LLVMGetDiagInfoSeverity(info) != LLVMDSError || compile->complaint.size)
    return;
  char *message = LLVMGetDiagInfoDescription(info);
  pgopt_text_append(&compile->complaint, "%s", message);
  LLVMDisposeMessage(message);
}

static MlirLogicalResult fail(compiler *compile, const char *what,
                              const char *why) {
  return pgopt_emit_error(compile->module, "%s: %s", what,
                          compile->complaint.size ? compile->complaint.data
                                                  : why);
}

static MlirLogicalResult create_machine(compiler *compile) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, initialize_target);
  compile->triple = LLVMGetDefaultTargetTriple();
  compile->cpu = LLVMGetHostCPUName();
  compile->features = LLVMGetHostCPUFeatures();
  LLVMTargetRef target;
  char *message = NULL;
  if (LLVMGetTargetFromTriple(compile->triple, &target, &message)) {
    MlirLogicalResult result = fail(compile, "no code generator", message);
    LLVMDisposeMessage(message);
    return result;
  }
  compile->machine = LLVMCreateTargetMachine(
      target, compile->triple, compile->cpu, compile->features,
      LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelDefault);
  if (!compile->machine)
    return fail(compile, "no code generator", compile->triple);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult translate(compiler *compile) {
  compile->context = LLVMContextCreate();
  LLVMContextSetDiagnosticHandler(compile->context, keep_complaint, compile);
  compile->ir = mlirTranslateModuleToLLVMIR(compile->module, compile->context);
  if (!compile->ir) // MLIR has said why
    return mlirLogicalResultFailure();
  LLVMSetTarget(compile->ir, compile->triple);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(compile->machine);
  LLVMSetModuleDataLayout(compile->ir, layout);
  LLVMDisposeTargetData(layout);
  char *message = NULL;
  MlirLogicalResult result = mlirLogicalResultSuccess();
  if (LLVMVerifyModule(compile->ir, LLVMReturnStatusAction, &message))
    result = fail(compile, "the module is not valid LLVM IR", message);
  LLVMDisposeMessage(message);
  return result;
}

/// Kernels stay functions of their own, so that what is timed inside a network
/// is the code that is timed alone.
static void keep_kernels(compiler *compile) {
  static const char name[] = "noinline";
  LLVMAttributeRef attribute = LLVMCreateEnumAttribute(
      compile->context, LLVMGetEnumAttributeKindForName(name, sizeof name - 1),
      0);
  MlirOperation op =
      mlirBlockGetFirstOperation(pgopt_module_body(compile->module));
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (mlirAttributeIsNull(pgopt_get(op, PGOPT_KERNEL)))
      continue;
    char *symbol = pgopt_ref_duplicate(pgopt_symbol_name(op));
    LLVMValueRef function = LLVMGetNamedFunction(compile->ir, symbol);
    if (function)
      LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute);
    free(symbol);
  }
}

/// Hides every definition: what the packed entry does not need goes, and with
/// it what only that needs from elsewhere.
static void hide_definitions(LLVMModuleRef ir) {
  LLVMValueRef value = LLVMGetFirstFunction(ir);
  for (; value; value = LLVMGetNextFunction(value))
    if (!LLVMIsDeclaration(value))
      LLVMSetLinkage(value, LLVMInternalLinkage);
  for (value = LLVMGetFirstGlobal(ir); value; value = LLVMGetNextGlobal(value))
    if (!LLVMIsDeclaration(value))
      LLVMSetLinkage(value, LLVMInternalLinkage);
  LLVMValueRef handle = LLVMGetNamedGlobal(ir, PGOPT_PROGRAM_HANDLE);
  if (handle)
    LLVMSetLinkage(handle, LLVMExternalLinkage);
}

static MlirLogicalResult add_packed_entry(compiler *compile, const char *name) {
  LLVMValueRef callee = LLVMGetNamedFunction(compile->ir, name);
  if (!callee || LLVMIsDeclaration(callee))
    return pgopt_emit_error(compile->module,
                            "there is no function '%s' with a body", name);
  if (LLVMGetNamedFunction(compile->ir, PGOPT_PACKED_ENTRY) ||
      LLVMGetNamedGlobal(compile->ir, PGOPT_PACKED_ENTRY))
    return pgopt_emit_error(compile->module, "the name '%s' is reserved",
                            PGOPT_PACKED_ENTRY);
  hide_definitions(compile->ir);
  LLVMTypeRef type = LLVMGlobalGetValueType(callee);
  LLVMTypeRef pointer = LLVMPointerTypeInContext(compile->context, 0);
  LLVMTypeRef nothing = LLVMVoidTypeInContext(compile->context);
  LLVMValueRef wrapper =
      LLVMAddFunction(compile->ir, PGOPT_PACKED_ENTRY,
                      LLVMFunctionType(nothing, &pointer, 1, 0));
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(compile->context);
  LLVMPositionBuilderAtEnd(
      builder, LLVMAppendBasicBlockInContext(compile->context, wrapper, ""));
  unsigned count = LLVMCountParamTypes(type);
  LLVMTypeRef *types = pgopt_allocate(count, sizeof *types);
  LLVMValueRef *values = pgopt_allocate(count, sizeof *values);
  LLVMGetParamTypes(type, types);
  LLVMValueRef address = NULL;
  for (unsigned i = 0; i <= count; ++i) {
    LLVMValueRef number =
        LLVMConstInt(LLVMInt64TypeInContext(compile->context), i, 0);
    LLVMValueRef slot = LLVMBuildGEP2(builder, pointer,
                                      LLVMGetParam(wrapper, 0), &number, 1, "");
    if (i < count || LLVMGetReturnType(type) != nothing)
      address = LLVMBuildLoad2(builder, pointer, slot, "");
    if (i < count)
      values[i] = LLVMBuildLoad2(builder, types[i], address, "");
  }
  LLVMValueRef result =
      LLVMBuildCall2(builder, type, callee, values, count, "");
  if (LLVMGetReturnType(type) != nothing)
    LLVMBuildStore(builder, result, address);
  LLVMBuildRetVoid(builder);
  LLVMDisposeBuilder(builder);
  free(types);
  free(values);
  return mlirLogicalResultSuccess();
}

static pgopt_hash key_of(compiler *compile) {
  LLVMMemoryBufferRef bitcode = LLVMWriteBitcodeToMemoryBuffer(compile->ir);
  pgopt_hash_part parts[] = {
      {LLVM_VERSION_STRING, strlen(LLVM_VERSION_STRING)},
      {compile->triple, strlen(compile->triple)},
      {compile->cpu, strlen(compile->cpu)},
      {compile->features, strlen(compile->features)},
      {pipeline, strlen(pipeline)},
      {LLVMGetBufferStart(bitcode), LLVMGetBufferSize(bitcode)}};
  pgopt_hash key = pgopt_hash_parts(parts, sizeof parts / sizeof *parts);
  LLVMDisposeMemoryBuffer(bitcode);
  return key;
}

static MlirLogicalResult emit_object(compiler *compile, pgopt_object *object) {
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error =
      LLVMRunPasses(compile->ir, pipeline, compile->machine, options);
  LLVMDisposePassBuilderOptions(options);
  if (error) {
    char *message = LLVMGetErrorMessage(error);
    MlirLogicalResult result = fail(compile, "cannot optimise", message);
    LLVMDisposeErrorMessage(message);
    return result;
  }
  LLVMMemoryBufferRef buffer = NULL;
  char *message = NULL;
  if (LLVMTargetMachineEmitToMemoryBuffer(compile->machine, compile->ir,
                                          LLVMObjectFile, &message, &buffer)) {
    MlirLogicalResult result = fail(compile, "cannot emit an object", message);
    LLVMDisposeMessage(message);
    return result;
  }
  if (compile->complaint.size) {
    LLVMDisposeMemoryBuffer(buffer);
    return fail(compile, "cannot emit an object", "");
  }
  object->size = LLVMGetBufferSize(buffer);
  object->data = pgopt_duplicate(LLVMGetBufferStart(buffer), object->size);
  LLVMDisposeMemoryBuffer(buffer);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult compile_module(compiler *compile,
                                        const pgopt_object_options *options,
                                        pgopt_object *object) {
  if (mlirLogicalResultIsFailure(create_machine(compile)) ||
      mlirLogicalResultIsFailure(translate(compile)))
    return mlirLogicalResultFailure();
  keep_kernels(compile);
  if (options->packed_entry && mlirLogicalResultIsFailure(add_packed_entry(
                                   compile, options->packed_entry)))
    return mlirLogicalResultFailure();
  if (!options->cache_directory)
    return emit_object(compile, object);
  pgopt_hash key = key_of(compile);
  object->is_from_cache = pgopt_object_cache_read(
      options->cache_directory, &key, &object->data, &object->size);
  if (object->is_from_cache)
    return mlirLogicalResultSuccess();
  MlirLogicalResult result = emit_object(compile, object);
  if (mlirLogicalResultIsSuccess(result))
    pgopt_object_cache_write(options->cache_directory, &key, object->data,
                             object->size, cache_limit_bytes);
  return result;
}

MlirLogicalResult pgopt_object_compile(MlirOperation module,
                                       const pgopt_object_options *options,
                                       pgopt_object *object) {
  *object = (pgopt_object){0};
  compiler compile = {.module = module};
  MlirLogicalResult result = compile_module(&compile, options, object);
  if (compile.ir)
    LLVMDisposeModule(compile.ir);
  if (compile.context)
    LLVMContextDispose(compile.context);
  if (compile.machine)
    LLVMDisposeTargetMachine(compile.machine);
  LLVMDisposeMessage(compile.triple);
  LLVMDisposeMessage(compile.cpu);
  LLVMDisposeMessage(compile.features);
  pgopt_text_free(&compile.complaint);
  return result;
}
