/// \file What a Winograd convolution does to each tile: the transforms of the
/// image, of the products and of the weights.
#include "kernels/winograd_nest.h"
#include "kernels/winograd_transform.h"

enum { C = 2, SIDE = PGOPT_WINOGRAD_MAX_SIDE };

static int64_t stride_of(const pgopt_winograd_nest *nest, int loop,
                         int operand) {
  return loop < 0 ? 0 : nest->problem->loops[loop].strides[operand];
}

static pgopt_position move(pgopt_emitter e, const pgopt_winograd_nest *nest,
                           pgopt_position from, pgopt_position steps, int loop,
                           int operand) {
  return pgopt_position_add(
      e, from, pgopt_position_scale(e, steps, stride_of(nest, loop, operand)));
}

static MlirValue both(pgopt_emitter e, MlirValue a, MlirValue b) {
  if (mlirValueIsNull(a))
    return b;
  return mlirValueIsNull(b) ? a : pgopt_emit_binary(e, "arith.andi", a, b);
}

/// Whether `count` elements of a tile's that begin at `at` are below `extent`;
/// null: all are, those of the last of `tiles`, which begin at `last`, too.
static MlirValue ends_inside(pgopt_emitter e, pgopt_position at, int64_t count,
                             pgopt_position last, pgopt_position extent) {
  if (pgopt_position_is_constant(last) && pgopt_position_is_constant(extent) &&
      last.constant + count <= extent.constant)
    return (MlirValue){NULL};
  return pgopt_position_is_below(e, pgopt_position_offset(at, count - 1),
                                 extent);
}

/// The same of elements that may begin in front of the image.
static MlirValue is_inside(pgopt_emitter e, pgopt_position at, int64_t count,
                           pgopt_position first, pgopt_position last,
                           pgopt_position extent) {
  MlirValue begins = {NULL};
  if (!pgopt_position_is_constant(first) || first.constant < 0)
    begins = pgopt_position_is_below(e, pgopt_position_at(-1), at);
  return both(e, begins, ends_inside(e, at, count, last, extent));
}

/// Where the last of so many tiles begins.
static pgopt_position last_tile(pgopt_emitter e,
                                const pgopt_winograd_nest *nest,
                                pgopt_position tiles) {
  return pgopt_position_scale(e, pgopt_position_offset(tiles, -1),
                              nest->plan->size);
}

/// The view with its size forgotten.
static MlirValue unsized(pgopt_emitter e, MlirValue flat) {
  int64_t extent = mlirShapedTypeGetDynamicSize();
  MlirType type = mlirValueGetType(flat);
  return pgopt_emit_op(
      e, "memref.cast", 1, &flat,
      mlirMemRefTypeContiguousGet(mlirShapedTypeGetElementType(type), 1,
                                  &extent, mlirMemRefTypeGetMemorySpace(type)),
      0, NULL);
}

/// A tile of the image: rows of pixels, inputs of a pixel side by side, or one
/// block after the other.
typedef struct source {
  MlirValue view;
  pgopt_position at, row_stride;
  pgopt_position input_stride; ///< of steps of whole vectors
} source;

/// From an input to the next in the patch, which has all pixels of a block side
/// by side.
static int64_t patch_stride(const pgopt_winograd_nest *nest) {
  int64_t side = nest->plan->size + 2;
  return nest->loops.input_blocks >= 0 ? side * side : 1;
}

/// Copies what there is of the tile at (y, x), whose first element is at
/// `image`, into the patch, with zeros around it.
static void fill_patch(pgopt_emitter e, const pgopt_winograd_nest *nest,
                       pgopt_position y, pgopt_position x,
                       pgopt_position image) {
  const pgopt_winograd_plan *p = nest->plan;
  const pgopt_vectors *v = &nest->vectors;
  const MlirValue all = {NULL};
  int64_t side = p->size + 2;
  int64_t pixel = stride_of(nest, nest->loops.width, nest->image);
  int64_t inputs = nest->problem->loops[nest->loops.input].extent;
  pgopt_loop pixels = pgopt_loop_open(
      e, pgopt_position_at(0), pgopt_position_at(side * side), 1, 0, NULL);
  pgopt_loop clear =
      pgopt_loop_open(pixels.body, pgopt_position_at(0),
                      pgopt_position_at(inputs), p->lanes, 0, NULL);
  pgopt_vector_store(
      clear.body, v, nest->patch,
      pgopt_position_add(
          clear.body,
          pgopt_position_scale(clear.body, clear.variable, patch_stride(nest)),
          pgopt_position_scale(clear.body, pixels.variable, pixel)),
      all, pgopt_vector_constant(clear.body, v, 0));
  pgopt_loop_close(&clear, NULL);
  pgopt_loop_close(&pixels, NULL);

  pgopt_position zero = pgopt_position_at(0), whole = pgopt_position_at(side);
  pgopt_position top =
      pgopt_position_max(e, zero, pgopt_position_subtract(e, zero, y));
  pgopt_position bottom = pgopt_position_min(
      e, whole, pgopt_position_subtract(e, nest->image_height, y));
  pgopt_position left =
      pgopt_position_max(e, zero, pgopt_position_subtract(e, zero, x));
  pgopt_position right = pgopt_position_min(
      e, whole, pgopt_position_subtract(e, nest->image_width, x));
  // Elements from the first pixel's first to the last one's last, of a block.
  bool is_blocked = nest->loops.input_blocks >= 0;
  pgopt_position run = pgopt_position_offset(
      pgopt_position_scale(e, pgopt_position_subtract(e, right, left), pixel),
      (is_blocked ? p->lanes : inputs) - pixel);
  pgopt_position skipped = pgopt_position_scale(e, left, pixel);
  image = pgopt_position_add(e, image, skipped);
  pgopt_loop blocks =
      pgopt_loop_open(e, zero, pgopt_position_at(is_blocked ? inputs : 1),
                      is_blocked ? p->lanes : 1, 0, NULL);
  image = move(blocks.body, nest, image, blocks.variable, nest->loops.input,
               nest->image);
  skipped = pgopt_position_add(
      blocks.body, skipped,
      pgopt_position_scale(blocks.body, blocks.variable, patch_stride(nest)));
  pgopt_loop rows = pgopt_loop_open(blocks.body, top, bottom, 1, 0, NULL);
  pgopt_position from = move(rows.body, nest, image, rows.variable,
                             nest->loops.height, nest->image);
  pgopt_position to = pgopt_position_add(
      rows.body, skipped,
      pgopt_position_scale(rows.body, rows.variable, side * pixel));
  pgopt_loop copy = pgopt_loop_open(rows.body, zero, run, p->lanes, 0, NULL);
  pgopt_emitter body = copy.body;
  // The last vector overlaps: a pixel has at least one vector of inputs.
  pgopt_position i = pgopt_position_min(body, copy.variable,
                                        pgopt_position_offset(run, -p->lanes));
  pgopt_vector_store(body, v, nest->patch, pgopt_position_add(body, to, i), all,
                     pgopt_vector_load(body, v, nest->views[nest->image],
                                       pgopt_position_add(body, from, i), all));
  pgopt_loop_close(&copy, NULL);
  pgopt_loop_close(&rows, NULL);
  pgopt_loop_close(&blocks, NULL);
}

/// Where the tile is read: in the image, or in the patch when not all of it is
/// inside.
static source find_source(pgopt_emitter e, const pgopt_winograd_nest *nest,
                          const pgopt_winograd_tile *tile) {
  int64_t side = nest->plan->size + 2;
  int image = nest->image;
  pgopt_position y = pgopt_position_add(e, tile->y, nest->top);
  pgopt_position x = pgopt_position_add(e, tile->x, nest->left);
  pgopt_position at =
      move(e, nest, nest->starts[image], tile->batch, nest->loops.batch, image);
  at = move(e, nest, at, y, nest->loops.height, image);
  at = move(e, nest, at, x, nest->loops.width, image);
  source s = {.view = nest->views[image],
              .at = at,
              .row_stride =
                  pgopt_position_at(stride_of(nest, nest->loops.height, image)),
              .input_stride =
                  pgopt_position_at(stride_of(nest, nest->loops.input, image))};
  pgopt_position last_y =
      pgopt_position_add(e, last_tile(e, nest, nest->down), nest->top);
  pgopt_position last_x =
      pgopt_position_add(e, last_tile(e, nest, nest->across), nest->left);
  MlirValue inside =
      both(e, is_inside(e, y, side, nest->top, last_y, nest->image_height),
           is_inside(e, x, side, nest->left, last_x, nest->image_width));
  if (mlirValueIsNull(inside))
    return s;
  pgopt_branch branch = pgopt_branch_open(e, inside, 0, (MlirType){NULL});
  fill_patch(branch.otherwise, nest, y, x, at);
  pgopt_branch_close(&branch, 0, NULL, NULL, NULL);
  s.view =
      pgopt_emit_select(e, inside, unsized(e, s.view), unsized(e, nest->patch));
  s.at = pgopt_position_of(pgopt_emit_select(
      e, inside, pgopt_position_value(e, at), pgopt_emit_index(e, 0)));
  int64_t pixel = stride_of(nest, nest->loops.width, image);
  s.row_stride = pgopt_position_of(
      pgopt_emit_select(e, inside, pgopt_position_value(e, s.row_stride),
                        pgopt_emit_index(e, side * pixel)));
  if (s.input_stride.constant != patch_stride(nest))
    s.input_stride = pgopt_position_of(
        pgopt_emit_select(e, inside, pgopt_position_value(e, s.input_stride),
                          pgopt_emit_index(e, patch_stride(nest))));
  return s;
}

void pgopt_winograd_emit_image(pgopt_emitter e, const pgopt_winograd_nest *nest,
                               pgopt_position first, pgopt_position count) {
  const pgopt_winograd_plan *p = nest->plan;
  const pgopt_vectors *v = &nest->vectors;
  const MlirValue all = {NULL};
  int64_t side = p->size + 2;
  int64_t pixel = stride_of(nest, nest->loops.width, nest->image);
  int64_t inputs = nest->problem->loops[nest->loops.input].extent;
  pgopt_loop tiles =
      pgopt_loop_open(e, pgopt_position_at(0), count, 1, 0, NULL);
  e = tiles.body;
  pgopt_winograd_tile tile = pgopt_winograd_tile_at(
      e, nest, pgopt_position_add(e, first, tiles.variable));
  source s = find_source(e, nest, &tile);
  pgopt_position rows[SIDE];
  for (int64_t y = 0; y < side; ++y)
    rows[y] = y ? pgopt_position_add(e, rows[y - 1], s.row_stride) : s.at;
  pgopt_position to = pgopt_position_add(
      e, nest->block, pgopt_position_scale(e, tiles.variable, p->image_row));
  pgopt_loop channels = pgopt_loop_open(
      e, pgopt_position_at(0), pgopt_position_at(inputs), p->lanes, 0, NULL);
  e = channels.body;
  // What is left of a vector is computed with the lanes before it.
  pgopt_position channel = channels.variable;
  if (inputs % p->lanes)
    channel =
        pgopt_position_min(e, channel, pgopt_position_at(inputs - p->lanes));
  MlirValue square[SIDE * SIDE] = {{NULL}};
  for (int64_t y = 0; y < side; ++y) {
    pgopt_position row = pgopt_position_add(
        e, rows[y], pgopt_position_multiply(e, channel, s.input_stride));
    for (int64_t x = 0; x < side; ++x)
      square[y * SIDE + x] = pgopt_vector_load(
          e, v, s.view, pgopt_position_offset(row, x * pixel), all);
  }
  pgopt_winograd_square(e, v, p->size, pgopt_winograd_input, side, side,
                        square);
  to = pgopt_position_add(e, to, channel);
  for (int64_t y = 0; y < side; ++y)
    for (int64_t x = 0; x < side; ++x)
      pgopt_vector_store(
          e, v, nest->transformed_image,
          pgopt_position_offset(to, (y * side + x) * p->image_plane), all,
          square[y * SIDE + x]);
  pgopt_loop_close(&channels, NULL);
  pgopt_loop_close(&tiles, NULL);
}

/// Adds what the sum starts with, applies what is fused, stores.
static void finish_pixel(pgopt_emitter e, const pgopt_winograd_nest *nest,
                         const pgopt_fused_place *place, MlirValue value) {
  const pgopt_fusion *fusion = nest->fusion;
  const pgopt_vectors *v = &nest->vectors;
  if (fusion->start_kind != PGOPT_START_ZERO) {
    MlirValue start = pgopt_fusion_emit_start(e, v, fusion, place, C);
    value = pgopt_emit_binary(e, "arith.addf", start, value);
  }
  value = pgopt_fusion_emit(e, v, fusion, value, place);
  pgopt_vector_store(e, v, nest->views[C], place->at[C], place->mask, value);
}

/// Opens a branch for outputs that are inside of the result; the emitter itself
/// when all are.
static pgopt_emitter open_inside(pgopt_emitter e, MlirValue inside,
                                 pgopt_branch *branch) {
  *branch = (pgopt_branch){0};
  if (mlirValueIsNull(inside))
    return e;
  *branch = pgopt_branch_open(e, inside, 0, (MlirType){NULL});
  return branch->then;
}

static void close_inside(pgopt_branch *branch) {
  if (!mlirOperationIsNull(branch->op))
    pgopt_branch_close(branch, 0, NULL, NULL, NULL);
}

/// Stores the tile's outputs that are inside of the result.
static void store_tile(pgopt_emitter e, const pgopt_winograd_nest *nest,
                       const pgopt_winograd_tile *tile,
                       const pgopt_position *at, MlirValue mask,
                       const MlirValue *square) {
  const MlirValue always = {NULL};
  int64_t size = nest->plan->size;
  pgopt_position last_y = last_tile(e, nest, nest->down);
  pgopt_position last_x = last_tile(e, nest, nest->across);
  for (int64_t y = 0; y < size; ++y) {
    pgopt_branch rows;
    pgopt_emitter row = open_inside(
        e, y ? ends_inside(e, tile->y, y + 1, last_y, nest->height) : always,
        &rows);
    for (int64_t x = 0; x < size; ++x) {
      pgopt_branch pixels;
      pgopt_emitter inner = open_inside(
          row,
          x ? ends_inside(row, tile->x, x + 1, last_x, nest->width) : always,
          &pixels);
      pgopt_fused_place place = {.views = nest->views, .mask = mask};
      for (size_t k = 0; k < nest->problem->operand_count; ++k) {
        place.is_splat[k] = !stride_of(nest, nest->loops.output, (int)k);
        place.at[k] = pgopt_position_offset(
            at[k], y * stride_of(nest, nest->loops.height, (int)k) +
                       x * stride_of(nest, nest->loops.width, (int)k));
      }
      finish_pixel(inner, nest, &place, square[y * SIDE + x]);
      close_inside(&pixels);
    }
    close_inside(&rows);
  }
}

void pgopt_winograd_emit_result(pgopt_emitter e,
                                const pgopt_winograd_nest *nest,
                                pgopt_position first, pgopt_position count,
                                pgopt_position panel) {
  const pgopt_winograd_plan *p = nest->plan;
  const pgopt_vectors *v = &nest->vectors;
  const MlirValue all = {NULL};
  int64_t side = p->size + 2;
  int64_t outputs = nest->problem->loops[nest->loops.output].extent;
  pgopt_position width = pgopt_winograd_panel_width(e, p, panel);
  pgopt_loop tiles =
      pgopt_loop_open(e, pgopt_position_at(0), count, 1, 0, NULL);
  e = tiles.body;
  pgopt_winograd_tile tile = pgopt_winograd_tile_at(
      e, nest, pgopt_position_add(e, first, tiles.variable));
  pgopt_position at[PGOPT_PRODUCT_MAX_OPERANDS] = {{{NULL}, 0}};
  for (size_t k = 0; k < nest->problem->operand_count; ++k) {
    at[k] =
        move(e, nest, nest->starts[k], tile.batch, nest->loops.batch, (int)k);
    at[k] = move(e, nest, at[k], tile.y, nest->loops.height, (int)k);
    at[k] = move(e, nest, at[k], tile.x, nest->loops.width, (int)k);
    at[k] = move(e, nest, at[k], panel, nest->loops.output, (int)k);
  }
  pgopt_position from = pgopt_position_scale(e, tiles.variable, p->product_row);
  pgopt_loop lanes =
      pgopt_loop_open(e, pgopt_position_at(0), width, p->lanes, 0, NULL);
  e = lanes.body;
  MlirValue mask = {NULL};
  if (outputs % p->lanes)
    mask = pgopt_vector_mask(
        e, v,
        pgopt_position_subtract(e, pgopt_position_at(outputs),
                                pgopt_position_add(e, panel, lanes.variable)));
  for (size_t k = 0; k < nest->problem->operand_count; ++k)
    at[k] = move(e, nest, at[k], lanes.variable, nest->loops.output, (int)k);
  from = pgopt_position_add(e, from, lanes.variable);
  MlirValue square[SIDE * SIDE] = {{NULL}};
  for (int64_t y = 0; y < side; ++y)
    for (int64_t x = 0; x < side; ++x)
      square[y * SIDE + x] = pgopt_vector_load(
          e, v, nest->products,
          pgopt_position_offset(from, (y * side + x) * p->product_plane), all);
  pgopt_winograd_square(e, v, p->size, pgopt_winograd_output, side, p->size,
                        square);
  store_tile(e, nest, &tile, at, mask, square);
  pgopt_loop_close(&lanes, NULL);
  pgopt_loop_close(&tiles, NULL);
}

/// A vector of other elements: `op` is arith.extf or arith.truncf.
static MlirValue convert(pgopt_emitter e, const char *op, MlirValue value,
                         const pgopt_vectors *to) {
  if (mlirTypeEqual(mlirValueGetType(value), to->vector))
    return value;
  return pgopt_emit_op(e, op, 1, &value, to->vector, 0, NULL);
}

void pgopt_winograd_emit_weights(pgopt_emitter e,
                                 const pgopt_winograd_nest *nest,
                                 MlirValue view, pgopt_position start,
                                 MlirValue transformed) {
  const pgopt_winograd_plan *p = nest->plan;
  const pgopt_winograd_loops *loops = &nest->loops;
  int weights = nest->weights;
  int64_t side = p->size + 2;
  int64_t inputs = nest->problem->loops[loops->input].extent;
  int64_t outputs = nest->problem->loops[loops->output].extent;
  int64_t rows = stride_of(nest, loops->window_height, weights);
  int64_t columns = stride_of(nest, loops->window_width, weights);
  bool is_contiguous = stride_of(nest, loops->output, weights) == 1;
  pgopt_vectors v =
      pgopt_vectors_of(nest->vectors.element, is_contiguous ? p->lanes : 1,
                       nest->vectors.has_fma);
  pgopt_vectors exact =
      pgopt_vectors_of(mlirF64TypeGet(e.context), v.lanes, v.has_fma);
  pgopt_loop panels =
      pgopt_loop_open(e, pgopt_position_at(0), pgopt_position_at(p->columns),
                      p->vectors * p->lanes, 0, NULL);
  e = panels.body;
  pgopt_position panel = panels.variable;
  pgopt_position width = pgopt_winograd_panel_width(e, p, panel);
  pgopt_position from = move(e, nest, start, panel, loops->output, weights);
  pgopt_position to = pgopt_position_scale(e, panel, p->positions * inputs);
  pgopt_loop channels = pgopt_loop_open(e, pgopt_position_at(0),
                                        pgopt_position_at(inputs), 1, 0, NULL);
  e = channels.body;
  from = move(e, nest, from, channels.variable, loops->input, weights);
  to = pgopt_position_add(e, to,
                          pgopt_position_multiply(e, channels.variable, width));
  pgopt_loop lanes =
      pgopt_loop_open(e, pgopt_position_at(0), width, v.lanes, 0, NULL);
  e = lanes.body;
  from = move(e, nest, from, lanes.variable, loops->output, weights);
  to = pgopt_position_add(e, to, lanes.variable);
  MlirValue mask = {NULL};
  if (outputs % p->lanes)
    mask = pgopt_vector_mask(
        e, &v,
        pgopt_position_subtract(e, pgopt_position_at(outputs),
                                pgopt_position_add(e, panel, lanes.variable)));
  MlirValue square[SIDE * SIDE] = {{NULL}};
  for (int64_t y = 0; y < 3; ++y)
    for (int64_t x = 0; x < 3; ++x)
      square[y * SIDE + x] = convert(
          e, "arith.extf",
          pgopt_vector_load(e, &v, view,
                            pgopt_position_offset(from, y * rows + x * columns),
                            mask),
          &exact);
  pgopt_winograd_square(e, &exact, p->size, pgopt_winograd_weights, 3, side,
                        square);
  pgopt_position plane = pgopt_position_scale(e, width, inputs);
  for (int64_t y = 0; y < side; ++y)
    for (int64_t x = 0; x < side; ++x) {
      pgopt_vector_store(e, &v, transformed, to, (MlirValue){NULL},
                         convert(e, "arith.truncf", square[y * SIDE + x], &v));
      to = pgopt_position_add(e, to, plane);
    }
  pgopt_loop_close(&lanes, NULL);
  pgopt_loop_close(&channels, NULL);
  pgopt_loop_close(&panels, NULL);
}
