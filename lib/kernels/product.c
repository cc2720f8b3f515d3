/// \file Multiply-accumulates as generated kernels: the loops of the plan
/// around copies of the columns' operand and register tiles.
#include "kernels/product.h"

#include "codegen/contraction.h"
#include "kernels/nest.h"

#include <string.h>

enum { C = 2, MAX = PGOPT_PRODUCT_MAX_OPERANDS };

/// A copy may cost this share of the whole.
static const double largest_copy_share = 0.5;

static bool read_problem(const pgopt_generic *generic,
                         pgopt_contraction *contraction,
                         pgopt_product_problem *problem) {
  if (!pgopt_read_contraction(generic, 0, contraction))
    return false;
  const pgopt_gemm_problem *from = &contraction->problem;
  *problem = (pgopt_product_problem){
      .loop_count = from->loop_count,
      .operand_count = 3,
      .element_bytes = pgopt_element_storage(generic->operands[C].element)};
  for (size_t l = 0; l < from->loop_count; ++l) {
    problem->loops[l].extent = from->loops[l].extent;
    problem->loops[l].is_dynamic = from->loops[l].is_dynamic;
    problem->loops[l].is_reduction = from->loops[l].is_reduction;
    memcpy(problem->loops[l].strides, from->loops[l].strides,
           sizeof from->loops[l].strides);
  }
  return true;
}

bool pgopt_generate_product(MlirOperation op, const pgopt_target *target,
                            MlirOperation erased[PGOPT_FUSION_MAX_OPS],
                            size_t *erased_count) {
  pgopt_generic generic;
  pgopt_contraction contraction;
  pgopt_product_problem problem;
  pgopt_product_plan plan;
  bool done = false;
  *erased_count = 0;
  if (!pgopt_read_generic(op, &generic) ||
      !read_problem(&generic, &contraction, &problem))
    goto done;
  pgopt_fusion fusion;
  pgopt_fusion_find(&generic, &problem, &fusion);
  if (pgopt_product_plan_make(&problem, target, &plan) &&
      plan.copy_cycles <= largest_copy_share * plan.cycles) {
    for (size_t i = 0; i < 3; ++i) {
      fusion.memrefs[i] = generic.operands[i].value;
      fusion.offsets[i] = contraction.offsets[i];
    }
    pgopt_nest nest = {.generic = &generic,
                       .problem = &problem,
                       .plan = &plan,
                       .fusion = &fusion,
                       .vectors =
                           pgopt_vectors_of(generic.operands[C].element,
                                            plan.lanes, target->has_fma)};
    pgopt_nest_emit(pgopt_emitter_before(fusion.last), &nest);
    *erased_count = pgopt_fusion_erase(&fusion, erased);
    mlirOperationDestroy(op);
    done = true;
  }
  pgopt_fusion_free(&fusion);
done:
  pgopt_generic_free(&generic);
  return done;
}
