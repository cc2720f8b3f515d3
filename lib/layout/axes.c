/// \file The axes of a network: every dimension taken apart into factors.
///
/// Three steps: every operation joins the dimensions that it treats alike and
/// says which must stay whole (classify_ops.c); reshapes cut classes until
/// nothing changes, those that cannot regroup axes; then every value and every
/// operation gets its list of axes.
#include "layout/axes.h"

#include "layout/channel_blocks.h"
#include "layout/classify_ops.h"
#include "layout/gathers.h"

#include <stdlib.h>
#include <string.h>

static void cut_at_reshapes(pgopt_classifier *c, int64_t block) {
  const pgopt_network *n = c->network;
  bool changed = true;
  /* A cut travels one reshape a sweep at worst; both directions are swept. */
  for (int sweep = 0; changed && sweep < 64; ++sweep) {
    changed = false;
    for (size_t k = 0; k < n->op_count; ++k) {
      size_t i = sweep % 2 ? n->op_count - 1 - k : k;
      if (c->roles[i] == PGOPT_AXES_ALIAS && n->ops[i].kind == PGOPT_OP_VIEW &&
          !pgopt_classifier_cut_reshape(c, i, &changed)) {
        c->roles[i] = PGOPT_AXES_REGROUP;
        changed = true;
      }
      if (block)
        pgopt_spread_blocks(c, i, block, &changed);
    }
  }
  /* Reshapes that the last sweep left behind would be wrong to trust. */
  for (size_t i = 0; changed && i < n->op_count; ++i)
    if (c->roles[i] == PGOPT_AXES_ALIAS && n->ops[i].kind == PGOPT_OP_VIEW)
      c->roles[i] = PGOPT_AXES_REGROUP;
}

static void list_value_axes(pgopt_classifier *c, pgopt_axes *axes, size_t v) {
  const pgopt_type *type = &c->network->values[v].type;
  pgopt_value_axes *out = &axes->values[v];
  out->is_fixed = c->fixed[v];
  if (!c->usable[v])
    return;
  int64_t *extents =
      pgopt_arena_allocate(&axes->arena, PGOPT_MAX_AXES, sizeof *extents);
  int *dims = pgopt_arena_allocate(&axes->arena, PGOPT_MAX_AXES, sizeof *dims);
  for (size_t d = 0; d < type->rank; ++d) {
    if (type->extents[d] == 1)
      continue;
    const pgopt_axis_class *k = pgopt_classifier_dim(c, (int)v, d);
    int64_t outer = k->extent;
    for (size_t i = k->cut_count + 1; i-- > 0;) {
      int64_t inner = i ? k->cuts[i - 1] : 1;
      if (out->count == PGOPT_MAX_AXES) {
        out->count = 0; /* too many to be worth it */
        out->is_fixed = true;
        return;
      }
      extents[out->count] = outer / inner;
      dims[out->count++] = (int)d;
      outer = inner;
    }
  }
  out->extents = extents;
  out->dims = dims;
  if (c->network->values[v].producer < 0 &&
      (out->count > PGOPT_MAX_PARAMETER_AXES ||
       type->rank > PGOPT_MAX_PARAMETER_AXES))
    out->is_fixed = true;
}

/// Axes of a loop that runs over more than one index.
static size_t count_pieces(pgopt_classifier *c, size_t op, size_t loop) {
  return pgopt_loop_is_whole(&c->network->ops[op], loop)
             ? 1
             : pgopt_classifier_loop(c, op, loop)->cut_count + 1;
}

/// The first axis of each loop; the axes of one follow one another.
static const int *list_loop_axes(pgopt_classifier *c, pgopt_axes *axes,
                                 size_t op, pgopt_op_axes *out) {
  const pgopt_op *o = &c->network->ops[op];
  int *first = pgopt_arena_allocate(&axes->arena, o->loop_count, sizeof *first);
  size_t total = 0;
  for (size_t l = 0; l < o->loop_count; ++l)
    total += count_pieces(c, op, l);
  int *loops = pgopt_arena_allocate(&axes->arena, total, sizeof *loops);
  for (size_t l = 0; l < o->loop_count; ++l) {
    first[l] = (int)out->axis_count;
    if (o->loop_extents[l] == 1)
      continue;
    size_t pieces = count_pieces(c, op, l);
    for (size_t k = 0; k < pieces; ++k)
      loops[out->axis_count++] = (int)l;
  }
  out->loops = loops;
  return first;
}

/// What a dimension's axes are to an operation: those from `first` on, or all
/// of them that one.
typedef struct dim_axes {
  int first;
  bool is_whole;
} dim_axes;

/// Numbers the axes of a value.
/// \param dims one a dimension.
static const int *number_axes(pgopt_axes *axes, int value,
                              const dim_axes *dims) {
  const pgopt_value_axes *v = &axes->values[value];
  int *slot = pgopt_arena_allocate(&axes->arena, v->count, sizeof *slot);
  int last = -1, piece = 0;
  for (size_t a = 0; a < v->count; ++a) {
    piece = v->dims[a] == last ? piece + 1 : 0;
    last = v->dims[a];
    slot[a] = dims[last].first + (dims[last].is_whole ? 0 : piece);
  }
  return slot;
}

/// The same for an array that the body reads; null when it is not along loops,
/// or cut: indices are those of whole dimensions.
static const int *number_gather(pgopt_classifier *c, pgopt_axes *axes,
                                const pgopt_op *op, size_t capture,
                                const int *loop_first) {
  int value = op->captures[capture];
  size_t rank = c->network->values[value].type.rank;
  int *loops = pgopt_allocate(rank, sizeof *loops);
  dim_axes *dims = pgopt_allocate(rank, sizeof *dims);
  bool can =
      c->usable[value] && pgopt_gather_loops(c->network, op, capture, loops);
  for (size_t d = 0; d < rank && can; ++d) {
    dims[d].first = loops[d] < 0 ? 0 : loop_first[loops[d]];
    can = !pgopt_classifier_dim(c, value, d)->cut_count;
  }
  const int *slot = can ? number_axes(axes, value, dims) : NULL;
  free(dims);
  free(loops);
  return slot;
}

static void list_structured(pgopt_classifier *c, pgopt_axes *axes, size_t op) {
  const pgopt_op *o = &c->network->ops[op];
  pgopt_op_axes *out = &axes->ops[op];
  const int *loop_first = list_loop_axes(c, axes, op, out);
  const int **slots = pgopt_arena_allocate(
      &axes->arena, pgopt_all_slot_count(o), sizeof *slots);
  for (size_t i = 0; i < o->operand_count; ++i) {
    const pgopt_type *type = &c->network->values[o->operands[i]].type;
    if (!type->is_shaped)
      continue;
    dim_axes *dims = pgopt_allocate(type->rank, sizeof *dims);
    for (size_t d = 0; d < type->rank; ++d) {
      int loop = pgopt_dimension_loop(c->network, o, i, d);
      if (loop >= 0)
        dims[d] =
            (dim_axes){loop_first[loop], pgopt_loop_is_whole(o, (size_t)loop)};
    }
    slots[i] = number_axes(axes, o->operands[i], dims);
    free(dims);
  }
  for (size_t i = 0; i < o->result_count; ++i)
    slots[o->operand_count + i] = slots[o->input_count + i];
  for (size_t i = 0; i < o->capture_count; ++i)
    slots[pgopt_slot_count(o) + i] = number_gather(c, axes, o, i, loop_first);
  out->slots = slots;
}

/// Reshapes: the same axes in the same order on both sides.
static void list_reshape(pgopt_classifier *c, pgopt_axes *axes, size_t op) {
  const pgopt_op *o = &c->network->ops[op];
  pgopt_op_axes *out = &axes->ops[op];
  out->axis_count = axes->values[o->operands[0]].count;
  const int **slots = pgopt_arena_allocate(
      &axes->arena, pgopt_all_slot_count(o), sizeof *slots);
  int *slot = pgopt_arena_allocate(&axes->arena, out->axis_count, sizeof *slot);
  for (size_t a = 0; a < out->axis_count; ++a)
    slot[a] = (int)a;
  slots[0] = slots[o->operand_count] = slot;
  out->slots = slots;
}

/// The least groups of axes that hold the same elements on both sides.
static void list_regroup(pgopt_axes *axes, const pgopt_op *op,
                         pgopt_op_axes *out) {
  int values[] = {op->operands[0], op->results[0]};
  int *slots[2];
  size_t next[2] = {0, 0};
  for (int side = 0; side < 2; ++side)
    slots[side] = pgopt_arena_allocate(
        &axes->arena, axes->values[values[side]].count, sizeof **slots);
  int64_t size[2] = {1, 1};
  int group = 0;
  for (;;) {
    int side = size[0] <= size[1] ? 0 : 1;
    const pgopt_value_axes *v = &axes->values[values[side]];
    if (next[side] == v->count)
      break;
    size[side] *= v->extents[next[side]];
    slots[side][next[side]++] = group;
    if (size[0] == size[1])
      ++group;
  }
  out->axis_count = (size_t)group;
  const int **list = pgopt_arena_allocate(
      &axes->arena, pgopt_all_slot_count(op), sizeof *list);
  list[0] = slots[0];
  list[op->operand_count] = slots[1];
  out->slots = list;
}

/// The axes of a slot's dimension that is the frame's: a piece may lack outer
/// ones.
static dim_axes piece_axes(pgopt_classifier *c, int value, size_t dim,
                           const dim_axes *frame, size_t frame_cuts) {
  size_t cuts = pgopt_classifier_dim(c, value, dim)->cut_count;
  int missing = frame->is_whole ? 0 : (int)frame_cuts - (int)cuts;
  return (dim_axes){frame->first + missing, frame->is_whole};
}

/// Moves: axes are numbered along the frame, the operand or result that all
/// dimensions of the others belong to.
static void list_move(pgopt_classifier *c, pgopt_axes *axes, size_t op) {
  const pgopt_op *o = &c->network->ops[op];
  pgopt_op_axes *out = &axes->ops[op];
  size_t slot_count = o->operand_count + o->result_count;
  const int **slots = pgopt_arena_allocate(
      &axes->arena, pgopt_all_slot_count(o), sizeof *slots);
  int frame = pgopt_slot_value(o, pgopt_move_frame(o));
  size_t rank = c->network->values[frame].type.rank;
  dim_axes *frame_axes = pgopt_allocate(rank, sizeof *frame_axes);
  for (size_t d = 0; d < rank; ++d) {
    frame_axes[d] =
        (dim_axes){(int)out->axis_count, !pgopt_move_keeps(c->network, o, d) &&
                                             !pgopt_move_fits_cuts(c, op, d)};
    out->axis_count += frame_axes[d].is_whole
                           ? 1
                           : pgopt_classifier_dim(c, frame, d)->cut_count + 1;
  }
  for (size_t s = 0; s < slot_count; ++s) {
    int value = pgopt_slot_value(o, s);
    const pgopt_type *type = &c->network->values[value].type;
    if (!type->is_shaped)
      continue;
    int *of = pgopt_allocate(type->rank, sizeof *of);
    dim_axes *dims = pgopt_allocate(type->rank, sizeof *dims);
    pgopt_move_dims(c->network, o, s, of);
    for (size_t d = 0; d < type->rank; ++d)
      if (of[d] >= 0)
        dims[d] = piece_axes(
            c, value, d, &frame_axes[of[d]],
            pgopt_classifier_dim(c, frame, (size_t)of[d])->cut_count);
    slots[s] = number_axes(axes, value, dims);
    free(dims);
    free(of);
  }
  free(frame_axes);
  out->slots = slots;
}

void pgopt_axes_build(const pgopt_network *network, const bool *fixed,
                      bool packs_parameters, int64_t block, pgopt_axes *axes) {
  *axes = (pgopt_axes){.network = network, .block = block};
  axes->values = pgopt_arena_allocate(&axes->arena, network->value_count,
                                      sizeof *axes->values);
  axes->ops =
      pgopt_arena_allocate(&axes->arena, network->op_count, sizeof *axes->ops);
  pgopt_classifier c;
  pgopt_classifier_init(network, fixed, packs_parameters, &c);
  if (block)
    pgopt_block_channels(&c, block);
  cut_at_reshapes(&c, block);
  for (size_t v = 0; v < network->value_count; ++v)
    list_value_axes(&c, axes, v);
  for (size_t i = 0; i < network->op_count; ++i) {
    const pgopt_op *op = &network->ops[i];
    pgopt_op_axes *out = &axes->ops[i];
    out->role = c.roles[i];
    bool too_many = false;
    for (size_t s = 0; s < op->operand_count + op->result_count; ++s) {
      int value = pgopt_slot_value(op, s);
      too_many = too_many || (value >= 0 && axes->values[value].is_fixed &&
                              !axes->values[value].extents &&
                              network->values[value].type.is_shaped);
    }
    if (too_many && out->role > PGOPT_AXES_SOURCE) {
      out->role = PGOPT_AXES_FIXED;
      for (size_t s = 0; s < op->result_count; ++s)
        axes->values[op->results[s]].is_fixed = true;
    }
    if (out->role <= PGOPT_AXES_SOURCE)
      continue;
    if (op->kind == PGOPT_OP_STRUCTURED)
      list_structured(&c, axes, i);
    else if (out->role == PGOPT_AXES_REGROUP)
      list_regroup(axes, op, out);
    else if (op->kind == PGOPT_OP_VIEW)
      list_reshape(&c, axes, i);
    else
      list_move(&c, axes, i);
    if (out->axis_count > PGOPT_MAX_AXES) {
      out->role = PGOPT_AXES_FIXED;
      for (size_t s = 0; s < op->result_count; ++s)
        axes->values[op->results[s]].is_fixed = true;
    }
  }
  pgopt_classifier_free(&c);
}

void pgopt_axes_free(pgopt_axes *axes) {
  pgopt_arena_free(&axes->arena);
  *axes = (pgopt_axes){0};
}
