/// \file The columns' operand copied into scratch, or a buffer.
///
/// A panel holds, for every depth, the vectors of its columns; what the last
/// vector has beyond the columns is 0. Columns that lie side by side are copied
/// as vectors. Where instead a loop of the depth does, or the loop beside,
/// squares are transposed: of so many steps of that loop and a vector of
/// columns. Loops go in the operand's order: memory is read on.
#include "kernels/nest.h"

typedef struct copy {
  const pgopt_nest *nest;
  const pgopt_product_columns *step;
  MlirValue mask;    ///< of the panel's last vector
  pgopt_position to; ///< of the panel in scratch
  size_t
      order[PGOPT_PRODUCT_MAX_DEPTHS]; ///< the depth's loops, outermost first
} copy;

static MlirValue vector_mask(const copy *c, int64_t vector) {
  return vector + 1 == c->step->vectors ? c->mask : (MlirValue){NULL};
}

static pgopt_position depth_extent(const copy *c, size_t level) {
  return level ? pgopt_position_at(c->nest->plan->depth[level].extent)
               : c->nest->depth;
}

/// One depth of columns that lie side by side.
static void copy_contiguous(pgopt_emitter e, const copy *c, pgopt_position from,
                            pgopt_position to) {
  const pgopt_nest *nest = c->nest;
  const pgopt_vectors *v = &nest->vectors;
  MlirValue view = nest->views[nest->plan->columns_operand];
  for (int64_t i = 0; i < c->step->vectors; ++i) {
    MlirValue value =
        pgopt_vector_load(e, v, view, pgopt_position_offset(from, i * v->lanes),
                          vector_mask(c, i));
    pgopt_vector_store(e, v, nest->scratch,
                       pgopt_position_offset(to, i * v->lanes),
                       (MlirValue){NULL}, value);
  }
}

/// One depth, element by element; `count` columns.
static void copy_elements(pgopt_emitter e, const copy *c, pgopt_position from,
                          pgopt_position to, pgopt_position count) {
  const pgopt_nest *nest = c->nest;
  const pgopt_product_plan *p = nest->plan;
  int64_t width = c->step->vectors * p->lanes;
  for (int64_t i = 0; i < c->step->vectors; ++i)
    if (!mlirValueIsNull(vector_mask(c, i)))
      pgopt_vector_store(e, &nest->vectors, nest->scratch,
                         pgopt_position_offset(to, width - p->lanes),
                         (MlirValue){NULL},
                         pgopt_vector_constant(e, &nest->vectors, 0));
  pgopt_loop loop = pgopt_loop_open(e, pgopt_position_at(0), count, 1, 0, NULL);
  pgopt_emitter body = loop.body;
  pgopt_position source = pgopt_position_add(
      body, from,
      pgopt_position_scale(body, loop.variable,
                           p->columns.strides[p->columns_operand]));
  MlirValue load[] = {nest->views[p->columns_operand],
                      pgopt_position_value(body, source)};
  MlirValue value = pgopt_emit_op(body, "memref.load", 2, load,
                                  nest->vectors.element, 0, NULL);
  MlirValue store[] = {
      value, nest->scratch,
      pgopt_position_value(body, pgopt_position_add(body, to, loop.variable))};
  pgopt_emit_op(body, "memref.store", 3, store, (MlirType){NULL}, 0, NULL);
  pgopt_loop_close(&loop, NULL);
}

/// A square of as many steps as a vector has lanes, for one vector of columns
/// of which `columns` exist.
/// \param steps that exist from here on; not all of the square's when it is
///   partial.
/// \param stride in scratch from one step to the next.
static void copy_square(pgopt_emitter e, const copy *c, pgopt_position from,
                        pgopt_position to, int64_t stride_to, int64_t columns,
                        pgopt_position steps, bool is_partial) {
  const pgopt_nest *nest = c->nest;
  const pgopt_vectors *v = &nest->vectors;
  int operand = nest->plan->columns_operand;
  int64_t stride = nest->plan->columns.strides[operand];
  MlirValue rows[64], mask = {NULL};
  if (is_partial)
    mask = pgopt_vector_mask(e, v, steps);
  for (int64_t r = 0; r < v->lanes; ++r)
    rows[r] =
        r < columns
            ? pgopt_vector_load(e, v, nest->views[operand],
                                pgopt_position_offset(from, r * stride), mask)
            : pgopt_vector_constant(e, v, 0);
  pgopt_vector_transpose(e, v, rows);
  for (int64_t r = 0; r < v->lanes; ++r) {
    pgopt_position target = pgopt_position_offset(to, r * stride_to);
    if (!is_partial) {
      pgopt_vector_store(e, v, nest->scratch, target, (MlirValue){NULL},
                         rows[r]);
      continue;
    }
    // What is beyond the last step belongs to the next panel.
    MlirValue exists = pgopt_position_is_zero(
        e, pgopt_position_min(e, pgopt_position_at(0),
                              pgopt_position_offset(steps, -(r + 1))));
    pgopt_branch branch = pgopt_branch_open(e, exists, 0, (MlirType){NULL});
    pgopt_vector_store(branch.then, v, nest->scratch, target, (MlirValue){NULL},
                       rows[r]);
    pgopt_branch_close(&branch, 0, NULL, NULL, NULL);
  }
}

/// The loop along which the operand is contiguous in squares; the columns that
/// exist are static. \param stride_to in scratch from one step to the next.
static void copy_squares(pgopt_emitter e, const copy *c, pgopt_position from,
                         pgopt_position to, pgopt_position extent,
                         int64_t stride_to) {
  const pgopt_vectors *v = &c->nest->vectors;
  int64_t stride =
      c->nest->plan->columns.strides[c->nest->plan->columns_operand];
  pgopt_position whole = pgopt_position_floor(e, extent, v->lanes);
  for (int part = 0; part < 2; ++part) {
    if (part && pgopt_position_is_constant(extent) &&
        extent.constant == whole.constant)
      break;
    if (!part && pgopt_position_is_constant(whole) && !whole.constant)
      continue;
    pgopt_loop loop = pgopt_loop_open(e, part ? whole : pgopt_position_at(0),
                                      part ? extent : whole, v->lanes, 0, NULL);
    pgopt_emitter body = loop.body;
    pgopt_position left = pgopt_position_subtract(body, extent, loop.variable);
    for (int64_t i = 0; i < c->step->vectors; ++i) {
      int64_t columns =
          i + 1 == c->step->vectors && c->step->tail ? c->step->tail : v->lanes;
      copy_square(
          body, c,
          pgopt_position_offset(pgopt_position_add(body, from, loop.variable),
                                i * v->lanes * stride),
          pgopt_position_offset(
              pgopt_position_add(
                  body, to,
                  pgopt_position_scale(body, loop.variable, stride_to)),
              i * v->lanes),
          stride_to, columns, left, part == 1);
    }
    pgopt_loop_close(&loop, NULL);
  }
}

/// True when squares are transposed; the columns that exist are static then.
static bool copies_squares(const copy *c) {
  const pgopt_product_plan *p = c->nest->plan;
  return p->columns.strides[p->columns_operand] != 1 &&
         !(c->step->end == -2 && !c->step->tail) &&
         (pgopt_is_beside_contiguous(p) ||
          pgopt_contiguous_depth(p) < p->depth_count);
}

/// Elements of a panel from one step of a depth loop to the next.
static int64_t depth_stride(const copy *c, size_t level) {
  const pgopt_product_plan *p = c->nest->plan;
  int64_t stride = c->step->vectors * p->lanes;
  for (size_t i = level + 1; i < p->depth_count; ++i)
    stride *= p->depth[i].extent;
  return stride;
}

/// Steps of the loop beside that squares hold, and of the one around it.
static pgopt_position beside_extent(pgopt_emitter e, const pgopt_nest *nest) {
  const pgopt_product_plan *p = nest->plan;
  return p->beside_outer_chunk > 1
             ? pgopt_position_scale(e, nest->beside_outer, p->beside.extent)
             : nest->beside;
}

/// Columns that the depth's loops leave: those of one depth, or of all steps of
/// the loop that is copied in squares.
static void copy_innermost(pgopt_emitter e, const copy *c, pgopt_position from,
                           pgopt_position to, pgopt_position count) {
  const pgopt_product_plan *p = c->nest->plan;
  size_t contiguous = pgopt_contiguous_depth(p);
  int64_t beside = pgopt_beside_stride(p);
  if (copies_squares(c)) {
    bool is_beside = contiguous == p->depth_count;
    copy_squares(e, c, from, to,
                 is_beside ? beside_extent(e, c->nest)
                           : depth_extent(c, contiguous),
                 is_beside ? beside : depth_stride(c, contiguous));
    return;
  }
  if (p->columns.strides[p->columns_operand] == 1) {
    copy_contiguous(e, c, from, to);
    return;
  }
  pgopt_loop loop =
      pgopt_loop_open(e, pgopt_position_at(0),
                      pgopt_is_beside_contiguous(p) ? beside_extent(e, c->nest)
                                                    : pgopt_position_at(1),
                      1, 0, NULL);
  copy_elements(loop.body, c,
                pgopt_position_add(loop.body, from, loop.variable),
                pgopt_position_add(
                    loop.body, to,
                    pgopt_position_scale(loop.body, loop.variable, beside)),
                count);
  pgopt_loop_close(&loop, NULL);
}

/// Sets the order of the depth's loops.
static void order_depth(copy *c) {
  const pgopt_product_plan *p = c->nest->plan;
  int operand = p->columns_operand;
  for (size_t level = 0; level < p->depth_count; ++level) {
    size_t at = level;
    for (; at > 0 && p->depth[c->order[at - 1]].strides[operand] <
                         p->depth[level].strides[operand];
         --at)
      c->order[at] = c->order[at - 1];
    c->order[at] = level;
  }
}

/// Loops over the depth, the number of which is `place` in their order, and
/// those inside; `to` is the place of depth 0 of these.
static void copy_depth(pgopt_emitter e, const copy *c, pgopt_position from,
                       pgopt_position to, size_t place, pgopt_position count) {
  const pgopt_product_plan *p = c->nest->plan;
  int operand = p->columns_operand;
  if (place == p->depth_count) {
    copy_innermost(e, c, from, to, count);
    return;
  }
  size_t level = c->order[place];
  if (copies_squares(c) && level == pgopt_contiguous_depth(p)) {
    copy_depth(e, c, from, to, place + 1, count);
    return;
  }
  pgopt_loop loop = pgopt_loop_open(e, pgopt_position_at(0),
                                    depth_extent(c, level), 1, 0, NULL);
  copy_depth(loop.body, c,
             pgopt_position_add(
                 loop.body, from,
                 pgopt_position_scale(loop.body, loop.variable,
                                      p->depth[level].strides[operand])),
             pgopt_position_add(loop.body, to,
                                pgopt_position_scale(loop.body, loop.variable,
                                                     depth_stride(c, level))),
             place + 1, count);
  pgopt_loop_close(&loop, NULL);
}

/// All panels of one step of the loop beside, or of as many as squares have.
/// \param part where they begin in the copied columns.
static void copy_panels(pgopt_emitter e, const pgopt_nest *nest,
                        pgopt_position at, pgopt_position part) {
  const pgopt_product_plan *p = nest->plan;
  pgopt_position start = pgopt_position_at(0);
  int64_t depth = p->depth_chunk;
  for (size_t i = 1; i < p->depth_count; ++i)
    depth *= p->depth[i].extent;
  for (size_t i = 0; i < p->column_step_count; ++i) {
    const pgopt_product_columns *step = &p->column_steps[i];
    pgopt_panel_loop panels = pgopt_panel_loop_open(e, nest, step, &start);
    pgopt_emitter body = panels.loop.body;
    pgopt_position j = panels.loop.variable;
    pgopt_position count = pgopt_position_min(
        body, pgopt_position_subtract(body, nest->columns, j),
        pgopt_position_at(step->vectors * p->lanes));
    copy c = {.nest = nest,
              .step = step,
              .mask = panels.mask,
              .to = pgopt_position_add(body, part,
                                       pgopt_position_scale(body, j, depth))};
    order_depth(&c);
    pgopt_position from = pgopt_position_add(
        body, at,
        pgopt_position_scale(body, j, p->columns.strides[p->columns_operand]));
    copy_depth(body, &c, from, c.to, 0, count);
    pgopt_loop_close(&panels.loop, NULL);
  }
}

/// The steps beside that are packed together, unless squares hold them.
static void copy_beside(pgopt_emitter e, const pgopt_nest *nest,
                        pgopt_position at) {
  const pgopt_product_plan *p = nest->plan;
  pgopt_position steps =
      pgopt_is_beside_contiguous(p) ? pgopt_position_at(1) : nest->beside;
  pgopt_loop loop = pgopt_loop_open(e, pgopt_position_at(0), steps, 1, 0, NULL);
  copy_panels(loop.body, nest,
              pgopt_position_add(
                  loop.body, at,
                  pgopt_position_scale(loop.body, loop.variable,
                                       p->beside.strides[p->columns_operand])),
              pgopt_position_add(loop.body, nest->part,
                                 pgopt_position_scale(loop.body, loop.variable,
                                                      pgopt_beside_stride(p))));
  pgopt_loop_close(&loop, NULL);
}

static void store_number(pgopt_emitter e, MlirValue box, size_t at,
                         pgopt_position number) {
  MlirValue operands[] = {pgopt_emit_to_i64(e, pgopt_position_value(e, number)),
                          box, pgopt_emit_index(e, (int64_t)at)};
  pgopt_emit_op(e, "memref.store", 3, operands, (MlirType){NULL}, 0, NULL);
}

/// Steps of the first of the columns' loops: as many as there are units.
static pgopt_position unit_count(pgopt_emitter e, const pgopt_nest *nest) {
  pgopt_position columns = nest->columns;
  int64_t unit = nest->plan->column_unit;
  if (unit == 1)
    return columns;
  return pgopt_position_is_constant(columns)
             ? pgopt_position_at(columns.constant / unit)
             : pgopt_position_of(pgopt_emit_binary(
                   e, "arith.divui", pgopt_position_value(e, columns),
                   pgopt_emit_index(e, unit)));
}

/// Has the runtime copy the box of all depths and columns. It reads extents,
/// strides and bounds, one behind the other.
static void gather_columns(pgopt_emitter e, const pgopt_nest *nest,
                           const pgopt_places *at) {
  const pgopt_product_plan *p = nest->plan;
  const pgopt_product_problem *problem = nest->problem;
  int operand = p->columns_operand;
  size_t rank = p->depth_count + p->gathered_count;
  size_t bounds =
      problem->bounded_operand == operand ? problem->bound_count : 0;
  int64_t bytes = problem->element_bytes;
  for (size_t b = 0; b < bounds; ++b) {
    store_number(e, nest->box, 2 * rank + b * (rank + 2), at->bounds[b]);
    store_number(e, nest->box, 2 * rank + b * (rank + 2) + 1,
                 pgopt_position_at(problem->bounds[b]));
  }
  for (size_t i = 0; i < rank; ++i) {
    bool is_depth = i < p->depth_count;
    const pgopt_product_axis *axis =
        is_depth ? &p->depth[i] : &p->gathered[i - p->depth_count];
    pgopt_position extent = i == 0 ? nest->depth
                            : i == p->depth_count
                                ? unit_count(e, nest)
                                : pgopt_position_at(axis->extent);
    store_number(e, nest->box, i, extent);
    store_number(e, nest->box, rank + i,
                 pgopt_position_at(axis->strides[operand]));
    for (size_t b = 0; b < bounds; ++b)
      store_number(e, nest->box, 2 * rank + b * (rank + 2) + 2 + i,
                   pgopt_position_at(axis->moves[b]));
  }
  MlirValue box = pgopt_emit_address(e, nest->box);
  MlirValue view = pgopt_emit_address(e, nest->views[operand]);
  MlirValue first = pgopt_position_value(e, at->at[operand]);
  MlirValue one = pgopt_emit_index(e, 1);
  int64_t size = (int64_t)(rank * sizeof(int64_t));
  MlirValue strides = pgopt_emit_add_scaled(e, box, one, size);
  MlirValue numbers = pgopt_emit_add_scaled(e, box, one, 2 * size);
  MlirValue scratch =
      pgopt_emit_pointer(e, pgopt_emit_address(e, nest->scratch));
  MlirOperation module = pgopt_parent_module(nest->generic->op);
  MlirValue shape[] = {
      pgopt_emit_i64(e, (int64_t)rank), pgopt_emit_pointer(e, box),
      pgopt_emit_pointer(e, strides), pgopt_emit_i64(e, bytes)};
  if (bounds) {
    MlirValue arguments[] = {shape[0],
                             shape[1],
                             shape[2],
                             shape[3],
                             pgopt_emit_pointer(e, view),
                             pgopt_emit_to_i64(e, first),
                             scratch,
                             pgopt_emit_i64(e, (int64_t)bounds),
                             pgopt_emit_pointer(e, numbers)};
    pgopt_emit_runtime_call(e, module, "pgopt_rt_gather_padded", 9, arguments,
                            (MlirType){NULL});
    return;
  }
  MlirValue arguments[] = {
      shape[0],
      shape[1],
      shape[2],
      shape[3],
      pgopt_emit_pointer(e, pgopt_emit_add_scaled(e, view, first, bytes)),
      scratch};
  pgopt_emit_runtime_call(e, module, "pgopt_rt_gather", 6, arguments,
                          (MlirType){NULL});
}

void pgopt_copy_columns(pgopt_emitter e, const pgopt_nest *nest,
                        const pgopt_places *at) {
  if (nest->plan->source == PGOPT_COLUMNS_PACKED || nest->is_preparing)
    copy_beside(e, nest, at->at[nest->plan->columns_operand]);
  else if (nest->plan->source == PGOPT_COLUMNS_GATHERED)
    gather_columns(e, nest, at);
}
