/// \file Where the channels of images stand.
#include "layout/image_layouts.h"

#include <stdlib.h>
#include <string.h>

enum { IMAGE, FILTER, RESULT };

/// Places of the kinds in the order of an image, its filter and the result.
static const int places[][3][PGOPT_IMAGE_LOOP_KINDS] = {
    [PGOPT_IMAGE_NCHW] = {[IMAGE] = {0, 3, 3, 1, 2, 2},
                          [FILTER] = {0, 0, 3, 0, 2, 1},
                          [RESULT] = {0, 3, 3, 1, 2, 2}},
    [PGOPT_IMAGE_NHWC] = {[IMAGE] = {0, 0, 0, 2, 3, 3},
                          [FILTER] = {0, 0, 1, 0, 2, 3},
                          [RESULT] = {0, 0, 0, 2, 3, 3}},
};

bool pgopt_image_layout_parse(const char *text, pgopt_image_layout *layout) {
  *layout = (pgopt_image_layout){.kind = PGOPT_IMAGE_DECLARED};
  if (!strcmp(text, "nchw"))
    layout->kind = PGOPT_IMAGE_NCHW;
  else if (!strcmp(text, "nhwc"))
    layout->kind = PGOPT_IMAGE_NHWC;
  else if (!strncmp(text, "nchw", 4) && text[4] >= '1' && text[4] <= '9') {
    char *end;
    long block = strtol(text + 4, &end, 10);
    if (!strcmp(end, "c") && block >= 2 && block <= PGOPT_MAX_CHANNEL_BLOCK)
      *layout = (pgopt_image_layout){PGOPT_IMAGE_BLOCKED, block};
  }
  return layout->kind != PGOPT_IMAGE_DECLARED;
}

static bool uses(const pgopt_op *op, size_t operand, size_t loop) {
  for (size_t d = 0; d < op->maps[operand].result_count; ++d)
    if (op->maps[operand].results[d].coefficients[loop])
      return true;
  return false;
}

static bool is_in_window(const pgopt_op *op, size_t operand, size_t loop) {
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
      if (image != (int)i && is_in_window(op, i, l)) {
        if (image >= 0)
          return -1;
        image = (int)i;
      }
  return image;
}

pgopt_image_loop pgopt_image_loop_of(const pgopt_op *op, size_t image,
                                     size_t loop) {
  bool reduced = op->loop_is_reduction[loop];
  bool filtered = uses(op, 1 - image, loop);
  if (is_in_window(op, image, loop))
    return reduced ? PGOPT_IMAGE_KERNEL : PGOPT_IMAGE_SPACE;
  if (!uses(op, image, loop))
    return PGOPT_IMAGE_OUTPUT;
  return !filtered ? PGOPT_IMAGE_BATCH
         : reduced ? PGOPT_IMAGE_INPUT
                   : PGOPT_IMAGE_GROUP;
}

static bool is_channel(pgopt_image_loop kind) {
  return kind == PGOPT_IMAGE_GROUP || kind == PGOPT_IMAGE_INPUT ||
         kind == PGOPT_IMAGE_OUTPUT;
}

/// One image, filter or result: its axes as they are stored.
typedef struct picture {
  size_t count;
  const int *stored;
  const int *ids; ///< the op's axis of each of the value's
  const int64_t *extents;
  pgopt_image_loop kinds[PGOPT_MAX_AXES]; ///< of the axes as stored
} picture;

/// True when image or result have their channels in front of all windows, so
/// that what else stands in front of them may be batch or space.
/// \param block one of them that is left out; -1 for none.
static bool channels_are_first(const picture *p, int block) {
  bool windows = false;
  pgopt_image_loop last = PGOPT_IMAGE_BATCH;
  for (size_t k = 0; k < p->count; ++k) {
    pgopt_image_loop kind = p->kinds[k];
    if ((int)k == block)
      continue;
    windows =
        windows || kind == PGOPT_IMAGE_SPACE || kind == PGOPT_IMAGE_KERNEL;
    if (is_channel(kind) &&
        (windows || (kind == PGOPT_IMAGE_GROUP && last != PGOPT_IMAGE_BATCH)))
      return false;
    last = is_channel(kind) ? kind : last;
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

/// The axes by the places of their kinds, without `block`.
static size_t place_axes(const picture *p, const int *place, int block,
                         int *order) {
  size_t next = 0;
  for (int at = 0; at < PGOPT_IMAGE_LOOP_KINDS; ++at) {
    size_t first = next;
    for (size_t k = 0; k < p->count; ++k)
      if (place[p->kinds[k]] == at && (int)k != block)
        order[next++] = p->stored[k];
    if (at == place[PGOPT_IMAGE_GROUP] || at == place[PGOPT_IMAGE_INPUT] ||
        at == place[PGOPT_IMAGE_OUTPUT])
      sort_axes(p->ids, order + first, next - first);
  }
  return next;
}

static size_t keep_axes(const picture *p, int block, int *order) {
  size_t next = 0;
  for (size_t k = 0; k < p->count; ++k)
    if ((int)k != block)
      order[next++] = p->stored[k];
  return next;
}

static bool is_depthwise(const pgopt_op *op, const pgopt_op_axes *axes,
                         size_t image) {
  for (size_t a = 0; a < axes->axis_count; ++a) {
    pgopt_image_loop kind =
        pgopt_image_loop_of(op, image, (size_t)axes->loops[a]);
    if (kind == PGOPT_IMAGE_INPUT || kind == PGOPT_IMAGE_OUTPUT)
      return false;
  }
  return true;
}

/// The axis within a block of channels: the last one, of the group's where it
/// has no other; -1 where none has the block's extent.
static int find_block(const picture *p, int64_t block) {
  int last = -1;
  for (size_t k = 0; k < p->count; ++k) {
    if (!is_channel(p->kinds[k]))
      continue;
    bool is_group = p->kinds[k] == PGOPT_IMAGE_GROUP;
    bool was_group = last >= 0 && p->kinds[last] == PGOPT_IMAGE_GROUP;
    if (last < 0 || (was_group && !is_group) ||
        (was_group == is_group &&
         p->ids[p->stored[k]] > p->ids[p->stored[last]]))
      last = (int)k;
  }
  return last >= 0 && p->extents[p->stored[last]] == block ? last : -1;
}

static bool has_few_channels(const picture *p) {
  int64_t channels = 1;
  for (size_t k = 0; k < p->count && channels <= PGOPT_FEW_CHANNELS; ++k)
    channels *= is_channel(p->kinds[k]) ? p->extents[p->stored[k]] : 1;
  return channels <= PGOPT_FEW_CHANNELS;
}

/// The slot's axes; false when the op is no convolution of an image with one
/// filter, or the slot is neither of them nor the result.
static bool read_picture(const pgopt_axes *axes, size_t number, size_t slot,
                         const int *stored, int *part, picture *p) {
  const pgopt_op *op = &axes->network->ops[number];
  const pgopt_op_axes *o = &axes->ops[number];
  if (o->role != PGOPT_AXES_WINDOW || op->input_count != 2 ||
      op->operand_count != 3 || !o->slots[0] || !o->slots[1])
    return false;
  int image = pgopt_image_operand(op);
  if (image < 0)
    return false;
  *part = slot >= op->input_count ? RESULT
          : (int)slot == image    ? IMAGE
                                  : FILTER;
  const pgopt_value_axes *v = &axes->values[pgopt_slot_value(op, slot)];
  *p = (picture){.count = v->count,
                 .stored = stored,
                 .ids = o->slots[slot],
                 .extents = v->extents};
  for (size_t k = 0; k < p->count; ++k)
    p->kinds[k] = pgopt_image_loop_of(op, (size_t)image,
                                      (size_t)o->loops[p->ids[stored[k]]]);
  return true;
}

bool pgopt_image_is_blocked(const pgopt_axes *axes, size_t number, size_t slot,
                            int64_t block) {
  const pgopt_op *op = &axes->network->ops[number];
  int part, stored[PGOPT_MAX_AXES];
  picture p;
  for (size_t k = 0; k < axes->values[pgopt_slot_value(op, slot)].count; ++k)
    stored[k] = (int)k;
  return read_picture(axes, number, slot, stored, &part, &p) &&
         part != FILTER && find_block(&p, block) >= 0;
}

bool pgopt_image_order(const pgopt_axes *axes, size_t number, size_t slot,
                       pgopt_image_layout layout, const int *stored,
                       int *order) {
  const pgopt_op *op = &axes->network->ops[number];
  int part;
  picture p;
  if (layout.kind == PGOPT_IMAGE_DECLARED ||
      !read_picture(axes, number, slot, stored, &part, &p))
    return false;
  bool is_blocked = layout.kind == PGOPT_IMAGE_BLOCKED;
  int block = is_blocked && part != FILTER ? find_block(&p, layout.block) : -1;
  bool channels_first = layout.kind == PGOPT_IMAGE_NCHW || block >= 0;
  if ((is_blocked && part == IMAGE && block < 0 && has_few_channels(&p)) ||
      (channels_first && part != FILTER && channels_are_first(&p, block))) {
    size_t next = keep_axes(&p, block, order);
    if (block >= 0)
      order[next] = stored[block];
    return true;
  }
  pgopt_image_kind kind = channels_first ? PGOPT_IMAGE_NCHW : PGOPT_IMAGE_NHWC;
  int place[PGOPT_IMAGE_LOOP_KINDS];
  memcpy(place, places[kind][part], sizeof place);
  if (kind == PGOPT_IMAGE_NHWC && part == FILTER &&
      is_depthwise(op, &axes->ops[number], (size_t)pgopt_image_operand(op)))
    place[PGOPT_IMAGE_GROUP] = place[PGOPT_IMAGE_OUTPUT];
  size_t next = place_axes(&p, place, block, order);
  if (block >= 0)
    order[next] = stored[block];
  return true;
}
