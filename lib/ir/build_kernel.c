/// \file Builds the function of a kernel.
///
/// Every value inside lives in a storage: the destination when it ends up there
/// (an epilogue works in place on what the core wrote), else scratch. A kernel
/// that is cut works on slices of its inputs and destinations and full scratch;
/// the slices are static when all its ranges are of one length.
#include "ir/build_kernel.h"

#include "dialect_c/attributes.h"
#include "ir/ir.h"
#include "ir/move_kernels.h"
#include "ir/tensor_ops.h"

#include <stdlib.h>
#include <string.h>

typedef struct kernel_builder {
  pgopt_builder b;
  const pgopt_ir_network *ir;
  const pgopt_kernel_plan *plan;
  int64_t range;            ///< as pgopt_build_kernel has it
  MlirValue low, count;     ///< lo, when cut, and hi - lo, when dynamic
  pgopt_pointer_map mapped; ///< value + 1 -> index into `values`
  MlirValue *values;
  size_t value_count, value_capacity;
  int *destination; ///< per op of the plan: the output it stores into, or -1
  int *in_place;    ///< per op: the input that its init already holds, or -1
} kernel_builder;

static const pgopt_op *op_of(const kernel_builder *k, size_t i) {
  return &k->ir->network.ops[k->plan->ops[i]];
}

static MlirOperation handle_of(const kernel_builder *k, size_t i) {
  return k->ir->ops[k->plan->ops[i]];
}

static const void *key_of(int value) {
  return (const void *)(uintptr_t)(value + 1);
}

static void map_value(kernel_builder *k, int value, MlirValue to) {
  pgopt_pointer_map_set(&k->mapped, key_of(value), (int)k->value_count);
  PGOPT_APPEND(k->values, k->value_count, k->value_capacity, to);
}

static bool find_value(const kernel_builder *k, int value, MlirValue *to) {
  int index;
  if (!pgopt_pointer_map_get(&k->mapped, key_of(value), &index))
    return false;
  *to = k->values[index];
  return true;
}

static int position_of(const kernel_builder *k, int value) {
  int producer = k->ir->network.values[value].producer;
  for (size_t i = 0; i < k->plan->op_count; ++i)
    if (k->plan->ops[i] == producer && producer >= 0)
      return (int)i;
  return -1;
}

static bool is_attached_fill(const kernel_builder *k, int value) {
  int position = position_of(k, value);
  return position >= 0 &&
         pgopt_op_is_attached(&k->ir->network, k->plan->ops[position]) &&
         pgopt_op_is_fill(&k->ir->network, op_of(k, (size_t)position));
}

static bool same_type(const pgopt_network *network, int a, int b) {
  return !strcmp(network->values[a].type.text, network->values[b].type.text);
}

/// Hands the destination of operation `i` on to what it continues in place.
static void hand_on_destination(kernel_builder *k, size_t i) {
  const pgopt_network *network = &k->ir->network;
  const pgopt_op *op = op_of(k, i);
  if (op->kind != PGOPT_OP_STRUCTURED || op->result_count != 1)
    return;
  if (pgopt_op_reads_init(op, 0)) {
    int from = position_of(k, op->operands[op->input_count]);
    if (from >= 0 && op_of(k, (size_t)from)->kind == PGOPT_OP_STRUCTURED)
      k->destination[from] = k->destination[i];
    return;
  }
  /* Only epilogues work in place: other elementwise operations are fused. */
  if (!pgopt_op_is_elementwise(op) || !k->plan->has_contraction)
    return;
  for (size_t n = 0; n < op->input_count; ++n) {
    int value = op->operands[n], from = position_of(k, value);
    if (from < 0 || is_attached_fill(k, value) ||
        network->values[value].user_count != 1 ||
        !same_type(network, value, op->results[0]) ||
        !pgopt_op_reads_in_place(network, op, n) ||
        op_of(k, (size_t)from)->kind != PGOPT_OP_STRUCTURED)
      continue;
    size_t uses = 0;
    for (size_t m = 0; m < op->operand_count; ++m)
      uses += op->operands[m] == value;
    if (uses != 1)
      continue;
    k->in_place[i] = (int)n;
    k->destination[from] = k->destination[i];
    return;
  }
}

static void choose_destinations(kernel_builder *k) {
  for (size_t i = 0; i < k->plan->op_count; ++i)
    k->destination[i] = k->in_place[i] = -1;
  for (size_t i = k->plan->op_count; i-- > 0;) {
    const pgopt_op *op = op_of(k, i);
    for (size_t r = 0; r < op->result_count; ++r)
      for (size_t o = 0; o < k->plan->output_count; ++o)
        if (k->plan->outputs[o] == op->results[r] && op->result_count == 1)
          k->destination[i] = (int)o;
    if (k->destination[i] >= 0)
      hand_on_destination(k, i);
  }
}

/// Offset and size of what the range touches.
static pgopt_box cut_box(kernel_builder *k, const pgopt_type *type,
                         const pgopt_cut *cut) {
  pgopt_box box = {.sizes = type->extents, .dim = cut->dim};
  if (cut->dim < 0)
    return box;
  box.offset = k->low;
  box.size = k->count;
  box.static_size = (k->range - 1) * cut->scale + cut->window;
  if (cut->scale == 1 && cut->window == 1)
    return box;
  MlirValue scale = pgopt_build_index(k->b.block, k->b.location, cut->scale);
  box.offset = pgopt_build_index_op(&k->b, "arith.muli", k->low, scale);
  if (mlirValueIsNull(k->count))
    return box;
  MlirValue steps = pgopt_build_index_op(&k->b, "arith.muli", k->count, scale);
  box.size = pgopt_build_index_op(
      &k->b, "arith.addi", steps,
      pgopt_build_index(k->b.block, k->b.location, cut->window - cut->scale));
  return box;
}

static MlirValue argument(const kernel_builder *k, size_t number) {
  return mlirBlockGetArgument(k->b.block, (intptr_t)number);
}

/// Storage for result `r` of operation `i`, cut as the operation is.
static MlirValue storage_of(kernel_builder *k, size_t i, size_t r) {
  const pgopt_op *op = op_of(k, i);
  const pgopt_type *type = &k->ir->network.values[op->results[r]].type;
  int output = k->destination[i];
  if (op->result_count > 1)
    for (size_t o = 0; o < k->plan->output_count; ++o)
      if (k->plan->outputs[o] == op->results[r])
        output = (int)o;
  MlirValue whole =
      output >= 0 ? argument(k, k->plan->input_count + (size_t)output)
                  : pgopt_build_empty(
                        &k->b, mlirValueGetType(k->ir->values[op->results[r]]));
  if (!k->range)
    return whole;
  pgopt_cut cut;
  pgopt_operand_cut(op, op->input_count + r, k->plan->cut_loops[i], &cut);
  pgopt_box box = cut_box(k, type, &cut);
  if (output < 0) {
    /* Scratch is as large as the whole and used from its begin. */
    box.offset = pgopt_build_index(k->b.block, k->b.location, 0);
  }
  return pgopt_build_slice(&k->b, whole, &box);
}

static void drop_pg_attributes(MlirOperation op) {
  for (int a = 0; a < PGOPT_ATTRIBUTE_COUNT; ++a)
    pgopt_remove(op, (pgopt_attribute)a);
}

typedef struct capture_map {
  const kernel_builder *k;
  const pgopt_op *op;
} capture_map;

static MlirWalkResult replace_captures(MlirOperation nested, void *data) {
  const capture_map *map = data;
  for (size_t i = 0; i < map->op->capture_count; ++i) {
    MlirValue to;
    if (find_value(map->k, map->op->captures[i], &to))
      mlirOperationReplaceUsesOfWith(
          nested, map->k->ir->values[map->op->captures[i]], to);
  }
  return MlirWalkResultAdvance;
}

/// A detached copy whose regions use the kernel's values.
static MlirOperation copy_op(kernel_builder *k, size_t i) {
  MlirOperation copy = mlirOperationClone(handle_of(k, i));
  drop_pg_attributes(copy);
  if (op_of(k, i)->capture_count) {
    capture_map map = {k, op_of(k, i)};
    mlirOperationWalk(copy, replace_captures, &map, MlirWalkPreOrder);
  }
  return copy;
}

static void set_operand(MlirOperation op, size_t number, MlirValue value) {
  mlirOperationSetOperand(op, (intptr_t)number, value);
}

/// Puts a copy of an attached fill into the block, on a storage.
static MlirValue place_fill(kernel_builder *k, size_t i, MlirValue storage) {
  MlirOperation fill = copy_op(k, i);
  const pgopt_op *op = op_of(k, i);
  for (size_t n = 0; n < op->input_count; ++n) {
    MlirValue to;
    if (find_value(k, op->operands[n], &to))
      set_operand(fill, n, to);
  }
  set_operand(fill, op->input_count, storage);
  mlirValueSetType(pgopt_result(fill), mlirValueGetType(storage));
  mlirBlockAppendOwnedOperation(k->b.block, fill);
  return pgopt_result(fill);
}

/// Value of input `n` of the structured operation `i`.
static MlirValue input_of(kernel_builder *k, size_t i, size_t n) {
  const pgopt_op *op = op_of(k, i);
  int value = op->operands[n], position = position_of(k, value);
  if (is_attached_fill(k, value))
    return place_fill(k, (size_t)position, storage_of(k, (size_t)position, 0));
  MlirValue found = {NULL};
  find_value(k, value, &found);
  const pgopt_type *type = &k->ir->network.values[value].type;
  bool is_uncut = position < 0 ||
                  !(op_of(k, (size_t)position)->kind == PGOPT_OP_STRUCTURED);
  if (!k->range || !is_uncut || !type->is_shaped)
    return found;
  pgopt_cut cut;
  pgopt_operand_cut(op, n, k->plan->cut_loops[i], &cut);
  if (cut.dim < 0)
    return found;
  pgopt_box box = cut_box(k, type, &cut);
  return pgopt_build_slice(&k->b, found, &box);
}

/// What init `r` of the structured operation `i` starts from.
static MlirValue init_of(kernel_builder *k, size_t i, size_t r) {
  const pgopt_op *op = op_of(k, i);
  int value = op->operands[op->input_count + r];
  int position = position_of(k, value);
  if (k->in_place[i] >= 0) {
    MlirValue held = {NULL};
    find_value(k, op->operands[k->in_place[i]], &held);
    return held;
  }
  if (!pgopt_op_reads_init(op, r))
    return storage_of(k, i, r);
  if (is_attached_fill(k, value))
    return place_fill(k, (size_t)position, storage_of(k, i, r));
  if (position >= 0 &&
      op_of(k, (size_t)position)->kind == PGOPT_OP_STRUCTURED) {
    MlirValue held = {NULL};
    find_value(k, value, &held);
    return held;
  }
  /* Data from outside that is accumulated into: the destination starts as a
     copy of it. Storage that nothing has written stays as it is. */
  if (position >= 0 && op_of(k, (size_t)position)->kind == PGOPT_OP_EMPTY)
    return storage_of(k, i, r);
  return pgopt_build_copy(&k->b, input_of(k, i, op->input_count + r),
                          storage_of(k, i, r));
}

static void build_structured(kernel_builder *k, size_t i) {
  const pgopt_op *op = op_of(k, i);
  MlirOperation copy = copy_op(k, i);
  for (size_t n = 0; n < op->input_count; ++n)
    if ((int)n != k->in_place[i])
      set_operand(copy, n, input_of(k, i, n));
  for (size_t r = 0; r < op->operand_count - op->input_count; ++r) {
    MlirValue init = init_of(k, i, r);
    set_operand(copy, op->input_count + r, init);
    mlirValueSetType(mlirOperationGetResult(copy, (intptr_t)r),
                     mlirValueGetType(init));
  }
  if (pgopt_op_is_contraction(op))
    mlirBlockAppendOwnedOperation(k->b.block, copy);
  else
    copy = pgopt_rebuild_as_generic(&k->b, copy, op, k->in_place[i]);
  for (size_t r = 0; r < op->result_count; ++r)
    map_value(k, op->results[r], mlirOperationGetResult(copy, (intptr_t)r));
}

/// Operand `n` of an operation that is not structured; false when it is none
/// of the kernel's values.
static bool plain_operand(kernel_builder *k, size_t i, size_t n,
                          MlirValue *operand) {
  int value = op_of(k, i)->operands[n];
  if (value >= 0 && is_attached_fill(k, value)) {
    size_t position = (size_t)position_of(k, value);
    *operand = place_fill(k, position, storage_of(k, position, 0));
    return true;
  }
  return value >= 0 && find_value(k, value, operand);
}

static void build_plain(kernel_builder *k, size_t i) {
  const pgopt_op *op = op_of(k, i);
  MlirOperation copy = copy_op(k, i);
  for (size_t n = 0; n < op->operand_count; ++n) {
    MlirValue to;
    if (plain_operand(k, i, n, &to))
      set_operand(copy, n, to);
  }
  mlirBlockAppendOwnedOperation(k->b.block, copy);
  for (size_t r = 0; r < op->result_count; ++r)
    map_value(k, op->results[r], mlirOperationGetResult(copy, (intptr_t)r));
}

/// The scalar that a pad fills with; null when its region computes it.
static MlirValue padding_of(kernel_builder *k, MlirOperation op) {
  MlirValue padding = {NULL};
  if (!pgopt_op_is(op, "tensor.pad"))
    return padding;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  MlirValue yielded = mlirOperationGetOperand(mlirBlockGetTerminator(body), 0);
  int value = pgopt_ir_network_value(k->ir, yielded);
  if (value >= 0 && find_value(k, value, &padding))
    return padding;
  if (mlirValueIsAOpResult(yielded) &&
      pgopt_op_is(mlirOpResultGetOwner(yielded), "arith.constant")) {
    MlirOperation copy = mlirOperationClone(mlirOpResultGetOwner(yielded));
    mlirBlockAppendOwnedOperation(k->b.block, copy);
    padding = pgopt_result(copy);
  }
  return padding;
}

static void build_op(kernel_builder *k, size_t i) {
  const pgopt_op *op = op_of(k, i);
  k->b.location = mlirOperationGetLocation(handle_of(k, i));
  if (op->kind == PGOPT_OP_STRUCTURED) {
    if (!is_attached_fill(k, op->results[0]))
      build_structured(k, i);
    return;
  }
  int output = k->destination[i];
  if (op->kind != PGOPT_OP_MOVE || (output < 0 && !op->is_padding)) {
    build_plain(k, i);
    return;
  }
  MlirValue destination =
      output >= 0 ? argument(k, k->plan->input_count + (size_t)output)
                  : pgopt_build_empty(
                        &k->b, mlirValueGetType(k->ir->values[op->results[0]]));
  MlirValue *operands = pgopt_allocate(op->operand_count, sizeof *operands);
  for (size_t n = 0; n < op->operand_count; ++n)
    plain_operand(k, i, n, &operands[n]);
  MlirValue result;
  bool built =
      pgopt_build_move(&k->b, handle_of(k, i), operands,
                       padding_of(k, handle_of(k, i)), destination, &result);
  free(operands);
  if (built)
    map_value(k, op->results[0], result);
  else
    build_plain(k, i);
}

/// The value that ends in output `o`, in its destination.
static MlirValue finish_output(kernel_builder *k, size_t o) {
  int value = k->plan->outputs[o], position = position_of(k, value);
  MlirValue result = {NULL};
  MlirValue destination = argument(k, k->plan->input_count + o);
  if (is_attached_fill(k, value))
    return place_fill(k, (size_t)position, destination);
  find_value(k, value, &result);
  if (k->range) {
    pgopt_box box = cut_box(k, &k->ir->network.values[value].type,
                            &k->plan->output_cuts[o]);
    return pgopt_build_insert(&k->b, result, destination, &box);
  }
  /* Upstream's fusion forgets destinations that are not read; this is what it
     finds them by again. */
  MlirValue operands[] = {result, destination};
  MlirType type = mlirValueGetType(destination);
  pgopt_op_spec spec = {.name = "bufferization.materialize_in_destination",
                        .location = k->b.location,
                        .operand_count = 2,
                        .operands = operands,
                        .result_count = 1,
                        .results = &type};
  return pgopt_result(pgopt_build(k->b.block, &spec));
}

static MlirType kernel_type(const kernel_builder *k) {
  size_t inputs = k->plan->input_count, outputs = k->plan->output_count;
  MlirType *types = pgopt_allocate(inputs + 2 * outputs + 2, sizeof *types);
  size_t n = 0;
  for (size_t i = 0; i < inputs; ++i)
    types[n++] = mlirValueGetType(k->ir->values[k->plan->inputs[i]]);
  for (size_t i = 0; i < outputs; ++i)
    types[n++] = mlirValueGetType(k->ir->values[k->plan->outputs[i]]);
  types[n++] = mlirIndexTypeGet(k->b.context);
  types[n++] = mlirIndexTypeGet(k->b.context);
  MlirType *results = types + n;
  for (size_t i = 0; i < outputs; ++i)
    results[i] = types[inputs + i];
  MlirType type = mlirFunctionTypeGet(k->b.context, (intptr_t)n, types,
                                      (intptr_t)outputs, results);
  free(types);
  return type;
}

MlirOperation pgopt_build_kernel(const pgopt_ir_network *ir,
                                 const pgopt_kernel_plan *plan, int64_t range,
                                 MlirOperation module, const char *name) {
  kernel_builder k = {.ir = ir, .plan = plan, .range = range};
  k.b.context = mlirOperationGetContext(module);
  k.b.location = mlirOperationGetLocation(ir->ops[plan->ops[0]]);
  k.destination = pgopt_allocate(plan->op_count, sizeof *k.destination);
  k.in_place = pgopt_allocate(plan->op_count, sizeof *k.in_place);
  choose_destinations(&k);
  MlirOperation function = pgopt_build_function(module, name, kernel_type(&k),
                                                true, k.b.location, &k.b.block);
  for (size_t i = 0; i < plan->input_count; ++i)
    map_value(&k, plan->inputs[i], argument(&k, i));
  size_t arrays = plan->input_count + plan->output_count;
  if (range)
    k.low = argument(&k, arrays);
  if (range == PGOPT_DYNAMIC)
    k.count = pgopt_build_index_op(&k.b, "arith.subi", argument(&k, arrays + 1),
                                   k.low);
  for (size_t i = 0; i < plan->op_count; ++i)
    build_op(&k, i);
  MlirValue *results = pgopt_allocate(plan->output_count, sizeof *results);
  for (size_t o = 0; o < plan->output_count; ++o)
    results[o] = finish_output(&k, o);
  pgopt_op_spec spec = {.name = "func.return",
                        .location = k.b.location,
                        .operand_count = plan->output_count,
                        .operands = results};
  pgopt_build(k.b.block, &spec);
  free(results);
  free(k.in_place);
  free(k.destination);
  free(k.values);
  pgopt_pointer_map_free(&k.mapped);
  return function;
}
