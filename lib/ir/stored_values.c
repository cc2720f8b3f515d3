/// \file Values as they are stored while a network is rewritten.
#include "ir/stored_values.h"

#include "ir/ir.h"
#include "ir/permute_constant.h"

#include <stdlib.h>
#include <string.h>

pgopt_shape pgopt_declared_shape(const pgopt_axes *axes, int value) {
  const pgopt_value_axes *v = &axes->values[value];
  pgopt_shape shape = {.rank = axes->network->values[value].type.rank};
  for (size_t k = 0; k < v->count; ++k)
    ++shape.sizes[v->dims[k]];
  return shape;
}

bool pgopt_shape_equal(const pgopt_shape *a, const pgopt_shape *b) {
  return a->rank == b->rank &&
         !memcmp(a->sizes, b->sizes, a->rank * sizeof *a->sizes);
}

pgopt_shape pgopt_shape_compact(const pgopt_shape *shape) {
  pgopt_shape result = {.rank = 0};
  for (size_t d = 0; d < shape->rank; ++d)
    if (shape->sizes[d])
      result.sizes[result.rank++] = shape->sizes[d];
  return result;
}

static void read_extents(const pgopt_rewriter *r, int value, const int *order,
                         const pgopt_shape *shape, int64_t *extents) {
  const pgopt_value_axes *v = &r->axes->values[value];
  size_t next = 0;
  for (size_t d = 0; d < shape->rank; ++d) {
    extents[d] = 1;
    for (int k = 0; k < shape->sizes[d]; ++k)
      extents[d] *= v->extents[order[next++]];
  }
}

MlirType pgopt_stored_type(const pgopt_rewriter *r, int value, const int *order,
                           const pgopt_shape *shape) {
  int64_t extents[PGOPT_MAX_STORED_RANK];
  read_extents(r, value, order, shape, extents);
  MlirType declared = mlirValueGetType(r->ir->values[value]);
  return mlirRankedTensorTypeGet((intptr_t)shape->rank, extents,
                                 mlirShapedTypeGetElementType(declared),
                                 mlirAttributeGetNull());
}

static MlirLocation location(const pgopt_rewriter *r) {
  return mlirOperationGetLocation(r->before);
}

MlirValue pgopt_make_empty(const pgopt_rewriter *r, MlirType type) {
  pgopt_op_spec spec = {.name = "tensor.empty",
                        .location = location(r),
                        .result_count = 1,
                        .results = &type};
  return pgopt_result(pgopt_build_before(r->before, &spec));
}

/// Which of a list of dimensions belong together: boundaries of both shapes,
/// in axes. Dimensions of extent 1 join the group before them, or the first.
typedef struct groups {
  size_t count;
  int ends[PGOPT_MAX_STORED_RANK]; ///< axes up to the group's end
} groups;

static groups common_groups(const pgopt_shape *a, const pgopt_shape *b) {
  groups g = {0};
  size_t i = 0, j = 0;
  int left = 0, right = 0;
  while (i < a->rank || j < b->rank) {
    if (left == right && left > 0 &&
        (g.count == 0 || g.ends[g.count - 1] < left))
      g.ends[g.count++] = left;
    if (i < a->rank && (left <= right || j == b->rank))
      left += a->sizes[i++];
    else
      right += b->sizes[j++];
  }
  if (left > 0 && (g.count == 0 || g.ends[g.count - 1] < left))
    g.ends[g.count++] = left;
  return g;
}

static MlirAttribute reassociation(const pgopt_rewriter *r,
                                   const pgopt_shape *shape, const groups *g) {
  MlirAttribute lists[PGOPT_MAX_STORED_RANK];
  size_t d = 0;
  int at = 0;
  for (size_t k = 0; k < g->count; ++k) {
    MlirAttribute members[PGOPT_MAX_STORED_RANK];
    size_t count = 0;
    bool last = k + 1 == g->count;
    while (d < shape->rank && (at < g->ends[k] || last ||
                               (!shape->sizes[d] && at == g->ends[k]))) {
      at += shape->sizes[d];
      members[count++] = pgopt_i64_attribute(r->context, (int64_t)d++);
    }
    lists[k] = mlirArrayAttrGet(r->context, (intptr_t)count, members);
  }
  return mlirArrayAttrGet(r->context, (intptr_t)g->count, lists);
}

static MlirValue build_reshape(const pgopt_rewriter *r, const char *name,
                               MlirValue value, MlirType type,
                               MlirAttribute lists, bool expand) {
  int64_t extents[PGOPT_MAX_STORED_RANK];
  size_t rank = (size_t)mlirShapedTypeGetRank(type);
  for (size_t d = 0; d < rank; ++d)
    extents[d] = mlirShapedTypeGetDimSize(type, (intptr_t)d);
  MlirNamedAttribute attributes[] = {
      pgopt_named(r->context, "reassociation", lists),
      pgopt_named(r->context, "static_output_shape",
                  mlirDenseI64ArrayGet(r->context, (intptr_t)rank, extents)),
  };
  pgopt_op_spec spec = {.name = name,
                        .location = location(r),
                        .operand_count = 1,
                        .operands = &value,
                        .result_count = 1,
                        .results = &type,
                        .attribute_count = expand ? 2 : 1,
                        .attributes = attributes};
  return pgopt_result(pgopt_build_before(r->before, &spec));
}

/// The same elements in the same order in another shape.
static MlirValue reshape(const pgopt_rewriter *r, int value, const int *order,
                         MlirValue from, const pgopt_shape *old,
                         const pgopt_shape *new) {
  if (pgopt_shape_equal(old, new))
    return from;
  groups g = common_groups(old, new);
  pgopt_shape middle = {.rank = g.count};
  for (size_t k = 0; k < g.count; ++k)
    middle.sizes[k] = g.ends[k] - (k ? g.ends[k - 1] : 0);
  if (!pgopt_shape_equal(old, &middle))
    from = build_reshape(r, "tensor.collapse_shape", from,
                         pgopt_stored_type(r, value, order, &middle),
                         reassociation(r, old, &g), false);
  if (!pgopt_shape_equal(new, &middle))
    from = build_reshape(r, "tensor.expand_shape", from,
                         pgopt_stored_type(r, value, order, new),
                         reassociation(r, new, &g), true);
  return from;
}

static MlirValue build_transpose(pgopt_rewriter *r, MlirValue from,
                                 MlirType type, size_t rank,
                                 const int64_t *permutation) {
  MlirValue operands[] = {from, pgopt_make_empty(r, type)};
  MlirNamedAttribute attribute = pgopt_named(
      r->context, "permutation",
      mlirDenseI64ArrayGet(r->context, (intptr_t)rank, permutation));
  pgopt_op_spec spec = {.name = "linalg.transpose",
                        .location = location(r),
                        .operand_count = 2,
                        .operands = operands,
                        .result_count = 1,
                        .results = &type,
                        .attribute_count = 1,
                        .attributes = &attribute,
                        .region_count = 1};
  MlirOperation op = pgopt_build_before(r->before, &spec);
  MlirType element = mlirShapedTypeGetElementType(type);
  MlirType arguments[] = {element, element};
  MlirLocation locations[] = {location(r), location(r)};
  MlirBlock body = mlirBlockCreate(2, arguments, locations);
  mlirRegionAppendOwnedBlock(mlirOperationGetRegion(op, 0), body);
  MlirValue yielded = mlirBlockGetArgument(body, 0);
  pgopt_op_spec yield = {.name = "linalg.yield",
                         .location = location(r),
                         .operand_count = 1,
                         .operands = &yielded};
  pgopt_build(body, &yield);
  ++r->transposes;
  return pgopt_result(op);
}

pgopt_copy pgopt_copy_in_order(pgopt_rewriter *r, int value,
                               const pgopt_copy *from, const int *order) {
  size_t count = r->axes->values[value].count;
  int position[PGOPT_MAX_AXES];
  for (size_t k = 0; k < count; ++k)
    position[from->order[k]] = (int)k;
  pgopt_copy copy = {.order = pgopt_duplicate(order, count * sizeof *order)};
  int first[PGOPT_MAX_AXES]; /* position in `from` of each run's first axis */
  for (size_t k = 0; k < count; ++k) {
    if (k && position[order[k]] == position[order[k - 1]] + 1) {
      ++copy.shape.sizes[copy.shape.rank - 1];
      continue;
    }
    first[copy.shape.rank] = position[order[k]];
    copy.shape.sizes[copy.shape.rank++] = 1;
  }
  size_t rank = copy.shape.rank;
  pgopt_shape source = {.rank = rank};
  int64_t permutation[PGOPT_MAX_AXES];
  for (size_t d = 0; d < rank; ++d) {
    permutation[d] = 0;
    for (size_t e = 0; e < rank; ++e)
      permutation[d] += first[e] < first[d];
    source.sizes[permutation[d]] = copy.shape.sizes[d];
  }
  MlirValue view =
      reshape(r, value, from->order, from->value, &from->shape, &source);
  copy.value =
      build_transpose(r, view, pgopt_stored_type(r, value, order, &copy.shape),
                      rank, permutation);
  return copy;
}

/// The same, remembered.
static pgopt_copy *make_copy(pgopt_rewriter *r, int value, const int *order) {
  pgopt_stored *s = &r->stored[value];
  pgopt_copy stored = {.order = r->assignment->orders[value],
                       .shape = s->shape,
                       .value = s->value};
  pgopt_copy *copy = pgopt_allocate(1, sizeof *copy);
  *copy = pgopt_copy_in_order(r, value, &stored, order);
  copy->next = s->copies;
  s->copies = copy;
  return copy;
}

/// Follows a free value to the op that makes it.
/// \param[in,out] map axes of `value`, turned into those of the root.
static int find_root(const pgopt_rewriter *r, int value, int *map) {
  const pgopt_network *n = &r->ir->network;
  for (;;) {
    int producer = n->values[value].producer;
    const pgopt_op_axes *axes = &r->axes->ops[producer];
    if (axes->role != PGOPT_AXES_ALIAS)
      return value;
    const pgopt_op *op = &n->ops[producer];
    size_t count = r->axes->values[value].count;
    for (size_t k = 0; k < count; ++k)
      for (size_t j = 0; j < count; ++j)
        if (axes->slots[0][j] == axes->slots[op->operand_count][map[k]]) {
          map[k] = (int)j;
          break;
        }
    value = op->operands[0];
  }
}

static MlirValue build_constant(pgopt_rewriter *r, MlirAttribute attribute,
                                MlirType type) {
  MlirNamedAttribute named = pgopt_named(r->context, "value", attribute);
  pgopt_op_spec spec = {.name = "arith.constant",
                        .location = location(r),
                        .result_count = 1,
                        .results = &type,
                        .attribute_count = 1,
                        .attributes = &named};
  ++r->constants;
  return pgopt_result(pgopt_build_before(r->before, &spec));
}

static MlirValue build_fill(pgopt_rewriter *r, MlirOperation fill,
                            MlirType type) {
  MlirOperation clone = mlirOperationClone(fill);
  mlirOperationSetOperand(clone, 1, pgopt_make_empty(r, type));
  mlirValueSetType(pgopt_result(clone), type);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(r->before),
                                      r->before, clone);
  return pgopt_result(clone);
}

/// Axes of the root in the order they are wanted; the constant's elements are
/// permuted accordingly.
static MlirValue make_free(pgopt_rewriter *r, int value, const int *order,
                           const pgopt_shape *shape) {
  size_t count = r->axes->values[value].count;
  int permutation[PGOPT_MAX_AXES];
  memcpy(permutation, order, count * sizeof *order);
  int root = find_root(r, value, permutation);
  MlirOperation op = mlirOpResultGetOwner(r->ir->values[root]);
  MlirType type = pgopt_stored_type(r, value, order, shape);
  if (pgopt_op_is(op, "tensor.empty"))
    return pgopt_make_empty(r, type);
  if (pgopt_op_is(op, "linalg.fill"))
    return build_fill(r, op, type);
  bool moves = false;
  for (size_t k = 0; k < count; ++k)
    moves = moves || permutation[k] != (int)k;
  if (!moves && mlirTypeEqual(type, mlirValueGetType(r->ir->values[root])))
    return r->ir->values[root];
  return build_constant(
      r,
      pgopt_permute_constant(pgopt_op_attribute(op, "value"), count,
                             r->axes->values[root].extents, permutation, type),
      type);
}

MlirValue pgopt_fetch(pgopt_rewriter *r, int value, const int *order,
                      const pgopt_shape *shape) {
  size_t bytes = r->axes->values[value].count * sizeof *order;
  const pgopt_stored *s = &r->stored[value];
  if (r->assignment->is_free[value])
    return make_free(r, value, order, shape);
  if (!memcmp(order, r->assignment->orders[value], bytes))
    return reshape(r, value, order, s->value, &s->shape, shape);
  pgopt_copy *copy = s->copies;
  while (copy && memcmp(order, copy->order, bytes))
    copy = copy->next;
  if (!copy)
    copy = make_copy(r, value, order);
  return reshape(r, value, order, copy->value, &copy->shape, shape);
}

MlirValue pgopt_fetch_declared(pgopt_rewriter *r, int value) {
  size_t count = r->axes->values[value].count;
  if (!r->axes->values[value].extents)
    return r->ir->values[value];
  int order[PGOPT_MAX_AXES];
  for (size_t k = 0; k < count; ++k)
    order[k] = (int)k;
  pgopt_shape shape = pgopt_declared_shape(r->axes, value);
  return pgopt_fetch(r, value, order, &shape);
}

void pgopt_rewriter_init(const pgopt_ir_network *ir, const pgopt_axes *axes,
                         const pgopt_assignment *assignment,
                         pgopt_rewriter *r) {
  *r = (pgopt_rewriter){.ir = ir, .axes = axes, .assignment = assignment};
  size_t count = ir->network.value_count;
  r->stored = pgopt_allocate(count, sizeof *r->stored);
  for (size_t v = 0; v < count; ++v) {
    r->stored[v].value = ir->values[v];
    if (axes->values[v].extents)
      r->stored[v].shape = pgopt_declared_shape(axes, (int)v);
  }
}

void pgopt_rewriter_free(pgopt_rewriter *r) {
  for (size_t v = 0; r->stored && v < r->ir->network.value_count; ++v)
    for (pgopt_copy *copy = r->stored[v].copies; copy;) {
      pgopt_copy *next = copy->next;
      free(copy->order);
      free(copy);
      copy = next;
    }
  free(r->stored);
  *r = (pgopt_rewriter){0};
}
