/// \file The one way from LLVM dialect to code. Triple and data layout are set
/// before optimising: without the triple, O2 turns copy loops into byte loops.
#include "codegen/object.h"

#include "base/memory.h"
#include "codegen/object_cache.h"
#include "codegen/split_kernels.h"
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
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const char pipeline[] = "default<O2>";

/// The object cache stays below this size.
static const int64_t cache_limit_bytes = (int64_t)1 << 30;

/// One object in the making.
typedef struct compiler {
  const pgopt_object_options *options;
  MlirOperation module;
  MlirOperation program; ///< where errors go
  char *symbol;          ///< of the kernel; null for the rest
  pgopt_hash key;
  void *data;
  size_t size;
  bool is_compiled;
  LLVMContextRef context;
  LLVMModuleRef ir;
  LLVMTargetMachineRef machine;
  char *triple, *cpu, *features;
  pgopt_text complaint; ///< what is wrong, or LLVM's first error by itself
  bool has_failed;      ///< to be opened
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

/// Notes an error that is reported once all threads are done.
static void note(compiler *compile, const char *what, const char *why) {
  pgopt_text text = {0};
  pgopt_text_append(&text, "%s: %s", what,
                    compile->complaint.size ? compile->complaint.data : why);
  pgopt_text_free(&compile->complaint);
  compile->complaint = text;
}

static bool create_machine(compiler *compile) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, initialize_target);
  compile->triple = LLVMGetDefaultTargetTriple();
  compile->cpu = LLVMGetHostCPUName();
  compile->features = LLVMGetHostCPUFeatures();
  LLVMTargetRef target;
  char *message = NULL;
  if (LLVMGetTargetFromTriple(compile->triple, &target, &message)) {
    note(compile, "no code generator", message);
    LLVMDisposeMessage(message);
    return false;
  }
  compile->machine = LLVMCreateTargetMachine(
      target, compile->triple, compile->cpu, compile->features,
      LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelDefault);
  if (!compile->machine)
    note(compile, "no code generator", compile->triple);
  return compile->machine != NULL;
}

static bool translate(compiler *compile) {
  compile->context = LLVMContextCreate();
  LLVMContextSetDiagnosticHandler(compile->context, keep_complaint, compile);
  compile->ir = mlirTranslateModuleToLLVMIR(compile->module, compile->context);
  if (!compile->ir) // MLIR has said why
    return false;
  LLVMSetTarget(compile->ir, compile->triple);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(compile->machine);
  LLVMSetModuleDataLayout(compile->ir, layout);
  LLVMDisposeTargetData(layout);
  char *message = NULL;
  bool is_valid =
      !LLVMVerifyModule(compile->ir, LLVMReturnStatusAction, &message);
  if (!is_valid)
    note(compile, "the module is not valid LLVM IR", message);
  LLVMDisposeMessage(message);
  return is_valid;
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

static bool add_packed_entry(compiler *compile, const char *name) {
  LLVMValueRef callee = LLVMGetNamedFunction(compile->ir, name);
  if (!callee || LLVMIsDeclaration(callee)) {
    pgopt_text_append(&compile->complaint,
                      "there is no function '%s' with a body", name);
    return false;
  }
  if (LLVMGetNamedFunction(compile->ir, PGOPT_PACKED_ENTRY) ||
      LLVMGetNamedGlobal(compile->ir, PGOPT_PACKED_ENTRY)) {
    pgopt_text_append(&compile->complaint, "the name '%s' is reserved",
                      PGOPT_PACKED_ENTRY);
    return false;
  }
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
  return true;
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

/// Optimises and emits; what it complains about is in `complaint`. Touches
/// nothing but its own unit.
static void emit(compiler *compile) {
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error =
      LLVMRunPasses(compile->ir, pipeline, compile->machine, options);
  LLVMDisposePassBuilderOptions(options);
  if (error) {
    char *message = LLVMGetErrorMessage(error);
    note(compile, "cannot optimise", message);
    LLVMDisposeErrorMessage(message);
    return;
  }
  LLVMMemoryBufferRef buffer = NULL;
  char *message = NULL;
  if (LLVMTargetMachineEmitToMemoryBuffer(compile->machine, compile->ir,
                                          LLVMObjectFile, &message, &buffer)) {
    note(compile, "cannot emit an object", message);
    LLVMDisposeMessage(message);
    return;
  }
  if (compile->complaint.size) {
    note(compile, "cannot emit an object", "");
  } else {
    compile->size = LLVMGetBufferSize(buffer);
    compile->data = pgopt_duplicate(LLVMGetBufferStart(buffer), compile->size);
    compile->is_compiled = true;
  }
  LLVMDisposeMemoryBuffer(buffer);
}

/// What the unit has besides its object.
static void release(compiler *compile) {
  if (compile->ir)
    LLVMDisposeModule(compile->ir);
  if (compile->context)
    LLVMContextDispose(compile->context);
  if (compile->machine)
    LLVMDisposeTargetMachine(compile->machine);
  LLVMDisposeMessage(compile->triple);
  LLVMDisposeMessage(compile->cpu);
  LLVMDisposeMessage(compile->features);
  compile->ir = NULL;
  compile->context = NULL;
  compile->machine = NULL;
  compile->triple = compile->cpu = compile->features = NULL;
}

/// Gives a kernel the name that goes with its content.
static void name_kernel(compiler *compile) {
  pgopt_text name = {0};
  pgopt_text_append(&name, PGOPT_KERNEL_SYMBOL "_");
  for (int i = 0; i < PGOPT_HASH_BYTES / 2; ++i)
    pgopt_text_append(&name, "%02x", compile->key.bytes[i]);
  LLVMValueRef function =
      LLVMGetNamedFunction(compile->ir, PGOPT_KERNEL_SYMBOL);
  LLVMSetLinkage(function, LLVMExternalLinkage);
  LLVMSetValueName2(function, name.data, name.size);
  compile->symbol = name.data;
}

/// Translates the unit and looks for its object in the cache. Touches nothing
/// but its own unit.
static void open_unit(compiler *compile, bool is_kernel) {
  const pgopt_object_options *options = compile->options;
  compile->has_failed = true;
  if (!create_machine(compile) || !translate(compile))
    return;
  keep_kernels(compile);
  if (is_kernel)
    hide_definitions(compile->ir);
  else if (options->packed_entry &&
           !add_packed_entry(compile, options->packed_entry))
    return;
  compile->has_failed = false;
  compile->key = key_of(compile);
  if (is_kernel)
    name_kernel(compile);
  if (options->cache_directory &&
      pgopt_object_cache_read(options->cache_directory, &compile->key,
                              &compile->data, &compile->size))
    release(compile);
}

static void open_kernel(compiler *compile) { open_unit(compile, true); }

/// Units that threads take one after another.
typedef struct queue {
  compiler **units;
  size_t count;
  void (*step)(compiler *unit);
  _Atomic size_t next;
} queue;

static void *work(void *data) {
  queue *q = data;
  for (size_t i; (i = atomic_fetch_add(&q->next, 1)) < q->count;)
    q->step(q->units[i]);
  return NULL;
}

static void work_all(queue *q) {
  enum { MOST = 64 };
  pthread_t threads[MOST];
  cpu_set_t cpus;
  size_t count = 0;
  size_t wanted =
      sched_getaffinity(0, sizeof cpus, &cpus) ? 1 : (size_t)CPU_COUNT(&cpus);
  wanted = wanted > MOST ? MOST : wanted;
  wanted = wanted > q->count ? q->count : wanted;
  while (count + 1 < wanted && !pthread_create(&threads[count], NULL, work, q))
    ++count;
  work(q);
  while (count)
    pthread_join(threads[--count], NULL);
}

/// Reports the first error that a unit has noted; where MLIR has reported one,
/// there is none.
static MlirLogicalResult report(const compiler *units, size_t count) {
  bool has_failed = false;
  for (size_t i = 0; i < count; ++i) {
    if (units[i].complaint.size)
      return pgopt_emit_error(units[i].program, "%s", units[i].complaint.data);
    has_failed = has_failed || units[i].has_failed;
  }
  return has_failed ? mlirLogicalResultFailure() : mlirLogicalResultSuccess();
}

/// Compiles what the cache did not have, once each.
static MlirLogicalResult compile_missing(compiler *units, size_t count,
                                         const pgopt_object_options *options) {
  queue q = {.units = pgopt_allocate(count, sizeof(compiler *)), .step = emit};
  // The last one first: it is the longest, it has all calls and every constant.
  for (size_t i = count; i-- > 0;)
    if (units[i].ir)
      q.units[q.count++] = &units[i];
  work_all(&q);
  for (size_t i = 0; i < q.count; ++i) {
    compiler *unit = q.units[i];
    if (unit->is_compiled && options->cache_directory)
      pgopt_object_cache_write(options->cache_directory, &unit->key, unit->data,
                               unit->size, cache_limit_bytes);
  }
  free(q.units);
  return report(units, count);
}

/// Opens the kernels' units. \param[out] names one a kernel; equal kernels have
///   the same, and the later one's unit is dropped.
static MlirLogicalResult open_kernels(const pgopt_split *split, compiler *units,
                                      const char **names) {
  queue q = {.units = pgopt_allocate(split->count, sizeof(compiler *)),
             .count = split->count,
             .step = open_kernel};
  for (size_t i = 0; i < split->count; ++i) {
    q.units[i] = &units[i];
    units[i].module = mlirModuleGetOperation(split->kernels[i].module);
  }
  work_all(&q);
  free(q.units);
  MlirLogicalResult result = report(units, split->count);
  for (size_t i = 0; i < split->count && mlirLogicalResultIsSuccess(result);
       ++i) {
    compiler *unit = &units[i];
    names[i] = unit->symbol;
    for (size_t k = 0; k < i; ++k)
      if (!strcmp(names[k], unit->symbol)) {
        names[i] = names[k];
        release(unit);
        free(unit->data);
        unit->data = NULL;
        break;
      }
  }
  return result;
}

/// What the program calls the kernels that have the i-th name.
static char *join_kernels(const pgopt_split *split, const char *const *names,
                          size_t i) {
  pgopt_text text = {0};
  for (size_t k = i; k < split->count; ++k) {
    if (names[k] != names[i])
      continue;
    MlirStringRef name = pgopt_symbol_name(split->kernels[k].function);
    pgopt_text_append(&text, "%s%.*s", k > i ? " or " : "", (int)name.length,
                      name.data);
  }
  return text.data;
}

MlirLogicalResult pgopt_objects_compile(MlirOperation module,
                                        const pgopt_object_options *options,
                                        pgopt_objects *objects) {
  pgopt_split split;
  *objects = (pgopt_objects){0};
  pgopt_split_kernels(module, &split);
  size_t count = split.count + 1;
  compiler *units = pgopt_allocate(count, sizeof *units);
  const char **names = pgopt_allocate(count, sizeof *names);
  char **kernels = pgopt_allocate(count, sizeof *kernels);
  for (size_t i = 0; i < count; ++i) {
    units[i].options = options;
    units[i].program = module;
  }
  MlirLogicalResult result = open_kernels(&split, units, names);
  if (mlirLogicalResultIsSuccess(result)) {
    for (size_t i = 0; i < split.count; ++i)
      if (units[i].symbol == names[i])
        kernels[i] = join_kernels(&split, names, i);
    pgopt_split_link(&split, names);
    compiler *rest = &units[split.count];
    rest->module = split.rest;
    open_unit(rest, false);
    result = report(rest, 1);
  }
  if (mlirLogicalResultIsSuccess(result))
    result = compile_missing(units, count, options);
  for (size_t i = 0; i < count; ++i) {
    if (units[i].data && mlirLogicalResultIsSuccess(result)) {
      pgopt_reserve((void **)&objects->items, &objects->capacity,
                    objects->count + 1, sizeof *objects->items);
      objects->items[objects->count].data = units[i].data;
      objects->items[objects->count].size = units[i].size;
      objects->items[objects->count].symbol =
          kernels[i] ? units[i].symbol : NULL;
      objects->items[objects->count++].kernels = kernels[i];
      objects->compiled += units[i].is_compiled;
      if (kernels[i])
        units[i].symbol = NULL;
    } else {
      free(units[i].data);
      free(kernels[i]);
    }
    release(&units[i]);
    pgopt_text_free(&units[i].complaint);
    free(units[i].symbol);
  }
  free(names);
  free(kernels);
  free(units);
  pgopt_split_free(&split);
  return result;
}

void pgopt_objects_free(pgopt_objects *objects) {
  for (size_t i = 0; i < objects->count; ++i) {
    free(objects->items[i].data);
    free(objects->items[i].symbol);
    free(objects->items[i].kernels);
  }
  free(objects->items);
  *objects = (pgopt_objects){0};
}
