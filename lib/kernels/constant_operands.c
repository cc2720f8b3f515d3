#include "kernels/constant_operands.h"

#include "dialect_c/attributes.h"
#include "ir/argument_attributes.h"
#include "ir/symbol_index.h"

#include <stdlib.h>

/// Attribute of a marked call: a constant's number an operand.
static const char mark_name[] = "constant_operands";

static bool is_kernel(MlirOperation function) {
  return !mlirBlockIsNull(pgopt_function_body(function)) &&
         !mlirAttributeIsNull(pgopt_get(function, PGOPT_KERNEL));
}

static MlirOperation function_around(MlirOperation op) {
  while (!mlirOperationIsNull(op) && !pgopt_op_is(op, "func.func"))
    op = mlirOperationGetParentOperation(op);
  return op;
}

MlirOperation pgopt_function_of(MlirValue value) {
  return function_around(
      mlirValueIsABlockArgument(value)
          ? mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value))
          : mlirOpResultGetOwner(value));
}

static bool is_argument_of(MlirValue value, MlirOperation function) {
  return mlirValueIsABlockArgument(value) &&
         mlirBlockEqual(mlirBlockArgumentGetOwner(value),
                        pgopt_function_body(function));
}

/// True for a memref whose elements all lie one after the other.
static bool is_contiguous(MlirType type) {
  if (!mlirTypeIsAMemRef(type) ||
      !mlirAttributeIsNull(mlirMemRefTypeGetMemorySpace(type)))
    return false;
  MlirAttribute layout = mlirMemRefTypeGetLayout(type);
  int64_t bytes;
  return mlirAttributeIsAAffineMap(layout) &&
         mlirAffineMapIsIdentity(mlirAffineMapAttrGetValue(layout)) &&
         pgopt_memref_bytes(type, &bytes) && bytes > 0;
}

MlirValue pgopt_whole_buffer(MlirValue value) {
  while (is_contiguous(mlirValueGetType(value))) {
    if (mlirValueIsABlockArgument(value))
      return value;
    MlirOperation op = mlirOpResultGetOwner(value);
    if (!pgopt_op_is(op, "memref.expand_shape") &&
        !pgopt_op_is(op, "memref.collapse_shape") &&
        !pgopt_op_is(op, "memref.cast"))
      return value;
    value = mlirOperationGetOperand(op, 0);
  }
  return (MlirValue){NULL};
}

static int64_t add_constant(pgopt_constants *c, pgopt_constant constant,
                            MlirValue buffer) {
  pgopt_memref_bytes(mlirValueGetType(buffer), &constant.bytes);
  PGOPT_APPEND(c->items, c->count, c->capacity, constant);
  return (int64_t)c->count - 1;
}

/// The constant that a parameter of the entry is, or -1.
static int64_t argument_number(pgopt_constants *c, MlirValue buffer) {
  if (!is_argument_of(buffer, c->entry))
    return -1;
  intptr_t number = mlirBlockArgumentGetArgNumber(buffer);
  if (mlirAttributeIsNull(
          pgopt_argument_attribute(c->entry, number, PGOPT_PARAMETER)))
    return -1;
  for (size_t i = 0; i < c->count; ++i)
    if (!c->items[i].global && c->items[i].argument == number)
      return (int64_t)i;
  return add_constant(c, (pgopt_constant){.argument = number}, buffer);
}

/// The constant that a global is, or -1 when it may change.
static int64_t global_number(pgopt_constants *c, MlirOperation global,
                             MlirValue buffer) {
  int known;
  if (mlirOperationIsNull(global) || !pgopt_op_is(global, "memref.global") ||
      (mlirAttributeIsNull(pgopt_op_attribute(global, "constant")) &&
       mlirAttributeIsNull(pgopt_get(global, PGOPT_PARAMETER))))
    return -1;
  if (pgopt_pointer_map_get(&c->by_global, global.ptr, &known))
    return known;
  int64_t number =
      add_constant(c,
                   (pgopt_constant){.global = pgopt_ref_duplicate(
                                        pgopt_symbol_name(global))},
                   buffer);
  pgopt_pointer_map_set(&c->by_global, global.ptr, (int)number);
  return number;
}

/// The constant that a buffer of the entry, or one that a kernel names itself,
/// is. \param symbols may be null.
static int64_t local_number(pgopt_constants *c,
                            const pgopt_symbol_index *symbols,
                            MlirValue buffer) {
  if (mlirValueIsABlockArgument(buffer))
    return argument_number(c, buffer);
  MlirOperation get = mlirOpResultGetOwner(buffer);
  if (!pgopt_op_is(get, "memref.get_global"))
    return -1;
  MlirOperation global =
      symbols ? pgopt_symbol_index_resolve(symbols, get, "name")
              : pgopt_module_lookup(c->module,
                                    mlirFlatSymbolRefAttrGetValue(
                                        pgopt_op_attribute(get, "name")));
  return global_number(c, global, buffer);
}

int64_t pgopt_constant_number(pgopt_constants *c,
                              const pgopt_constant_call *call,
                              MlirValue buffer) {
  if (!call || !mlirValueIsABlockArgument(buffer))
    return local_number(c, NULL, buffer);
  return call->constants[mlirBlockArgumentGetArgNumber(buffer)];
}

/// The module's calls, and for every function the only one of it.
typedef struct call_list {
  pgopt_symbol_index symbols;
  MlirOperation *ops;
  size_t count;
  pgopt_pointer_map only; ///< number of a function's call; -1: it has several
} call_list;

static MlirOperation callee_of(const call_list *calls, size_t number) {
  return pgopt_symbol_index_resolve(&calls->symbols, calls->ops[number],
                                    "callee");
}

static call_list list_calls(MlirOperation module) {
  call_list calls = {.symbols = pgopt_symbol_index_create(module)};
  calls.ops = pgopt_collect_ops(module, "func.call", &calls.count);
  for (size_t i = 0; i < calls.count; ++i) {
    MlirOperation callee = callee_of(&calls, i);
    int known;
    if (!mlirOperationIsNull(callee))
      pgopt_pointer_map_set(
          &calls.only, callee.ptr,
          pgopt_pointer_map_get(&calls.only, callee.ptr, &known) ? -1 : (int)i);
  }
  return calls;
}

static void free_calls(call_list *calls) {
  pgopt_symbol_index_free(&calls->symbols);
  pgopt_pointer_map_free(&calls->only);
  free(calls->ops);
}

/// The call of a core's function by the entry; null when it is no such one.
static MlirOperation core_call(const pgopt_constants *c, const call_list *calls,
                               MlirOperation function) {
  int number = -1;
  pgopt_pointer_map_get(&calls->only, function.ptr, &number);
  if (number < 0 || is_kernel(function) || !pgopt_symbol_is_private(function) ||
      mlirOperationGetNumResults(calls->ops[number]) ||
      !mlirOperationEqual(function_around(calls->ops[number]), c->entry))
    return (MlirOperation){NULL};
  return calls->ops[number];
}

/// \param around the entry, or a core's function that `core` calls.
static int64_t operand_number(pgopt_constants *c, const call_list *calls,
                              MlirOperation around, MlirOperation core,
                              MlirValue operand) {
  MlirValue buffer = pgopt_whole_buffer(operand);
  if (!mlirValueIsNull(buffer) && !mlirOperationIsNull(core) &&
      mlirValueIsABlockArgument(buffer))
    buffer = is_argument_of(buffer, around)
                 ? pgopt_whole_buffer(mlirOperationGetOperand(
                       core, mlirBlockArgumentGetArgNumber(buffer)))
                 : (MlirValue){NULL};
  return mlirValueIsNull(buffer) ? -1
                                 : local_number(c, &calls->symbols, buffer);
}

static void mark_call(pgopt_constants *c, const call_list *calls,
                      MlirOperation around, MlirOperation core,
                      MlirOperation call) {
  size_t count = (size_t)mlirOperationGetNumOperands(call);
  int64_t *numbers = pgopt_allocate(count, sizeof *numbers);
  for (size_t i = 0; i < count; ++i)
    numbers[i] = operand_number(c, calls, around, core,
                                mlirOperationGetOperand(call, (intptr_t)i));
  mlirOperationSetDiscardableAttributeByName(
      call, pgopt_ref(mark_name),
      mlirDenseI64ArrayGet(mlirOperationGetContext(call), (intptr_t)count,
                           numbers));
  free(numbers);
}

MlirValue pgopt_insert_argument(MlirOperation function, intptr_t place,
                                MlirType type) {
  MlirContext context = mlirOperationGetContext(function);
  MlirBlock body = pgopt_function_body(function);
  MlirAttribute old = pgopt_op_attribute(function, "arg_attrs");
  MlirValue argument = mlirBlockInsertArgument(
      body, place, type, mlirOperationGetLocation(function));
  intptr_t count = mlirBlockGetNumArguments(body);
  MlirType *types = pgopt_allocate((size_t)count, sizeof *types);
  MlirAttribute *attributes = pgopt_allocate((size_t)count, sizeof *attributes);
  for (intptr_t i = 0; i < count; ++i) {
    types[i] = mlirValueGetType(mlirBlockGetArgument(body, i));
    attributes[i] = mlirAttributeIsNull(old) || i == place
                        ? mlirDictionaryAttrGet(context, 0, NULL)
                        : mlirArrayAttrGetElement(old, i - (i > place));
  }
  MlirType taking = mlirFunctionTypeGet(context, count, types, 0, NULL);
  mlirOperationSetAttributeByName(function, pgopt_ref("function_type"),
                                  mlirTypeAttrGet(taking));
  if (!mlirAttributeIsNull(old))
    mlirOperationSetAttributeByName(
        function, pgopt_ref("arg_attrs"),
        mlirArrayAttrGet(context, count, attributes));
  free(attributes);
  free(types);
  return argument;
}

MlirValue pgopt_add_argument(MlirOperation function, MlirType type) {
  return pgopt_insert_argument(
      function, mlirBlockGetNumArguments(pgopt_function_body(function)), type);
}

void pgopt_insert_operand(MlirOperation op, intptr_t place, MlirValue operand) {
  intptr_t count = mlirOperationGetNumOperands(op) + 1;
  MlirValue *operands = pgopt_allocate((size_t)count, sizeof *operands);
  for (intptr_t i = 0; i < count; ++i)
    operands[i] =
        i == place ? operand : mlirOperationGetOperand(op, i - (i > place));
  mlirOperationSetOperands(op, count, operands);
  free(operands);
}

void pgopt_add_operand(MlirOperation op, MlirValue operand) {
  pgopt_insert_operand(op, mlirOperationGetNumOperands(op), operand);
}

static bool has_constants(MlirOperation module, MlirOperation entry) {
  intptr_t count = mlirFunctionTypeGetNumInputs(pgopt_function_type(entry));
  for (intptr_t i = 0; i < count; ++i)
    if (!mlirAttributeIsNull(
            pgopt_argument_attribute(entry, i, PGOPT_PARAMETER)))
      return true;
  MlirOperation op = mlirBlockGetFirstOperation(pgopt_module_body(module));
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (pgopt_op_is(op, "memref.global"))
      return true;
  return false;
}

bool pgopt_constants_mark(MlirOperation module, MlirOperation entry,
                          pgopt_constants *c) {
  *c = (pgopt_constants){.module = module, .entry = entry};
  if (!has_constants(module, entry))
    return false;
  call_list calls = list_calls(module);
  size_t count;
  MlirOperation *functions = pgopt_collect_ops(module, "func.func", &count);
  pgopt_emitter start =
      pgopt_emitter_at_start(pgopt_function_body(entry), entry);
  MlirType pointer = pgopt_pointer_type(start.context);
  c->placeholder = pgopt_unique_symbol(module, "pgopt_prepared_block");
  MlirValue block =
      pgopt_emit_runtime_call(start, module, c->placeholder, 0, NULL, pointer);
  for (size_t i = 0; i < count; ++i) {
    MlirOperation core = core_call(c, &calls, functions[i]);
    if (mlirBlockIsNull(pgopt_function_body(functions[i])) ||
        (mlirOperationIsNull(core) && !mlirOperationEqual(functions[i], entry)))
      continue;
    size_t call_count;
    MlirOperation *inside =
        pgopt_collect_ops(functions[i], "func.call", &call_count);
    bool found = false;
    for (size_t k = 0; k < call_count; ++k) {
      MlirOperation callee =
          pgopt_symbol_index_resolve(&calls.symbols, inside[k], "callee");
      if (mlirOperationIsNull(callee) || !is_kernel(callee))
        continue;
      mark_call(c, &calls, functions[i], core, inside[k]);
      found = true;
    }
    free(inside);
    if (found && !mlirOperationIsNull(core)) {
      pgopt_add_argument(functions[i], pointer);
      pgopt_add_operand(core, block);
    }
  }
  free(functions);
  free_calls(&calls);
  return true;
}

static void read_mark(pgopt_constants *c, pgopt_constant_call *call) {
  MlirAttribute mark = mlirOperationGetDiscardableAttributeByName(
      call->op, pgopt_ref(mark_name));
  if (mlirAttributeIsNull(mark) || !mlirAttributeIsADenseI64Array(mark) ||
      mlirDenseArrayGetNumElements(mark) !=
          mlirOperationGetNumOperands(call->op))
    return;
  size_t count = (size_t)mlirDenseArrayGetNumElements(mark);
  int64_t *numbers = pgopt_arena_allocate(&c->arena, count, sizeof *numbers);
  for (size_t i = 0; i < count; ++i)
    numbers[i] = mlirDenseI64ArrayGetElement(mark, (intptr_t)i);
  call->constants = numbers;
  MlirOperation around = function_around(call->op);
  MlirBlock body = pgopt_function_body(around);
  call->block =
      mlirOperationEqual(around, c->entry)
          ? pgopt_result(c->placeholder_call)
          : mlirBlockGetArgument(body, mlirBlockGetNumArguments(body) - 1);
}

void pgopt_constants_index(pgopt_constants *c) {
  if (c->is_indexed)
    return;
  c->is_indexed = true;
  call_list calls = list_calls(c->module);
  for (size_t i = 0; i < calls.count; ++i)
    if (pgopt_ref_is(pgopt_callee(calls.ops[i]), c->placeholder)) {
      c->placeholder_call = calls.ops[i];
      c->entry = function_around(calls.ops[i]); // it may be a new one
    }
  for (size_t i = 0; i < calls.count; ++i) {
    MlirOperation callee = callee_of(&calls, i);
    if (mlirOperationIsNull(callee) || !is_kernel(callee))
      continue;
    pgopt_constant_call call = {.op = calls.ops[i], .next = -1};
    read_mark(c, &call);
    pgopt_pointer_map_get(&c->first_call, callee.ptr, &call.next);
    pgopt_pointer_map_set(&c->first_call, callee.ptr, (int)c->call_count);
    PGOPT_APPEND(c->calls, c->call_count, c->call_capacity, call);
  }
  free_calls(&calls);
}

const pgopt_constant_call *pgopt_constants_first_call(const pgopt_constants *c,
                                                      MlirOperation kernel) {
  int number;
  return pgopt_pointer_map_get(&c->first_call, kernel.ptr, &number)
             ? &c->calls[number]
             : NULL;
}

void pgopt_constants_free(pgopt_constants *c) {
  for (size_t i = 0; i < c->call_count; ++i)
    mlirOperationRemoveDiscardableAttributeByName(c->calls[i].op,
                                                  pgopt_ref(mark_name));
  mlirOperationDestroy(
      pgopt_module_lookup(c->module, pgopt_ref(c->placeholder)));
  for (size_t i = 0; i < c->count; ++i)
    free(c->items[i].global);
  free(c->items);
  free(c->calls);
  free(c->placeholder);
  pgopt_pointer_map_free(&c->by_global);
  pgopt_pointer_map_free(&c->first_call);
  pgopt_arena_free(&c->arena);
}
