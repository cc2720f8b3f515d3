/// \file A product's columns packed before the first run: the copies of the
/// plan's loops, one part after the other.
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

static void fill(pgopt_emitter e, MlirValue parameter, MlirValue buffer,
                 const void *data) {
  pgopt_nest nest = *(const pgopt_nest *)data;
  int operand = nest.plan->columns_operand;
  pgopt_position at;
  nest.is_preparing = true;
  nest.scratch = buffer;
  nest.views[operand] = pgopt_emit_flat(e, parameter, &at);
  pgopt_nest_emit_copies(
      e, &nest, pgopt_position_offset(at, nest.fusion->offsets[operand]));
}

MlirValue pgopt_prepare_columns(pgopt_preparation *preparation,
                                const pgopt_nest *nest) {
  const pgopt_product_plan *p = nest->plan;
  pgopt_text key = {0};
  write_key(nest, &key);
  pgopt_prepared_form form = {
      .key = key.data,
      .element = nest->vectors.element,
      .elements = p->shared_count
                      ? pgopt_prepared_shared_stride(p, 0) * p->shared[0].extent
                      : pgopt_prepared_shared_stride(p, 0),
      .fill = fill,
      .data = nest};
  MlirValue buffer = pgopt_prepare(
      preparation, nest->fusion->memrefs[p->columns_operand], &form);
  pgopt_text_free(&key);
  return buffer;
}
