/// \file Tensor programs: tensors, nodes and the operations that move data.
#include "tensor/tensor_program.h"

#include "base/checked_math.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// More elements than any real tensor, few enough that offsets never overflow.
static const int64_t max_elements = INT64_C(1) << 40;

void pgopt_tensor_program_free(pgopt_tensor_program *program) {
  pgopt_arena_free(&program->arena);
  free(program->tensors);
  free(program->nodes);
  free(program->blocks);
  free(program->inputs);
  free(program->outputs);
  free(program->wanted);
  *program = (pgopt_tensor_program){0};
}

int pgopt_tensors_fail(pgopt_tensor_program *program, pgopt_status status,
                       const char *format, ...) {
  if (pgopt_tensors_failed(program))
    return -1;
  char message[PGOPT_ERROR_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  pgopt_fail(&program->error, status, "%s", message);
  return -1;
}

const pgopt_tensor *pgopt_tensors_tensor(const pgopt_tensor_program *program,
                                         int tensor) {
  // Whoever looks at the last two extents of what failed reads zeros.
  static const int64_t zeros[2 + PGOPT_MAX_TENSOR_RANK];
  static const pgopt_tensor nothing = {
      .type = PGOPT_F32, .count = 1, .shape = zeros + 2};
  return tensor < 0 ? &nothing : program->tensors[tensor];
}

/// Far more than any network has; what loops in loops unroll to ends here.
static const size_t most_nodes = (size_t)1 << 20;

/// Adds a tensor of the checked shape; -1 on failure.
static int add_tensor(pgopt_tensor_program *p, pgopt_number type, int rank,
                      const int64_t *shape) {
  if (pgopt_tensors_failed(p))
    return -1;
  if (rank > PGOPT_MAX_TENSOR_RANK)
    return pgopt_tensors_fail(p, PGOPT_OUT_OF_RANGE,
                              "a tensor of %d dimensions; at most %d are "
                              "supported",
                              rank, PGOPT_MAX_TENSOR_RANK);
  // Extents of 0 hide no others: all products of extents stay within range.
  int64_t count = 1, others = 1;
  for (int i = 0; i < rank; ++i) {
    if (shape[i] < 0)
      return pgopt_tensors_fail(p, PGOPT_INVALID, "dimension %d is %lld", i,
                                (long long)shape[i]);
    if (!shape[i])
      count = 0;
    else if (!pgopt_checked_multiply(others, shape[i], &others) ||
             others > max_elements)
      return pgopt_tensors_fail(p, PGOPT_OUT_OF_RANGE,
                                "a tensor of too many elements");
  }
  count *= others;
  pgopt_tensor tensor = {
      .type = type,
      .rank = rank,
      .shape = pgopt_arena_copy(&p->arena, shape, (size_t)rank * sizeof *shape),
      .count = count,
      .node = -1,
      .name = ""};
  PGOPT_APPEND(p->tensors, p->tensor_count, p->tensor_capacity,
               pgopt_arena_copy(&p->arena, &tensor, sizeof tensor));
  return (int)p->tensor_count - 1;
}

/// Adds the node, whose lists are copied. Results know their node.
static int add_node(pgopt_tensor_program *p, pgopt_node node) {
  size_t most = p->node_limit ? p->node_limit : most_nodes;
  if (p->node_count >= most)
    return pgopt_tensors_fail(p, PGOPT_OUT_OF_RANGE,
                              "the network has more than %zu operations, "
                              "unrolled loops included",
                              most);
  node.block = p->block;
  node.location = p->location ? p->location : "";
  node.operands = pgopt_arena_copy(&p->arena, node.operands,
                                   (size_t)node.operand_count * sizeof(int));
  node.results = pgopt_arena_copy(&p->arena, node.results,
                                  (size_t)node.result_count * sizeof(int));
  PGOPT_APPEND(p->nodes, p->node_count, p->node_capacity, node);
  int index = (int)p->node_count - 1;
  for (int i = 0; i < node.result_count; ++i)
    p->tensors[node.results[i]]->node = index;
  return index;
}

/// Adds a node with one result of that type; it is known when all operands are.
static int add(pgopt_tensor_program *p, pgopt_node node, pgopt_number type,
               int rank, const int64_t *shape) {
  bool known = node.kind >= PGOPT_NODE_NEST;
  for (int i = 0; i < node.operand_count; ++i) {
    if (node.operands[i] < 0)
      return -1;
    known &= p->tensors[node.operands[i]]->is_known;
  }
  int result = add_tensor(p, type, rank, shape);
  if (result < 0)
    return -1;
  node.results = &result;
  node.result_count = 1;
  if (add_node(p, node) < 0)
    return -1;
  p->tensors[result]->is_known = known;
  return result;
}

int pgopt_tensors_input(pgopt_tensor_program *p, pgopt_number type, int rank,
                        const int64_t *shape, const char *name) {
  pgopt_node node = {.kind = PGOPT_NODE_INPUT};
  int result = add(p, node, type, rank, shape);
  if (result < 0)
    return -1;
  p->tensors[result]->name = name;
  PGOPT_APPEND(p->inputs, p->input_count, p->input_capacity, result);
  return result;
}

int pgopt_tensors_constant(pgopt_tensor_program *p, pgopt_number type, int rank,
                           const int64_t *shape, const void *data,
                           bool is_splat, const char *name) {
  static const int64_t zero;
  pgopt_node node = {.kind = PGOPT_NODE_CONSTANT};
  int result = add(p, node, type, rank, shape);
  if (result < 0)
    return -1;
  pgopt_tensor *tensor = p->tensors[result];
  tensor->name = name ? name : "";
  tensor->data = data ? data : &zero;
  tensor->is_splat = is_splat || !data;
  tensor->is_known = true;
  return result;
}

int pgopt_tensors_splat(pgopt_tensor_program *p, pgopt_number type, int rank,
                        const int64_t *shape, pgopt_scalar_value value) {
  void *data = pgopt_arena_allocate(&p->arena, 1, sizeof(int64_t));
  pgopt_number_write(type, data, 0, value);
  return pgopt_tensors_constant(p, type, rank, shape, data, true, NULL);
}

int pgopt_tensors_integers(pgopt_tensor_program *p, int64_t count,
                           const int64_t *values) {
  void *data =
      pgopt_arena_copy(&p->arena, values, (size_t)count * sizeof *values);
  return pgopt_tensors_constant(p, PGOPT_I64, 1, &count, data, false, NULL);
}

int pgopt_tensors_reshape(pgopt_tensor_program *p, int tensor, int rank,
                          const int64_t *shape) {
  if (tensor < 0)
    return -1;
  const pgopt_tensor *from = pgopt_tensors_tensor(p, tensor);
  int64_t count;
  if (!pgopt_checked_product(shape, (size_t)rank, &count) ||
      count != from->count)
    return pgopt_tensors_fail(p, PGOPT_INVALID,
                              "%lld elements cannot take a shape of another "
                              "number of elements",
                              (long long)from->count);
  bool same = rank == from->rank;
  for (int d = 0; d < rank && same; ++d)
    same = shape[d] == from->shape[d];
  if (same)
    return tensor;
  pgopt_node node = {
      .kind = PGOPT_NODE_RESHAPE, .operands = &tensor, .operand_count = 1};
  return add(p, node, from->type, rank, shape);
}

int pgopt_tensors_slice(pgopt_tensor_program *p, int tensor,
                        const int64_t *offsets, const int64_t *sizes,
                        const int64_t *strides) {
  if (tensor < 0)
    return -1;
  const pgopt_tensor *from = pgopt_tensors_tensor(p, tensor);
  bool whole = true;
  for (int i = 0; i < from->rank; ++i) {
    int64_t last;
    if (offsets[i] < 0 || sizes[i] < 0 || strides[i] < 1 ||
        (sizes[i] > 0 &&
         (!pgopt_checked_multiply(sizes[i] - 1, strides[i], &last) ||
          last > from->shape[i] - 1 - offsets[i])))
      return pgopt_tensors_fail(p, PGOPT_INVALID,
                                "a slice leaves dimension %d of extent %lld", i,
                                (long long)from->shape[i]);
    whole &= !offsets[i] && sizes[i] == from->shape[i];
  }
  if (whole)
    return tensor;
  size_t bytes = (size_t)from->rank * sizeof *offsets;
  pgopt_node node = {.kind = PGOPT_NODE_SLICE,
                     .operands = &tensor,
                     .operand_count = 1,
                     .offsets = pgopt_arena_copy(&p->arena, offsets, bytes),
                     .strides = pgopt_arena_copy(&p->arena, strides, bytes)};
  return add(p, node, from->type, from->rank, sizes);
}

int pgopt_tensors_pad(pgopt_tensor_program *p, int tensor, const int64_t *low,
                      const int64_t *high, pgopt_scalar_value fill) {
  if (tensor < 0)
    return -1;
  const pgopt_tensor *from = pgopt_tensors_tensor(p, tensor);
  int64_t shape[PGOPT_MAX_TENSOR_RANK];
  bool any = false;
  for (int i = 0; i < from->rank; ++i) {
    if (low[i] < 0 || high[i] < 0 || low[i] > max_elements ||
        high[i] > max_elements)
      return pgopt_tensors_fail(p, PGOPT_INVALID,
                                "dimension %d is padded by %lld and %lld", i,
                                (long long)low[i], (long long)high[i]);
    shape[i] = from->shape[i] + low[i] + high[i];
    any |= low[i] || high[i];
  }
  if (!any)
    return tensor;
  size_t bytes = (size_t)from->rank * sizeof *low;
  pgopt_node node = {.kind = PGOPT_NODE_PAD,
                     .operands = &tensor,
                     .operand_count = 1,
                     .offsets = pgopt_arena_copy(&p->arena, low, bytes),
                     .strides = pgopt_arena_copy(&p->arena, high, bytes),
                     .fill = fill};
  return add(p, node, from->type, from->rank, shape);
}

int pgopt_tensors_concat(pgopt_tensor_program *p, int count, const int *tensors,
                         int axis) {
  for (int i = 0; i < count; ++i)
    if (tensors[i] < 0)
      return -1;
  const pgopt_tensor *first = pgopt_tensors_tensor(p, tensors[0]);
  int64_t shape[PGOPT_MAX_TENSOR_RANK];
  int *parts = pgopt_arena_allocate(&p->arena, (size_t)count, sizeof *parts);
  int part_count = 0;
  if (first->rank)
    memcpy(shape, first->shape, (size_t)first->rank * sizeof *shape);
  shape[axis] = 0;
  for (int i = 0; i < count; ++i) {
    const pgopt_tensor *part = pgopt_tensors_tensor(p, tensors[i]);
    if (part->rank != first->rank || part->type != first->type)
      return pgopt_tensors_fail(p, PGOPT_INVALID,
                                "inputs to join have different ranks or types");
    for (int d = 0; d < part->rank; ++d)
      if (d != axis && part->shape[d] != first->shape[d])
        return pgopt_tensors_fail(
            p, PGOPT_INVALID,
            "inputs to join have extents %lld and %lld in dimension %d",
            (long long)first->shape[d], (long long)part->shape[d], d);
    if (!pgopt_checked_add(shape[axis], part->shape[axis], &shape[axis]))
      return pgopt_tensors_fail(p, PGOPT_OUT_OF_RANGE,
                                "the joined dimension is too long");
    if (part->shape[axis])
      parts[part_count++] = tensors[i];
  }
  if (part_count <= 1)
    return part_count ? parts[0] : tensors[0];
  pgopt_node node = {.kind = PGOPT_NODE_CONCAT,
                     .operands = parts,
                     .operand_count = part_count,
                     .axis = axis};
  return add(p, node, first->type, first->rank, shape);
}

int pgopt_tensors_transpose(pgopt_tensor_program *p, int tensor,
                            const int *permutation) {
  if (tensor < 0)
    return -1;
  const pgopt_tensor *from = pgopt_tensors_tensor(p, tensor);
  int rank = from->rank;
  int64_t shape[PGOPT_MAX_TENSOR_RANK];
  int64_t *rows = pgopt_arena_allocate(
      &p->arena, (size_t)rank * ((size_t)rank + 1), sizeof *rows);
  bool moves = false;
  for (int i = 0; i < rank; ++i) {
    shape[i] = from->shape[permutation[i]];
    rows[permutation[i] * (rank + 1) + i] = 1;
    moves |= permutation[i] != i;
  }
  if (!moves)
    return tensor;
  pgopt_access access = {tensor, rank, rows};
  pgopt_scalar body = {.op = PGOPT_S_OPERAND,
                       .type = pgopt_number_computed(from->type)};
  pgopt_nest nest = {
      .form = PGOPT_FORM_TRANSPOSE,
      .loops = rank,
      .parallel = rank,
      .extents =
          pgopt_arena_copy(&p->arena, shape, (size_t)rank * sizeof *shape),
      .operands = pgopt_arena_copy(&p->arena, &access, sizeof access),
      .operand_count = 1,
      .body = pgopt_arena_copy(&p->arena, &body, sizeof body),
      .body_count = 1,
      .type = from->type};
  return pgopt_tensors_nest(p, &nest);
}

int pgopt_tensors_nest(pgopt_tensor_program *p, const pgopt_nest *nest) {
  int *operands = NULL;
  size_t count = 0, capacity = 0;
  for (int i = 0; i < nest->operand_count; ++i)
    PGOPT_APPEND(operands, count, capacity, nest->operands[i].tensor);
  for (int i = 0; i < nest->body_count; ++i)
    if (nest->body[i].op == PGOPT_S_LOAD)
      PGOPT_APPEND(operands, count, capacity, nest->body[i].a);
  pgopt_node node = {.kind = PGOPT_NODE_NEST,
                     .operands = operands,
                     .operand_count = (int)count,
                     .nest = pgopt_arena_copy(&p->arena, nest, sizeof *nest)};
  int result = add(p, node, nest->type, nest->parallel, nest->extents);
  free(operands);
  return result;
}

int pgopt_tensors_block_begin(pgopt_tensor_program *p) {
  pgopt_block block = {.parent = p->block};
  if (!p->block_count)
    PGOPT_APPEND(p->blocks, p->block_count, p->block_capacity,
                 (pgopt_block){.parent = -1});
  PGOPT_APPEND(p->blocks, p->block_count, p->block_capacity, block);
  p->block = (int)p->block_count - 1;
  return p->block;
}

int pgopt_tensors_block_argument(pgopt_tensor_program *p, pgopt_number type,
                                 int rank, const int64_t *shape) {
  pgopt_node node = {.kind = PGOPT_NODE_ARGUMENT};
  int result = add(p, node, type, rank, shape);
  if (result < 0)
    return -1;
  pgopt_block *block = &p->blocks[p->block];
  int *grown = pgopt_arena_allocate(
      &p->arena, (size_t)block->argument_count + 1, sizeof *grown);
  for (int i = 0; i < block->argument_count; ++i)
    grown[i] = block->arguments[i];
  grown[block->argument_count++] = result;
  block->arguments = grown;
  return result;
}

void pgopt_tensors_block_end(pgopt_tensor_program *p, int count,
                             const int *yields) {
  pgopt_block *block = &p->blocks[p->block];
  block->yields =
      pgopt_arena_copy(&p->arena, yields, (size_t)count * sizeof *yields);
  block->yield_count = count;
  p->block = block->parent;
}

static bool same_type(const pgopt_tensor *a, const pgopt_tensor *b) {
  return a->type == b->type && a->rank == b->rank &&
         !memcmp(a->shape, b->shape, (size_t)a->rank * sizeof *a->shape);
}

/// Results like the yields of `block`; -1s on failure.
static void add_region_node(pgopt_tensor_program *p, pgopt_node node, int block,
                            int *results) {
  int count = p->blocks[block].yield_count;
  for (int i = 0; i < count; ++i) {
    pgopt_tensor like = *pgopt_tensors_tensor(p, p->blocks[block].yields[i]);
    results[i] = add_tensor(p, like.type, like.rank, like.shape);
  }
  if (pgopt_tensors_failed(p))
    return;
  node.results = results;
  node.result_count = count;
  add_node(p, node);
}

void pgopt_tensors_if(pgopt_tensor_program *p, int condition, int then_block,
                      int else_block, int *results) {
  const pgopt_block *then = &p->blocks[then_block];
  const pgopt_block *other = &p->blocks[else_block];
  for (int i = 0; i < then->yield_count; ++i) {
    results[i] = -1;
    if (then->yields[i] < 0 || other->yields[i] < 0 || condition < 0)
      return;
    if (!same_type(pgopt_tensors_tensor(p, then->yields[i]),
                   pgopt_tensors_tensor(p, other->yields[i]))) {
      pgopt_tensors_fail(p, PGOPT_UNSUPPORTED,
                         "the branches give result %d different shapes", i);
      return;
    }
  }
  pgopt_node node = {.kind = PGOPT_NODE_IF,
                     .operands = &condition,
                     .operand_count = 1,
                     .blocks = {then_block, else_block}};
  add_region_node(p, node, then_block, results);
}

void pgopt_tensors_loop(pgopt_tensor_program *p, int64_t trip_count, int block,
                        int count, const int *initial, int *results) {
  const pgopt_block *body = &p->blocks[block];
  for (int i = 0; i < count; ++i) {
    results[i] = -1;
    if (initial[i] < 0 || body->yields[i] < 0)
      return;
    if (!same_type(pgopt_tensors_tensor(p, initial[i]),
                   pgopt_tensors_tensor(p, body->yields[i]))) {
      pgopt_tensors_fail(p, PGOPT_UNSUPPORTED,
                         "an iteration changes the shape of carried value %d",
                         i);
      return;
    }
  }
  pgopt_node node = {.kind = PGOPT_NODE_LOOP,
                     .operands = initial,
                     .operand_count = count,
                     .blocks = {block, 0},
                     .trip_count = trip_count};
  add_region_node(p, node, block, results);
}

void pgopt_tensors_output(pgopt_tensor_program *p, int tensor) {
  PGOPT_APPEND(p->outputs, p->output_count, p->output_capacity, tensor);
}
