/// \file Elementwise operators.
#include "onnx/op.h"
#include "onnx/operators.h"

#include <math.h>
#include <string.h>

/// The opset before which Add and others had `broadcast` and `axis`.
enum { NUMPY_BROADCAST = 7 };

/// The second operand of an old broadcast: its dimensions begin at `axis`.
static int align_operand(pgopt_onnx_op *op, int left, int right) {
  if (op->opset >= NUMPY_BROADCAST || left < 0 || right < 0 ||
      !pgopt_onnx_int(op, "broadcast", 0))
    return right;
  const pgopt_tensor *a = pgopt_tensors_tensor(op->program, left);
  const pgopt_tensor *b = pgopt_tensors_tensor(op->program, right);
  int64_t axis = pgopt_onnx_int(op, "axis", a->rank - b->rank);
  if (axis < 0)
    axis += a->rank;
  if (axis < 0 || axis > a->rank - b->rank)
    return pgopt_onnx_fail(op, PGOPT_INVALID, "axis %lld does not fit",
                           (long long)axis);
  int64_t shape[PGOPT_MAX_TENSOR_RANK];
  for (int d = 0; d < a->rank; ++d)
    shape[d] = d >= axis && d < axis + b->rank ? b->shape[d - axis] : 1;
  return pgopt_tensors_reshape(op->program, right, a->rank, shape);
}

void pgopt_onnx_lower_binary(pgopt_onnx_op *op) {
  int left = pgopt_onnx_input(op, 0);
  int right = align_operand(op, left, pgopt_onnx_input(op, 1));
  pgopt_onnx_output(
      op, 0,
      pgopt_onnx_binary(op, (pgopt_scalar_kind)op->entry->detail, left, right));
}

static int apply_detail(pgopt_nest_builder *n, int x, const pgopt_onnx_op *op) {
  return pgopt_nest_scalar(n, (pgopt_scalar_kind)op->entry->detail, x, -1, -1);
}

void pgopt_onnx_lower_unary(pgopt_onnx_op *op) {
  pgopt_onnx_output(op, 0,
                    pgopt_onnx_map(op, pgopt_onnx_input(op, 0),
                                   pgopt_onnx_tensor(op, 0)->type,
                                   apply_detail));
}

/// 1 / (1 + e^-x).
static int sigmoid(pgopt_nest_builder *n, int x) {
  int one = s_like(n, x, 1);
  return s_div(n, one, s_add(n, one, s_exp(n, s_neg(n, x))));
}

/// log(1 + e^x), without overflow for large x.
static int softplus(pgopt_nest_builder *n, int x) {
  int negative = s_neg(n, s_abs(n, x));
  return s_add(n, s_max(n, x, s_like(n, x, 0)), s_log1p(n, s_exp(n, negative)));
}

static int limit(pgopt_nest_builder *n, int x, double low, double high) {
  return s_min(n, s_max(n, x, s_like(n, x, low)), s_like(n, x, high));
}

/// x > 0 ? positive : negative.
static int by_sign(pgopt_nest_builder *n, int x, int positive, int negative) {
  return s_select(n, s_gt(n, x, s_like(n, x, 0)), positive, negative);
}

static int apply_activation(pgopt_nest_builder *n, int x,
                            const pgopt_onnx_op *op) {
  const char *name = op->entry->name;
  double alpha = pgopt_onnx_float(op, "alpha", NAN);
  double gamma = pgopt_onnx_float(op, "gamma", NAN);
#define ALPHA(otherwise) s_like(n, x, isnan(alpha) ? (otherwise) : alpha)
  int one = s_like(n, x, 1), zero = s_like(n, x, 0);
  if (!strcmp(name, "Relu"))
    return s_max(n, x, zero);
  if (!strcmp(name, "Sigmoid"))
    return sigmoid(n, x);
  if (!strcmp(name, "Reciprocal"))
    return s_div(n, one, x);
  if (!strcmp(name, "LeakyRelu"))
    return s_select(n, s_ge(n, x, zero), x, s_mul(n, x, ALPHA((float)0.01)));
  if (!strcmp(name, "Elu"))
    return by_sign(n, x, x, s_mul(n, ALPHA(1), s_sub(n, s_exp(n, x), one)));
  if (!strcmp(name, "Selu")) {
    bool old = op->opset < 6;
    int a = ALPHA(old ? 1.6732 : 1.67326319217681884765625);
    int scale = s_like(n, x,
                       !isnan(gamma) ? gamma
                       : old         ? 1.0507
                                     : 1.05070102214813232421875);
    return s_mul(n, scale,
                 by_sign(n, x, x, s_sub(n, s_mul(n, a, s_exp(n, x)), a)));
  }
  if (!strcmp(name, "Celu")) {
    int a = ALPHA(1);
    int bent = s_mul(n, a, s_sub(n, s_exp(n, s_div(n, x, a)), one));
    return s_add(n, s_max(n, x, zero), s_min(n, zero, bent));
  }
  if (!strcmp(name, "HardSigmoid"))
    return limit(n,
                 s_add(n, s_mul(n, x, ALPHA((float)0.2)),
                       s_like(n, x, pgopt_onnx_float(op, "beta", 0.5))),
                 0, 1);
  if (!strcmp(name, "HardSwish"))
    return s_mul(
        n, x,
        limit(n,
              s_add(n, s_mul(n, x, s_like(n, x, 1.0 / 6)), s_like(n, x, 0.5)),
              0, 1));
  if (!strcmp(name, "Softplus"))
    return softplus(n, x);
  if (!strcmp(name, "Softsign"))
    return s_div(n, x, s_add(n, one, s_abs(n, x)));
  if (!strcmp(name, "Mish"))
    return s_mul(n, x, s_tanh(n, softplus(n, x)));
  if (!strcmp(name, "ThresholdedRelu"))
    return s_select(n, s_gt(n, x, ALPHA(1)), x, zero);
  if (!strcmp(name, "Gelu")) {
    int half = s_mul(n, x, s_like(n, x, 0.5)), inner;
    if (pgopt_onnx_is(op, "approximate", "tanh", "none")) {
      int cube = s_mul(n, s_mul(n, x, x), s_mul(n, x, s_like(n, x, 0.044715)));
      inner = s_tanh(
          n, s_mul(n, s_add(n, x, cube), s_like(n, x, 0.79788456080286535588)));
    } else {
      inner = s_erf(n, s_mul(n, x, s_like(n, x, 0.70710678118654752440)));
    }
    return s_mul(n, half, s_add(n, one, inner));
  }
  // Shrink
  double lambd = pgopt_onnx_float(op, "lambd", 0.5);
  int bias = s_like(n, x, pgopt_onnx_float(op, "bias", 0));
  int low =
      s_select(n, s_lt(n, x, s_like(n, x, -lambd)), s_add(n, x, bias), zero);
  return s_select(n, s_gt(n, x, s_like(n, x, lambd)), s_sub(n, x, bias), low);
#undef ALPHA
}

void pgopt_onnx_lower_activation(pgopt_onnx_op *op) {
  pgopt_onnx_output(op, 0,
                    pgopt_onnx_map(op, pgopt_onnx_input(op, 0),
                                   pgopt_onnx_tensor(op, 0)->type,
                                   apply_activation));
}

static int apply_sign(pgopt_nest_builder *n, int x, const pgopt_onnx_op *op) {
  (void)op;
  int zero = s_like(n, x, 0);
  int below = s_select(n, s_lt(n, x, zero), s_like(n, x, -1), zero);
  return s_select(n, s_gt(n, x, zero), s_like(n, x, 1), below);
}

void pgopt_onnx_lower_sign(pgopt_onnx_op *op) {
  pgopt_onnx_output(op, 0,
                    pgopt_onnx_map(op, pgopt_onnx_input(op, 0),
                                   pgopt_onnx_tensor(op, 0)->type, apply_sign));
}

static int apply_not(pgopt_nest_builder *n, int x, const pgopt_onnx_op *op) {
  (void)op;
  return s_xor(n, x,
               s_like(n, x, pgopt_nest_type(n, x) == PGOPT_BOOL ? 1 : -1));
}

void pgopt_onnx_lower_not(pgopt_onnx_op *op) {
  pgopt_onnx_output(op, 0,
                    pgopt_onnx_map(op, pgopt_onnx_input(op, 0),
                                   pgopt_onnx_tensor(op, 0)->type, apply_not));
}

static int apply_is_nan(pgopt_nest_builder *n, int x, const pgopt_onnx_op *op) {
  (void)op;
  return s_ne(n, x, x);
}

static int apply_is_inf(pgopt_nest_builder *n, int x, const pgopt_onnx_op *op) {
  int positive = s_eq(n, x, s_like(n, x, INFINITY));
  int negative = s_eq(n, x, s_like(n, x, -INFINITY));
  bool up = pgopt_onnx_int(op, "detect_positive", 1);
  bool down = pgopt_onnx_int(op, "detect_negative", 1);
  if (up && down)
    return s_or(n, positive, negative);
  return up ? positive : down ? negative : s_and(n, positive, negative);
}

void pgopt_onnx_lower_is(pgopt_onnx_op *op) {
  bool nan = !strcmp(op->entry->name, "IsNaN");
  if (!pgopt_number_is_float(pgopt_onnx_tensor(op, 0)->type)) {
    pgopt_onnx_fail(op, PGOPT_INVALID, "its input is not a float tensor");
    return;
  }
  pgopt_onnx_output(op, 0,
                    pgopt_onnx_map(op, pgopt_onnx_input(op, 0), PGOPT_BOOL,
                                   nan ? apply_is_nan : apply_is_inf));
}

void pgopt_onnx_lower_identity(pgopt_onnx_op *op) {
  pgopt_onnx_output(op, 0, pgopt_onnx_input(op, 0));
}

void pgopt_onnx_lower_cast(pgopt_onnx_op *op) {
  pgopt_number type;
  const pgopt_tensor *like = NULL;
  if (!strcmp(op->entry->name, "CastLike"))
    like = pgopt_onnx_tensor(op, 1);
  int64_t to = pgopt_onnx_int(op, "to", 0);
  if (like) {
    type = like->type;
  } else if (to > 64 || !pgopt_onnx_number((int)to, &type)) {
    pgopt_onnx_fail(op, PGOPT_UNSUPPORTED, "a cast to %s is not supported",
                    pgopt_onnx_type_name((int)to));
    return;
  }
  pgopt_onnx_output(
      op, 0, pgopt_tensors_cast(op->program, pgopt_onnx_input(op, 0), type));
}

/// Min, Max, Sum, Mean of any number of operands.
void pgopt_onnx_lower_variadic(pgopt_onnx_op *op) {
  int64_t shape[PGOPT_MAX_TENSOR_RANK];
  int rank;
  pgopt_number type = pgopt_onnx_tensor(op, 0)->type;
  for (int i = 0; i < op->input_count; ++i)
    pgopt_onnx_input(op, i);
  if (pgopt_tensors_failed(op->program) ||
      !pgopt_onnx_broadcast(op, op->input_count, op->inputs, shape, &rank))
    return;
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, rank, shape, rank, type);
  int value = pgopt_nest_read_broadcast(&n, op->inputs[0]);
  for (int i = 1; i < op->input_count; ++i)
    value = pgopt_nest_scalar(&n, (pgopt_scalar_kind)op->entry->detail, value,
                              pgopt_nest_read_broadcast(&n, op->inputs[i]), -1);
  if (!strcmp(op->entry->name, "Mean"))
    value = s_div(&n, value, s_like(&n, value, op->input_count));
  pgopt_onnx_output(op, 0, pgopt_nest_end(&n, value));
}

void pgopt_onnx_lower_clip(pgopt_onnx_op *op) {
  int x = pgopt_onnx_input(op, 0);
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, t->rank, t->shape, t->rank, t->type);
  int value = pgopt_nest_read_broadcast(&n, x);
  for (int i = 1; i <= 2; ++i) {
    pgopt_scalar_kind kind = i == 1 ? PGOPT_S_MAX : PGOPT_S_MIN;
    if (op->opset < 11) {
      const char *name = i == 1 ? "min" : "max";
      if (pgopt_onnx_attribute(op, name))
        value = pgopt_nest_scalar(
            &n, kind, value, s_like(&n, value, pgopt_onnx_float(op, name, 0)),
            -1);
    } else if (pgopt_onnx_has(op, i)) {
      // A bound that is known becomes a constant of the expression.
      int bound = op->inputs[i];
      bool splat;
      const void *data = pgopt_tensors_data(op->program, bound, &splat);
      const pgopt_tensor *b = pgopt_tensors_tensor(op->program, bound);
      int scalar =
          data && b->count == 1
              ? pgopt_nest_constant(&n, pgopt_number_computed(b->type),
                                    pgopt_number_read(b->type, data, 0))
              : pgopt_nest_read_broadcast(&n, bound);
      value = pgopt_nest_scalar(&n, kind, value, scalar, -1);
    }
  }
  pgopt_onnx_output(op, 0, pgopt_nest_end(&n, value));
}

/// The type Pow, BitShift and PRelu give is that of the first operand.
void pgopt_onnx_lower_pow(pgopt_onnx_op *op) {
  int left = pgopt_onnx_input(op, 0);
  int right = align_operand(op, left, pgopt_onnx_input(op, 1));
  int operands[] = {left, right}, rank;
  int64_t shape[PGOPT_MAX_TENSOR_RANK];
  if (!pgopt_onnx_broadcast(op, 2, operands, shape, &rank))
    return;
  pgopt_number base = pgopt_tensors_tensor(op->program, left)->type;
  pgopt_number exponent = pgopt_tensors_tensor(op->program, right)->type;
  bool splat;
  const void *data = pgopt_tensors_data(op->program, right, &splat);
  double known = NAN;
  const pgopt_tensor *e = pgopt_tensors_tensor(op->program, right);
  if (data && e->count == 1)
    known = pgopt_number_cast(pgopt_number_read(exponent, data, 0), exponent,
                              PGOPT_F64)
                .f;
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, rank, shape, rank, base);
  int x = pgopt_nest_read_broadcast(&n, left), result;
  bool floats = pgopt_number_is_float(base);
  if (known == 2) {
    result = s_mul(&n, x, x);
  } else if (known == 0.5 && floats) {
    result = s_sqrt(&n, x);
  } else if (known == 3) {
    result = s_mul(&n, s_mul(&n, x, x), x);
  } else {
    int y = pgopt_nest_read_broadcast(&n, right);
    // Integer powers are computed in f64: exact up to 2^53.
    pgopt_number wide = floats ? base : PGOPT_F64;
    result =
        s_pow(&n, pgopt_nest_cast(&n, x, wide), pgopt_nest_cast(&n, y, wide));
  }
  pgopt_onnx_output(op, 0, pgopt_nest_end(&n, result));
}

void pgopt_onnx_lower_mod(pgopt_onnx_op *op) {
  int operands[] = {pgopt_onnx_input(op, 0), pgopt_onnx_input(op, 1)}, rank;
  int64_t shape[PGOPT_MAX_TENSOR_RANK];
  if (!pgopt_onnx_broadcast(op, 2, operands, shape, &rank))
    return;
  pgopt_number type = pgopt_onnx_tensor(op, 0)->type;
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, rank, shape, rank, type);
  int a = pgopt_nest_read_broadcast(&n, operands[0]);
  int b = pgopt_nest_read_broadcast(&n, operands[1]);
  int r = s_rem(&n, a, b);
  // fmod=1 keeps the dividend's sign, otherwise the divisor's is taken.
  if (!pgopt_onnx_int(op, "fmod", 0)) {
    int zero = s_like(&n, r, 0);
    int differs = s_ne(&n, s_lt(&n, r, zero), s_lt(&n, b, zero));
    int wrong = s_and(&n, s_ne(&n, r, zero), differs);
    r = s_select(&n, wrong, s_add(&n, r, b), r);
  }
  pgopt_onnx_output(op, 0, pgopt_nest_end(&n, r));
}

void pgopt_onnx_lower_bit_shift(pgopt_onnx_op *op) {
  bool left = pgopt_onnx_is(op, "direction", "LEFT", "");
  pgopt_onnx_output(
      op, 0,
      pgopt_onnx_binary(op, left ? PGOPT_S_SHIFT_LEFT : PGOPT_S_SHIFT_RIGHT,
                        pgopt_onnx_input(op, 0), pgopt_onnx_input(op, 1)));
}

void pgopt_onnx_lower_where(pgopt_onnx_op *op) {
  int operands[3], rank;
  int64_t shape[PGOPT_MAX_TENSOR_RANK];
  for (int i = 0; i < 3; ++i)
    operands[i] = pgopt_onnx_input(op, i);
  if (!pgopt_onnx_broadcast(op, 3, operands, shape, &rank))
    return;
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, rank, shape, rank,
                   pgopt_onnx_tensor(op, 1)->type);
  int scalars[3];
  for (int i = 0; i < 3; ++i)
    scalars[i] = pgopt_nest_read_broadcast(&n, operands[i]);
  pgopt_onnx_output(
      op, 0,
      pgopt_nest_end(&n, s_select(&n, scalars[0], scalars[1], scalars[2])));
}

void pgopt_onnx_lower_prelu(pgopt_onnx_op *op) {
  int x = pgopt_onnx_input(op, 0), slope = pgopt_onnx_input(op, 1);
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  const pgopt_tensor *s = pgopt_onnx_tensor(op, 1);
  // Before opset 7 a slope of rank 1 is one a channel.
  if (s->rank == 1 && op->opset < 7 && t->rank > 1) {
    int64_t shape[PGOPT_MAX_TENSOR_RANK];
    for (int d = 0; d < t->rank; ++d)
      shape[d] = d == 1 ? s->count : 1;
    slope = pgopt_tensors_reshape(op->program, slope, t->rank, shape);
  }
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, op->program, t->rank, t->shape, t->rank, t->type);
  int value = pgopt_nest_read_broadcast(&n, x);
  int scaled = s_mul(&n, value, pgopt_nest_read_broadcast(&n, slope));
  int is_low = s_lt(&n, value, s_like(&n, value, 0));
  pgopt_onnx_output(op, 0,
                    pgopt_nest_end(&n, s_select(&n, is_low, scaled, value)));
}

/// Inference: the input; the mask, when asked for, is all true.
void pgopt_onnx_lower_dropout(pgopt_onnx_op *op) {
  int x = pgopt_onnx_input(op, 0);
  const pgopt_tensor *t = pgopt_onnx_tensor(op, 0);
  if (op->opset >= 12 && pgopt_onnx_has(op, 2)) {
    int64_t count;
    const int64_t *training = pgopt_onnx_integers(op, 2, &count);
    double ratio = 0.5;
    if (training && count == 1 && training[0]) {
      int64_t ratios;
      const double *given =
          pgopt_onnx_has(op, 1) ? pgopt_onnx_floats_of(op, 1, &ratios) : NULL;
      if (given && ratios == 1)
        ratio = given[0];
      if (ratio != 0)
        pgopt_onnx_fail(op, PGOPT_UNSUPPORTED,
                        "dropout in training mode is random");
    }
  }
  pgopt_onnx_output(op, 0, x);
  if (pgopt_onnx_wants(op, 1)) {
    pgopt_number mask = op->opset < 10 ? t->type : PGOPT_BOOL;
    pgopt_onnx_output(
        op, 1,
        pgopt_tensors_splat(op->program, mask, t->rank, t->shape,
                            (pgopt_scalar_value){.f = 1, .i = 1}));
  }
}
