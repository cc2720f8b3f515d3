/// \file Channels of images cut into blocks.
#include "layout/channel_blocks.h"

#include "layout/changes.h"
#include "layout/image_layouts.h"

#include <stdlib.h>
#include <string.h>

static int loop_member(const pgopt_classifier *c, size_t op, size_t loop) {
  return (int)(c->op_first[op] + loop);
}

/// True when the class ends with the block.
static bool has_block(pgopt_classifier *c, int member, int64_t block) {
  const pgopt_axis_class *k =
      &c->classes.members[pgopt_axis_find(&c->classes, member)];
  return k->extent == block || (k->cut_count && k->cuts[0] == block);
}

/// The last loop of a kind that runs over more than one index; -1 for none.
static int last_loop(const pgopt_op *op, size_t image, pgopt_image_loop kind) {
  int last = -1;
  for (size_t l = 0; l < op->loop_count; ++l)
    if (op->loop_extents[l] != 1 && pgopt_image_loop_of(op, image, l) == kind)
      last = (int)l;
  return last;
}

static void block_convolution(pgopt_classifier *c, size_t number,
                              int64_t block) {
  const pgopt_op *op = &c->network->ops[number];
  int image = pgopt_image_operand(op);
  if (op->input_count != 2 || op->operand_count != 3 || image < 0)
    return;
  int loops[] = {last_loop(op, (size_t)image, PGOPT_IMAGE_INPUT),
                 last_loop(op, (size_t)image, PGOPT_IMAGE_OUTPUT)};
  if (loops[0] < 0 || loops[1] < 0) {
    int group = last_loop(op, (size_t)image, PGOPT_IMAGE_GROUP);
    if (group >= 0)
      pgopt_axis_cut_block(&c->classes, loop_member(c, number, (size_t)group),
                           block);
  }
  for (int i = 0; i < 2; ++i)
    if (loops[i] >= 0)
      pgopt_axis_cut_block(&c->classes,
                           loop_member(c, number, (size_t)loops[i]), block);
}

void pgopt_block_channels(pgopt_classifier *c, int64_t block) {
  for (size_t i = 0; i < c->network->op_count; ++i)
    if (c->roles[i] == PGOPT_AXES_WINDOW)
      block_convolution(c, i, block);
}

/// The last depth and the last column (or row) of a product are the channels of
/// an image, when it has others and the filter has not.
static void spread_product(pgopt_classifier *c, size_t number, int64_t block,
                           bool *changed) {
  const pgopt_op *op = &c->network->ops[number];
  pgopt_loop_role *roles = pgopt_allocate(op->loop_count, sizeof *roles);
  int last[PGOPT_LOOP_DEPTH + 1];
  memset(last, -1, sizeof last);
  if (pgopt_contraction_roles(op, roles))
    for (size_t l = 0; l < op->loop_count; ++l)
      if (op->loop_extents[l] != 1)
        last[roles[l]] = (int)l;
  int depth = last[PGOPT_LOOP_DEPTH];
  for (int side = 0; side < 2 && depth >= 0; ++side) {
    int own = last[side ? PGOPT_LOOP_ROW : PGOPT_LOOP_COLUMN];
    if (own < 0 || last[side ? PGOPT_LOOP_COLUMN : PGOPT_LOOP_ROW] < 0 ||
        !c->constant[op->operands[side ? 0 : 1]])
      continue;
    int from = loop_member(c, number, (size_t)depth);
    int to = loop_member(c, number, (size_t)own);
    if (has_block(c, from, block))
      *changed |= pgopt_axis_cut_block(&c->classes, to, block);
    else if (has_block(c, to, block))
      *changed |= pgopt_axis_cut_block(&c->classes, from, block);
  }
  free(roles);
}

typedef struct piece {
  int member; ///< of the slot's dimension
  int64_t extent;
} piece;

/// The slot's dimension that belongs to the frame's; false when it has none.
static bool read_piece(const pgopt_classifier *c, const pgopt_op *op,
                       size_t slot, size_t dim, piece *p) {
  int value = pgopt_slot_value(op, slot);
  const pgopt_type *type = &c->network->values[value].type;
  int *dims = pgopt_allocate(type->rank, sizeof *dims);
  bool found = false;
  if (type->is_shaped && pgopt_move_dims(c->network, op, slot, dims))
    for (size_t d = 0; d < type->rank && !found; ++d)
      if (dims[d] == (int)dim) {
        *p = (piece){(int)(c->value_first[value] + d), type->extents[d]};
        found = true;
      }
  free(dims);
  return found;
}

/// True when all pieces along the dimension are multiples of `unit`.
static bool is_aligned(pgopt_classifier *c, const pgopt_op *op, size_t dim,
                       int64_t unit) {
  if (!pgopt_move_is_aligned(op, dim, unit))
    return false;
  for (size_t s = 0; s < pgopt_slot_count(op); ++s) {
    piece p;
    if (!read_piece(c, op, s, dim, &p) || p.extent % unit)
      return false;
  }
  return true;
}

static void spread_move(pgopt_classifier *c, size_t number, int64_t block,
                        bool *changed) {
  const pgopt_op *op = &c->network->ops[number];
  int frame = pgopt_slot_value(op, pgopt_move_frame(op));
  for (size_t d = 0; d < c->network->values[frame].type.rank; ++d) {
    bool blocked = false;
    piece p;
    if (pgopt_move_keeps(c->network, op, d) || !is_aligned(c, op, d, block))
      continue;
    for (size_t s = 0; s < pgopt_slot_count(op); ++s)
      blocked = blocked || (read_piece(c, op, s, d, &p) && p.extent != block &&
                            has_block(c, p.member, block));
    for (size_t s = 0; s < pgopt_slot_count(op) && blocked; ++s)
      if (read_piece(c, op, s, d, &p))
        *changed |= pgopt_axis_cut_block(&c->classes, p.member, block);
  }
}

void pgopt_spread_blocks(pgopt_classifier *c, size_t op, int64_t block,
                         bool *changed) {
  if (c->roles[op] == PGOPT_AXES_CONTRACT)
    spread_product(c, op, block, changed);
  else if (c->roles[op] == PGOPT_AXES_MOVE)
    spread_move(c, op, block, changed);
}

/// True when the piece's factors are the frame's innermost ones.
static bool ends_alike(const pgopt_axis_class *frame,
                       const pgopt_axis_class *part) {
  size_t count = part->cut_count;
  if (count > frame->cut_count ||
      memcmp(part->cuts, frame->cuts, count * sizeof *part->cuts))
    return false;
  return count == frame->cut_count || part->extent == frame->cuts[count];
}

bool pgopt_move_fits_cuts(pgopt_classifier *c, size_t number, size_t dim) {
  const pgopt_op *op = &c->network->ops[number];
  int frame = pgopt_slot_value(op, pgopt_move_frame(op));
  const pgopt_axis_class *whole = pgopt_classifier_dim(c, frame, dim);
  for (size_t s = 0; s < pgopt_slot_count(op); ++s) {
    piece p;
    if (!read_piece(c, op, s, dim, &p) ||
        !ends_alike(
            whole, &c->classes.members[pgopt_axis_find(&c->classes, p.member)]))
      return false;
  }
  return !whole->cut_count ||
         is_aligned(c, op, dim, whole->cuts[whole->cut_count - 1]);
}
