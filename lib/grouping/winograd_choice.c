/// \file Which convolutions are computed by Winograd's transforms.
#include "grouping/winograd_choice.h"

#include "base/checked_math.h"

#include <string.h>

/// Fewer channels do not pay for the transforms of their image or result.
enum { MIN_CHANNELS = 16 };
/// Smaller maps waste too much of a tile, or leave its transformed weights, 4
/// times the weights for F(4x4, 3x3), too few uses.
enum { MIN_MAP_F4 = 10, MIN_MAP_F2 = 6 };

static const char *const names[] = {"auto", "off", "f2", "f4"};

bool pgopt_winograd_parse(const char *text, pgopt_winograd *choice) {
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (!strcmp(text, names[i])) {
      *choice = (pgopt_winograd)i;
      return true;
    }
  return false;
}

int64_t pgopt_winograd_size(pgopt_winograd choice, int64_t height,
                            int64_t width, int64_t inputs, int64_t outputs) {
  int64_t map = height < width ? height : width;
  if (inputs < MIN_CHANNELS || outputs < MIN_CHANNELS)
    return 0;
  switch (choice) {
  case PGOPT_WINOGRAD_OFF:
    return 0;
  case PGOPT_WINOGRAD_F2:
    return 2;
  case PGOPT_WINOGRAD_F4:
    return 4;
  case PGOPT_WINOGRAD_AUTO:
    break;
  }
  return map >= MIN_MAP_F4 ? 4 : map >= MIN_MAP_F2 ? 2 : 0;
}

/// What the loops of a convolution are; -1: none found yet. Channels in blocks
/// have two loops.
typedef struct roles {
  int spaces[2], windows[2];
  size_t space_count;
  int input, output, input_blocks, output_blocks;
} roles;

static bool uses(const pgopt_map *map, int loop) {
  for (size_t d = 0; d < map->result_count; ++d)
    if (map->results[d].coefficients[loop])
      return true;
  return false;
}

/// Reads a dimension of the image that several loops walk along: false unless
/// it is one of pixels, by one, in a window of 3.
static bool read_window(const pgopt_op *op, const pgopt_linear *form,
                        roles *r) {
  int space = -1, window = -1;
  for (int l = 0; l < (int)op->loop_count; ++l) {
    if (!form->coefficients[l])
      continue;
    int *place = op->loop_is_reduction[l] ? &window : &space;
    if (*place >= 0 || form->coefficients[l] != 1)
      return false;
    *place = l;
  }
  if (space < 0 || window < 0 || op->loop_extents[window] != 3 ||
      r->space_count == 2)
    return false;
  r->spaces[r->space_count] = space;
  r->windows[r->space_count++] = window;
  return true;
}

static bool read_roles(const pgopt_op *op, int image, roles *r) {
  const pgopt_map *from = &op->maps[image], *weights = &op->maps[1 - image];
  const pgopt_map *to = &op->maps[2];
  *r = (roles){
      .input = -1, .output = -1, .input_blocks = -1, .output_blocks = -1};
  for (size_t d = 0; d < from->result_count; ++d)
    if (!from->results[d].is_linear)
      return false;
    else if (pgopt_linear_single_loop(&from->results[d], op->loop_count) < 0 &&
             !read_window(op, &from->results[d], r))
      return false;
  if (r->space_count != 2 || !from->result_count || !to->result_count)
    return false;
  r->input = pgopt_linear_single_loop(&from->results[from->result_count - 1],
                                      op->loop_count);
  r->output = pgopt_linear_single_loop(&to->results[to->result_count - 1],
                                       op->loop_count);
  if (r->input < 0 || r->output < 0 || !op->loop_is_reduction[r->input] ||
      uses(from, r->output))
    return false;
  // Nothing else but batches and blocks: no groups, no further reductions.
  for (int l = 0; l < (int)op->loop_count; ++l) {
    bool is_known = l == r->input || l == r->output || l == r->spaces[0] ||
                    l == r->spaces[1] || l == r->windows[0] ||
                    l == r->windows[1];
    if (is_known || op->loop_extents[l] == 1 ||
        (!op->loop_is_reduction[l] && !uses(weights, l)))
      continue;
    int *place =
        op->loop_is_reduction[l] ? &r->input_blocks : &r->output_blocks;
    if (*place >= 0 || !uses(weights, l) ||
        uses(from, l) != op->loop_is_reduction[l])
      return false;
    *place = l;
  }
  return true;
}

static int64_t extent(const pgopt_op *op, int loop) {
  return op->loop_extents[loop] == PGOPT_DYNAMIC ? INT64_MAX
                                                 : op->loop_extents[loop];
}

static int64_t channels(const pgopt_op *op, int loop, int blocks) {
  int64_t count = extent(op, loop);
  return blocks >= 0 &&
                 !pgopt_checked_multiply(count, extent(op, blocks), &count)
             ? INT64_MAX
             : count;
}

int64_t pgopt_group_winograd(const pgopt_network *network,
                             const pgopt_group *group, pgopt_winograd choice) {
  const pgopt_op *op = &network->ops[group->core];
  roles r;
  if (!pgopt_op_is_convolution(op) || op->operand_count != 3 ||
      op->input_count != 2 ||
      network->values[op->operands[2]].type.element != PGOPT_FLOAT ||
      (!read_roles(op, 0, &r) && !read_roles(op, 1, &r)))
    return 0;
  return pgopt_winograd_size(choice, extent(op, r.spaces[0]),
                             extent(op, r.spaces[1]),
                             channels(op, r.input, r.input_blocks),
                             channels(op, r.output, r.output_blocks));
}
