/// \file Depthwise convolutions and pools as generated kernels: reading the
/// window out of an op's maps.
#include "kernels/window.h"

#include "codegen/contraction.h"
#include "kernels/padding.h"
#include "kernels/problem.h"
#include "kernels/window_nest.h"

#include <string.h>

/// What is read out of one op.
typedef struct window {
  pgopt_generic generic;
  pgopt_window_problem problem;
  int64_t offsets[PGOPT_PRODUCT_MAX_OPERANDS];
  pgopt_combine combine;
  pgopt_fused_op body;
  bool is_padded;
  pgopt_padding padding; ///< of the image
} window;

/// Reads dimension `d` of the image as one that a window slides along, or as
/// one that is a loop of the output. False when it is neither.
static bool read_dimension(window *w, size_t d) {
  const pgopt_generic_operand *image = &w->generic.operands[w->problem.image];
  const pgopt_linear *sum = &image->map.results[d];
  pgopt_window_axis axis = {.dimension = d, .output = -1, .taps = -1};
  for (size_t l = 0; l < w->generic.loop_count; ++l) {
    if (!sum->coefficients[l])
      continue;
    if (sum->coefficients[l] < 0)
      return false;
    int *loop = w->generic.is_reduction[l] ? &axis.taps : &axis.output;
    if (*loop >= 0)
      return false;
    *loop = (int)l;
    *(w->generic.is_reduction[l] ? &axis.dilation : &axis.step) =
        sum->coefficients[l];
  }
  if (axis.taps < 0)
    return true;
  if (w->problem.axis_count == PGOPT_WINDOW_MAX_AXES)
    return false;
  w->problem.axes[w->problem.axis_count++] = axis;
  return true;
}

/// Every loop of several turns must move the image, outputs the destination,
/// and those of the window the weights: else this is another kind of product.
static bool loops_fit(const window *w) {
  const pgopt_product_problem *loops = &w->problem.loops;
  size_t outputs = 0;
  for (size_t l = 0; l < loops->loop_count; ++l) {
    const pgopt_product_loop *loop = &loops->loops[l];
    if (loop->extent == 1)
      continue;
    if (loop->strides[w->problem.image] <= 0 ||
        loop->is_reduction == (loop->strides[w->problem.destination] != 0) ||
        (loop->is_reduction && w->problem.weights >= 0 &&
         !loop->strides[w->problem.weights]))
      return false;
  }
  for (size_t a = 0; a < w->problem.axis_count; ++a)
    outputs += w->problem.axes[a].output >= 0;
  return outputs > 0 &&
         (w->problem.weights < 0 || outputs == w->problem.axis_count);
}

static const pgopt_window_axis *axis_of(const window *w, size_t dimension) {
  for (size_t a = 0; a < w->problem.axis_count; ++a)
    if (w->problem.axes[a].dimension == dimension)
      return &w->problem.axes[a];
  return NULL;
}

/// Has the image read without the constant around it, if there is one that does
/// not count.
static void read_padding(window *w) {
  int image = w->problem.image;
  const pgopt_generic_operand *operand = &w->generic.operands[image];
  double neutral = w->problem.weights < 0 ? w->combine.identity : 0;
  bool is_alone = w->problem.weights >= 0 ||
                  mlirValueEqual(w->combine.reduced,
                                 mlirBlockGetArgument(w->generic.body, image));
  w->is_padded = is_alone && pgopt_padding_read_constant(
                                 &w->generic, (size_t)image, neutral,
                                 w->problem.weights < 0, &w->padding);
  for (size_t d = 0; d < operand->rank && w->is_padded; ++d) {
    const pgopt_padded_dimension *from = &w->padding.dimensions[d];
    w->is_padded = (!from->low && !from->high) || axis_of(w, d);
  }
  if (!w->is_padded)
    return;
  pgopt_product_loop *loops = w->problem.loops.loops;
  for (size_t l = 0; l < w->generic.loop_count; ++l)
    loops[l].strides[image] = 0;
  w->offsets[image] = 0;
  for (size_t d = 0; d < operand->rank; ++d) {
    const pgopt_padded_dimension *from = &w->padding.dimensions[d];
    const pgopt_linear *sum = &operand->map.results[d];
    int64_t first = sum->constant + from->first - from->low;
    w->offsets[image] += first * from->stride;
    for (size_t l = 0; l < w->generic.loop_count; ++l)
      loops[l].strides[image] += sum->coefficients[l] * from->stride;
    for (size_t a = 0; a < w->problem.axis_count; ++a) {
      pgopt_window_axis *axis = &w->problem.axes[a];
      if (axis->dimension != d)
        continue;
      axis->first = first;
      axis->has_borders = from->low || from->high;
      axis->is_cut = !mlirValueIsNull(from->offset);
      axis->pixels = from->extent;
      axis->low = from->low;
      axis->high = from->high;
    }
  }
}

/// Reads the op with operand `image` as the image.
static bool read_image(window *w, int image) {
  w->problem.image = image;
  w->problem.axis_count = 0;
  for (size_t d = 0; d < w->generic.operands[image].rank; ++d)
    if (!read_dimension(w, d))
      return false;
  if (!loops_fit(w))
    return false;
  read_padding(w);
  return true;
}

static bool read_window(window *w) {
  const pgopt_generic *generic = &w->generic;
  pgopt_contraction contraction;
  if (!pgopt_problem_read(generic, &w->problem.loops, w->offsets) ||
      pgopt_generic_aliases(generic))
    return false;
  w->problem.destination = (int)generic->input_count;
  if (pgopt_read_contraction(generic, 0, &contraction)) {
    for (int image = 0; image < 2; ++image) {
      w->problem.weights = 1 - image;
      w->problem.read_count = 2;
      w->problem.reads[1] = 1;
      if (read_image(w, image))
        return true;
    }
    return false;
  }
  w->problem.weights = -1;
  w->problem.read_count = 0;
  if (!pgopt_combine_read(generic, &w->combine) ||
      !pgopt_fused_read_body(generic, PGOPT_FUSED_BODY, &w->body))
    return false;
  for (size_t i = 0; i < generic->input_count; ++i)
    if (pgopt_generic_reads(generic, i) && generic->operands[i].is_memref)
      w->problem.reads[w->problem.read_count++] = (int)i;
  for (size_t i = 0; i < w->problem.read_count; ++i)
    if (read_image(w, w->problem.reads[i]))
      return true;
  return false;
}

bool pgopt_generate_window(MlirOperation op, const pgopt_target *target,
                           int64_t width,
                           MlirOperation erased[PGOPT_FUSION_MAX_OPS],
                           size_t *erased_count) {
  window w = {0};
  pgopt_window_plan plan;
  bool done = false;
  *erased_count = 0;
  if (!pgopt_read_generic(op, &w.generic) || !read_window(&w))
    goto done;
  pgopt_fusion fusion;
  pgopt_fusion_find(&w.generic, &w.problem.loops, &fusion);
  if (pgopt_window_plan_make(&w.problem, target, width, &plan)) {
    for (size_t i = 0; i < w.generic.operand_count; ++i) {
      if (!w.generic.operands[i].is_memref ||
          (i < w.generic.input_count && !pgopt_generic_reads(&w.generic, i)))
        continue;
      fusion.memrefs[i] = w.generic.operands[i].value;
      fusion.offsets[i] = w.offsets[i];
    }
    fusion.memrefs[w.problem.destination] = pgopt_fusion_destination(&fusion);
    if (w.is_padded)
      fusion.memrefs[w.problem.image] = w.padding.image;
    pgopt_window_nest nest = {
        .generic = &w.generic,
        .problem = &w.problem,
        .plan = &plan,
        .fusion = &fusion,
        .vectors =
            pgopt_vectors_of(w.generic.operands[w.problem.destination].element,
                             plan.lanes, target->has_fma),
        .combine = w.combine,
        .body = w.body,
        .padding = w.is_padded ? &w.padding : NULL};
    pgopt_window_emit(pgopt_emitter_before(fusion.last), &nest);
    *erased_count = pgopt_fusion_erase(&fusion, erased);
    if (w.is_padded)
      pgopt_padding_erase(&w.padding);
    done = true;
  }
  pgopt_fusion_free(&fusion);
done:
  pgopt_generic_free(&w.generic);
  return done;
}

bool pgopt_is_window(MlirOperation op, const pgopt_target *target,
                     int64_t width, int64_t *widest) {
  window w = {0};
  pgopt_window_plan plan;
  bool is_window = pgopt_read_generic(op, &w.generic) && read_window(&w) &&
                   pgopt_window_plan_make(&w.problem, target, width, &plan);
  if (widest)
    *widest = 0;
  for (size_t i = 0; is_window && widest && i < plan.step_count; ++i)
    if (plan.steps[i].width > *widest)
      *widest = plan.steps[i].width;
  pgopt_generic_free(&w.generic);
  return is_window;
}
