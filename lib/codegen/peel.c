/// \file Loops taken out of a linalg op.
#include "codegen/peel.h"

#include "codegen/emit.h"
#include "mlir-c/AffineExpr.h"

#include <stdlib.h>

enum { NONE = -1 };

bool pgopt_can_peel(const pgopt_generic *generic, const bool *is_kept) {
  for (size_t i = 0; i < generic->operand_count; ++i) {
    const pgopt_generic_operand *operand = &generic->operands[i];
    if (operand->rank && !operand->strides)
      return false;
    for (size_t d = 0; d < operand->rank; ++d) {
      const int64_t *coefficients = operand->map.results[d].coefficients;
      size_t kept = 0;
      for (size_t l = 0; l < generic->loop_count; ++l)
        if (is_kept[l] && coefficients[l] && (coefficients[l] < 0 || kept++))
          return false;
    }
  }
  return true;
}

/// Everything about the loops while the op is rebuilt.
typedef struct peeling {
  const pgopt_generic *generic;
  const bool *is_kept;
  MlirValue *variables; ///< of peeled loops
  MlirValue *extents;
  int *numbers; ///< of the loops that stay
  size_t rest_count;
} peeling;

/// The loop that stays in a sum, or NONE.
static int kept_loop(const peeling *p, const pgopt_linear *sum) {
  for (size_t l = 0; l < p->generic->loop_count; ++l)
    if (sum->coefficients[l] && p->is_kept[l])
      return (int)l;
  return NONE;
}

static MlirValue emit_slice_offset(pgopt_emitter emitter, const peeling *p,
                                   const pgopt_linear *sum) {
  MlirValue offset = pgopt_emit_index(emitter, sum->constant);
  for (size_t l = 0; l < p->generic->loop_count; ++l)
    if (!p->is_kept[l])
      offset = pgopt_emit_add_scaled(emitter, offset, p->variables[l],
                                     sum->coefficients[l]);
  return offset;
}

/// Slice of the operand that the loops which stay run over; dimensions that
/// none of them runs over are dropped.
static MlirValue emit_slice(pgopt_emitter emitter, const peeling *p,
                            const pgopt_generic_operand *operand) {
  MlirContext context = emitter.context;
  size_t rank = operand->rank, kept = 0, dynamic = 0;
  if (!rank)
    return operand->value;
  int64_t *numbers = pgopt_allocate(rank * 5, sizeof *numbers);
  int64_t *offsets = numbers, *sizes = numbers + rank,
          *strides = numbers + 2 * rank, *shape = numbers + 3 * rank,
          *layout = numbers + 4 * rank;
  MlirValue *operands = pgopt_allocate(1 + 2 * rank, sizeof *operands);
  operands[0] = operand->value;
  for (size_t d = 0; d < rank; ++d) {
    const pgopt_linear *sum = &operand->map.results[d];
    int loop = kept_loop(p, sum);
    operands[1 + d] = emit_slice_offset(emitter, p, sum);
    offsets[d] = mlirShapedTypeGetDynamicStrideOrOffset();
    sizes[d] = strides[d] = 1;
    if (loop == NONE)
      continue;
    sizes[d] = p->generic->extents[loop];
    strides[d] = sum->coefficients[loop];
    if (sizes[d] == PGOPT_DYNAMIC) {
      sizes[d] = mlirShapedTypeGetDynamicSize();
      operands[1 + rank + dynamic++] = p->extents[loop];
    }
    shape[kept] = sizes[d];
    layout[kept++] = operand->strides[d] * strides[d];
  }
  MlirType old = mlirValueGetType(operand->value);
  MlirType type =
      mlirMemRefTypeGet(operand->element, (intptr_t)kept, shape,
                        mlirStridedLayoutAttrGet(
                            context, mlirShapedTypeGetDynamicStrideOrOffset(),
                            (intptr_t)kept, layout),
                        mlirMemRefTypeGetMemorySpace(old));
  int32_t segments[] = {1, (int32_t)rank, (int32_t)dynamic, 0};
  MlirNamedAttribute attributes[] = {
      pgopt_named(context, "static_offsets",
                  mlirDenseI64ArrayGet(context, (intptr_t)rank, offsets)),
      pgopt_named(context, "static_sizes",
                  mlirDenseI64ArrayGet(context, (intptr_t)rank, sizes)),
      pgopt_named(context, "static_strides",
                  mlirDenseI64ArrayGet(context, (intptr_t)rank, strides)),
      pgopt_named(context, "operandSegmentSizes",
                  mlirDenseI32ArrayGet(context, 4, segments))};
  MlirValue slice = pgopt_emit_op(emitter, "memref.subview", 1 + rank + dynamic,
                                  operands, type, 4, attributes);
  free(operands);
  free(numbers);
  return slice;
}

static MlirAffineMap slice_map(MlirContext context, const peeling *p,
                               const pgopt_generic_operand *operand) {
  MlirAffineExpr *results = pgopt_allocate(operand->rank + 1, sizeof *results);
  size_t count = 0;
  for (size_t d = 0; d < operand->rank; ++d) {
    int loop = kept_loop(p, &operand->map.results[d]);
    if (loop != NONE)
      results[count++] = mlirAffineDimExprGet(context, p->numbers[loop]);
  }
  MlirAffineMap map = mlirAffineMapGet(context, (intptr_t)p->rest_count, 0,
                                       (intptr_t)count, results);
  free(results);
  return map;
}

static MlirOperation rebuild(pgopt_emitter emitter, const peeling *p) {
  const pgopt_generic *generic = p->generic;
  size_t count = generic->operand_count;
  MlirValue *operands = pgopt_allocate(count, sizeof *operands);
  MlirAffineMap *maps = pgopt_allocate(count, sizeof *maps);
  bool *is_reduction = pgopt_allocate(p->rest_count + 1, 1);
  for (size_t l = 0; l < generic->loop_count; ++l)
    if (p->is_kept[l])
      is_reduction[p->numbers[l]] = generic->is_reduction[l];
  for (size_t i = 0; i < count; ++i) {
    operands[i] = emit_slice(emitter, p, &generic->operands[i]);
    maps[i] = slice_map(emitter.context, p, &generic->operands[i]);
  }
  MlirRegion region = mlirRegionCreate();
  mlirRegionTakeBody(region, mlirOperationGetRegion(generic->op, 0));
  MlirOperation op =
      pgopt_build_generic(emitter.before, generic->input_count, count, operands,
                          maps, p->rest_count, is_reduction, region);
  free(is_reduction);
  free(maps);
  free(operands);
  return op;
}

/// Replaces `linalg.index` in the body: a peeled loop's by its variable, a kept
/// one's by the index of its new number.
static void renumber_indices(const peeling *p, MlirRegion region) {
  MlirOperation op =
      mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(region));
  while (!mlirOperationIsNull(op)) {
    MlirOperation next = mlirOperationGetNextInBlock(op);
    if (pgopt_op_is(op, "linalg.index")) {
      int64_t loop = pgopt_op_i64(op, "dim", 0);
      if (p->is_kept[loop]) {
        mlirOperationSetAttributeByName(
            op, pgopt_ref("dim"),
            pgopt_i64_attribute(mlirOperationGetContext(op), p->numbers[loop]));
      } else {
        mlirValueReplaceAllUsesOfWith(pgopt_result(op), p->variables[loop]);
        mlirOperationDestroy(op);
      }
    }
    op = next;
  }
}

MlirOperation pgopt_peel(const pgopt_generic *generic, const bool *is_kept) {
  size_t loops = generic->loop_count;
  peeling p = {.generic = generic,
               .is_kept = is_kept,
               .variables = pgopt_allocate(loops + 1, sizeof *p.variables),
               .extents = pgopt_allocate(loops + 1, sizeof *p.extents),
               .numbers = pgopt_allocate(loops + 1, sizeof *p.numbers)};
  pgopt_emitter emitter = pgopt_emitter_before(generic->op);
  for (size_t l = 0; l < loops; ++l) {
    p.extents[l] = pgopt_emit_loop_extent(emitter, generic, l);
    if (is_kept[l])
      p.numbers[l] = (int)p.rest_count++;
    else if (generic->extents[l] == 1)
      p.variables[l] = pgopt_emit_index(emitter, 0);
  }
  for (int reductions = 0; reductions < 2; ++reductions)
    for (size_t l = 0; l < loops; ++l)
      if (!is_kept[l] && generic->extents[l] != 1 &&
          generic->is_reduction[l] == (reductions == 1))
        emitter = pgopt_emit_for(emitter, p.extents[l], 1, &p.variables[l]);
  MlirOperation op = rebuild(emitter, &p);
  renumber_indices(&p, mlirOperationGetRegion(op, 0));
  mlirOperationDestroy(generic->op);
  free(p.numbers);
  free(p.extents);
  free(p.variables);
  return op;
}
