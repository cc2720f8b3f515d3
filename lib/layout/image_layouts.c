/// \file Where the channels of images stand.
#include "layout/image_layouts.h"

/// What a loop is to a convolution.
typedef enum loop_kind {
  BATCH,  ///< of image and result
  SPACE,  ///< of image and result, through a window
  KERNEL, ///< of the filter and, through a window, of the image
  GROUP,  ///< of image, filter and result
  INPUT,  ///< channel of image and filter
  OUTPUT, ///< channel of filter and result
  KIND_COUNT,
} loop_kind;

enum { IMAGE, FILTER, RESULT };

/// Places of the kinds in the order of an image, its filter and the result.
static const int places[][3][KIND_COUNT] = {
    [PGOPT_IMAGE_NCHW] = {[IMAGE] = {0, 3, 3, 1, 2, 2},
                          [FILTER] = {0, 0, 3, 0, 2, 1},
                          [RESULT] = {0, 3, 3, 1, 2, 2}},
    [PGOPT_IMAGE_NHWC] = {[IMAGE] = {0, 0, 0, 2, 3, 3},
                          [FILTER] = {0, 0, 1, 0, 2, 3},
                          [RESULT] = {0, 0, 0, 2, 3, 3}},
};

static bool uses(const pgopt_op *op, size_t operand, int loop) {
  for (size_t d = 0; d < op->maps[operand].result_count; ++d)
    if (op->maps[operand].results[d].coefficients[loop])
      return true;
  return false;
}

static bool is_in_window(const pgopt_op *op, size_t operand, int loop) {
  for (size_t d = 0; d < op->maps[operand].result_count; ++d) {
    const pgopt_linear *form = &op->maps[operand].results[d];
    if (form->coefficients[loop] &&
        pgopt_linear_single_loop(form, op->loop_count) < 0)
      return true;
  }
  return false;
}

int pgopt_image_operand(const pgopt_op *op) {
  int image = -1;
  for (size_t i = 0; i < op->input_count; ++i)
    for (size_t l = 0; l < op->loop_count; ++l)
      if (image != (int)i && is_in_window(op, i, (int)l)) {
        if (image >= 0)
          return -1;
        image = (int)i;
      }
  return image;
}

static loop_kind kind_of(const pgopt_op *op, size_t image, int loop) {
  bool reduced = op->loop_is_reduction[loop];
  bool filtered = uses(op, 1 - image, loop);
  if (is_in_window(op, image, loop))
    return reduced ? KERNEL : SPACE;
  if (!uses(op, image, loop))
    return OUTPUT;
  return !filtered ? BATCH : reduced ? INPUT : GROUP;
}

/// True when image or result have their channels in front of all windows, so
/// that what else stands in front of them may be batch or space.
static bool channels_are_first(const loop_kind *kinds, size_t count) {
  bool windows = false;
  loop_kind last = BATCH;
  for (size_t k = 0; k < count; ++k) {
    bool is_channel =
        kinds[k] != BATCH && kinds[k] != SPACE && kinds[k] != KERNEL;
    windows = windows || kinds[k] == SPACE || kinds[k] == KERNEL;
    if (is_channel && (windows || (kinds[k] == GROUP && last != BATCH)))
      return false;
    last = is_channel ? kinds[k] : last;
  }
  return true;
}

/// Image and result have the axes of channels in the operation's order.
static void sort_axes(const int *ids, int *axes, size_t count) {
  for (size_t i = 1; i < count; ++i)
    for (size_t k = i; k && ids[axes[k]] < ids[axes[k - 1]]; --k) {
      int axis = axes[k];
      axes[k] = axes[k - 1];
      axes[k - 1] = axis;
    }
}

bool pgopt_image_order(const pgopt_axes *axes, size_t number, size_t slot,
                       pgopt_image_layout layout, const int *stored,
                       int *order) {
  const pgopt_op *op = &axes->network->ops[number];
  const pgopt_op_axes *o = &axes->ops[number];
  if (layout == PGOPT_IMAGE_DECLARED || o->role != PGOPT_AXES_WINDOW ||
      op->input_count != 2 || op->operand_count != 3 || !o->slots[0] ||
      !o->slots[1])
    return false;
  int image = pgopt_image_operand(op);
  if (image < 0)
    return false;
  int part = slot >= op->input_count ? RESULT
             : (int)slot == image    ? IMAGE
                                     : FILTER;
  int place[KIND_COUNT];
  for (int k = 0; k < KIND_COUNT; ++k)
    place[k] = places[layout][part][k];
  bool depthwise = true;
  for (size_t a = 0; a < o->axis_count; ++a) {
    loop_kind kind = kind_of(op, (size_t)image, o->loops[a]);
    depthwise = depthwise && kind != INPUT && kind != OUTPUT;
  }
  if (depthwise && part == FILTER && layout == PGOPT_IMAGE_NHWC)
    place[GROUP] = place[OUTPUT];
  loop_kind kinds[PGOPT_MAX_AXES];
  size_t count = axes->values[pgopt_slot_value(op, slot)].count, next = 0;
  for (size_t k = 0; k < count; ++k)
    kinds[k] = kind_of(op, (size_t)image, o->loops[o->slots[slot][stored[k]]]);
  bool stays = layout == PGOPT_IMAGE_NCHW && part != FILTER &&
               channels_are_first(kinds, count);
  for (int p = 0; p < KIND_COUNT; ++p) {
    size_t first = next;
    for (size_t k = 0; k < count; ++k)
      if (stays ? !p : place[kinds[k]] == p)
        order[next++] = stored[k];
    bool channels =
        p == place[GROUP] || p == place[INPUT] || p == place[OUTPUT];
    if (channels && !stays)
      sort_axes(o->slots[slot], order + first, next - first);
  }
  return true;
}
