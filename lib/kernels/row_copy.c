/// \file The code that copies a row, or sets it, a few vectors a turn.
#include "kernels/row_copy.h"

static void copy_vectors(pgopt_emitter e, const pgopt_vectors *v,
                         const pgopt_row_copy *row, pgopt_position at,
                         int64_t count, MlirValue mask) {
  for (int64_t i = 0; i < count;
       ++i, at = pgopt_position_offset(at, v->lanes)) {
    MlirValue value =
        mlirValueIsNull(row->from)
            ? row->value
            : pgopt_vector_load(e, v, row->from,
                                pgopt_position_add(e, row->from_at, at), mask);
    pgopt_vector_store(e, v, row->to, pgopt_position_add(e, row->to_at, at),
                       mask, value);
  }
}

void pgopt_row_copy_emit(pgopt_emitter e, const pgopt_vectors *v,
                         const pgopt_row_copy *row) {
  const MlirValue all = {NULL};
  int64_t step = row->turn * v->lanes;
  int64_t whole = row->extent / v->lanes * v->lanes;
  int64_t main = row->extent / step * step;
  if (main) {
    pgopt_loop loop = pgopt_loop_open(e, pgopt_position_at(0),
                                      pgopt_position_at(main), step, 0, NULL);
    copy_vectors(loop.body, v, row, loop.variable, row->turn, all);
    pgopt_loop_close(&loop, NULL);
  }
  copy_vectors(e, v, row, pgopt_position_at(main), (whole - main) / v->lanes,
               all);
  // Elements that are written twice get the same value: no mask.
  if (whole < row->extent && whole)
    copy_vectors(e, v, row, pgopt_position_at(row->extent - v->lanes), 1, all);
  else if (whole < row->extent)
    copy_vectors(e, v, row, pgopt_position_at(0), 1,
                 pgopt_vector_mask(e, v, pgopt_position_at(row->extent)));
}

bool pgopt_row_copy_takes(int64_t turn, int64_t vectors) {
  return turn == 1 || turn == PGOPT_ROW_COPY_TURN ||
         (turn <= PGOPT_ROW_COPY_MAX_TURN && turn < vectors);
}
