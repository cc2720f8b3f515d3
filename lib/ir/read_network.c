/// \file Reads a function into plain data.
#include "ir/read_network.h"

#include "ir/argument_attributes.h"
#include "ir/ir.h"
#include "ir/read_structured.h"

#include <stdlib.h>
#include <string.h>

/// What the reader grows while it walks; moved into the network at the end.
typedef struct reader {
  pgopt_ir_network *ir;
  size_t value_count, value_capacity;
  size_t handle_count, handle_capacity;
} reader;

static int add_value(reader *r, MlirValue value, int producer, int number) {
  pgopt_ir_network *ir = r->ir;
  pgopt_reserve((void **)&ir->network.values, &r->value_capacity,
                r->value_count + 1, sizeof *ir->network.values);
  pgopt_reserve((void **)&ir->values, &r->handle_capacity, r->handle_count + 1,
                sizeof *ir->values);
  int index = (int)r->value_count++;
  ++r->handle_count;
  ir->network.values[index] =
      (pgopt_value){.type = pgopt_read_type(&ir->memo, &ir->network.arena,
                                            mlirValueGetType(value)),
                    .producer = producer,
                    .result_number = number};
  ir->values[index] = value;
  pgopt_pointer_map_set(&ir->value_index, value.ptr, index);
  return index;
}

int pgopt_ir_network_value(const pgopt_ir_network *network, MlirValue value) {
  int index = -1;
  pgopt_pointer_map_get(&network->value_index, value.ptr, &index);
  return index;
}

static bool touches_arrays(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (mlirTypeIsAShaped(mlirValueGetType(mlirOperationGetOperand(op, i))))
      return true;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (mlirTypeIsAShaped(mlirValueGetType(mlirOperationGetResult(op, i))))
      return true;
  return false;
}

static pgopt_op_kind classify(MlirOperation op) {
  static const struct {
    const char *name;
    pgopt_op_kind kind;
  } names[] = {
      {"func.return", PGOPT_OP_RETURN},
      {"arith.constant", PGOPT_OP_CONSTANT},
      {"tosa.const", PGOPT_OP_CONSTANT},
      {"tosa.const_shape", PGOPT_OP_CONSTANT},
      {"ml_program.global_load_const", PGOPT_OP_CONSTANT},
      {"tensor.empty", PGOPT_OP_EMPTY},
      {"bufferization.alloc_tensor", PGOPT_OP_EMPTY},
      {"memref.alloc", PGOPT_OP_EMPTY},
      {"memref.get_global", PGOPT_OP_CONSTANT},
      {"tensor.expand_shape", PGOPT_OP_VIEW},
      {"tensor.collapse_shape", PGOPT_OP_VIEW},
      {"tensor.reshape", PGOPT_OP_VIEW},
      {"tensor.cast", PGOPT_OP_VIEW},
      {"memref.expand_shape", PGOPT_OP_VIEW},
      {"memref.collapse_shape", PGOPT_OP_VIEW},
      {"memref.cast", PGOPT_OP_VIEW},
      {"tosa.reshape", PGOPT_OP_VIEW},
      {"tosa.identity", PGOPT_OP_VIEW},
      {"tensor.pad", PGOPT_OP_MOVE},
      {"tensor.concat", PGOPT_OP_MOVE},
      {"tensor.extract_slice", PGOPT_OP_MOVE},
      {"tensor.insert_slice", PGOPT_OP_MOVE},
      {"tensor.insert", PGOPT_OP_MOVE},
      {"tensor.gather", PGOPT_OP_MOVE},
      {"tensor.scatter", PGOPT_OP_MOVE},
      {"tensor.splat", PGOPT_OP_MOVE},
      {"tensor.from_elements", PGOPT_OP_MOVE},
      {"linalg.pack", PGOPT_OP_MOVE},
      {"linalg.unpack", PGOPT_OP_MOVE},
      {"tosa.pad", PGOPT_OP_MOVE},
      {"tosa.concat", PGOPT_OP_MOVE},
      {"tosa.slice", PGOPT_OP_MOVE},
      {"tosa.gather", PGOPT_OP_MOVE},
      {"tosa.scatter", PGOPT_OP_MOVE},
      {"tosa.tile", PGOPT_OP_MOVE},
      {"tosa.transpose", PGOPT_OP_MOVE},
      {"tosa.reverse", PGOPT_OP_MOVE},
      {"tensor.dim", PGOPT_OP_SCALAR},
      {"tensor.extract", PGOPT_OP_SCALAR},
      {"tensor.rank", PGOPT_OP_SCALAR},
  };
  if (pgopt_is_structured(op))
    return PGOPT_OP_STRUCTURED;
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (pgopt_op_is(op, names[i].name))
      return names[i].kind;
  if (pgopt_op_in_dialect(op, "scf"))
    return PGOPT_OP_REGION;
  if (pgopt_op_in_dialect(op, "tosa"))
    return PGOPT_OP_TOSA;
  if (touches_arrays(op))
    return pgopt_op_is(op, "func.call") ? PGOPT_OP_CALL : PGOPT_OP_OPAQUE;
  return pgopt_op_in_dialect(op, "arith") || pgopt_op_in_dialect(op, "math") ||
                 pgopt_op_in_dialect(op, "index")
             ? PGOPT_OP_SCALAR
             : PGOPT_OP_EFFECT;
}

typedef struct capture_walk {
  reader *r;
  MlirOperation parent;
  int *captures;
  size_t count, capacity;
} capture_walk;

static bool is_inside(MlirBlock block, MlirOperation parent) {
  MlirOperation op = mlirBlockGetParentOperation(block);
  while (!mlirOperationIsNull(op) && !mlirOperationEqual(op, parent))
    op = mlirOperationGetParentOperation(op);
  return !mlirOperationIsNull(op);
}

static MlirWalkResult collect_captures(MlirOperation op, void *data) {
  capture_walk *walk = data;
  if (mlirOperationEqual(op, walk->parent))
    return MlirWalkResultAdvance;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    MlirBlock owner = mlirValueIsABlockArgument(value)
                          ? mlirBlockArgumentGetOwner(value)
                          : mlirOperationGetBlock(mlirOpResultGetOwner(value));
    int index = pgopt_ir_network_value(walk->r->ir, value);
    if (index < 0 || is_inside(owner, walk->parent))
      continue;
    bool known = false;
    for (size_t k = 0; k < walk->count && !known; ++k)
      known = walk->captures[k] == index;
    if (!known)
      PGOPT_APPEND(walk->captures, walk->count, walk->capacity, index);
  }
  return MlirWalkResultAdvance;
}

static bool constant_index(MlirValue value, int64_t *constant) {
  if (!mlirValueIsAOpResult(value))
    return false;
  MlirOperation owner = mlirOpResultGetOwner(value);
  MlirAttribute attribute = pgopt_op_attribute(owner, "value");
  if (!pgopt_op_is(owner, "arith.constant") ||
      !mlirAttributeIsAInteger(attribute))
    return false;
  *constant = mlirIntegerAttrGetValueInt(attribute);
  return true;
}

static int64_t read_trip_count(MlirOperation op) {
  int64_t low, high, step;
  if (!pgopt_op_is(op, "scf.for") ||
      !constant_index(mlirOperationGetOperand(op, 0), &low) ||
      !constant_index(mlirOperationGetOperand(op, 1), &high) ||
      !constant_index(mlirOperationGetOperand(op, 2), &step) || step <= 0)
    return -1;
  if (high <= low)
    return 0;
  uint64_t span = (uint64_t)high - (uint64_t)low;
  return (int64_t)((span + (uint64_t)step - 1) / (uint64_t)step);
}

static void read_integers(pgopt_arena *arena, MlirOperation handle,
                          pgopt_op *op) {
  size_t total = (size_t)mlirOperationGetNumAttributes(handle);
  pgopt_integer_list *lists = pgopt_arena_allocate(arena, total, sizeof *lists);
  for (size_t i = 0; i < total; ++i) {
    MlirNamedAttribute named = mlirOperationGetAttribute(handle, (intptr_t)i);
    MlirAttribute value = named.attribute;
    bool wide = mlirAttributeIsADenseI64Array(value);
    bool narrow = mlirAttributeIsADenseI32Array(value);
    bool single = mlirAttributeIsAInteger(value);
    if (!wide && !narrow && !single)
      continue;
    size_t count = single ? 1 : (size_t)mlirDenseArrayGetNumElements(value);
    int64_t *values = pgopt_arena_allocate(arena, count, sizeof *values);
    for (size_t k = 0; k < count; ++k)
      values[k] = single ? mlirIntegerAttrGetValueInt(value)
                  : wide ? mlirDenseI64ArrayGetElement(value, (intptr_t)k)
                         : mlirDenseI32ArrayGetElement(value, (intptr_t)k);
    MlirStringRef name = mlirIdentifierStr(named.name);
    lists[op->integer_count++] = (pgopt_integer_list){
        pgopt_arena_text(arena, name.data, name.length), values, count};
  }
  op->integers = lists;
}

/// The data of a constant, or of the global that it names; null when it has
/// none here.
static MlirAttribute constant_value(MlirOperation constant) {
  if (!pgopt_op_is(constant, "memref.get_global"))
    return pgopt_op_attribute(
        constant, pgopt_op_is(constant, "tosa.const") ? "values" : "value");
  MlirOperation module = mlirOperationGetParentOperation(constant);
  while (!mlirOperationIsNull(module) && !pgopt_op_is(module, "builtin.module"))
    module = mlirOperationGetParentOperation(module);
  MlirAttribute name = pgopt_op_attribute(constant, "name");
  MlirOperation global =
      mlirOperationIsNull(module)
          ? module
          : pgopt_module_lookup(module, mlirFlatSymbolRefAttrGetValue(name));
  return mlirOperationIsNull(global)
             ? mlirAttributeGetNull()
             : pgopt_op_attribute(global, "initial_value");
}

static void read_constant(pgopt_arena *arena, MlirOperation handle,
                          pgopt_op *op) {
  MlirAttribute value = constant_value(handle);
  op->is_splat = !mlirAttributeIsNull(value) &&
                 mlirAttributeIsADenseElements(value) &&
                 mlirDenseElementsAttrIsSplat(value);
  if (!op->is_splat || !pgopt_op_is(handle, "memref.get_global"))
    return;
  pgopt_text text = {0};
  pgopt_text_append(&text, "value = ");
  pgopt_print_attribute(value, &text);
  op->attributes = pgopt_arena_text(arena, text.data, text.size);
  pgopt_text_free(&text);
}

/// True when the pad of tensors of static shape adds nothing but a constant.
static bool is_padding(MlirOperation op, double *constant) {
  if (!pgopt_op_is(op, "tensor.pad") || mlirOperationGetNumOperands(op) != 1)
    return false;
  MlirType type = mlirValueGetType(pgopt_result(op));
  MlirType element = mlirShapedTypeGetElementType(type);
  if (!mlirShapedTypeHasStaticShape(type) ||
      !mlirShapedTypeHasStaticShape(
          mlirValueGetType(mlirOperationGetOperand(op, 0))) ||
      (!mlirTypeIsAF32(element) && !mlirTypeIsAF64(element)))
    return false;
  static const char *const sides[] = {"static_low", "static_high"};
  for (size_t s = 0; s < 2; ++s) {
    MlirAttribute side = pgopt_op_attribute(op, sides[s]);
    for (intptr_t d = 0; d < mlirDenseArrayGetNumElements(side); ++d)
      if (mlirDenseI64ArrayGetElement(side, d) < 0)
        return false;
  }
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  MlirValue yielded = mlirOperationGetOperand(mlirBlockGetTerminator(body), 0);
  if (!mlirValueIsAOpResult(yielded))
    return false;
  MlirAttribute value =
      pgopt_op_attribute(mlirOpResultGetOwner(yielded), "value");
  if (!pgopt_op_is(mlirOpResultGetOwner(yielded), "arith.constant") ||
      !mlirAttributeIsAFloat(value))
    return false;
  *constant = mlirFloatAttrGetValueDouble(value);
  return true;
}

/// An operation on memrefs makes no values; what it writes gets a new value for
/// the same buffer, which later reads then see.
static void add_written_buffers(reader *r, MlirOperation handle, int number,
                                pgopt_op *op) {
  size_t inits = op->operand_count - op->input_count;
  int *results =
      pgopt_arena_allocate(&r->ir->network.arena, inits, sizeof *results);
  for (size_t i = 0; i < inits; ++i)
    results[i] = add_value(
        r, mlirOperationGetOperand(handle, (intptr_t)(op->input_count + i)),
        number, (int)i);
  op->results = results;
  op->result_count = inits;
}

static const char *read_location(pgopt_arena *arena, MlirOperation op) {
  MlirLocation location = mlirOperationGetLocation(op);
  if (!mlirLocationIsAName(location))
    return "";
  MlirStringRef name = mlirIdentifierStr(mlirLocationNameGetName(location));
  return pgopt_arena_text(arena, name.data, name.length);
}

static void read_op(reader *r, MlirOperation handle, int number, pgopt_op *op);

static void read_regions(reader *r, MlirOperation handle, pgopt_op *op) {
  pgopt_arena *arena = &r->ir->network.arena;
  op->region_count = (size_t)mlirOperationGetNumRegions(handle);
  pgopt_region *regions =
      pgopt_arena_allocate(arena, op->region_count, sizeof *regions);
  for (size_t i = 0; i < op->region_count; ++i) {
    MlirRegion region = mlirOperationGetRegion(handle, (intptr_t)i);
    pgopt_op *ops = NULL;
    size_t count = 0, capacity = 0;
    MlirBlock block = mlirRegionGetFirstBlock(region);
    for (; !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block)) {
      for (intptr_t a = 0; a < mlirBlockGetNumArguments(block); ++a)
        add_value(r, mlirBlockGetArgument(block, a), -1, (int)a);
      MlirOperation inner = mlirBlockGetFirstOperation(block);
      for (; !mlirOperationIsNull(inner);
           inner = mlirOperationGetNextInBlock(inner)) {
        pgopt_op nested = {0};
        read_op(r, inner, -1, &nested);
        PGOPT_APPEND(ops, count, capacity, nested);
      }
    }
    regions[i] = (pgopt_region){
        pgopt_arena_copy(arena, ops, count * sizeof *ops), count};
    free(ops);
  }
  op->regions = regions;
}

static void read_op(reader *r, MlirOperation handle, int number, pgopt_op *op) {
  pgopt_arena *arena = &r->ir->network.arena;
  MlirStringRef name = pgopt_op_name(handle), group;
  *op = (pgopt_op){.kind = classify(handle),
                   .name = pgopt_arena_text(arena, name.data, name.length),
                   .location = read_location(arena, handle),
                   .attributes = "",
                   .trip_count = read_trip_count(handle)};
  if (pgopt_get_text(handle, PGOPT_KERNEL, &group))
    op->group = pgopt_arena_text(arena, group.data, group.length);

  op->operand_count = (size_t)mlirOperationGetNumOperands(handle);
  op->input_count = op->operand_count;
  int *operands =
      pgopt_arena_allocate(arena, op->operand_count, sizeof *operands);
  for (size_t i = 0; i < op->operand_count; ++i)
    operands[i] = pgopt_ir_network_value(
        r->ir, mlirOperationGetOperand(handle, (intptr_t)i));
  op->operands = operands;

  op->result_count = (size_t)mlirOperationGetNumResults(handle);
  int *results = pgopt_arena_allocate(arena, op->result_count, sizeof *results);
  for (size_t i = 0; i < op->result_count; ++i)
    results[i] = add_value(r, mlirOperationGetResult(handle, (intptr_t)i),
                           number, (int)i);
  op->results = results;

  if (mlirOperationGetNumRegions(handle)) {
    capture_walk walk = {.r = r, .parent = handle};
    mlirOperationWalk(handle, collect_captures, &walk, MlirWalkPreOrder);
    op->captures = pgopt_arena_copy(arena, walk.captures,
                                    walk.count * sizeof *walk.captures);
    op->capture_count = walk.count;
    free(walk.captures);
  }
  if (op->kind == PGOPT_OP_STRUCTURED) {
    pgopt_read_structured(r->ir, handle, op);
    if (!op->result_count)
      add_written_buffers(r, handle, number, op);
    return;
  }
  op->attributes = pgopt_read_attributes(r->ir, handle);
  if (op->kind == PGOPT_OP_CONSTANT)
    read_constant(arena, handle, op);
  read_integers(arena, handle, op);
  op->is_padding = is_padding(handle, &op->padding);
  if (mlirOperationGetNumRegions(handle))
    read_regions(r, handle, op);
}

/// Lists the users of every value, in program order, each once.
static void link_users(pgopt_network *network) {
  size_t *counts = pgopt_allocate(network->value_count, sizeof *counts);
  int *last = pgopt_allocate(network->value_count, sizeof *last);
  int **lists = pgopt_allocate(network->value_count, sizeof *lists);
  for (int round = 0; round < 2; ++round) {
    for (size_t v = 0; v < network->value_count; ++v) {
      if (round)
        lists[v] =
            pgopt_arena_allocate(&network->arena, counts[v], sizeof **lists);
      counts[v] = 0;
      last[v] = -1;
    }
    for (size_t i = 0; i < network->op_count; ++i) {
      const pgopt_op *op = &network->ops[i];
      for (size_t k = 0; k < op->operand_count + op->capture_count; ++k) {
        int value = k < op->operand_count ? op->operands[k]
                                          : op->captures[k - op->operand_count];
        if (value < 0 || last[value] == (int)i)
          continue;
        last[value] = (int)i;
        if (round)
          lists[value][counts[value]] = (int)i;
        ++counts[value];
      }
    }
  }
  for (size_t v = 0; v < network->value_count; ++v) {
    network->values[v].users = lists[v];
    network->values[v].user_count = counts[v];
  }
  free(lists);
  free(last);
  free(counts);
}

MlirLogicalResult pgopt_read_network(MlirOperation function,
                                     pgopt_ir_network *result) {
  *result = (pgopt_ir_network){0};
  MlirBlock block = pgopt_function_body(function);
  if (mlirBlockIsNull(block))
    return pgopt_emit_error(function, "the network's function has no body");
  if (!mlirBlockIsNull(mlirBlockGetNextInRegion(block)))
    return pgopt_emit_error(function, "the network's function has more than "
                                      "one block; only straight-line code "
                                      "and scf operations are supported");
  pgopt_network *network = &result->network;
  MlirStringRef name = pgopt_symbol_name(function);
  network->name = pgopt_arena_text(&network->arena, name.data, name.length);
  reader r = {.ir = result};
  intptr_t arguments = mlirBlockGetNumArguments(block);
  for (intptr_t i = 0; i < arguments; ++i) {
    int value = add_value(&r, mlirBlockGetArgument(block, i), -1, (int)i);
    network->values[value].is_parameter = !mlirAttributeIsNull(
        pgopt_argument_attribute(function, i, PGOPT_PARAMETER));
  }
  network->argument_count = (size_t)arguments;
  result->ops = pgopt_block_ops(block, &network->op_count);
  network->ops = pgopt_allocate(network->op_count, sizeof *network->ops);
  for (size_t i = 0; i < network->op_count; ++i)
    read_op(&r, result->ops[i], (int)i, &network->ops[i]);
  network->value_count = r.value_count;
  link_users(network);
  return mlirLogicalResultSuccess();
}

void pgopt_ir_network_free(pgopt_ir_network *network) {
  free(network->ops);
  free(network->values);
  pgopt_pointer_map_free(&network->value_index);
  pgopt_read_memo_free(&network->memo);
  pgopt_network_free(&network->network);
  *network = (pgopt_ir_network){0};
}
