/// \file Contractions and convolutions as calls of BLAS.
#include "codegen/blas.h"

#include "codegen/contraction.h"
#include "codegen/emit.h"

/// What a gathered operand takes at a time: enough rows for the product to run
/// at full speed, and little enough to stay in a core's second-level cache.
static const int64_t scratch_bytes = 1 << 20;

/// One product under construction.
typedef struct product {
  const pgopt_generic *generic;
  const pgopt_contraction *contraction;
  const pgopt_gemm_plan *plan;
  MlirOperation module;
  MlirType element;
  int64_t element_bytes;
  bool overwrites;
  MlirValue extents[PGOPT_GEMM_MAX_LOOPS];
  MlirValue scratch; ///< address of the gathered operand
  MlirValue box;     ///< memref of the gather's extents, then its strides
} product;

/// The operands' current addresses, as indices.
typedef struct addresses {
  MlirValue of[3];
} addresses;

static addresses move(pgopt_emitter emitter, const product *p, size_t loop,
                      MlirValue variable, addresses from) {
  for (size_t i = 0; i < 3; ++i)
    from.of[i] = pgopt_emit_add_scaled(
        emitter, from.of[i], variable,
        p->contraction->problem.loops[loop].strides[i] * p->element_bytes);
  return from;
}

/// Product of the axis's extents, as an index; the first may be a chunk's.
static MlirValue emit_axis(pgopt_emitter emitter, const product *p,
                           const pgopt_gemm_axis *axis, MlirValue first) {
  if (!axis->count)
    return pgopt_emit_index(emitter, 1);
  MlirValue extent =
      mlirValueIsNull(first) ? p->extents[axis->loops[0]] : first;
  for (size_t i = 1; i < axis->count; ++i)
    extent = pgopt_emit_binary(emitter, "arith.muli", extent,
                               p->extents[axis->loops[i]]);
  return extent;
}

static MlirValue emit_gemm_constant(pgopt_emitter emitter, const product *p,
                                    double value) {
  MlirNamedAttribute attribute =
      pgopt_named(emitter.context, "value",
                  mlirFloatAttrDoubleGet(emitter.context, p->element, value));
  return pgopt_emit_op(emitter, "arith.constant", 0, NULL, p->element, 1,
                       &attribute);
}

static void emit_gemm(pgopt_emitter emitter, const product *p, addresses at,
                      MlirValue chunk) {
  const pgopt_gemm_plan *plan = p->plan;
  MlirValue null = {NULL};
  MlirValue own = null, ld[2];
  if (plan->gathered != PGOPT_GEMM_NONE) {
    own = pgopt_emit_to_i64(
        emitter, emit_axis(emitter, p, pgopt_gemm_gathered_axis(plan), chunk));
    at.of[plan->gathered] = p->scratch;
  }
  bool rows_gathered = plan->gathered == plan->left;
  bool columns_gathered = plan->gathered == plan->right;
  ld[0] = plan->ld_left ? pgopt_emit_i64(emitter, plan->ld_left) : own;
  ld[1] = plan->ld_right ? pgopt_emit_i64(emitter, plan->ld_right) : own;
  MlirValue arguments[] = {
      pgopt_emit_i64(emitter, plan->transpose_left),
      pgopt_emit_i64(emitter, plan->transpose_right),
      rows_gathered ? own
                    : pgopt_emit_to_i64(
                          emitter, emit_axis(emitter, p, &plan->rows, null)),
      columns_gathered
          ? own
          : pgopt_emit_to_i64(emitter,
                              emit_axis(emitter, p, &plan->columns, null)),
      pgopt_emit_to_i64(emitter, emit_axis(emitter, p, &plan->depth, null)),
      pgopt_emit_pointer(emitter, at.of[plan->left]),
      ld[0],
      pgopt_emit_pointer(emitter, at.of[plan->right]),
      ld[1],
      emit_gemm_constant(emitter, p, p->overwrites ? 0 : 1),
      pgopt_emit_pointer(emitter, at.of[PGOPT_GEMM_C]),
      pgopt_emit_i64(emitter, plan->ld_c),
  };
  pgopt_emit_runtime_call(emitter, p->module,
                          mlirTypeIsAF64(p->element) ? "pgopt_rt_gemm_f64"
                                                     : "pgopt_rt_gemm_f32",
                          12, arguments, (MlirType){NULL});
}

/// The gather's loops: the operand's own axis and the depth, in the order in
/// which the scratch holds them.
static size_t list_gathered(const pgopt_gemm_plan *plan, size_t *loops) {
  const pgopt_gemm_axis *own = pgopt_gemm_gathered_axis(plan);
  const pgopt_gemm_axis *order[] = {plan->depth_is_inner ? own : &plan->depth,
                                    plan->depth_is_inner ? &plan->depth : own};
  size_t count = 0;
  for (size_t i = 0; i < 2; ++i)
    for (size_t k = 0; k < order[i]->count; ++k)
      loops[count++] = order[i]->loops[k];
  return count;
}

static void emit_store(pgopt_emitter emitter, MlirValue memref, size_t position,
                       MlirValue value) {
  MlirValue operands[] = {value, memref,
                          pgopt_emit_index(emitter, (int64_t)position)};
  pgopt_emit_op(emitter, "memref.store", 3, operands, (MlirType){NULL}, 0,
                NULL);
}

static void emit_gather(pgopt_emitter emitter, const product *p, addresses at,
                        MlirValue chunk) {
  const pgopt_gemm_plan *plan = p->plan;
  size_t loops[2 * PGOPT_GEMM_MAX_LOOPS];
  size_t rank = list_gathered(plan, loops);
  size_t first = pgopt_gemm_gathered_axis(plan)->loops[0];
  for (size_t i = 0; i < rank; ++i) {
    MlirValue extent = loops[i] == first ? chunk : p->extents[loops[i]];
    emit_store(emitter, p->box, i, pgopt_emit_to_i64(emitter, extent));
    emit_store(emitter, p->box, rank + i,
               pgopt_emit_i64(emitter, p->contraction->problem.loops[loops[i]]
                                           .strides[plan->gathered]));
  }
  MlirValue box = pgopt_emit_address(emitter, p->box);
  MlirValue strides =
      pgopt_emit_add_scaled(emitter, box, pgopt_emit_index(emitter, 1),
                            (int64_t)(rank * sizeof(int64_t)));
  MlirValue arguments[] = {
      pgopt_emit_i64(emitter, (int64_t)rank),
      pgopt_emit_pointer(emitter, box),
      pgopt_emit_pointer(emitter, strides),
      pgopt_emit_i64(emitter, p->element_bytes),
      pgopt_emit_pointer(emitter, at.of[plan->gathered]),
      pgopt_emit_pointer(emitter, p->scratch),
  };
  pgopt_emit_runtime_call(emitter, p->module, "pgopt_rt_gather", 6, arguments,
                          (MlirType){NULL});
}

/// Elements of scratch that a chunk of the gathered operand takes.
static int64_t gathered_elements(const product *p) {
  const pgopt_gemm_plan *plan = p->plan;
  const pgopt_gemm_axis *own = pgopt_gemm_gathered_axis(plan);
  int64_t elements = 1;
  for (size_t i = 0; i < own->count; ++i)
    elements *= i == 0 && plan->chunk
                    ? plan->chunk
                    : p->contraction->problem.loops[own->loops[i]].extent;
  for (size_t i = 0; i < plan->depth.count; ++i)
    elements *= p->contraction->problem.loops[plan->depth.loops[i]].extent;
  return elements;
}

static void emit_scratch(pgopt_emitter emitter, product *p) {
  size_t loops[2 * PGOPT_GEMM_MAX_LOOPS];
  size_t rank = list_gathered(p->plan, loops);
  MlirOperation function = p->generic->op;
  while (!pgopt_op_is(function, "func.func"))
    function = mlirOperationGetParentOperation(function);
  // On the stack of the function, not of a loop's turn.
  p->box = pgopt_emit_buffer(
      pgopt_emitter_at_start(pgopt_function_body(function), p->generic->op),
      "memref.alloca", mlirIntegerTypeGet(emitter.context, 64),
      (int64_t)(2 * rank));
  p->scratch = pgopt_emit_address(
      emitter, pgopt_emit_buffer(emitter, "memref.alloc", p->element,
                                 gathered_elements(p)));
}

/// The loop over chunks of the gathered operand; the emitter and the addresses
/// become those inside of it.
static MlirValue emit_chunks(pgopt_emitter *emitter, const product *p,
                             addresses *at) {
  size_t loop = pgopt_gemm_gathered_axis(p->plan)->loops[0];
  MlirValue extent = p->extents[loop], variable;
  if (!p->plan->chunk)
    return extent;
  *emitter = pgopt_emit_for(*emitter, extent, p->plan->chunk, &variable);
  *at = move(*emitter, p, loop, variable, *at);
  return pgopt_emit_binary(
      *emitter, "arith.minsi",
      pgopt_emit_binary(*emitter, "arith.subi", extent, variable),
      pgopt_emit_index(*emitter, p->plan->chunk));
}

static void emit_product(product *p) {
  const pgopt_gemm_plan *plan = p->plan;
  pgopt_emitter emitter = pgopt_emitter_before(p->generic->op);
  addresses at;
  for (size_t l = 0; l < p->generic->loop_count; ++l)
    p->extents[l] = pgopt_emit_loop_extent(emitter, p->generic, l);
  for (size_t i = 0; i < 3; ++i)
    at.of[i] = pgopt_emit_add_scaled(
        emitter, pgopt_emit_address(emitter, p->generic->operands[i].value),
        pgopt_emit_index(emitter, p->contraction->offsets[i]),
        p->contraction->offsets[i] ? p->element_bytes : 0);
  bool gathers = plan->gathered != PGOPT_GEMM_NONE;
  MlirValue chunk = {NULL};
  if (gathers)
    emit_scratch(emitter, p);
  for (size_t depth = 0; depth <= plan->outer_count; ++depth) {
    if (gathers && depth == plan->gather_depth) {
      chunk = emit_chunks(&emitter, p, &at);
      emit_gather(emitter, p, at, chunk);
    }
    if (depth == plan->outer_count)
      break;
    MlirValue variable;
    emitter =
        pgopt_emit_for(emitter, p->extents[plan->outer[depth]], 1, &variable);
    at = move(emitter, p, plan->outer[depth], variable, at);
  }
  emit_gemm(emitter, p, at, chunk);
}

/// Reads and plans the op; `generic` is to be freed in any case.
static pgopt_blas_outcome plan_op(MlirOperation op, pgopt_generic *generic,
                                  pgopt_contraction *contraction,
                                  pgopt_gemm_plan *plan) {
  if (!pgopt_read_generic(op, generic) ||
      !pgopt_read_contraction(generic, scratch_bytes, contraction) ||
      !pgopt_gemm_plan_make(&contraction->problem, plan))
    return PGOPT_BLAS_NONE;
  return plan->gathered == PGOPT_GEMM_NONE ? PGOPT_BLAS_GEMM
                                           : PGOPT_BLAS_IM2COL;
}

pgopt_blas_outcome pgopt_plan_blas(MlirOperation op, double *cost) {
  pgopt_generic generic;
  pgopt_contraction contraction;
  pgopt_gemm_plan plan = {0};
  pgopt_blas_outcome outcome = plan_op(op, &generic, &contraction, &plan);
  pgopt_generic_free(&generic);
  *cost = plan.cost;
  return outcome;
}

pgopt_blas_outcome pgopt_lower_to_blas(MlirOperation op) {
  pgopt_generic generic;
  pgopt_contraction contraction;
  pgopt_gemm_plan plan;
  pgopt_blas_outcome outcome = plan_op(op, &generic, &contraction, &plan);
  if (outcome == PGOPT_BLAS_NONE) {
    pgopt_generic_free(&generic);
    return outcome;
  }
  MlirType element = generic.operands[2].element;
  product p = {.generic = &generic,
               .contraction = &contraction,
               .plan = &plan,
               .module = pgopt_parent_module(op),
               .element = element,
               .element_bytes = pgopt_element_storage(element)};
  if (!plan.accumulates) {
    MlirOperation fill = pgopt_find_zero_fill(&generic);
    p.overwrites = !mlirOperationIsNull(fill);
    if (p.overwrites)
      mlirOperationDestroy(fill);
  }
  emit_product(&p);
  mlirOperationDestroy(op);
  pgopt_generic_free(&generic);
  return outcome;
}
