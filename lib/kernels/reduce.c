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
};

/// What is read out of one op.
typedef struct reduction {
  pgopt_generic generic;
  pgopt_product_problem loops;
  int64_t offsets[PGOPT_PRODUCT_MAX_OPERANDS];
  pgopt_reduction_nest nest;
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

static void merge_loops(pgopt_product_problem *loops) {
  for (size_t outer = 0; outer < loops->loop_count; ++outer)
    for (size_t inner = 0; inner < loops->loop_count; ++inner)
      if (merge(loops, outer, inner))
        break;
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

static bool plan_row(reduction *r) {
  pgopt_reduction_nest *nest = &r->nest;
  int64_t extent = r->loops.loops[nest->across].extent;
  int64_t lanes = nest->vectors.lanes;
  if (extent < lanes / 2)
    return false;
  int results = result_loop(r);
  if (results >= 0 && r->loops.loops[results].extent >= lanes &&
      extent <= BATCH_VECTORS * lanes && body_size(&r->generic) <= BATCH_BODY)
    nest->batch = results;
  return true;
}

/// Results of a block stay in registers while all that goes into them passes:
/// all results that lie together, or, where that is little memory, a part.
static bool plan_columns(reduction *r, const pgopt_target *target) {
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
  return across->strides[nest->destination] == 1 &&
         across->extent >= lanes / 2 &&
         (vectors <= most || bytes <= target->l2_bytes / 4);
}

/// How vectors run; false when they do not fit.
static bool plan(reduction *r, const pgopt_target *target) {
  pgopt_reduction_nest *nest = &r->nest;
  MlirType element = r->generic.operands[nest->destination].element;
  nest->vectors = pgopt_vectors_of(
      element, target->vector_bytes / r->loops.element_bytes, target->has_fma);
  nest->batch = -1;
  for (int reduced = 1; reduced >= 0; --reduced)
    for (size_t l = 0; l < r->loops.loop_count; ++l) {
      nest->across = (int)l;
      nest->is_row = reduced;
      if (r->loops.loops[l].is_reduction == reduced && is_contiguous(r, (int)l))
        return reduced ? plan_row(r) : plan_columns(r, target);
    }
  return false;
}

bool pgopt_generate_reduction(MlirOperation op, const pgopt_target *target,
                              MlirOperation erased[PGOPT_FUSION_MAX_OPS],
                              size_t *erased_count) {
  reduction r = {0};
  bool done = false;
  *erased_count = 0;
  if (!pgopt_read_generic(op, &r.generic) || !read_reduction(&r))
    goto done;
  pgopt_fusion fusion;
  pgopt_fusion_find(&r.generic, &r.loops, &fusion);
  merge_loops(&r.loops);
  if (plan(&r, target)) {
    for (size_t i = 0; i < r.generic.operand_count; ++i) {
      if (!r.generic.operands[i].is_memref ||
          (i < r.generic.input_count && !pgopt_generic_reads(&r.generic, i)))
        continue;
      fusion.memrefs[i] = r.generic.operands[i].value;
      fusion.offsets[i] = r.offsets[i];
    }
    fusion.memrefs[r.nest.destination] = pgopt_fusion_destination(&fusion);
    r.nest.generic = &r.generic;
    r.nest.loops = &r.loops;
    r.nest.fusion = &fusion;
    pgopt_reduction_emit(pgopt_emitter_before(fusion.last), &r.nest);
    *erased_count = pgopt_fusion_erase(&fusion, erased);
    done = true;
  }
  pgopt_fusion_free(&fusion);
done:
  pgopt_generic_free(&r.generic);
  return done;
}
