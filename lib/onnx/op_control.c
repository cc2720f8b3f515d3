/// \file If, Loop and Scan.
#include "onnx/op.h"
#include "onnx/operators.h"

#include <string.h>

/// Iterations that are written out one after the other, and values carried.
enum { MAX_ITERATIONS = 1024, MAX_VALUES = 256 };

/// Value of a BOOL or integer of one element that is known; -1: it is not.
static int known_flag(pgopt_onnx_op *op, int tensor) {
  const int64_t *value =
      tensor < 0 ? NULL : pgopt_tensors_read_integers(op->program, tensor);
  if (!value || pgopt_tensors_tensor(op->program, tensor)->count != 1)
    return -1;
  return value[0] != 0;
}

static void set_outputs(pgopt_onnx_op *op, int count, const int *tensors) {
  for (int i = 0; i < count; ++i)
    pgopt_onnx_output(op, i, tensors[i]);
}

void pgopt_onnx_lower_if(pgopt_onnx_op *op) {
  int condition = pgopt_onnx_input(op, 0), count, other;
  int *yields, *other_yields, results[MAX_VALUES] = {0};
  int known = known_flag(op, condition);
  if (condition < 0)
    return;
  if (known >= 0) {
    if (pgopt_onnx_subgraph(op, known ? "then_branch" : "else_branch", 0, NULL,
                            &count, &yields))
      set_outputs(op, count, yields);
    return;
  }
  if (pgopt_onnx_tensor(op, 0)->type != PGOPT_BOOL ||
      pgopt_onnx_tensor(op, 0)->count != 1) {
    pgopt_onnx_fail(op, PGOPT_INVALID, "its condition is not one BOOL");
    return;
  }
  int then_block = pgopt_tensors_block_begin(op->program);
  bool ok = pgopt_onnx_subgraph(op, "then_branch", 0, NULL, &count, &yields);
  pgopt_tensors_block_end(op->program, ok ? count : 0, yields);
  int else_block = pgopt_tensors_block_begin(op->program);
  ok = ok &&
       pgopt_onnx_subgraph(op, "else_branch", 0, NULL, &other, &other_yields);
  pgopt_tensors_block_end(op->program, ok ? other : 0,
                          ok ? other_yields : NULL);
  if (!ok)
    return;
  if (count != other || count != op->output_count || count > MAX_VALUES) {
    pgopt_onnx_fail(op, PGOPT_INVALID,
                    "its branches give %d and %d values, it has %d outputs",
                    count, other, op->output_count);
    return;
  }
  pgopt_tensors_if(op->program, condition, then_block, else_block, results);
  if (!pgopt_tensors_failed(op->program))
    set_outputs(op, count, results);
}

/// Joins a value of every iteration along a new first dimension.
static int join_iterations(pgopt_onnx_op *op, int64_t count, const int *tensors,
                           int64_t stride) {
  if (!count)
    return pgopt_onnx_fail(op, PGOPT_UNSUPPORTED,
                           "values of no iteration have no shape");
  int *parts =
      pgopt_arena_allocate(&op->program->arena, (size_t)count, sizeof *parts);
  for (int64_t i = 0; i < count; ++i) {
    const pgopt_tensor *t =
        pgopt_tensors_tensor(op->program, tensors[i * stride]);
    int64_t shape[PGOPT_MAX_TENSOR_RANK + 1] = {1};
    if (t->rank >= PGOPT_MAX_TENSOR_RANK)
      return pgopt_onnx_fail(op, PGOPT_OUT_OF_RANGE, "too many dimensions");
    memcpy(shape + 1, t->shape, (size_t)t->rank * sizeof *shape);
    parts[i] = pgopt_tensors_reshape(op->program, tensors[i * stride],
                                     t->rank + 1, shape);
  }
  return pgopt_tensors_concat(op->program, (int)count, parts, 0);
}

/// A loop whose trip count is known, unrolled.
void pgopt_onnx_lower_loop(pgopt_onnx_op *op) {
  pgopt_tensor_program *p = op->program;
  int carried = op->input_count - 2, scans = op->output_count - carried;
  int64_t trips = INT64_MAX, done = 0;
  int values[MAX_VALUES + 2];
  if (carried < 0 || scans < 0 || op->output_count > MAX_VALUES) {
    pgopt_onnx_fail(op, PGOPT_INVALID, "%d inputs and %d outputs",
                    op->input_count, op->output_count);
    return;
  }
  if (pgopt_onnx_has(op, 0)) {
    const int64_t *given = pgopt_tensors_read_integers(p, op->inputs[0]);
    if (!given) {
      pgopt_onnx_unknown(op, 0);
      return;
    }
    trips = given[0];
  }
  int condition = 1;
  if (pgopt_onnx_has(op, 1)) {
    condition = known_flag(op, op->inputs[1]);
    if (condition < 0) {
      pgopt_onnx_unknown(op, 1);
      return;
    }
  }
  for (int i = 0; i < carried; ++i)
    values[i] = pgopt_onnx_input(op, i + 2);
  int *gathered = pgopt_arena_allocate(
      &p->arena, (size_t)MAX_ITERATIONS * ((size_t)scans + 1),
      sizeof *gathered);
  while (condition && done < trips && !pgopt_tensors_failed(p)) {
    if (done == MAX_ITERATIONS) {
      pgopt_onnx_fail(op, PGOPT_UNSUPPORTED, "more than %d iterations",
                      MAX_ITERATIONS);
      return;
    }
    int arguments[MAX_VALUES + 2], count, *yields;
    arguments[0] = pgopt_tensors_splat(p, PGOPT_I64, 0, NULL,
                                       (pgopt_scalar_value){.i = done});
    arguments[1] = pgopt_tensors_splat(p, PGOPT_BOOL, 0, NULL,
                                       (pgopt_scalar_value){.i = 1});
    memcpy(arguments + 2, values, (size_t)carried * sizeof *values);
    if (!pgopt_onnx_subgraph(op, "body", carried + 2, arguments, &count,
                             &yields))
      return;
    if (count != 1 + carried + scans) {
      pgopt_onnx_fail(op, PGOPT_INVALID, "its body gives %d values", count);
      return;
    }
    condition = known_flag(op, yields[0]);
    if (condition < 0) {
      pgopt_onnx_fail(op, PGOPT_UNSUPPORTED,
                      "whether the loop goes on is not known at import");
      return;
    }
    memcpy(values, yields + 1, (size_t)carried * sizeof *values);
    for (int s = 0; s < scans; ++s)
      gathered[done * scans + s] = yields[1 + carried + s];
    ++done;
  }
  if (pgopt_tensors_failed(p))
    return;
  set_outputs(op, carried, values);
  for (int s = 0; s < scans; ++s)
    pgopt_onnx_output(op, carried + s,
                      join_iterations(op, done, gathered + s, scans));
}

/// Element `index` of an axis, without it.
static int pick(pgopt_onnx_op *op, int tensor, int axis, int64_t index) {
  const pgopt_tensor *t = pgopt_tensors_tensor(op->program, tensor);
  int64_t offsets[PGOPT_MAX_TENSOR_RANK] = {0}, sizes[PGOPT_MAX_TENSOR_RANK];
  int64_t strides[PGOPT_MAX_TENSOR_RANK], shape[PGOPT_MAX_TENSOR_RANK];
  int rank = 0;
  for (int d = 0; d < t->rank; ++d) {
    sizes[d] = d == axis ? 1 : t->shape[d];
    strides[d] = 1;
    if (d != axis)
      shape[rank++] = t->shape[d];
  }
  offsets[axis] = index;
  return pgopt_tensors_reshape(
      op->program,
      pgopt_tensors_slice(op->program, tensor, offsets, sizes, strides), rank,
      shape);
}

static int64_t entry_of(const pgopt_onnx_op *op, const char *name, int i) {
  size_t count;
  const int64_t *values = pgopt_onnx_ints(op, name, &count);
  return values && (size_t)i < count ? values[i] : 0;
}

void pgopt_onnx_lower_scan(pgopt_onnx_op *op) {
  pgopt_tensor_program *p = op->program;
  int64_t scanned = pgopt_onnx_int(op, "num_scan_inputs", 0);
  int inputs = scanned < 1 || scanned > op->input_count ? 0 : (int)scanned;
  int carried = op->input_count - inputs, scans = op->output_count - carried;
  int values[MAX_VALUES] = {0}, axes[MAX_VALUES] = {0};
  int64_t trips = -1;
  if (inputs < 1 || carried < 0 || scans < 0 || op->output_count > MAX_VALUES ||
      op->input_count > MAX_VALUES) {
    pgopt_onnx_fail(op, PGOPT_INVALID,
                    "%d inputs, %d of them scanned, and %d "
                    "outputs",
                    op->input_count, inputs, op->output_count);
    return;
  }
  for (int i = 0; i < op->input_count; ++i) {
    int tensor = pgopt_onnx_input(op, i);
    if (tensor < 0)
      return;
    if (i < carried) {
      values[i] = tensor;
      continue;
    }
    const pgopt_tensor *t = pgopt_tensors_tensor(p, tensor);
    int axis = pgopt_onnx_axis(op, entry_of(op, "scan_input_axes", i - carried),
                               t->rank);
    if (axis < 0)
      return;
    axes[i - carried] = axis;
    if (trips >= 0 && t->shape[axis] != trips) {
      pgopt_onnx_fail(op, PGOPT_INVALID, "scanned inputs differ in length");
      return;
    }
    trips = t->shape[axis];
  }
  if (trips > MAX_ITERATIONS) {
    pgopt_onnx_fail(op, PGOPT_UNSUPPORTED, "more than %d iterations",
                    MAX_ITERATIONS);
    return;
  }
  int *gathered = pgopt_arena_allocate(
      &p->arena, (size_t)trips * (size_t)scans + 1, sizeof *gathered);
  for (int64_t k = 0; k < trips; ++k) {
    int arguments[MAX_VALUES], count, *yields;
    memcpy(arguments, values, (size_t)carried * sizeof *values);
    for (int i = 0; i < inputs; ++i) {
      bool back = entry_of(op, "scan_input_directions", i);
      arguments[carried + i] =
          pick(op, op->inputs[carried + i], axes[i], back ? trips - 1 - k : k);
    }
    if (!pgopt_onnx_subgraph(op, "body", carried + inputs, arguments, &count,
                             &yields))
      return;
    if (count != carried + scans) {
      pgopt_onnx_fail(op, PGOPT_INVALID, "its body gives %d values", count);
      return;
    }
    memcpy(values, yields, (size_t)carried * sizeof *values);
    for (int s = 0; s < scans; ++s) {
      bool back = entry_of(op, "scan_output_directions", s);
      gathered[(back ? trips - 1 - k : k) * scans + s] = yields[carried + s];
    }
  }
  set_outputs(op, carried, values);
  for (int s = 0; s < scans; ++s) {
    if (entry_of(op, "scan_output_axes", s))
      pgopt_onnx_fail(op, PGOPT_UNSUPPORTED,
                      "scan_output_axes other than 0 are not supported");
    pgopt_onnx_output(op, carried + s,
                      join_iterations(op, trips, gathered + s, scans));
  }
}
