/// \file Counts TOSA ops by the table in tosa.def.
#include "base/checked_math.h"
#include "flops/count_internal.h"

#include <stdlib.h>
#include <string.h>

typedef enum rule {
  RULE_RESULT,
  RULE_INPUT,
  RULE_POOL,
  RULE_AVERAGE,
  RULE_CONVOLUTION,
  RULE_DEPTHWISE,
  RULE_TRANSPOSED,
  RULE_MATMUL,
  RULE_MULTIPLY,
  RULE_TABLE,
  RULE_RESIZE,
  RULE_BRANCH,
  RULE_LOOP,
} rule;

typedef struct tosa_row {
  const char *name;
  rule rule;
  const char *scalars;
} tosa_row;

static const tosa_row table[] = {
#define PGOPT_TOSA(name, rule, scalars) {name, RULE_##rule, scalars},
#include "flops/tosa.def"
#undef PGOPT_TOSA
};

/// Cost of the row's scalar operations; the table names only known ones, which
/// the unit test asserts.
static int64_t scalars_cost(const char *scalars) {
  int64_t total = 0;
  while (*scalars) {
    char name[64];
    size_t length = strcspn(scalars, " ");
    int64_t cost = 0;
    if (length < sizeof name) {
      memcpy(name, scalars, length);
      name[length] = 0;
      pgopt_scalar_cost(name, &cost);
    }
    total += cost;
    scalars += length + strspn(scalars + length, " ");
  }
  return total;
}

static const pgopt_type *operand_type(const pgopt_network *network,
                                      const pgopt_op *op, size_t number) {
  return number < op->operand_count
             ? pgopt_count_type(network, op->operands[number])
             : NULL;
}

/// True when the operand is absent or a constant of zeros: "dense<0>",
/// "dense<[0.0]>".
static bool is_zero(const pgopt_network *network, const pgopt_op *op,
                    size_t number) {
  if (number >= op->operand_count)
    return true;
  int value = op->operands[number];
  if (value < 0 || network->values[value].producer < 0)
    return false;
  const pgopt_op *producer = &network->ops[network->values[value].producer];
  const char *start = producer->kind == PGOPT_OP_CONSTANT
                          ? strstr(producer->attributes, "dense<")
                          : NULL;
  if (!start)
    return false;
  start += strlen("dense<");
  start += strspn(start, "[");
  char *end;
  double number_found = strtod(start, &end);
  return end != start && number_found == 0 && (*end == '>' || *end == ']');
}

/// Two operations a tap: product and sum; four when zero points have to be
/// subtracted. The bias is where the accumulator starts and costs nothing.
static void count_taps(const pgopt_network *network, const pgopt_op *op,
                       int64_t repetitions, const int64_t *extents,
                       size_t extent_count, size_t zero_point,
                       pgopt_count *count) {
  const pgopt_type *input = operand_type(network, op, 0);
  bool shifted = input->element == PGOPT_INTEGER &&
                 !(is_zero(network, op, zero_point) &&
                   is_zero(network, op, zero_point + 1));
  int64_t taps;
  for (size_t i = 0; i < extent_count; ++i)
    if (extents[i] == PGOPT_DYNAMIC) {
      pgopt_count_unknown(count, "dynamic extent");
      return;
    }
  if (!pgopt_checked_product(extents, extent_count, &taps) ||
      !pgopt_checked_multiply(taps, repetitions, &taps)) {
    pgopt_count_unknown(count, "overflow");
    return;
  }
  pgopt_count_product(count, taps, shifted ? 4 : 2, true);
  if (!*count->unknown)
    count->contraction = taps * 2;
}

/// Elements of the type; says why when they are not known.
static bool get_elements(const pgopt_type *type, int64_t *elements,
                         pgopt_count *count) {
  count->operations = 0;
  pgopt_count_elements(count, type, 1);
  *elements = count->operations;
  return !*count->unknown;
}

static void count_convolution(const pgopt_network *network, const pgopt_op *op,
                              rule formula, pgopt_count *count) {
  const pgopt_type *input = operand_type(network, op, 0);
  const pgopt_type *weight = operand_type(network, op, 1);
  const pgopt_type *result = pgopt_count_type(network, op->results[0]);
  int64_t repetitions;
  if (!weight || !weight->is_ranked || weight->rank < 3 || !input->is_ranked ||
      input->rank < 3) {
    pgopt_count_unknown(count, "dynamic extent");
    return;
  }
  /* Every input element of a transposed convolution meets the whole kernel;
     else every element of the result does. */
  if (!get_elements(formula == RULE_TRANSPOSED ? input : result, &repetitions,
                    count))
    return;
  switch (formula) {
  case RULE_MATMUL: /* [n, h, c] * [n, c, w] */
    count_taps(network, op, repetitions, input->extents + 2, 1, 2, count);
    break;
  case RULE_DEPTHWISE: /* [kh, kw, c, m] */
    count_taps(network, op, repetitions, weight->extents, 2, 3, count);
    break;
  case RULE_TRANSPOSED: /* [oc, kh, kw, ic], the input has ic already */
    count_taps(network, op, repetitions, weight->extents, weight->rank - 1, 3,
               count);
    break;
  default: /* [oc, (kd,) kh, kw, ic] */
    count_taps(network, op, repetitions, weight->extents + 1, weight->rank - 1,
               3, count);
    break;
  }
}

static void count_pool(const pgopt_op *op, const pgopt_type *result,
                       const tosa_row *row, pgopt_count *count) {
  pgopt_integer_list kernel = pgopt_op_integers(op, "kernel");
  int64_t each;
  if (!pgopt_checked_product(kernel.values, kernel.count, &each) ||
      !pgopt_checked_multiply(each, scalars_cost(row->scalars), &each) ||
      !pgopt_checked_add(each, row->rule == RULE_AVERAGE ? 1 : 0, &each)) {
    pgopt_count_unknown(count, "overflow");
    return;
  }
  pgopt_count_elements(count, result, each);
}

void pgopt_count_tosa(const pgopt_network *network, const pgopt_op *op,
                      pgopt_count *count) {
  const tosa_row *row = NULL;
  for (size_t i = 0; i < sizeof table / sizeof *table && !row; ++i)
    if (!strcmp(table[i].name, op->name))
      row = &table[i];
  if (!row) {
    pgopt_count_unknown(count, "no operation count for '%s'", op->name);
    return;
  }
  if (row->rule == RULE_BRANCH || row->rule == RULE_LOOP) {
    pgopt_count_unknown(count, row->rule == RULE_LOOP ? "loop" : "branch");
    return;
  }
  int64_t each = scalars_cost(row->scalars);
  const pgopt_type *result =
      op->result_count ? pgopt_count_type(network, op->results[0]) : NULL;
  const pgopt_type *input = operand_type(network, op, 0);
  if (!result)
    return; /* writes a variable */
  if (!input && row->rule != RULE_RESULT) {
    pgopt_count_unknown(count, "operand from outside the network");
    return;
  }
  switch (row->rule) {
  case RULE_RESULT:
    pgopt_count_elements(count, result, each);
    return;
  case RULE_INPUT:
    pgopt_count_elements(count, input, each);
    return;
  case RULE_POOL:
  case RULE_AVERAGE:
    count_pool(op, result, row, count);
    return;
  case RULE_MULTIPLY: /* an integer product with a shift is also rounded */
    if (input->element == PGOPT_INTEGER && !is_zero(network, op, 2))
      pgopt_scalar_cost("tosa.apply_scale", &each);
    pgopt_count_elements(count, result, each);
    return;
  case RULE_TABLE: /* 16-bit tables interpolate, 8-bit ones do not */
    pgopt_count_elements(count, result, input->element_bits > 8 ? each : 0);
    return;
  case RULE_RESIZE: /* three interpolations: 1-w, two products, a sum */
    pgopt_count_elements(count, result,
                         strstr(op->attributes, "BILINEAR") ? 12 : 0);
    return;
  default:
    count_convolution(network, op, row->rule, count);
    return;
  }
}
