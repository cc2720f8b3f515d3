/// \file What the operators' functions share.
#include "onnx/op.h"

#include <stdio.h>
#include <string.h>

int pgopt_onnx_fail(pgopt_onnx_op *op, pgopt_status status, const char *format,
                    ...) {
  char message[PGOPT_ERROR_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return pgopt_tensors_fail(op->program, status, "%s", message);
}

bool pgopt_onnx_has(const pgopt_onnx_op *op, int i) {
  return i < op->input_count && op->inputs[i] >= 0;
}

int pgopt_onnx_input(pgopt_onnx_op *op, int i) {
  if (pgopt_onnx_has(op, i))
    return op->inputs[i];
  return pgopt_onnx_fail(op, PGOPT_INVALID, "input %d is missing", i);
}

const pgopt_tensor *pgopt_onnx_tensor(pgopt_onnx_op *op, int i) {
  return pgopt_tensors_tensor(op->program, pgopt_onnx_input(op, i));
}

bool pgopt_onnx_wants(const pgopt_onnx_op *op, int i) {
  return i < op->output_count && op->node->output[i][0];
}

void pgopt_onnx_output(pgopt_onnx_op *op, int i, int tensor) {
  if (i < op->output_count)
    op->outputs[i] = tensor;
}

int pgopt_onnx_unknown(pgopt_onnx_op *op, int i) {
  pgopt_tensors_want(op->program, op->inputs[i]);
  if (!op->program->wanted_count)
    return pgopt_onnx_fail(
        op, PGOPT_UNSUPPORTED,
        "input %d ('%.100s') decides a shape, but its values "
        "cannot be computed at import",
        i, op->node->input[i]);
  const pgopt_tensor *input = pgopt_tensors_tensor(
      op->program, op->program->wanted[op->program->wanted_count - 1]);
  return pgopt_onnx_fail(
      op, PGOPT_UNSUPPORTED,
      "input %d ('%.60s') decides a shape and depends on the "
      "graph's input '%.60s': bind its values, --bind "
      "'%.60s=[NUMBER,...]'",
      i, op->node->input[i], input->name, input->name);
}

const int64_t *pgopt_onnx_integers(pgopt_onnx_op *op, int i, int64_t *count) {
  int tensor = pgopt_onnx_input(op, i);
  *count = 0;
  if (tensor < 0)
    return NULL;
  const int64_t *values = pgopt_tensors_read_integers(op->program, tensor);
  if (!values) {
    pgopt_onnx_unknown(op, i);
    return NULL;
  }
  *count = pgopt_tensors_tensor(op->program, tensor)->count;
  return values;
}

const double *pgopt_onnx_floats_of(pgopt_onnx_op *op, int i, int64_t *count) {
  int tensor = pgopt_onnx_input(op, i);
  *count = 0;
  if (tensor < 0)
    return NULL;
  const pgopt_tensor *t = pgopt_tensors_tensor(op->program, tensor);
  bool is_splat;
  const void *data = pgopt_tensors_data(op->program, tensor, &is_splat);
  if (!data || !pgopt_number_is_float(t->type) || t->count > 1 << 20) {
    pgopt_onnx_unknown(op, i);
    return NULL;
  }
  double *values = pgopt_arena_allocate(&op->program->arena,
                                        (size_t)t->count + 1, sizeof *values);
  for (int64_t k = 0; k < t->count; ++k)
    values[k] = pgopt_number_read(t->type, data, is_splat ? 0 : k).f;
  *count = t->count;
  return values;
}

const Pgopt__Onnx__Attribute *pgopt_onnx_attribute(const pgopt_onnx_op *op,
                                                   const char *name) {
  for (size_t i = 0; i < op->node->n_attribute; ++i)
    if (op->node->attribute[i]->name &&
        !strcmp(op->node->attribute[i]->name, name))
      return op->node->attribute[i];
  return NULL;
}

int64_t pgopt_onnx_int(const pgopt_onnx_op *op, const char *name,
                       int64_t otherwise) {
  const Pgopt__Onnx__Attribute *a = pgopt_onnx_attribute(op, name);
  return a ? a->i : otherwise;
}

double pgopt_onnx_float(const pgopt_onnx_op *op, const char *name,
                        double otherwise) {
  const Pgopt__Onnx__Attribute *a = pgopt_onnx_attribute(op, name);
  return a ? a->f : otherwise;
}

bool pgopt_onnx_is(const pgopt_onnx_op *op, const char *name, const char *text,
                   const char *otherwise) {
  const Pgopt__Onnx__Attribute *a = pgopt_onnx_attribute(op, name);
  if (!a)
    return !strcmp(text, otherwise);
  return a->s.len == strlen(text) && !memcmp(a->s.data, text, a->s.len);
}

const int64_t *pgopt_onnx_ints(const pgopt_onnx_op *op, const char *name,
                               size_t *count) {
  const Pgopt__Onnx__Attribute *a = pgopt_onnx_attribute(op, name);
  *count = a ? a->n_ints : 0;
  return a ? a->ints : NULL;
}

const int64_t *pgopt_onnx_list(pgopt_onnx_op *op, const char *name, int since,
                               int i, int64_t *count) {
  if (op->opset >= since) {
    *count = 0;
    return pgopt_onnx_has(op, i) ? pgopt_onnx_integers(op, i, count) : NULL;
  }
  size_t size;
  const int64_t *values = pgopt_onnx_ints(op, name, &size);
  *count = (int64_t)size;
  return values;
}

int pgopt_onnx_axis(pgopt_onnx_op *op, int64_t axis, int rank) {
  int64_t positive = axis < 0 ? axis + rank : axis;
  if (positive < 0 || positive >= rank)
    return pgopt_onnx_fail(op, PGOPT_INVALID,
                           "axis %lld of a tensor of %d dimensions",
                           (long long)axis, rank);
  return (int)positive;
}

bool pgopt_onnx_broadcast(pgopt_onnx_op *op, int count, const int *tensors,
                          int64_t *shape, int *rank) {
  *rank = 0;
  for (int i = 0; i < count; ++i) {
    if (tensors[i] < 0)
      return false;
    const pgopt_tensor *t = pgopt_tensors_tensor(op->program, tensors[i]);
    if (t->rank > *rank)
      *rank = t->rank;
  }
  for (int d = 0; d < *rank; ++d)
    shape[d] = 1;
  for (int i = 0; i < count; ++i) {
    const pgopt_tensor *t = pgopt_tensors_tensor(op->program, tensors[i]);
    for (int d = 0; d < t->rank; ++d) {
      int64_t *extent = &shape[*rank - t->rank + d];
      if (t->shape[d] == 1 || t->shape[d] == *extent)
        continue;
      if (*extent != 1) {
        pgopt_onnx_fail(op, PGOPT_INVALID,
                        "extents %lld and %lld cannot be broadcast",
                        (long long)*extent, (long long)t->shape[d]);
        return false;
      }
      *extent = t->shape[d];
    }
  }
  return true;
}

int pgopt_onnx_scalar(pgopt_onnx_op *op, pgopt_number type, double value) {
  return pgopt_tensors_splat(op->program, type, 0, NULL,
                             pgopt_number_of(value));
}

int pgopt_onnx_map(pgopt_onnx_op *op, int tensor, pgopt_number type,
                   int (*apply)(pgopt_nest_builder *n, int x,
                                const pgopt_onnx_op *op)) {
  if (tensor < 0)
    return -1;
  const pgopt_tensor *t = pgopt_tensors_tensor(op->program, tensor);
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, t->rank, t->shape, t->rank, type);
  return pgopt_nest_end(&n,
                        apply(&n, pgopt_nest_read_broadcast(&n, tensor), op));
}

int pgopt_onnx_binary(pgopt_onnx_op *op, pgopt_scalar_kind kind, int left,
                      int right) {
  int operands[] = {left, right}, rank;
  int64_t shape[PGOPT_MAX_TENSOR_RANK];
  if (!pgopt_onnx_broadcast(op, 2, operands, shape, &rank))
    return -1;
  pgopt_number type = pgopt_tensors_tensor(op->program, left)->type;
  if (kind >= PGOPT_S_EQ && kind <= PGOPT_S_GE)
    type = PGOPT_BOOL;
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, rank, shape, rank, type);
  int a = pgopt_nest_read_broadcast(&n, left);
  int b = pgopt_nest_read_broadcast(&n, right);
  return pgopt_nest_end(&n, pgopt_nest_scalar(&n, kind, a, b, -1));
}

int pgopt_onnx_reduce(pgopt_onnx_op *op, int tensor, const bool *axes,
                      bool keep, pgopt_scalar_kind combine) {
  if (tensor < 0)
    return -1;
  pgopt_tensor_program *p = op->program;
  const pgopt_tensor *t = pgopt_tensors_tensor(p, tensor);
  int loops[PGOPT_MAX_TENSOR_RANK], parallel = 0, rank = 0;
  int64_t extents[PGOPT_MAX_TENSOR_RANK], kept[PGOPT_MAX_TENSOR_RANK];
  for (int d = 0; d < t->rank; ++d) {
    if (axes[d] && keep)
      kept[rank++] = 1;
    if (axes[d])
      continue;
    kept[rank++] = t->shape[d];
    loops[d] = parallel;
    extents[parallel++] = t->shape[d];
  }
  int count = parallel;
  for (int d = 0; d < t->rank; ++d)
    if (axes[d]) {
      loops[d] = count;
      extents[count++] = t->shape[d];
    }
  pgopt_number computed = pgopt_number_computed(t->type);
  pgopt_scalar_value init = {0};
  if (combine == PGOPT_S_MUL)
    init = (pgopt_scalar_value){.f = 1, .i = 1};
  else if (combine == PGOPT_S_MAX)
    init = pgopt_number_is_float(computed)
               ? (pgopt_scalar_value){.f = -1.0 / 0.0}
               : pgopt_number_least(computed);
  else if (combine == PGOPT_S_MIN)
    init = pgopt_number_is_float(computed)
               ? (pgopt_scalar_value){.f = 1.0 / 0.0}
               : pgopt_number_greatest(computed);
  else if (combine == PGOPT_S_AND)
    init = (pgopt_scalar_value){.i = -1};
  if (count == parallel)
    return tensor;
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, p, count, extents, parallel, computed);
  int x = pgopt_nest_read_loops(&n, tensor, loops);
  int sum = pgopt_nest_scalar(&n, combine, pgopt_nest_init(&n, init), x, -1);
  int result = pgopt_tensors_cast(p, pgopt_nest_end(&n, sum), t->type);
  return keep ? pgopt_tensors_reshape(p, result, rank, kept) : result;
}
