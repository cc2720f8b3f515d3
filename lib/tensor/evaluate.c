/// \file Constant folding: computes tensors that follow from constants, by a
/// plain interpreter of loop nests.
#include "tensor/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct frame {
  const pgopt_tensor_program *program;
  const pgopt_nest *nest;
  int64_t index[PGOPT_MAX_LOOPS];
  pgopt_scalar_value *values; ///< one a scalar of the body
  pgopt_scalar_value result;
} frame;

static pgopt_scalar_value read_element(const pgopt_tensor *tensor,
                                       int64_t index) {
  return pgopt_number_read(tensor->type, tensor->data,
                           tensor->is_splat ? 0 : index);
}

static pgopt_scalar_value read_operand(const frame *f,
                                       const pgopt_access *access) {
  const pgopt_tensor *tensor = f->program->tensors[access->tensor];
  int loops = f->nest->loops;
  int64_t offset = 0;
  for (int d = 0; d < access->rank; ++d) {
    const int64_t *row = access->rows + d * (loops + 1);
    int64_t at = row[loops];
    for (int l = 0; l < loops; ++l)
      at += row[l] * f->index[l];
    offset = offset * tensor->shape[d] + at;
  }
  return read_element(tensor, offset);
}

static pgopt_scalar_value load(const frame *f, const pgopt_scalar *scalar) {
  const pgopt_tensor *tensor = f->program->tensors[scalar->a];
  int64_t offset = 0;
  for (int d = 0; d < tensor->rank; ++d)
    offset = offset * tensor->shape[d] +
             f->values[f->nest->indices[scalar->indices + d]].i;
  return read_element(tensor, offset);
}

static double float_binary(pgopt_scalar_kind op, double a, double b) {
  switch (op) {
  case PGOPT_S_ADD:
    return a + b;
  case PGOPT_S_SUB:
    return a - b;
  case PGOPT_S_MUL:
    return a * b;
  case PGOPT_S_DIV:
    return a / b;
  case PGOPT_S_REM:
    return fmod(a, b);
  case PGOPT_S_MIN:
    return isnan(a) || isnan(b) ? NAN : a < b ? a : b;
  case PGOPT_S_MAX:
    return isnan(a) || isnan(b) ? NAN : a > b ? a : b;
  default:
    return pow(a, b);
  }
}

static int64_t integer_power(int64_t base, int64_t exponent) {
  if (exponent < 0)
    return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
  uint64_t result = 1, square = (uint64_t)base;
  for (; exponent; exponent /= 2, square *= square)
    if (exponent % 2)
      result *= square;
  return (int64_t)result;
}

static int64_t integer_divide(bool is_unsigned, bool remainder, int64_t a,
                              int64_t b) {
  if (!b)
    return 0;
  if (is_unsigned)
    return (int64_t)(remainder ? (uint64_t)a % (uint64_t)b
                               : (uint64_t)a / (uint64_t)b);
  if (b == -1)
    return remainder ? 0 : (int64_t)(0 - (uint64_t)a);
  return remainder ? a % b : a / b;
}

static int64_t integer_binary(pgopt_scalar_kind op, pgopt_number type,
                              int64_t a, int64_t b) {
  bool is_unsigned = pgopt_number_is_unsigned(type);
  bool less = is_unsigned ? (uint64_t)a < (uint64_t)b : a < b;
  bool fits = b >= 0 && b < pgopt_number_bits(type);
  switch (op) {
  case PGOPT_S_ADD:
    return (int64_t)((uint64_t)a + (uint64_t)b);
  case PGOPT_S_SUB:
    return (int64_t)((uint64_t)a - (uint64_t)b);
  case PGOPT_S_MUL:
    return (int64_t)((uint64_t)a * (uint64_t)b);
  case PGOPT_S_DIV:
    return integer_divide(is_unsigned, false, a, b);
  case PGOPT_S_REM:
    return integer_divide(is_unsigned, true, a, b);
  case PGOPT_S_MIN:
    return less ? a : b;
  case PGOPT_S_MAX:
    return less ? b : a;
  case PGOPT_S_AND:
    return a & b;
  case PGOPT_S_OR:
    return a | b;
  case PGOPT_S_XOR:
    return a ^ b;
  case PGOPT_S_SHIFT_LEFT:
    return fits ? (int64_t)((uint64_t)a << b) : 0;
  case PGOPT_S_SHIFT_RIGHT: {
    uint64_t bits = (uint64_t)a;
    if (pgopt_number_bits(type) < 64)
      bits &= (UINT64_C(1) << pgopt_number_bits(type)) - 1;
    return fits ? (int64_t)(bits >> b) : 0;
  }
  default:
    return integer_power(a, b);
  }
}

static bool compare(pgopt_scalar_kind op, pgopt_number type,
                    pgopt_scalar_value a, pgopt_scalar_value b) {
  bool equal = a.i == b.i, less = a.i<b.i, greater = a.i> b.i;
  if (pgopt_number_is_float(type)) {
    equal = a.f == b.f;
    less = a.f < b.f;
    greater = a.f > b.f;
  } else if (pgopt_number_is_unsigned(type)) {
    less = (uint64_t)a.i < (uint64_t)b.i;
    greater = (uint64_t)a.i > (uint64_t)b.i;
  }
  switch (op) {
  case PGOPT_S_EQ:
    return equal;
  case PGOPT_S_NE:
    return !equal;
  case PGOPT_S_LT:
    return less;
  case PGOPT_S_LE:
    return less || equal;
  case PGOPT_S_GT:
    return greater;
  default:
    return greater || equal;
  }
}

static double float_unary(pgopt_scalar_kind op, double a) {
  switch (op) {
  case PGOPT_S_NEG:
    return -a;
  case PGOPT_S_ABS:
    return fabs(a);
  case PGOPT_S_EXP:
    return exp(a);
  case PGOPT_S_LOG:
    return log(a);
  case PGOPT_S_LOG1P:
    return log1p(a);
  case PGOPT_S_SQRT:
    return sqrt(a);
  case PGOPT_S_SIN:
    return sin(a);
  case PGOPT_S_COS:
    return cos(a);
  case PGOPT_S_TAN:
    return tan(a);
  case PGOPT_S_ASIN:
    return asin(a);
  case PGOPT_S_ACOS:
    return acos(a);
  case PGOPT_S_ATAN:
    return atan(a);
  case PGOPT_S_SINH:
    return sinh(a);
  case PGOPT_S_COSH:
    return cosh(a);
  case PGOPT_S_TANH:
    return tanh(a);
  case PGOPT_S_ASINH:
    return asinh(a);
  case PGOPT_S_ACOSH:
    return acosh(a);
  case PGOPT_S_ATANH:
    return atanh(a);
  case PGOPT_S_ERF:
    return erf(a);
  case PGOPT_S_FLOOR:
    return floor(a);
  case PGOPT_S_CEIL:
    return ceil(a);
  default:
    return nearbyint(a);
  }
}

/// The value as the scalar's type holds it.
static pgopt_scalar_value settle(pgopt_number type, pgopt_scalar_value value) {
  if (type == PGOPT_F32)
    value.f = (float)value.f;
  else if (!pgopt_number_is_float(type) && type != PGOPT_BOOL)
    value = pgopt_number_cast(value, PGOPT_I64, type);
  return value;
}

static pgopt_scalar_value compute(const frame *f, const pgopt_scalar *s) {
  int arity = pgopt_scalar_arity(s->op);
  pgopt_scalar_value none = {0};
  pgopt_scalar_value a = arity > 0 ? f->values[s->a] : none;
  pgopt_scalar_value b = arity > 1 ? f->values[s->b] : none;
  pgopt_number type = arity ? f->nest->body[s->a].type : s->type;
  switch (s->op) {
  case PGOPT_S_CONSTANT:
    return s->value;
  case PGOPT_S_OPERAND:
    return read_operand(f, &f->nest->operands[s->a]);
  case PGOPT_S_INDEX:
    return (pgopt_scalar_value){.i = f->index[s->a]};
  case PGOPT_S_RESULT:
    return f->result;
  case PGOPT_S_LOAD:
    return load(f, s);
  case PGOPT_S_CAST:
    return pgopt_number_cast(a, type, s->type);
  case PGOPT_S_SELECT:
    return a.i ? b : f->values[s->c];
  default:
    break;
  }
  if (s->op >= PGOPT_S_EQ && s->op <= PGOPT_S_GE)
    return (pgopt_scalar_value){.i = compare(s->op, type, a, b)};
  pgopt_scalar_value r = {0};
  if (pgopt_number_is_float(type))
    r.f = arity == 2 ? float_binary(s->op, a.f, b.f) : float_unary(s->op, a.f);
  else if (arity == 2)
    r.i = integer_binary(s->op, type, a.i, b.i);
  else if (s->op == PGOPT_S_NEG ||
           (s->op == PGOPT_S_ABS && a.i < 0 && !pgopt_number_is_unsigned(type)))
    r.i = (int64_t)(0 - (uint64_t)a.i);
  else
    r.i = a.i;
  return settle(s->type, r);
}

/// Steps loops [first, last) like an odometer; false after the last point.
static bool step(frame *f, int first, int last) {
  for (int l = last - 1; l >= first; --l) {
    if (++f->index[l] < f->nest->extents[l])
      return true;
    f->index[l] = 0;
  }
  return false;
}

static pgopt_scalar_value evaluate_point(frame *f) {
  const pgopt_nest *nest = f->nest;
  pgopt_number computed = pgopt_number_computed(nest->type);
  f->result = nest->init;
  bool any = true;
  for (int l = nest->parallel; l < nest->loops; ++l)
    any &= nest->extents[l] > 0;
  if (any)
    do {
      for (int i = 0; i < nest->body_count; ++i)
        f->values[i] = compute(f, &nest->body[i]);
      f->result = f->values[nest->yield];
    } while (step(f, nest->parallel, nest->loops));
  return pgopt_number_cast(f->result, computed, nest->type);
}

/// One evaluation is enough: no reduction, and nothing depends on the loops.
static bool is_uniform(const pgopt_tensor_program *p, const pgopt_nest *nest) {
  if (nest->loops != nest->parallel)
    return false;
  for (int i = 0; i < nest->body_count; ++i)
    if (nest->body[i].op == PGOPT_S_INDEX || nest->body[i].op == PGOPT_S_LOAD)
      return false;
  for (int i = 0; i < nest->operand_count; ++i)
    if (!p->tensors[nest->operands[i].tensor]->is_splat)
      return false;
  return true;
}

static void evaluate_nest(pgopt_tensor_program *p, const pgopt_nest *nest,
                          pgopt_tensor *result) {
  frame f = {.program = p, .nest = nest};
  f.values = pgopt_allocate((size_t)nest->body_count, sizeof *f.values);
  result->is_splat = result->count > 1 && is_uniform(p, nest);
  int64_t bytes = pgopt_element_bytes(pgopt_number_element(result->type));
  int64_t count = result->is_splat ? 1 : result->count;
  void *data =
      pgopt_arena_allocate(&p->arena, (size_t)count + 1, (size_t)bytes);
  for (int64_t i = 0; i < count; ++i) {
    pgopt_number_write(result->type, data, i, evaluate_point(&f));
    step(&f, 0, nest->parallel);
  }
  result->data = data;
  free(f.values);
}

/// Copies a box: for every index of `shape`, the element at from_offset +
/// index * from_stride of `from` to to_offset + index of `to`.
static void copy_box(const pgopt_tensor *from, const int64_t *from_offset,
                     const int64_t *stride, char *data, const pgopt_tensor *to,
                     const int64_t *to_offset, const int64_t *shape) {
  size_t bytes = (size_t)pgopt_element_bytes(pgopt_number_element(from->type));
  int64_t index[PGOPT_MAX_TENSOR_RANK] = {0};
  for (int d = 0; d < from->rank; ++d)
    if (!shape[d])
      return;
  for (int d = 0; d >= 0;) {
    int64_t at = 0, destination = 0;
    for (int k = 0; k < from->rank; ++k) {
      at = at * from->shape[k] + from_offset[k] +
           index[k] * (stride ? stride[k] : 1);
      destination = destination * to->shape[k] + to_offset[k] + index[k];
    }
    memcpy(data + (size_t)destination * bytes,
           (const char *)from->data + (from->is_splat ? 0 : (size_t)at * bytes),
           bytes);
    for (d = from->rank - 1; d >= 0 && ++index[d] == shape[d]; --d)
      index[d] = 0;
  }
}

static void evaluate_move(pgopt_tensor_program *p, const pgopt_node *node,
                          pgopt_tensor *result) {
  static const int64_t zeros[PGOPT_MAX_TENSOR_RANK];
  const pgopt_tensor *from = p->tensors[node->operands[0]];
  if (node->kind == PGOPT_NODE_RESHAPE ||
      (node->kind == PGOPT_NODE_SLICE && from->is_splat)) {
    result->data = from->data;
    result->is_splat = from->is_splat;
    return;
  }
  int64_t bytes = pgopt_element_bytes(pgopt_number_element(result->type));
  char *data =
      pgopt_arena_allocate(&p->arena, (size_t)result->count + 1, (size_t)bytes);
  if (node->kind == PGOPT_NODE_SLICE) {
    copy_box(from, node->offsets, node->strides, data, result, zeros,
             result->shape);
  } else if (node->kind == PGOPT_NODE_PAD) {
    for (int64_t i = 0; i < result->count; ++i)
      pgopt_number_write(result->type, data, i, node->fill);
    copy_box(from, zeros, NULL, data, result, node->offsets, from->shape);
  } else {
    int64_t offset[PGOPT_MAX_TENSOR_RANK] = {0};
    for (int i = 0; i < node->operand_count; ++i) {
      const pgopt_tensor *part = p->tensors[node->operands[i]];
      copy_box(part, zeros, NULL, data, result, offset, part->shape);
      offset[node->axis] += part->shape[node->axis];
    }
  }
  result->data = data;
}

void pgopt_evaluate_node(pgopt_tensor_program *program,
                         const pgopt_node *node) {
  pgopt_tensor *result = program->tensors[node->results[0]];
  if (node->kind == PGOPT_NODE_NEST)
    evaluate_nest(program, node->nest, result);
  else
    evaluate_move(program, node, result);
}

double pgopt_node_work(const pgopt_tensor_program *program,
                       const pgopt_node *node) {
  const pgopt_tensor *result = program->tensors[node->results[0]];
  if (node->kind == PGOPT_NODE_RESHAPE)
    return 0;
  if (node->kind != PGOPT_NODE_NEST)
    return (double)result->count;
  bool splat = is_uniform(program, node->nest);
  double work = splat ? 1 : (double)result->count;
  for (int l = node->nest->parallel; l < node->nest->loops; ++l)
    work *= (double)node->nest->extents[l];
  return work * node->nest->body_count;
}
