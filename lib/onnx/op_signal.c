/// \file Windows of signals: sums of cosines over a known number of samples.
#include "onnx/op.h"
#include "onnx/operators.h"

#include <math.h>
#include <string.h>

/// a0 - a1 cos(2 pi k / period) + a2 cos(4 pi k / period).
void pgopt_onnx_lower_window(pgopt_onnx_op *op) {
  static const struct {
    const char *name;
    double a[3];
  } windows[] = {{"HannWindow", {0.5, 0.5, 0}},
                 {"HammingWindow", {25.0 / 46, 21.0 / 46, 0}},
                 {"BlackmanWindow", {0.42, 0.5, 0.08}}};
  const double *a = windows[0].a;
  for (size_t i = 0; i < sizeof windows / sizeof *windows; ++i)
    if (!strcmp(op->entry->name, windows[i].name))
      a = windows[i].a;
  int64_t count;
  const int64_t *size = pgopt_onnx_integers(op, 0, &count);
  pgopt_number type;
  if (!size)
    return;
  if (count != 1 || size[0] < 0 || size[0] > 1 << 20 ||
      !pgopt_onnx_number((int)pgopt_onnx_int(op, "output_datatype", 1),
                         &type) ||
      !pgopt_number_is_float(type)) {
    pgopt_onnx_fail(op, PGOPT_UNSUPPORTED,
                    "only windows of floats, of one size up to 2^20, are "
                    "supported");
    return;
  }
  double period = (double)size[0];
  if (!pgopt_onnx_int(op, "periodic", 1))
    period -= 1;
  double step = period > 0 ? 2 * acos(-1) / period : 0;
  float *values = pgopt_arena_allocate(&op->program->arena, (size_t)size[0] + 1,
                                       sizeof *values);
  for (int64_t k = 0; k < size[0]; ++k) {
    double angle = step * (double)k;
    values[k] = (float)(a[0] - a[1] * cos(angle) + a[2] * cos(2 * angle));
  }
  int window = pgopt_tensors_constant(op->program, PGOPT_F32, 1, size, values,
                                      false, NULL);
  pgopt_onnx_output(op, 0, pgopt_tensors_cast(op->program, window, type));
}
