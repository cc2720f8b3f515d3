/// \file Plans of Winograd convolutions.
#include "kernels/winograd_plan.h"

#include "base/checked_math.h"

enum {
  LINE_BYTES = 64,
  CONFLICT_BYTES = 2048,
  LONG_ROW_BYTES = 2048,
  MAX_CHANNELS = 1 << 20
};

static const struct {
  int64_t registers, vectors, rows;
} tiles[] = {
#define PGOPT_TILE(registers, vectors, rows) {registers, vectors, rows},
#include "kernels/tiles.def"
#undef PGOPT_TILE
};

/// Inputs summed up at a time. Errors of a sum grow with its length, and the
/// transform of F(4x4, 3x3)'s products magnifies them: sums of sums keep them
/// near those of the direct kernel.
enum { DEPTH = 32, SMALL_TILE_DEPTH = 256, MIN_ROWS = 4, GOOD_BLOCK = 16 };

/// Pixels of a result whose extents are not known.
static const int64_t unknown_pixels = 1 << 14;

// Cycles of one core, for vectors of any width.
static const double fma_cycles = 0.5;
// Loads, beyond what hides behind products: a vector of weights, an element of
// a row, and such a one when the block is larger than the second cache.
static const double weight_cycles = 0.5, row_cycles = 0.25, far_cycles = 1.5;
static const double tile_cycles = 12; ///< entering and leaving a register tile
// Transforms: a vector and position.
static const double image_cycles = 3.5;
static const double result_cycles = 2.75;
static const double weight_transform_cycles = 6;

static int64_t divide_up(int64_t a, int64_t b) { return (a - 1) / b + 1; }

static int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }

/// Rounded up to an odd number of cache lines.
static int64_t odd_lines(int64_t elements, int64_t element_bytes) {
  int64_t line = LINE_BYTES / element_bytes;
  return (divide_up(elements, line) | 1) * line;
}

int64_t pgopt_winograd_tiles(const pgopt_winograd_problem *p, int64_t size) {
  int64_t down =
      p->height == INT64_MAX ? p->height : divide_up(p->height, size);
  int64_t across = p->width == INT64_MAX ? p->width : divide_up(p->width, size);
  int64_t all;
  if (!pgopt_checked_multiply(down, across, &all) ||
      !pgopt_checked_multiply(all, p->batch, &all) || all == INT64_MAX)
    return unknown_pixels / (size * size);
  return all;
}

/// Of V and M.
static int64_t block_bytes(const pgopt_winograd_problem *p,
                           const pgopt_winograd_plan *plan, int64_t block) {
  return block * plan->positions * (plan->image_row + plan->product_row) *
         p->element_bytes;
}

/// Tiles a block: V and M within a part of the second cache, a larger one for
/// few tiles, since every block reads all weights; or, when these do not stay
/// in the last cache, within a part of that.
static int64_t block_limit(const pgopt_winograd_problem *p,
                           const pgopt_target *target,
                           const pgopt_winograd_plan *plan,
                           int64_t weight_bytes) {
  int64_t tile = block_bytes(p, plan, 1);
  int64_t limit = target->l2_bytes / 8 * 3 / tile;
  if (limit < GOOD_BLOCK)
    limit = min(GOOD_BLOCK, target->l2_bytes / 4 * 3 / tile);
  if (weight_bytes > target->l3_bytes)
    limit = target->l3_bytes / 4 / tile;
  return limit < 1 ? 1 : limit;
}

/// Cycles of the products, with the rows that a last block computes in vain.
static double product_cycles(const pgopt_winograd_problem *p,
                             const pgopt_target *target,
                             const pgopt_winograd_plan *plan, int64_t all) {
  double element_cycles = block_bytes(p, plan, plan->block) > target->l2_bytes
                              ? far_cycles
                              : row_cycles;
  int64_t whole = all / plan->block * (plan->block / plan->rows);
  int64_t rest = all % plan->block;
  double turns = (double)(whole + (rest ? divide_up(rest, plan->rows) : 0));
  double cycles = 0;
  int64_t panels = divide_up(plan->columns, plan->vectors * plan->lanes);
  for (int last = 0; last < 2; ++last) {
    double rows = (double)plan->rows;
    double vectors = (double)(last ? plan->last_vectors : plan->vectors);
    double step = rows * vectors * fma_cycles + rows * element_cycles +
                  vectors * weight_cycles;
    cycles += (last ? 1 : (double)(panels - 1)) *
              (step * (double)p->inputs +
               tile_cycles * (double)divide_up(p->inputs, plan->depth));
  }
  return cycles * turns * (double)plan->positions;
}

/// Cycles of the transforms of the image, of the result, and of the weights
/// unless they are prepared.
static double transform_cycles(const pgopt_winograd_problem *p,
                               const pgopt_winograd_plan *plan, int64_t all) {
  double inputs = (double)divide_up(p->inputs, plan->lanes);
  int64_t vectors = plan->columns / plan->lanes;
  double outputs = (double)vectors;
  double weights = p->is_prepared ? 0 : outputs * (double)p->inputs;
  if (!p->has_rows_of_weights)
    weights *= (double)plan->lanes;
  return (double)plan->positions *
         ((double)all * (inputs * image_cycles + outputs * result_cycles) +
          weights * weight_transform_cycles);
}

static bool plan_with(const pgopt_winograd_problem *p,
                      const pgopt_target *target, int64_t size, int64_t vectors,
                      int64_t rows, pgopt_winograd_plan *plan) {
  int64_t lanes = target->vector_bytes / p->element_bytes;
  int64_t all_vectors = divide_up(p->outputs, lanes);
  vectors = vectors < all_vectors ? vectors : all_vectors;
  *plan = (pgopt_winograd_plan){
      .size = size,
      .positions = (size + 2) * (size + 2),
      .lanes = lanes,
      .depth = min(p->inputs, size == 2 ? SMALL_TILE_DEPTH : DEPTH),
      .vectors = vectors,
      .columns = all_vectors * lanes};
  plan->last_vectors = all_vectors - (all_vectors - 1) / vectors * vectors;
  plan->image_row = divide_up(p->inputs, lanes) * lanes;
  if (plan->image_row * p->element_bytes % CONFLICT_BYTES == 0)
    plan->image_row += lanes;
  plan->is_row_first = p->inputs * p->element_bytes >= LONG_ROW_BYTES;
  plan->product_row = vectors * lanes;
  int64_t weight_bytes =
      pgopt_winograd_weight_elements(p, plan) * p->element_bytes;
  int64_t all = pgopt_winograd_tiles(p, size);
  int64_t limit = block_limit(p, target, plan, weight_bytes);
  int64_t blocks = divide_up(all, limit);
  int64_t block = divide_up(all, blocks);
  int64_t turns = divide_up(block, rows);
  plan->rows = divide_up(block, turns);
  plan->block = turns * plan->rows;
  plan->image_plane =
      odd_lines(plan->block * plan->image_row, p->element_bytes);
  plan->product_plane =
      odd_lines(plan->block * plan->product_row, p->element_bytes);
  plan->cycles =
      product_cycles(p, target, plan, all) + transform_cycles(p, plan, all);
  return true;
}

bool pgopt_winograd_plan_make(const pgopt_winograd_problem *problem,
                              const pgopt_target *target, int64_t size,
                              pgopt_winograd_plan *plan) {
  bool found = false;
  if (problem->inputs < target->vector_bytes / problem->element_bytes ||
      problem->inputs > MAX_CHANNELS || problem->outputs > MAX_CHANNELS)
    return false;
  for (size_t t = 0; t < sizeof tiles / sizeof *tiles; ++t) {
    pgopt_winograd_plan next;
    // With few rows a tile loads weights more than it multiplies.
    if (tiles[t].registers != target->vector_registers ||
        (tiles[t].rows < MIN_ROWS &&
         tiles[t].rows < pgopt_winograd_tiles(problem, size)) ||
        !plan_with(problem, target, size, tiles[t].vectors, tiles[t].rows,
                   &next) ||
        (found && next.cycles >= plan->cycles))
      continue;
    *plan = next;
    found = true;
  }
  return found;
}

double pgopt_winograd_direct_cycles(const pgopt_winograd_problem *p,
                                    const pgopt_target *target) {
  int64_t lanes = target->vector_bytes / p->element_bytes;
  return 9 * (double)pgopt_winograd_tiles(p, 1) * (double)p->inputs *
         (double)divide_up(p->outputs, lanes) * fma_cycles;
}

bool pgopt_winograd_image_elements(const pgopt_winograd_problem *problem,
                                   const pgopt_winograd_plan *plan,
                                   int64_t *elements) {
  int64_t all = pgopt_winograd_tiles(problem, plan->size);
  return pgopt_checked_multiply(divide_up(all, plan->block), plan->positions,
                                elements) &&
         pgopt_checked_multiply(*elements, plan->image_plane, elements);
}

int64_t pgopt_winograd_weight_elements(const pgopt_winograd_problem *problem,
                                       const pgopt_winograd_plan *plan) {
  return plan->positions * problem->inputs * plan->columns;
}
