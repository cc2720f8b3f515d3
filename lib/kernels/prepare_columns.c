/// \file A product's columns packed before the first run, or in a phase of
/// their own: the copies of the plan's loops, one part after the other.
#include "kernels/nest.h"

static void append_axes(pgopt_text *text, const char *name,
                        const pgopt_product_axis *axes, size_t count,
                        int operand) {
  pgopt_text_append(text, " %s", name);
  for (size_t i = 0; i < count; ++i)
    pgopt_text_append(text, " %lldx%lld", (long long)axes[i].extent,
                      (long long)axes[i].strides[operand]);
}

/// All that the copies depend on.
static void write_key(const pgopt_nest *nest, pgopt_text *text) {
  const pgopt_product_plan *p = nest->plan;
  int operand = p->columns_operand;
  pgopt_text_append(text, "columns ");
  pgopt_print_type(nest->vectors.vector, text);
  pgopt_text_append(text, " from %lld",
                    (long long)nest->fusion->offsets[operand]);
  append_axes(text, "shared", p->shared, p->shared_count, operand);
  append_axes(text, "columns", &p->columns, 1, operand);
  append_axes(text, "outside", p->outer_depth, p->outer_depth_count, operand);
  append_axes(text, "depth", p->depth, p->depth_count, operand);
  pgopt_text_append(text, " by %lld %lld in", (long long)p->column_chunk,
                    (long long)p->depth_chunk);
  for (size_t i = 0; i < p->column_step_count; ++i)
    pgopt_text_append(
        text, " %lld:%lld:%lld", (long long)p->column_steps[i].vectors,
        (long long)p->column_steps[i].end, (long long)p->column_steps[i].tail);
}

/// Emits copies of the columns into a buffer, all or those that `nest` cuts
/// out.
static void emit_copies(pgopt_emitter e, pgopt_nest nest, MlirValue memref,
                        MlirValue buffer) {
  int operand = nest.plan->columns_operand;
  pgopt_position at;
  nest.is_preparing = true;
  nest.scratch = buffer;
  nest.views[operand] = pgopt_emit_flat(e, memref, &at);
  pgopt_nest_emit_copies(
      e, &nest, pgopt_position_offset(at, nest.fusion->offsets[operand]));
}

static void fill(pgopt_emitter e, MlirValue parameter, MlirValue buffer,
                 const void *data) {
  emit_copies(e, *(const pgopt_nest *)data, parameter, buffer);
}

void pgopt_nest_emit_first_phase(pgopt_emitter e, const pgopt_nest *nest) {
  pgopt_copy_cut cut = pgopt_prepared_cut(nest->plan);
  pgopt_nest copies = *nest;
  pgopt_position at;
  copies.cut = cut.level;
  copies.low = nest->phase->low;
  copies.high = nest->phase->high;
  emit_copies(e, copies, nest->fusion->memrefs[nest->plan->columns_operand],
              pgopt_emit_flat(e, nest->phase->buffer, &at));
}

/// The columns that an earlier phase has packed; where its buffer is not one
/// for this plan they are packed here.
static MlirValue find_packed(pgopt_emitter e, const pgopt_nest *nest) {
  pgopt_copy_cut cut = pgopt_prepared_cut(nest->plan);
  pgopt_position at;
  if (pgopt_phase_fits(nest->phase, cut.steps, cut.stride))
    return pgopt_emit_flat(e, nest->phase->buffer, &at);
  MlirValue buffer = pgopt_emit_buffer(e, "memref.alloc", nest->vectors.element,
                                       pgopt_prepared_elements(nest->plan));
  emit_copies(e, *nest, nest->fusion->memrefs[nest->plan->columns_operand],
              buffer);
  return buffer;
}

MlirValue pgopt_prepare_columns(pgopt_emitter e, pgopt_preparation *preparation,
                                const pgopt_nest *nest) {
  const pgopt_product_plan *p = nest->plan;
  if (nest->phase)
    return find_packed(e, nest);
  pgopt_text key = {0};
  write_key(nest, &key);
  pgopt_prepared_form form = {.key = key.data,
                              .element = nest->vectors.element,
                              .elements = pgopt_prepared_elements(p),
                              .fill = fill,
                              .data = nest};
  MlirValue buffer = pgopt_prepare(
      preparation, nest->fusion->memrefs[p->columns_operand], &form);
  pgopt_text_free(&key);
  return buffer;
}
