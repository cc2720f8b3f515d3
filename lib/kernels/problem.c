/// \file A linalg op on memrefs as loops and strides.
#include "kernels/problem.h"

#include "base/checked_math.h"

bool pgopt_generic_reads(const pgopt_generic *generic, size_t number) {
  MlirValue argument = mlirBlockGetArgument(generic->body, (intptr_t)number);
  return !mlirOpOperandIsNull(mlirValueGetFirstUse(argument));
}

bool pgopt_generic_aliases(const pgopt_generic *generic) {
  MlirValue buffer =
      pgopt_root_buffer(generic->operands[generic->operand_count - 1].value);
  for (size_t i = 0; i < generic->input_count; ++i)
    if (generic->operands[i].is_memref && pgopt_generic_reads(generic, i) &&
        mlirValueEqual(pgopt_root_buffer(generic->operands[i].value), buffer))
      return true;
  return false;
}

static bool read_operand(const pgopt_generic_operand *operand, size_t number,
                         pgopt_product_problem *problem, int64_t *offset) {
  int64_t part;
  *offset = 0;
  for (size_t d = 0; d < operand->rank; ++d) {
    const pgopt_linear *sum = &operand->map.results[d];
    if (!pgopt_checked_multiply(sum->constant, operand->strides[d], &part) ||
        !pgopt_checked_add(*offset, part, offset))
      return false;
    for (size_t l = 0; l < problem->loop_count; ++l) {
      int64_t *stride = &problem->loops[l].strides[number];
      if (!pgopt_checked_multiply(sum->coefficients[l], operand->strides[d],
                                  &part) ||
          !pgopt_checked_add(*stride, part, stride))
        return false;
    }
  }
  return true;
}

bool pgopt_problem_read(const pgopt_generic *generic,
                        pgopt_product_problem *problem, int64_t *offsets) {
  MlirType element = generic->operands[generic->operand_count - 1].element;
  if (generic->loop_count > PGOPT_PRODUCT_MAX_LOOPS ||
      generic->operand_count > PGOPT_PRODUCT_MAX_OPERANDS ||
      generic->operand_count != generic->input_count + 1 ||
      (!mlirTypeIsAF32(element) && !mlirTypeIsAF64(element)))
    return false;
  *problem =
      (pgopt_product_problem){.loop_count = generic->loop_count,
                              .operand_count = generic->operand_count,
                              .element_bytes = pgopt_element_storage(element)};
  for (size_t l = 0; l < generic->loop_count; ++l) {
    pgopt_product_loop *loop = &problem->loops[l];
    loop->is_reduction = generic->is_reduction[l];
    loop->is_dynamic = generic->extents[l] == PGOPT_DYNAMIC;
    loop->extent = loop->is_dynamic ? INT64_MAX : generic->extents[l];
  }
  for (size_t i = 0; i < generic->operand_count; ++i) {
    const pgopt_generic_operand *operand = &generic->operands[i];
    offsets[i] = 0;
    if (!mlirTypeEqual(operand->element, element) ||
        (operand->is_memref && !operand->strides))
      return false;
    if (operand->is_memref && !read_operand(operand, i, problem, &offsets[i]))
      return false;
  }
  return true;
}

/// Makes one loop of `outer` and `inner` when all operands allow it.
static bool merge(pgopt_product_problem *loops, size_t outer, size_t inner) {
  pgopt_product_loop *a = &loops->loops[outer], *b = &loops->loops[inner];
  if (outer == inner || a->is_reduction != b->is_reduction || a->is_dynamic ||
      b->is_dynamic || a->extent == 1 || b->extent == 1)
    return false;
  for (size_t k = 0; k < loops->operand_count; ++k)
    if (a->strides[k] != b->strides[k] * b->extent)
      return false;
  b->extent *= a->extent;
  a->extent = 1;
  return true;
}

void pgopt_problem_merge_loops(pgopt_product_problem *loops) {
  for (size_t outer = 0; outer < loops->loop_count; ++outer)
    for (size_t inner = 0; inner < loops->loop_count; ++inner)
      if (merge(loops, outer, inner))
        break;
}
