/// \file RNN, GRU and LSTM, unrolled over their steps.
#include "onnx/op.h"
#include "onnx/operators.h"
#include "tensor/einsum.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/// Steps of a sequence that are written out one after the other.
enum { MAX_STEPS = 1024 };

typedef struct recurrent {
  pgopt_onnx_op *op;
  int gates; ///< 1, 3 or 4
  int64_t steps, batch, hidden;
  int lengths; ///< of sequences; -1: all are whole
  bool batch_first;
} recurrent;

/// One direction: its weights, and the state that it carries.
typedef struct direction {
  int weights, bias, recurrence, recurrence_bias, peephole; ///< -1: none
  int h, c;
  const char *activations[3];
} direction;

static int activate(pgopt_nest_builder *n, const char *name, int x,
                    pgopt_onnx_op *op) {
  if (!strcasecmp(name, "Tanh"))
    return s_tanh(n, x);
  if (!strcasecmp(name, "Relu"))
    return s_max(n, x, s_like(n, x, 0));
  if (!strcasecmp(name, "Sigmoid")) {
    int one = s_like(n, x, 1);
    return s_div(n, one, s_add(n, one, s_exp(n, s_neg(n, x))));
  }
  return pgopt_onnx_fail(op, PGOPT_UNSUPPORTED,
                         "the activation '%.40s' is not supported; Tanh, Relu "
                         "and Sigmoid are",
                         name);
}

/// Part `index` of `parts` along the last dimension of a tensor, or -1.
static int part(pgopt_onnx_op *op, int tensor, int64_t index, int64_t parts) {
  if (tensor < 0)
    return -1;
  const pgopt_tensor *t = pgopt_tensors_tensor(op->program, tensor);
  int64_t offsets[3] = {0}, sizes[3], strides[3] = {1, 1, 1};
  if (t->rank < 1 || t->rank > 3)
    return pgopt_onnx_fail(op, PGOPT_INVALID,
                           "biases or peepholes of %d dimensions", t->rank);
  for (int d = 0; d < t->rank; ++d)
    sizes[d] = t->shape[d];
  sizes[t->rank - 1] /= parts;
  offsets[t->rank - 1] = index * sizes[t->rank - 1];
  return pgopt_tensors_slice(op->program, tensor, offsets, sizes, strides);
}

/// Element `index` of the first dimension, without it.
static int pick(pgopt_onnx_op *op, int tensor, int64_t index) {
  if (tensor < 0)
    return -1;
  const pgopt_tensor *t = pgopt_tensors_tensor(op->program, tensor);
  int64_t offsets[4] = {index}, sizes[4] = {1}, strides[4] = {1, 1, 1, 1};
  if (t->rank < 1 || t->rank > 4)
    return pgopt_onnx_fail(op, PGOPT_INVALID, "an input has %d dimensions",
                           t->rank);
  for (int d = 1; d < t->rank; ++d)
    sizes[d] = t->shape[d];
  int slice = pgopt_tensors_slice(op->program, tensor, offsets, sizes, strides);
  return pgopt_tensors_reshape(op->program, slice, t->rank - 1, t->shape + 1);
}

static int add(pgopt_onnx_op *op, int a, int b) {
  if (a < 0 || b < 0)
    return a < 0 ? b : a;
  return pgopt_onnx_binary(op, PGOPT_S_ADD, a, b);
}

/// (batch, hidden) times the recurrence's rows of some gates.
static int recur(const recurrent *r, const direction *d, int state,
                 int64_t first, int64_t count) {
  int64_t offsets[] = {first * r->hidden, 0}, strides[] = {1, 1};
  int64_t sizes[] = {count * r->hidden, r->hidden};
  int operands[] = {state, pgopt_tensors_slice(r->op->program, d->recurrence,
                                               offsets, sizes, strides)};
  return pgopt_tensors_einsum(r->op->program, "bh,gh->bg", 2, operands);
}

/// New state where the sequence goes on, the old one where it has ended.
static int keep_ended(const recurrent *r, int64_t step, int fresh, int old) {
  if (r->lengths < 0 || fresh < 0 || old < 0)
    return fresh;
  const pgopt_tensor *t = pgopt_tensors_tensor(r->op->program, fresh);
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, r->op->program, 2, t->shape, 2, t->type);
  int loop = 0;
  int length = pgopt_nest_cast(&n, pgopt_nest_read_loops(&n, r->lengths, &loop),
                               PGOPT_I64);
  int value = pgopt_nest_read_broadcast(&n, fresh);
  int before = pgopt_nest_read_broadcast(&n, old);
  int goes_on = s_lt(&n, s_i64(&n, step), length);
  return pgopt_nest_end(&n, s_select(&n, goes_on, value, before));
}

/// A nest over (batch, hidden) that begins by reading some tensors.
static void begin(const recurrent *r, pgopt_nest_builder *n, int like,
                  int count, const int *tensors, int *scalars) {
  int64_t shape[] = {r->batch, r->hidden};
  pgopt_nest_begin(n, r->op->program, 2, shape, 2,
                   pgopt_tensors_tensor(r->op->program, like)->type);
  for (int i = 0; i < count; ++i)
    scalars[i] = tensors[i] < 0 ? -1 : pgopt_nest_read_broadcast(n, tensors[i]);
}

static int plus_peephole(pgopt_nest_builder *n, int gate, int peephole,
                         int cell) {
  return peephole < 0 ? gate : s_add(n, gate, s_mul(n, peephole, cell));
}

static void step_lstm(const recurrent *r, direction *d, int input,
                      int64_t step) {
  pgopt_onnx_op *op = r->op;
  int gates = add(op, input, recur(r, d, d->h, 0, 4));
  // Gates in the order input, output, forget, cell.
  int tensors[] = {part(op, gates, 0, 4),       part(op, gates, 2, 4),
                   part(op, gates, 3, 4),       d->c,
                   part(op, d->peephole, 0, 3), part(op, d->peephole, 2, 3)};
  int s[6];
  pgopt_nest_builder n;
  begin(r, &n, d->h, 6, tensors, s);
  int i =
      activate(&n, d->activations[0], plus_peephole(&n, s[0], s[4], s[3]), op);
  int f =
      activate(&n, d->activations[0], plus_peephole(&n, s[1], s[5], s[3]), op);
  int candidate = activate(&n, d->activations[1], s[2], op);
  int cell = pgopt_nest_end(
      &n, s_add(&n, s_mul(&n, f, s[3]), s_mul(&n, i, candidate)));
  int last[] = {part(op, gates, 1, 4), cell, part(op, d->peephole, 1, 3)};
  begin(r, &n, d->h, 3, last, s);
  int o =
      activate(&n, d->activations[0], plus_peephole(&n, s[0], s[2], s[1]), op);
  int h = pgopt_nest_end(
      &n, s_mul(&n, o, activate(&n, d->activations[2], s[1], op)));
  d->h = keep_ended(r, step, h, d->h);
  d->c = keep_ended(r, step, cell, d->c);
}

static void step_gru(const recurrent *r, direction *d, int input,
                     int64_t step) {
  pgopt_onnx_op *op = r->op;
  bool linear_first = pgopt_onnx_int(op, "linear_before_reset", 0);
  // Gates in the order update, reset, hidden.
  int gates = recur(r, d, d->h, 0, 2);
  int biases[] = {part(op, d->recurrence_bias, 0, 3),
                  part(op, d->recurrence_bias, 1, 3),
                  part(op, d->recurrence_bias, 2, 3)};
  int z =
      add(op, add(op, part(op, input, 0, 3), part(op, gates, 0, 2)), biases[0]);
  int reset =
      add(op, add(op, part(op, input, 1, 3), part(op, gates, 1, 2)), biases[1]);
  int s[4];
  pgopt_nest_builder n;
  int hidden;
  if (linear_first) {
    int product = add(op, recur(r, d, d->h, 2, 1), biases[2]);
    int tensors[] = {reset, product, part(op, input, 2, 3)};
    begin(r, &n, d->h, 3, tensors, s);
    int gate = activate(&n, d->activations[0], s[0], op);
    hidden = pgopt_nest_end(&n, activate(&n, d->activations[1],
                                         s_add(&n, s[2], s_mul(&n, gate, s[1])),
                                         op));
  } else {
    int tensors[] = {reset, d->h};
    begin(r, &n, d->h, 2, tensors, s);
    int gate = activate(&n, d->activations[0], s[0], op);
    int scaled = pgopt_nest_end(&n, s_mul(&n, gate, s[1]));
    int sum = add(op, add(op, part(op, input, 2, 3), recur(r, d, scaled, 2, 1)),
                  biases[2]);
    begin(r, &n, d->h, 1, &sum, s);
    hidden = pgopt_nest_end(&n, activate(&n, d->activations[1], s[0], op));
  }
  int tensors[] = {z, hidden, d->h};
  begin(r, &n, d->h, 3, tensors, s);
  int update = activate(&n, d->activations[0], s[0], op);
  int rest = s_sub(&n, s_like(&n, update, 1), update);
  int h = pgopt_nest_end(
      &n, s_add(&n, s_mul(&n, rest, s[1]), s_mul(&n, update, s[2])));
  d->h = keep_ended(r, step, h, d->h);
}

static void step_rnn(const recurrent *r, direction *d, int input,
                     int64_t step) {
  int sum = add(r->op, input, recur(r, d, d->h, 0, 1)), s;
  pgopt_nest_builder n;
  begin(r, &n, d->h, 1, &sum, &s);
  int h = pgopt_nest_end(&n, activate(&n, d->activations[0], s, r->op));
  d->h = keep_ended(r, step, h, d->h);
}

/// W x + Wb (+ Rb, which is added here where it is not scaled later) for all
/// steps: (steps, batch, gates * hidden).
static int project(const recurrent *r, const direction *d, int x) {
  pgopt_onnx_op *op = r->op;
  int operands[] = {x, d->weights};
  int gates = pgopt_tensors_einsum(op->program, "sbi,gi->sbg", 2, operands);
  int bias = d->bias;
  if (r->gates != 3)
    bias = add(op, bias, d->recurrence_bias);
  return add(op, gates, bias);
}

/// Runs one direction; its outputs (steps of (batch, hidden)) go to `all`.
static void run_direction(const recurrent *r, direction *d, int x,
                          bool backwards, int *all) {
  int gates = project(r, d, x);
  for (int64_t k = 0; k < r->steps && !pgopt_tensors_failed(r->op->program);
       ++k) {
    int64_t step = backwards ? r->steps - 1 - k : k;
    int input = pick(r->op, gates, step);
    if (r->gates == 4)
      step_lstm(r, d, input, step);
    else if (r->gates == 3)
      step_gru(r, d, input, step);
    else
      step_rnn(r, d, input, step);
    int64_t shape[] = {r->batch, r->hidden};
    int zero = r->lengths < 0
                   ? -1
                   : pgopt_tensors_splat(
                         r->op->program,
                         pgopt_tensors_tensor(r->op->program, d->h)->type, 2,
                         shape, (pgopt_scalar_value){0});
    all[step] = keep_ended(r, step, d->h, zero);
  }
}

static bool read_activations(pgopt_onnx_op *op, int which, int count,
                             const char **names) {
  static const char *const usual[] = {"Sigmoid", "Tanh", "Tanh"};
  const Pgopt__Onnx__Attribute *a = pgopt_onnx_attribute(op, "activations");
  for (int i = 0; i < count; ++i) {
    names[i] = count == 1 ? "Tanh" : usual[i];
    size_t at = (size_t)which * (size_t)count + (size_t)i;
    if (!a)
      continue;
    if (at >= a->n_strings)
      return pgopt_onnx_fail(op, PGOPT_INVALID, "too few activations") >= 0;
    names[i] =
        pgopt_arena_text(&op->program->arena, (const char *)a->strings[at].data,
                         a->strings[at].len);
  }
  return true;
}

/// The initial state of a direction: an input, or zeros.
static int initial(const recurrent *r, int i, int which, pgopt_number type) {
  int64_t shape[] = {r->batch, r->hidden};
  if (!pgopt_onnx_has(r->op, i))
    return pgopt_tensors_splat(r->op->program, type, 2, shape,
                               (pgopt_scalar_value){0});
  int state = r->op->inputs[i];
  static const int swap[] = {1, 0, 2};
  if (r->batch_first && pgopt_onnx_tensor(r->op, i)->rank == 3)
    state = pgopt_tensors_transpose(r->op->program, state, swap);
  return pgopt_tensors_reshape(r->op->program, pick(r->op, state, which), 2,
                               shape);
}

/// Joins `count` (batch, hidden) tensors as a new first dimension.
static int stack(const recurrent *r, int count, const int *tensors) {
  int64_t shape[] = {1, r->batch, r->hidden};
  int *parts = pgopt_arena_allocate(&r->op->program->arena, (size_t)count,
                                    sizeof *parts);
  for (int i = 0; i < count; ++i)
    parts[i] = pgopt_tensors_reshape(r->op->program, tensors[i], 3, shape);
  return pgopt_tensors_concat(r->op->program, count, parts, 0);
}

static void set_outputs(const recurrent *r, int directions, int *const *all,
                        const direction *d) {
  pgopt_onnx_op *op = r->op;
  static const int swap_steps[] = {1, 0, 2, 3};  // (dirs, steps, ...) to steps
  static const int batch_order[] = {2, 0, 1, 3}; // (batch, steps, dirs, ...)
  static const int swap_state[] = {1, 0, 2};
  int whole[2], h[2], c[2];
  int64_t shape[] = {1, r->steps, r->batch, r->hidden};
  for (int i = 0; i < directions; ++i) {
    whole[i] = pgopt_tensors_reshape(op->program,
                                     stack(r, (int)r->steps, all[i]), 4, shape);
    h[i] = d[i].h;
    c[i] = d[i].c;
  }
  int y = pgopt_tensors_concat(op->program, directions, whole, 0);
  y = pgopt_tensors_transpose(op->program, y, swap_steps);
  int last_h = stack(r, directions, h);
  int last_c = r->gates == 4 ? stack(r, directions, c) : -1;
  if (r->batch_first) {
    y = pgopt_tensors_transpose(op->program, y, batch_order);
    last_h = pgopt_tensors_transpose(op->program, last_h, swap_state);
    if (last_c >= 0)
      last_c = pgopt_tensors_transpose(op->program, last_c, swap_state);
  }
  pgopt_onnx_output(op, 0, y);
  pgopt_onnx_output(op, 1, last_h);
  if (r->gates == 4)
    pgopt_onnx_output(op, 2, last_c);
}

void pgopt_onnx_lower_recurrent(pgopt_onnx_op *op) {
  recurrent r = {.op = op, .gates = op->entry->detail, .lengths = -1};
  int x = pgopt_onnx_input(op, 0), weights = pgopt_onnx_input(op, 1);
  int recurrence = pgopt_onnx_input(op, 2);
  const pgopt_tensor *w = pgopt_onnx_tensor(op, 1);
  const pgopt_tensor *q = pgopt_onnx_tensor(op, 2);
  bool both = pgopt_onnx_is(op, "direction", "bidirectional", "forward");
  bool reverse = pgopt_onnx_is(op, "direction", "reverse", "forward");
  int directions = 1 + both;
  static const int swap[] = {1, 0, 2};
  r.batch_first = pgopt_onnx_int(op, "layout", 0);
  if (pgopt_tensors_failed(op->program))
    return;
  if (pgopt_onnx_tensor(op, 0)->rank != 3 || w->rank != 3 || q->rank != 3 ||
      w->shape[0] != directions || q->shape[0] != directions ||
      q->shape[1] != r.gates * q->shape[2] || w->shape[1] != q->shape[1]) {
    pgopt_onnx_fail(op, PGOPT_INVALID, "its weights have unexpected shapes");
    return;
  }
  if (pgopt_onnx_attribute(op, "clip") ||
      pgopt_onnx_int(op, "input_forget", 0)) {
    pgopt_onnx_fail(op, PGOPT_UNSUPPORTED,
                    "clip and input_forget are not supported");
    return;
  }
  if (r.batch_first)
    x = pgopt_tensors_transpose(op->program, x, swap);
  const pgopt_tensor *t = pgopt_tensors_tensor(op->program, x);
  r.steps = t->shape[0];
  r.batch = t->shape[1];
  r.hidden = q->shape[2];
  if (r.steps < 1 || r.steps > MAX_STEPS) {
    pgopt_onnx_fail(op, PGOPT_UNSUPPORTED, "%lld steps; 1 to %d are supported",
                    (long long)r.steps, MAX_STEPS);
    return;
  }
  if (pgopt_onnx_has(op, 4)) {
    r.lengths = op->inputs[4];
    if (pgopt_onnx_tensor(op, 4)->rank != 1) {
      pgopt_onnx_fail(op, PGOPT_INVALID, "the lengths are no vector");
      return;
    }
  }
  direction d[2];
  int *all[2];
  for (int i = 0; i < directions; ++i) {
    int bias = pgopt_onnx_has(op, 3) ? pick(op, op->inputs[3], i) : -1;
    int peephole =
        r.gates == 4 && pgopt_onnx_has(op, 7) ? pick(op, op->inputs[7], i) : -1;
    d[i] = (direction){.weights = pick(op, weights, i),
                       .recurrence = pick(op, recurrence, i),
                       .bias = part(op, bias, 0, 2),
                       .recurrence_bias = part(op, bias, 1, 2),
                       .peephole = peephole,
                       .h = initial(&r, 5, i, t->type),
                       .c = r.gates == 4 ? initial(&r, 6, i, t->type) : -1,
                       .activations = {"Tanh", "Tanh", "Tanh"}};
    int count = r.gates == 4 ? 3 : r.gates == 3 ? 2 : 1;
    all[i] = pgopt_arena_allocate(&op->program->arena, (size_t)r.steps,
                                  sizeof **all);
    if (!read_activations(op, i, count, d[i].activations))
      return;
    run_direction(&r, &d[i], x, reverse || i, all[i]);
  }
  if (!pgopt_tensors_failed(op->program))
    set_outputs(&r, directions, all, d);
}
