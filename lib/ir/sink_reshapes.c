/// \file Reshapes moved behind the operations that read them.
///
/// The loops that the reshape made out of one dimension become one loop again.
/// Each operand has to have all of these loops, next to each other and in
/// order, or none; loops of one turn do not count.
#include "ir/sink_reshapes.h"

#include "base/memory.h"
#include "dialect_c/attributes.h"
#include "ir/ir.h"
#include "ir/read_structured.h"

#include <stdlib.h>

enum { MAX_RANK = 12, MAX_OPERANDS = 10 };

/// A tensor's dimensions put together: runs of them, one a new dimension.
typedef struct regrouping {
  size_t rank;         ///< new
  int ends[MAX_RANK];  ///< per new dimension the end of its run
  int loops[MAX_RANK]; ///< per new dimension its new loop
  MlirType type;       ///< of the collapsed tensor
} regrouping;

/// An op that reads an expanded value, and what becomes of it.
typedef struct sinking {
  MlirOperation op;
  size_t inputs, operands;
  size_t loops; ///< old ones
  int64_t extents[MAX_RANK];
  bool is_reduction[MAX_RANK];
  size_t groups; ///< new loops
  int group_of[MAX_RANK];
  bool group_is_reduction[MAX_RANK], group_is_long[MAX_RANK];
  regrouping regroupings[MAX_OPERANDS];
} sinking;

static MlirOperation defining(MlirValue value) {
  return mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value)
                                     : (MlirOperation){NULL};
}

static bool is_defined_by(MlirValue value, const char *name) {
  MlirOperation op = defining(value);
  return !mlirOperationIsNull(op) && pgopt_op_is(op, name);
}

static bool is_small_static(MlirType type) {
  return mlirTypeIsARankedTensor(type) && mlirShapedTypeHasStaticShape(type) &&
         mlirShapedTypeGetRank(type) <= MAX_RANK;
}

static MlirAffineMap map_of(MlirOperation op, size_t operand) {
  return mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(
      pgopt_op_attribute(op, "indexing_maps"), (intptr_t)operand));
}

/// The loop of a dimension; -1 for the constant 0, -2 for anything else.
static int loop_of(MlirAffineMap map, intptr_t dimension) {
  MlirAffineExpr e = mlirAffineMapGetResult(map, dimension);
  if (mlirAffineExprIsADim(e))
    return (int)mlirAffineDimExprGetPosition(e);
  return mlirAffineExprIsAConstant(e) && !mlirAffineConstantExprGetValue(e)
             ? -1
             : -2;
}

static bool uses_index(MlirOperation op) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  MlirOperation inner = mlirBlockGetFirstOperation(body);
  for (; !mlirOperationIsNull(inner);
       inner = mlirOperationGetNextInBlock(inner))
    if (pgopt_op_is(inner, "linalg.index") || mlirOperationGetNumRegions(inner))
      return true;
  return false;
}

/// Reads a generic of static shape with one result.
static bool read_op(MlirOperation op, sinking *s) {
  *s = (sinking){.op = op};
  if (!pgopt_op_is(op, "linalg.generic") ||
      mlirOperationGetNumResults(op) != 1 || uses_index(op))
    return false;
  s->operands = (size_t)mlirOperationGetNumOperands(op);
  s->inputs = s->operands - 1;
  MlirAttribute iterators = pgopt_op_attribute(op, "iterator_types");
  MlirAttribute reduction =
      mlirAttributeParseGet(mlirOperationGetContext(op),
                            pgopt_ref("#linalg.iterator_type<reduction>"));
  s->loops = (size_t)mlirArrayAttrGetNumElements(iterators);
  if (s->operands > MAX_OPERANDS || s->loops > MAX_RANK || !s->inputs)
    return false;
  bool reduces = false;
  for (size_t l = 0; l < s->loops; ++l) {
    s->is_reduction[l] = mlirAttributeEqual(
        mlirArrayAttrGetElement(iterators, (intptr_t)l), reduction);
    reduces |= s->is_reduction[l];
  }
  return !reduces || s->inputs == 1;
}

/// Reads the loops' extents and how they group, from input `k`, which is an
/// expanded value and has every loop in order.
static bool read_groups(sinking *s, size_t k) {
  MlirValue value = mlirOperationGetOperand(s->op, (intptr_t)k);
  MlirAffineMap map = map_of(s->op, k);
  MlirOperation expand = defining(value);
  if (mlirOperationIsNull(expand) ||
      !pgopt_op_is(expand, "tensor.expand_shape") ||
      !is_small_static(mlirValueGetType(value)) ||
      !is_small_static(mlirValueGetType(mlirOperationGetOperand(expand, 0))) ||
      !mlirAffineMapIsIdentity(map))
    return false;
  MlirOperation producer = defining(mlirOperationGetOperand(expand, 0));
  if (mlirOperationIsNull(producer) || !pgopt_is_structured(producer))
    return false;
  MlirAttribute lists = pgopt_op_attribute(expand, "reassociation");
  s->groups = (size_t)mlirArrayAttrGetNumElements(lists);
  size_t loop = 0;
  for (size_t g = 0; g < s->groups; ++g) {
    MlirAttribute list = mlirArrayAttrGetElement(lists, (intptr_t)g);
    bool parallel = false, reduction = false, decided = false;
    s->group_is_long[g] = false;
    for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(list); ++i, ++loop) {
      s->group_of[loop] = (int)g;
      s->extents[loop] =
          mlirShapedTypeGetDimSize(mlirValueGetType(value), (intptr_t)loop);
      bool is_long = s->extents[loop] != 1;
      if (is_long && !decided)
        parallel = reduction = false; // loops of one turn do not count
      decided |= is_long;
      s->group_is_long[g] |= is_long;
      if (is_long || !decided) {
        parallel |= !s->is_reduction[loop];
        reduction |= s->is_reduction[loop];
      }
    }
    if (parallel && reduction)
      return false;
    s->group_is_reduction[g] = reduction;
  }
  return loop == s->loops;
}

/// The last long loop before `loop` in its group, or -1.
static int previous_long(const sinking *s, int loop) {
  for (int l = loop - 1; l >= 0 && s->group_of[l] == s->group_of[loop]; --l)
    if (s->extents[l] != 1)
      return l;
  return -1;
}

static bool ends_group(const sinking *s, int loop) {
  for (size_t l = (size_t)loop + 1;
       l < s->loops && s->group_of[l] == s->group_of[loop]; ++l)
    if (s->extents[l] != 1)
      return false;
  return true;
}

/// Puts the operand's dimensions together as the loops are.
static bool regroup(const sinking *s, size_t operand, regrouping *r) {
  MlirType type =
      mlirValueGetType(mlirOperationGetOperand(s->op, (intptr_t)operand));
  *r = (regrouping){.type = type};
  if (!mlirTypeIsARankedTensor(type))
    return operand < s->inputs;
  if (!is_small_static(type))
    return false;
  MlirAffineMap map = map_of(s->op, operand);
  int64_t extents[MAX_RANK];
  size_t rank = (size_t)mlirShapedTypeGetRank(type);
  int open = -1; // the long loop after which a group goes on
  for (size_t d = 0; d < rank; ++d) {
    int loop = loop_of(map, (intptr_t)d);
    int64_t extent = mlirShapedTypeGetDimSize(type, (intptr_t)d);
    if (loop == -2 || (loop == -1 && extent != 1))
      return false;
    int group = loop < 0 ? -1 : s->group_of[loop];
    bool is_long = loop >= 0 && s->extents[loop] != 1;
    bool starts = is_long ? previous_long(s, loop) < 0
                          : group >= 0 && !s->group_is_long[group] &&
                                (!r->rank || r->loops[r->rank - 1] != group);
    if (starts ? open >= 0 : is_long && previous_long(s, loop) != open)
      return false;
    if (starts) {
      r->loops[r->rank] = group;
      extents[r->rank++] = 1;
    }
    if (is_long) {
      extents[r->rank - 1] *= extent;
      open = ends_group(s, loop) ? -1 : loop;
    }
    if (r->rank)
      r->ends[r->rank - 1] = (int)d + 1;
  }
  if (open >= 0)
    return false;
  r->type = mlirRankedTensorTypeGet((intptr_t)r->rank, extents,
                                    mlirShapedTypeGetElementType(type),
                                    mlirAttributeGetNull());
  return true;
}

static bool read_sinking(MlirOperation op, sinking *s) {
  bool found = false;
  if (!read_op(op, s))
    return false;
  for (size_t k = 0; k < s->inputs && !found; ++k)
    found = read_groups(s, k);
  for (size_t k = 0; k < s->operands && found; ++k)
    found = regroup(s, k, &s->regroupings[k]);
  return found;
}

/// A reshape between `narrow` and `wide`, whose runs become its dimensions.
static MlirValue build_reshape(MlirOperation before, MlirValue value,
                               MlirType wide, const regrouping *r,
                               bool expands) {
  MlirContext context = mlirOperationGetContext(before);
  size_t rank = (size_t)mlirShapedTypeGetRank(wide);
  MlirAttribute numbers[MAX_RANK], lists[MAX_RANK];
  int64_t sizes[MAX_RANK];
  for (size_t d = 0; d < rank; ++d) {
    numbers[d] = pgopt_i64_attribute(context, (int64_t)d);
    sizes[d] = mlirShapedTypeGetDimSize(wide, (intptr_t)d);
  }
  for (size_t g = 0, begin = 0; g < r->rank; ++g) {
    lists[g] = mlirArrayAttrGet(context, (intptr_t)((size_t)r->ends[g] - begin),
                                numbers + begin);
    begin = (size_t)r->ends[g];
  }
  MlirNamedAttribute attributes[] = {
      pgopt_named(context, "reassociation",
                  mlirArrayAttrGet(context, (intptr_t)r->rank, lists)),
      pgopt_named(context, "static_output_shape",
                  mlirDenseI64ArrayGet(context, (intptr_t)rank, sizes))};
  pgopt_op_spec spec = {.name = expands ? "tensor.expand_shape"
                                        : "tensor.collapse_shape",
                        .location = mlirOperationGetLocation(before),
                        .operand_count = 1,
                        .operands = &value,
                        .result_count = 1,
                        .results = expands ? &wide : &r->type,
                        .attribute_count = expands ? 2 : 1,
                        .attributes = attributes};
  return pgopt_result(pgopt_build_before(before, &spec));
}

static MlirValue build_empty(MlirOperation before, MlirType type) {
  pgopt_op_spec spec = {.name = "tensor.empty",
                        .location = mlirOperationGetLocation(before),
                        .result_count = 1,
                        .results = &type};
  return pgopt_result(pgopt_build_before(before, &spec));
}

/// The value in its new shape: what it was before it was expanded, storage or a
/// fill made anew, else a view.
static MlirValue collapse(MlirOperation before, MlirValue value,
                          const regrouping *r) {
  MlirType type = mlirValueGetType(value);
  if (mlirTypeEqual(type, r->type))
    return value;
  MlirOperation op = defining(value);
  if (is_defined_by(value, "tensor.expand_shape") &&
      mlirTypeEqual(mlirValueGetType(mlirOperationGetOperand(op, 0)), r->type))
    return mlirOperationGetOperand(op, 0);
  if (is_defined_by(value, "tensor.empty"))
    return build_empty(before, r->type);
  if (is_defined_by(value, "linalg.fill")) {
    MlirOperation fill = mlirOperationClone(op);
    mlirOperationSetOperand(fill, 1, build_empty(before, r->type));
    mlirValueSetType(pgopt_result(fill), r->type);
    mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(before), before,
                                        fill);
    return pgopt_result(fill);
  }
  return build_reshape(before, value, type, r, false);
}

static void keep_attributes(MlirOperation from, MlirOperation to) {
  for (int a = 0; a < PGOPT_ATTRIBUTE_COUNT; ++a) {
    MlirAttribute value = pgopt_get(from, (pgopt_attribute)a);
    if (!mlirAttributeIsNull(value))
      mlirOperationSetDiscardableAttributeByName(
          to, pgopt_ref(pgopt_attribute_spelling((pgopt_attribute)a)), value);
  }
}

static void sink(sinking *s) {
  MlirOperation op = s->op;
  MlirContext context = mlirOperationGetContext(op);
  MlirValue values[MAX_OPERANDS];
  MlirAttribute maps[MAX_OPERANDS], iterators[MAX_RANK];
  for (size_t k = 0; k < s->operands; ++k) {
    const regrouping *r = &s->regroupings[k];
    MlirAffineExpr results[MAX_RANK];
    values[k] = collapse(op, mlirOperationGetOperand(op, (intptr_t)k), r);
    for (size_t d = 0; d < r->rank; ++d)
      results[d] = mlirAffineDimExprGet(context, r->loops[d]);
    maps[k] = mlirAffineMapAttrGet(mlirAffineMapGet(
        context, (intptr_t)s->groups, 0, (intptr_t)r->rank, results));
  }
  for (size_t g = 0; g < s->groups; ++g)
    iterators[g] = mlirAttributeParseGet(
        context, pgopt_ref(s->group_is_reduction[g]
                               ? "#linalg.iterator_type<reduction>"
                               : "#linalg.iterator_type<parallel>"));
  int32_t segments[] = {(int32_t)s->inputs, 1};
  MlirNamedAttribute attributes[] = {
      pgopt_named(context, "indexing_maps",
                  mlirArrayAttrGet(context, (intptr_t)s->operands, maps)),
      pgopt_named(context, "iterator_types",
                  mlirArrayAttrGet(context, (intptr_t)s->groups, iterators)),
      pgopt_named(context, "operandSegmentSizes",
                  mlirDenseI32ArrayGet(context, 2, segments))};
  const regrouping *out = &s->regroupings[s->inputs];
  pgopt_op_spec spec = {.name = "linalg.generic",
                        .location = mlirOperationGetLocation(op),
                        .operand_count = s->operands,
                        .operands = values,
                        .result_count = 1,
                        .results = &out->type,
                        .attribute_count = 3,
                        .attributes = attributes,
                        .region_count = 1};
  MlirOperation made = pgopt_build_before(op, &spec);
  mlirRegionTakeBody(mlirOperationGetRegion(made, 0),
                     mlirOperationGetRegion(op, 0));
  keep_attributes(op, made);
  MlirType wide = mlirValueGetType(pgopt_result(op));
  MlirValue result =
      mlirTypeEqual(wide, out->type)
          ? pgopt_result(made)
          : build_reshape(op, pgopt_result(made), wide, out, true);
  mlirValueReplaceAllUsesOfWith(pgopt_result(op), result);
}

/// The number of the result of `map`, over the dimensions from `begin` to `end`
/// of an expanded tensor, that still reads the one they were made of when the
/// others are left out; -1 when there is none.
static intptr_t result_to_keep(MlirAffineMap map, MlirType wide, intptr_t begin,
                               intptr_t end) {
  intptr_t keep = begin;
  bool found = false;
  for (intptr_t d = begin; d < end; ++d) {
    if (loop_of(map, d) == -1 && mlirShapedTypeGetDimSize(wide, d) == 1)
      continue;
    if (found)
      return -1;
    found = true;
    keep = d;
  }
  return keep;
}

/// The map with which the op reads input `k`, the number of a row in dimensions
/// of extent 1, in front of the reshape that gave it these; null when it does
/// not read it so.
static MlirAffineMap map_in_front(MlirOperation op, size_t k) {
  MlirAffineMap map = map_of(op, k), none = {NULL};
  MlirValue value = mlirOperationGetOperand(op, (intptr_t)k);
  MlirAffineExpr kept[MAX_RANK];
  if (!is_defined_by(value, "tensor.expand_shape") ||
      !is_small_static(mlirValueGetType(value)))
    return none;
  MlirOperation expand = defining(value);
  MlirOperation producer = defining(mlirOperationGetOperand(expand, 0));
  if (mlirOperationIsNull(producer) || !pgopt_is_structured(producer))
    return none;
  MlirAttribute lists = pgopt_op_attribute(expand, "reassociation");
  intptr_t groups = mlirArrayAttrGetNumElements(lists), begin = 0;
  if (!groups)
    return none;
  for (intptr_t g = 0; g < groups; ++g) {
    intptr_t end =
        begin + mlirArrayAttrGetNumElements(mlirArrayAttrGetElement(lists, g));
    intptr_t keep = result_to_keep(map, mlirValueGetType(value), begin, end);
    if (keep < 0)
      return none;
    kept[g] = mlirAffineMapGetResult(map, keep);
    begin = end;
  }
  return mlirAffineMapGet(mlirOperationGetContext(op),
                          mlirAffineMapGetNumDims(map), 0, groups, kept);
}

static bool reads_numbers(MlirOperation op) {
  intptr_t operands = mlirOperationGetNumOperands(op);
  for (size_t k = 0;
       pgopt_op_is(op, "linalg.generic") && k + 1 < (size_t)operands; ++k)
    if (!mlirAffineMapIsNull(map_in_front(op, k)))
      return true;
  return false;
}

/// Reads numbers of rows in front of the reshapes that gave them dimensions.
static void read_numbers_in_front(MlirOperation op) {
  MlirContext context = mlirOperationGetContext(op);
  MlirAttribute all = pgopt_op_attribute(op, "indexing_maps");
  size_t count = (size_t)mlirArrayAttrGetNumElements(all);
  MlirAttribute *maps = pgopt_allocate(count, sizeof *maps);
  for (size_t k = 0; k < count; ++k) {
    maps[k] = mlirArrayAttrGetElement(all, (intptr_t)k);
    MlirAffineMap map =
        k + 1 < count ? map_in_front(op, k) : (MlirAffineMap){NULL};
    if (mlirAffineMapIsNull(map))
      continue;
    maps[k] = mlirAffineMapAttrGet(map);
    MlirValue value = mlirOperationGetOperand(op, (intptr_t)k);
    mlirOperationSetOperand(op, (intptr_t)k,
                            mlirOperationGetOperand(defining(value), 0));
  }
  mlirOperationSetInherentAttributeByName(
      op, pgopt_ref("indexing_maps"),
      mlirArrayAttrGet(context, (intptr_t)count, maps));
  free(maps);
}

/// Reshapes of reshapes: of the same shape as what they began with, or
/// expanded twice.
static bool is_reshape_of_expanded(MlirOperation op) {
  if (!pgopt_op_is(op, "tensor.expand_shape") &&
      !pgopt_op_is(op, "tensor.collapse_shape"))
    return false;
  MlirValue middle = mlirOperationGetOperand(op, 0);
  if (!is_defined_by(middle, "tensor.expand_shape") ||
      !is_small_static(mlirValueGetType(middle)) ||
      !is_small_static(mlirValueGetType(pgopt_result(op))))
    return false;
  return pgopt_op_is(op, "tensor.expand_shape") ||
         mlirTypeEqual(
             mlirValueGetType(pgopt_result(op)),
             mlirValueGetType(mlirOperationGetOperand(defining(middle), 0)));
}

/// The op reads what was in front of the first reshape.
static void join_reshapes(MlirOperation op) {
  MlirOperation first = defining(mlirOperationGetOperand(op, 0));
  MlirValue source = mlirOperationGetOperand(first, 0);
  if (pgopt_op_is(op, "tensor.collapse_shape")) {
    mlirValueReplaceAllUsesOfWith(pgopt_result(op), source);
    return;
  }
  MlirAttribute inner = pgopt_op_attribute(first, "reassociation");
  MlirAttribute outer = pgopt_op_attribute(op, "reassociation");
  regrouping r = {.rank = (size_t)mlirArrayAttrGetNumElements(inner)};
  int end = 0;
  intptr_t middle = 0;
  for (size_t g = 0; g < r.rank; ++g) {
    intptr_t count = mlirArrayAttrGetNumElements(
        mlirArrayAttrGetElement(inner, (intptr_t)g));
    for (; count > 0; --count)
      end += (int)mlirArrayAttrGetNumElements(
          mlirArrayAttrGetElement(outer, middle++));
    r.ends[g] = end;
  }
  MlirValue joined =
      build_reshape(op, source, mlirValueGetType(pgopt_result(op)), &r, true);
  mlirValueReplaceAllUsesOfWith(pgopt_result(op), joined);
}

typedef struct op_list {
  MlirOperation *ops;
  size_t count, capacity;
} op_list;

static MlirWalkResult collect(MlirOperation op, void *data) {
  op_list *list = data;
  if (pgopt_op_is(op, "linalg.generic") ||
      pgopt_op_is(op, "tensor.expand_shape") ||
      pgopt_op_is(op, "tensor.collapse_shape"))
    PGOPT_APPEND(list->ops, list->count, list->capacity, op);
  return MlirWalkResultAdvance;
}

static op_list collect_ops(MlirOperation root) {
  op_list list = {0};
  mlirOperationWalk(root, collect, &list, MlirWalkPreOrder);
  return list;
}

static bool is_unused(MlirOperation op) {
  return mlirOpOperandIsNull(mlirValueGetFirstUse(pgopt_result(op)));
}

/// Reshapes whose users all moved in front of them.
static void erase_unused_reshapes(MlirOperation root) {
  op_list list = collect_ops(root);
  for (size_t i = list.count; i-- > 0;)
    if (!pgopt_op_is(list.ops[i], "linalg.generic") && is_unused(list.ops[i]))
      mlirOperationDestroy(list.ops[i]);
  free(list.ops);
}

/// Destroys an op, and the storage that it alone was given.
static void destroy_with_storage(MlirOperation op) {
  MlirOperation storage = {NULL};
  if (pgopt_op_is(op, "linalg.generic"))
    storage = defining(
        mlirOperationGetOperand(op, mlirOperationGetNumOperands(op) - 1));
  mlirOperationDestroy(op);
  while (!mlirOperationIsNull(storage)) {
    bool fills = pgopt_op_is(storage, "linalg.fill");
    if ((!fills && !pgopt_op_is(storage, "tensor.empty")) ||
        !is_unused(storage))
      return;
    MlirOperation next = {NULL};
    if (fills)
      next = defining(mlirOperationGetOperand(storage, 1));
    mlirOperationDestroy(storage);
    storage = next;
  }
}

int64_t pgopt_sink_reshapes(MlirOperation root) {
  op_list list = collect_ops(root);
  sinking s;
  int64_t count = 0;
  bool *is_dead = pgopt_allocate(list.count, sizeof *is_dead);
  for (size_t i = 0; i < list.count; ++i) {
    if (is_reshape_of_expanded(list.ops[i])) {
      join_reshapes(list.ops[i]);
      is_dead[i] = true;
      continue;
    }
    bool reads = reads_numbers(list.ops[i]);
    if (reads)
      read_numbers_in_front(list.ops[i]);
    is_dead[i] = read_sinking(list.ops[i], &s);
    if (is_dead[i])
      sink(&s);
    count += reads || is_dead[i];
  }
  for (size_t i = list.count; i-- > 0;)
    if (is_dead[i])
      destroy_with_storage(list.ops[i]);
  free(is_dead);
  free(list.ops);
  if (count)
    erase_unused_reshapes(root);
  return count;
}

bool pgopt_has_reshapes_to_sink(MlirOperation root) {
  op_list list = collect_ops(root);
  sinking s;
  bool found = false;
  for (size_t i = 0; i < list.count && !found; ++i)
    found = is_reshape_of_expanded(list.ops[i]) || reads_numbers(list.ops[i]) ||
            read_sinking(list.ops[i], &s);
  free(list.ops);
  return found;
}
