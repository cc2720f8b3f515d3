/// \file Sliding windows: attributes and extents.
#include "onnx/window.h"

#include <string.h>

/// Reads a list of `rank` numbers of at least `least`.
static bool read_list(pgopt_onnx_op *op, const char *name, int rank,
                      int64_t least, int64_t otherwise, int64_t *values) {
  size_t count;
  const int64_t *given = pgopt_onnx_ints(op, name, &count);
  if (given && count && count != (size_t)rank) {
    pgopt_onnx_fail(op, PGOPT_INVALID, "%s has %zu entries for %d dimensions",
                    name, count, rank);
    return false;
  }
  for (int d = 0; d < rank; ++d) {
    values[d] = given && count ? given[d] : otherwise;
    if (values[d] < least || values[d] > PGOPT_MOST_WINDOW) {
      pgopt_onnx_fail(op, PGOPT_INVALID, "%s has the entry %lld", name,
                      (long long)values[d]);
      return false;
    }
  }
  return true;
}

bool pgopt_onnx_read_window_lists(pgopt_onnx_op *op, const pgopt_tensor *input,
                                  const int64_t *kernel, pgopt_onnx_window *w) {
  *w = (pgopt_onnx_window){.rank = input->rank - 2};
  if (w->rank < 1 || w->rank > PGOPT_MAX_SPATIAL) {
    pgopt_onnx_fail(op, PGOPT_INVALID,
                    "its input has %d dimensions; 3 to %d are supported",
                    input->rank, PGOPT_MAX_SPATIAL + 2);
    return false;
  }
  memcpy(w->input, input->shape + 2, (size_t)w->rank * sizeof *w->input);
  if (kernel)
    memcpy(w->kernel, kernel, (size_t)w->rank * sizeof *kernel);
  else if (!read_list(op, "kernel_shape", w->rank, 1, 0, w->kernel))
    return false;
  int64_t pads[2 * PGOPT_MAX_SPATIAL];
  if (!read_list(op, "strides", w->rank, 1, 1, w->strides) ||
      !read_list(op, "dilations", w->rank, 1, 1, w->dilations) ||
      !read_list(op, "pads", 2 * w->rank, 0, 0, pads))
    return false;
  for (int d = 0; d < w->rank; ++d) {
    w->low[d] = pads[d];
    w->high[d] = pads[w->rank + d];
    if (w->kernel[d] < 1 || w->kernel[d] > PGOPT_MOST_WINDOW ||
        w->input[d] > INT64_C(1) << 38) {
      pgopt_onnx_fail(op, PGOPT_INVALID, "a window of extent %lld",
                      (long long)w->kernel[d]);
      return false;
    }
  }
  return true;
}

bool pgopt_onnx_read_window(pgopt_onnx_op *op, const pgopt_tensor *input,
                            const int64_t *kernel, pgopt_onnx_window *w) {
  if (!pgopt_onnx_read_window_lists(op, input, kernel, w))
    return false;
  bool upper = pgopt_onnx_is(op, "auto_pad", "SAME_UPPER", "NOTSET");
  bool lower = pgopt_onnx_is(op, "auto_pad", "SAME_LOWER", "NOTSET");
  bool valid = pgopt_onnx_is(op, "auto_pad", "VALID", "NOTSET");
  bool ceil_mode = pgopt_onnx_int(op, "ceil_mode", 0);
  for (int d = 0; d < w->rank; ++d) {
    int64_t reach = (w->kernel[d] - 1) * w->dilations[d] + 1;
    if (valid)
      w->low[d] = w->high[d] = 0;
    if (upper || lower) {
      int64_t outputs = (w->input[d] + w->strides[d] - 1) / w->strides[d];
      int64_t total = (outputs - 1) * w->strides[d] + reach - w->input[d];
      total = total < 0 ? 0 : total;
      w->low[d] = upper ? total / 2 : total - total / 2;
      w->high[d] = total - w->low[d];
    }
    w->stated_high[d] = w->high[d];
    int64_t span = w->input[d] + w->low[d] + w->high[d] - reach;
    if (span < 0) {
      pgopt_onnx_fail(op, PGOPT_INVALID,
                      "the window's reach %lld is larger than the padded "
                      "extent %lld",
                      (long long)reach, (long long)span + (long long)reach);
      return false;
    }
    w->output[d] = span / w->strides[d] + 1;
    if (ceil_mode && span % w->strides[d] &&
        w->output[d] * w->strides[d] < w->input[d] + w->low[d]) {
      ++w->output[d];
      w->high[d] =
          (w->output[d] - 1) * w->strides[d] + reach - w->input[d] - w->low[d];
    }
  }
  return true;
}

int pgopt_onnx_pad_window(pgopt_onnx_op *op, int tensor,
                          const pgopt_onnx_window *w, pgopt_scalar_value fill) {
  int64_t low[PGOPT_MAX_SPATIAL + 2] = {0}, high[PGOPT_MAX_SPATIAL + 2] = {0};
  for (int d = 0; d < w->rank; ++d) {
    low[d + 2] = w->low[d];
    high[d + 2] = w->high[d];
  }
  return pgopt_tensors_pad(op->program, tensor, low, high, fill);
}
