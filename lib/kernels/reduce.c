/// \file Reductions as generated kernels: reading them, and how vectors run.
///
/// Where the reduced elements follow one another, vectors run along them, and
/// their lanes are combined at the end; where the results do, along these.
/// Loops that follow one another without a gap in every operand are one.
#include "kernels/reduce.h"

#include "codegen/contraction.h"
#include "kernels/problem.h"
#include "kernels/reduce_nest.h"

#include <stdlib.h>

enum {
  BATCH_BODY = 6,     ///< operations of a body that is written out for a batch
  BATCH_VECTORS = 64, ///< of a row: longer ones hide what its end costs
  ROW_SUMS = 4,       ///< side by side
};

/// What is read out of one op.
typedef struct reduction {
  pgopt_generic generic;
  pgopt_product_problem loops;
  int64_t offsets[PGOPT_PRODUCT_MAX_OPERANDS];
  pgopt_reduction_nest nest;
  pgopt_fusion fusion;
  bool has_fusion;
} reduction;

/// Every loop of several turns is reduced, or moves the result; extents of
/// reductions are known.
static bool loops_fit(const reduction *r) {
  size_t reduced = 0;
  for (size_t l = 0; l < r->loops.loop_count; ++l) {
    const pgopt_product_loop *loop = &r->loops.loops[l];
    if (loop->extent == 1)
      continue;
    if (loop->is_reduction == (loop->strides[r->nest.destination] != 0) ||
        (loop->is_reduction && loop->is_dynamic))
      return false;
    reduced += loop->is_reduction;
  }
  return reduced != 0;
}

static bool read_reduction(reduction *r) {
  pgopt_contraction contraction;
  pgopt_reduction_nest *nest = &r->nest;
  const pgopt_generic *generic = &r->generic;
  if (!pgopt_problem_read(generic, &r->loops, r->offsets) ||
      pgopt_generic_aliases(generic) ||
      pgopt_read_contraction(generic, 0, &contraction) ||
      !pgopt_combine_read(generic, &nest->combine) ||
      !pgopt_fused_read_body(generic, PGOPT_FUSED_BODY, &nest->body))
    return false;
  nest->destination = (int)generic->input_count;
  for (size_t i = 0; i < generic->input_count; ++i)
    if (pgopt_generic_reads(generic, i) && generic->operands[i].is_memref)
      nest->reads[nest->read_count++] = (int)i;
    else
      for (size_t l = 0; l < r->loops.loop_count; ++l)
        r->loops.loops[l].strides[i] = 0;
  return nest->read_count != 0 && loops_fit(r);
}

/// True when vectors along the loop are read in one piece or from one element.
static bool is_contiguous(const reduction *r, int loop) {
  const pgopt_product_loop *l = &r->loops.loops[loop];
  bool some = false;
  if (l->extent == 1 || l->is_dynamic)
    return false;
  for (size_t i = 0; i < r->nest.read_count; ++i) {
    int64_t stride = l->strides[r->nest.reads[i]];
    if (stride != 0 && stride != 1)
      return false;
    some |= stride == 1;
  }
  return some;
}

/// The loop of results that follow one another, or -1.
static int result_loop(const reduction *r) {
  for (size_t l = 0; l < r->loops.loop_count; ++l)
    if (r->loops.loops[l].extent != 1 &&
        r->loops.loops[l].strides[r->nest.destination] == 1)
      return (int)l;
  return -1;
}

static size_t body_size(const pgopt_generic *generic) {
  size_t count;
  free(pgopt_block_ops(generic->body, &count));
  return count;
}

static bool plan_row(reduction *r, int64_t block) {
  pgopt_reduction_nest *nest = &r->nest;
  int64_t extent = r->loops.loops[nest->across].extent;
  int64_t lanes = nest->vectors.lanes;
  if (extent < lanes / 2)
    return false;
  int results = result_loop(r);
  if (results >= 0 && r->loops.loops[results].extent >= lanes &&
      extent <= BATCH_VECTORS * lanes && body_size(&r->generic) <= BATCH_BODY)
    nest->batch = results;
  nest->block =
      pgopt_reduction_side_by_side(block ? block : ROW_SUMS, extent / lanes);
  return !block || nest->block == block;
}

/// Results of a block stay in registers while all that goes into them passes:
/// all results that lie together, or, where that is little memory, a part.
static bool plan_columns(reduction *r, const pgopt_target *target,
                         int64_t block) {
  pgopt_reduction_nest *nest = &r->nest;
  const pgopt_product_loop *across = &r->loops.loops[nest->across];
  int64_t lanes = nest->vectors.lanes;
  int64_t vectors = (across->extent + lanes - 1) / lanes;
  int64_t most = target->vector_registers / 4;
  int64_t bytes = across->extent * r->loops.element_bytes;
  for (size_t l = 0; l < r->loops.loop_count; ++l)
    if (r->loops.loops[l].is_reduction)
      bytes *= r->loops.loops[l].extent;
  nest->block = vectors < most ? vectors : most;
  if (block > nest->block)
    return false;
  nest->block = block ? block : nest->block;
  return across->strides[nest->destination] == 1 &&
         across->extent >= lanes / 2 &&
         (block || vectors <= most || bytes <= target->l2_bytes / 4);
}

/// How vectors run; false when they do not fit.
/// \param block as for `pgopt_generate_reduction`.
static bool plan(reduction *r, const pgopt_target *target, int64_t block) {
  pgopt_reduction_nest *nest = &r->nest;
  MlirType element = r->generic.operands[nest->destination].element;
  nest->vectors = pgopt_vectors_of(
      element, target->vector_bytes / r->loops.element_bytes, target->has_fma);
  nest->batch = -1;
  if (block > PGOPT_REDUCTION_MAX_BLOCK)
    return false;
  for (int reduced = 1; reduced >= 0; --reduced)
    for (size_t l = 0; l < r->loops.loop_count; ++l) {
      nest->across = (int)l;
      nest->is_row = reduced;
      if (r->loops.loops[l].is_reduction == reduced && is_contiguous(r, (int)l))
        return reduced ? plan_row(r, block) : plan_columns(r, target, block);
    }
  return false;
}

/// Reads the op, what can be fused with it, and plans both.
static bool open_reduction(MlirOperation op, const pgopt_target *target,
                           int64_t block, reduction *r) {
  *r = (reduction){0};
  if (!pgopt_read_generic(op, &r->generic) || !read_reduction(r))
    return false;
  pgopt_fusion_find(&r->generic, &r->loops, &r->fusion);
  r->has_fusion = true;
  pgopt_problem_merge_loops(&r->loops);
  return plan(r, target, block);
}

static void close_reduction(reduction *r) {
  if (r->has_fusion)
    pgopt_fusion_free(&r->fusion);
  pgopt_generic_free(&r->generic);
}

bool pgopt_is_reduction(MlirOperation op, const pgopt_target *target,
                        int64_t block, int64_t *taken) {
  reduction r;
  bool is_reduction = open_reduction(op, target, block, &r);
  if (taken)
    *taken = r.nest.block;
  close_reduction(&r);
  return is_reduction;
}

bool pgopt_generate_reduction(MlirOperation op, const pgopt_target *target,
                              int64_t block,
                              MlirOperation erased[PGOPT_FUSION_MAX_OPS],
                              size_t *erased_count) {
  reduction r;
  pgopt_fusion *fusion = &r.fusion;
  bool done = open_reduction(op, target, block, &r);
  *erased_count = 0;
  if (done) {
    for (size_t i = 0; i < r.generic.operand_count; ++i) {
      if (!r.generic.operands[i].is_memref ||
          (i < r.generic.input_count && !pgopt_generic_reads(&r.generic, i)))
        continue;
      fusion->memrefs[i] = r.generic.operands[i].value;
      fusion->offsets[i] = r.offsets[i];
    }
    fusion->memrefs[r.nest.destination] = pgopt_fusion_destination(fusion);
    r.nest.generic = &r.generic;
    r.nest.loops = &r.loops;
    r.nest.fusion = fusion;
    pgopt_reduction_emit(pgopt_emitter_before(fusion->last), &r.nest);
    *erased_count = pgopt_fusion_erase(fusion, erased);
  }
  close_reduction(&r);
  return done;
}
