/// \file Multiply-accumulates as generated kernels: the loops of the plan
/// around copies of the columns' operand and register tiles.
#include "kernels/product.h"

#include "codegen/contraction.h"
#include "kernels/constant_operands.h"
#include "kernels/nest.h"

#include <stdlib.h>
#include <string.h>

enum { C = 2, MAX = PGOPT_PRODUCT_MAX_OPERANDS };

/// A copy may cost this share of the whole.
static const double largest_copy_share = 0.5;

bool pgopt_read_product(const pgopt_generic *generic,
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

/// A product and what can be fused with it.
typedef struct reading {
  pgopt_generic generic;
  pgopt_contraction contraction;
  pgopt_product_problem problem;
  pgopt_fusion fusion;
  bool is_product, is_padded;
  bool is_constant[2];   ///< A and B
  pgopt_padding padding; ///< of operand `problem.bounded_operand`, if padded
} reading;

/// True when the extent of every loop that is known at run time is one of C's:
/// the buffer that would be padded will not exist.
static bool extents_are_of_c(const pgopt_generic *generic) {
  const pgopt_generic_operand *c = &generic->operands[C];
  for (size_t l = 0; l < generic->loop_count; ++l) {
    bool found = generic->extents[l] != PGOPT_DYNAMIC;
    for (size_t d = 0; d < c->rank; ++d)
      found |= pgopt_linear_single_loop(&c->map.results[d],
                                        generic->loop_count) == (int)l;
    if (!found)
      return false;
  }
  return true;
}

static size_t count_bounds(const pgopt_padding *padding) {
  size_t count = 0;
  for (size_t d = 0; d < padding->rank; ++d)
    count += padding->dimensions[d].low || padding->dimensions[d].high;
  return count;
}

/// Puts the image in the place of the padded operand.
static void bound_operand(const pgopt_padding *padding, int operand,
                          reading *r) {
  pgopt_product_problem *problem = &r->problem;
  const pgopt_map *map = &r->generic.operands[operand].map;
  problem->bounded_operand = operand;
  for (size_t l = 0; l < problem->loop_count; ++l)
    problem->loops[l].strides[operand] = 0;
  for (size_t d = 0; d < padding->rank; ++d) {
    const pgopt_padded_dimension *dim = &padding->dimensions[d];
    bool is_bounded = dim->low || dim->high;
    for (size_t l = 0; l < problem->loop_count; ++l) {
      int64_t move = map->results[d].coefficients[l];
      problem->loops[l].strides[operand] += move * dim->stride;
      if (is_bounded)
        problem->loops[l].moves[problem->bound_count] = move;
    }
    if (is_bounded)
      problem->bounds[problem->bound_count++] = dim->extent;
  }
  r->contraction.offsets[operand] = 0; // the places say where it begins
}

/// Reads the zeros around one of the operands, if there are any.
static bool read_padding(reading *r) {
  if (!extents_are_of_c(&r->generic))
    return false;
  for (int operand = 0; operand < C; ++operand)
    if (pgopt_padding_read(&r->generic, (size_t)operand, &r->padding) &&
        count_bounds(&r->padding) <= PGOPT_PRODUCT_MAX_BOUNDS) {
      bound_operand(&r->padding, operand, r);
      return true;
    }
  return false;
}

static void close_reading(reading *r) {
  if (r->is_product)
    pgopt_fusion_free(&r->fusion);
  pgopt_generic_free(&r->generic);
}

/// All of an argument of the kernel: another phase can pack it.
static bool is_argument(MlirValue memref) {
  MlirValue buffer = pgopt_whole_buffer(memref);
  return !mlirValueIsNull(buffer) && mlirValueIsABlockArgument(buffer);
}

/// \param wants_padded whether zeros around an operand are to be left out.
/// \param has_phases whether columns that are no constant can be packed before,
///   too.
static bool open_reading(MlirOperation op, pgopt_preparation *preparation,
                         bool wants_padded, bool has_phases, reading *r) {
  r->is_product = pgopt_read_generic(op, &r->generic) &&
                  pgopt_read_product(&r->generic, &r->contraction, &r->problem);
  for (int i = 0; i < 2 && r->is_product; ++i) {
    MlirValue memref = r->generic.operands[i].value;
    r->is_constant[i] = pgopt_can_prepare(preparation, memref);
    r->problem.can_prepare[i] =
        r->is_constant[i] || (has_phases && is_argument(memref));
  }
  r->is_padded = r->is_product && wants_padded && read_padding(r);
  if (r->is_product)
    pgopt_fusion_find(&r->generic, &r->problem, &r->fusion);
  return r->is_product;
}

static bool pays_off(const pgopt_product_plan *plan) {
  return plan->copy_cycles <= largest_copy_share * plan->cycles;
}

static bool make_plan(const reading *r, const pgopt_target *target,
                      const pgopt_product_shape *shape,
                      pgopt_product_plan *plan) {
  return shape ? pgopt_product_plan_shape(&r->problem, target, shape, plan)
               : pgopt_product_plan_make(&r->problem, target, plan) &&
                     pays_off(plan);
}

/// Reads and plans the product: without the zeros around an operand, or, where
/// that cannot be, as it is. To be closed in either case.
static bool open_planned(MlirOperation op, const pgopt_target *target,
                         pgopt_preparation *preparation, bool has_phases,
                         const pgopt_product_shape *shape, reading *r,
                         pgopt_product_plan *plan) {
  if (open_reading(op, preparation, true, has_phases, r) &&
      make_plan(r, target, shape, plan))
    return true;
  if (!r->is_padded)
    return false;
  close_reading(r);
  return open_reading(op, preparation, false, has_phases, r) &&
         make_plan(r, target, shape, plan);
}

bool pgopt_can_generate_product(MlirOperation op, const pgopt_target *target,
                                pgopt_preparation *preparation,
                                const pgopt_product_shape *shape) {
  reading r;
  pgopt_phase phase;
  pgopt_product_plan plan;
  bool can = open_planned(op, target, preparation, pgopt_phase_read(op, &phase),
                          shape, &r, &plan);
  close_reading(&r);
  return can;
}

/// Whether the plan's columns are packed by another phase.
static bool has_phase(const reading *r, const pgopt_product_plan *plan) {
  return plan->source == PGOPT_COLUMNS_PREPARED &&
         !r->is_constant[plan->columns_operand];
}

bool pgopt_plan_product_phases(MlirOperation op, const pgopt_target *target,
                               pgopt_preparation *preparation,
                               const pgopt_product_shape *shape,
                               pgopt_product_phases *phases) {
  reading r;
  pgopt_product_plan plan, whole;
  pgopt_product_shape next;
  bool copies = open_planned(op, target, preparation, false, shape, &r, &whole);
  close_reading(&r);
  if (!copies || (whole.source != PGOPT_COLUMNS_PACKED &&
                  whole.source != PGOPT_COLUMNS_GATHERED))
    return false;
  bool found = false;
  if (open_reading(op, preparation, true, true, &r))
    for (size_t i = 0; pgopt_product_shape_at(target, i, &next); ++i) {
      if (next.source != PGOPT_COLUMNS_PREPARED ||
          !make_plan(&r, target, &next, &plan) || !has_phase(&r, &plan) ||
          plan.columns_operand != whole.columns_operand ||
          (r.is_padded && plan.columns_operand == r.problem.bounded_operand) ||
          (found && plan.cycles >= phases->cycles))
        continue;
      found = true;
      *phases = (pgopt_product_phases){
          .shape = next,
          .cut = pgopt_prepared_cut(&plan),
          .operand = pgopt_whole_buffer(
              r.generic.operands[plan.columns_operand].value),
          .cycles = plan.cycles};
    }
  close_reading(&r);
  return found;
}

/// Nothing where the second phase does without the buffer.
static void emit_first_phase(const pgopt_nest *nest) {
  pgopt_copy_cut cut = pgopt_prepared_cut(nest->plan);
  if (nest->phase && pgopt_phase_fits(nest->phase, cut.steps, cut.stride))
    pgopt_nest_emit_first_phase(pgopt_emitter_before(nest->fusion->last), nest);
}

bool pgopt_generate_product(MlirOperation op, const pgopt_target *target,
                            pgopt_preparation *preparation,
                            const pgopt_product_shape *shape,
                            MlirOperation erased[PGOPT_FUSION_MAX_OPS],
                            size_t *erased_count) {
  reading r;
  pgopt_phase phase;
  pgopt_product_plan plan;
  *erased_count = 0;
  bool has_phases = pgopt_phase_read(op, &phase);
  bool done =
      open_planned(op, target, preparation, has_phases, shape, &r, &plan);
  if (done) {
    for (size_t i = 0; i < 3; ++i) {
      r.fusion.memrefs[i] = r.is_padded && (int)i == r.problem.bounded_operand
                                ? r.padding.image
                                : r.generic.operands[i].value;
      r.fusion.offsets[i] = r.contraction.offsets[i];
    }
    r.fusion.memrefs[C] = pgopt_fusion_destination(&r.fusion);
    pgopt_nest nest = {.generic = &r.generic,
                       .problem = &r.problem,
                       .plan = &plan,
                       .fusion = &r.fusion,
                       .padding = r.is_padded ? &r.padding : NULL,
                       .vectors =
                           pgopt_vectors_of(r.generic.operands[C].element,
                                            plan.lanes, target->has_fma)};
    if (has_phase(&r, &plan))
      nest.phase = &phase;
    if (has_phases && phase.is_first)
      emit_first_phase(&nest);
    else
      pgopt_nest_emit(pgopt_emitter_before(r.fusion.last), &nest, preparation);
    *erased_count = pgopt_fusion_erase(&r.fusion, erased);
    if (r.is_padded)
      pgopt_padding_erase(&r.padding);
  }
  close_reading(&r);
  return done;
}

/// Whether two plans become the same code.
static bool is_same_plan(const pgopt_product_plan *a,
                         const pgopt_product_plan *b) {
  return a->source == b->source && a->rows_operand == b->rows_operand &&
         a->row_chunk == b->row_chunk && a->column_chunk == b->column_chunk &&
         a->depth_chunk == b->depth_chunk &&
         a->beside_chunk == b->beside_chunk &&
         a->beside_outer_chunk == b->beside_outer_chunk &&
         a->row_step_count == b->row_step_count &&
         a->column_step_count == b->column_step_count &&
         !memcmp(a->row_steps, b->row_steps, sizeof a->row_steps) &&
         !memcmp(a->column_steps, b->column_steps, sizeof a->column_steps);
}

void pgopt_visit_products(MlirOperation op, const pgopt_target *target,
                          pgopt_preparation *preparation,
                          void (*visit)(const pgopt_product_shape *shape,
                                        double cycles, void *data),
                          void *data, bool *is_default) {
  reading r;
  pgopt_product_shape shape;
  pgopt_product_plan *plans = NULL, next;
  size_t count = 0, capacity = 0;
  open_planned(op, target, preparation, false, NULL, &r, &next);
  bool is_product = r.is_product;
  for (size_t i = 0; is_product && pgopt_product_shape_at(target, i, &shape);
       ++i) {
    if (!make_plan(&r, target, &shape, &next))
      continue;
    size_t k = 0;
    while (k < count && !is_same_plan(&plans[k], &next))
      ++k;
    if (k < count)
      continue;
    PGOPT_APPEND(plans, count, capacity, next);
    visit(&shape, next.cycles, data);
  }
  *is_default = is_product && make_plan(&r, target, NULL, &next);
  free(plans);
  close_reading(&r);
}
