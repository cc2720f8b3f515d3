/// \file Counts ops with an iteration space and a scalar body: the size of the
/// space times the cost of the body.
#include "base/checked_math.h"
#include "flops/count_internal.h"

#include <string.h>

static bool operand_is_index(const pgopt_network *network, const pgopt_op *op,
                             pgopt_scalar_operand operand) {
  if (operand.source == PGOPT_FROM_BODY)
    return !strcmp(op->body[operand.number].type, "index");
  int value = operand.source == PGOPT_FROM_ARGUMENT
                  ? op->operands[operand.number]
                  : operand.number;
  const pgopt_type *type = pgopt_count_type(network, value);
  return type && type->element == PGOPT_INDEX;
}

/// Arithmetic that only finds out where to read is not counted.
static bool computes_an_index(const pgopt_network *network, const pgopt_op *op,
                              const pgopt_scalar_op *scalar) {
  return !strcmp(scalar->type, "index") ||
         !strncmp(scalar->name, "index.", 6) ||
         (!strcmp(scalar->name, "arith.cmpi") && scalar->operand_count &&
          operand_is_index(network, op, scalar->operands[0]));
}

static bool is_one_of(const char *name, const char *first, const char *second) {
  return !strcmp(name, first) || !strcmp(name, second);
}

static bool is_cast(const char *name) {
  static const char *const casts[] = {
      "arith.extf",   "arith.extsi",  "arith.extui", "arith.truncf",
      "arith.trunci", "arith.sitofp", "arith.uitofp"};
  for (size_t i = 0; i < sizeof casts / sizeof *casts; ++i)
    if (!strcmp(name, casts[i]))
      return true;
  return false;
}

static bool is_accumulator(const pgopt_op *op, pgopt_scalar_operand operand) {
  return operand.source == PGOPT_FROM_ARGUMENT &&
         operand.number >= (int)op->input_count;
}

/// A value that is the same at every point: a constant, a captured scalar or an
/// input without dimensions, through casts.
static bool is_uniform(const pgopt_op *op, pgopt_scalar_operand operand) {
  while (operand.source == PGOPT_FROM_BODY &&
         is_cast(op->body[operand.number].name))
    operand = op->body[operand.number].operands[0];
  if (operand.source == PGOPT_FROM_BODY)
    return !strcmp(op->body[operand.number].name, "arith.constant");
  return operand.source == PGOPT_FROM_OUTSIDE ||
         !op->maps[operand.number].result_count;
}

/// The input that a factor is, through casts and the subtraction of a zero
/// point; -1 when it is anything else.
static int factor_input(const pgopt_op *op, pgopt_scalar_operand operand) {
  while (operand.source == PGOPT_FROM_BODY) {
    const pgopt_scalar_op *scalar = &op->body[operand.number];
    bool shifted = is_one_of(scalar->name, "arith.subi", "arith.subf") &&
                   is_uniform(op, scalar->operands[1]);
    if (!shifted && !is_cast(scalar->name))
      return -1;
    operand = scalar->operands[0];
  }
  return operand.source == PGOPT_FROM_ARGUMENT && !is_accumulator(op, operand)
             ? operand.number
             : -1;
}

static bool multiplies_inputs(const pgopt_op *op, pgopt_scalar_operand a,
                              pgopt_scalar_operand b) {
  int first = factor_input(op, a), second = factor_input(op, b);
  return first >= 0 && second >= 0 && first != second;
}

/// What one point of a contraction spends on multiplying and accumulating, 0
/// when the op is none. Beyond `pgopt_op_is_contraction` it knows fused
/// multiply-adds and zero points, whose subtractions are not part of it.
static int64_t contraction_cost(const pgopt_op *op, int64_t body_cost) {
  if (pgopt_op_is_contraction(op))
    return body_cost;
  if (!pgopt_op_is_reduction(op) || op->operand_count - op->input_count != 1 ||
      op->yields[0].source != PGOPT_FROM_BODY)
    return 0;
  const pgopt_scalar_op *last = &op->body[op->yields[0].number];
  if (!strcmp(last->name, "math.fma"))
    return is_accumulator(op, last->operands[2]) &&
                   multiplies_inputs(op, last->operands[0], last->operands[1])
               ? 2
               : 0;
  if (!is_one_of(last->name, "arith.addf", "arith.addi"))
    return 0;
  bool first = is_accumulator(op, last->operands[0]);
  if (!first && !is_accumulator(op, last->operands[1]))
    return 0;
  pgopt_scalar_operand term = last->operands[first ? 1 : 0];
  while (term.source == PGOPT_FROM_BODY && is_cast(op->body[term.number].name))
    term = op->body[term.number].operands[0];
  if (term.source != PGOPT_FROM_BODY)
    return 0;
  const pgopt_scalar_op *product = &op->body[term.number];
  return is_one_of(product->name, "arith.mulf", "arith.muli") &&
                 multiplies_inputs(op, product->operands[0],
                                   product->operands[1])
             ? 2
             : 0;
}

void pgopt_count_structured(const pgopt_network *network, const pgopt_op *op,
                            pgopt_count *count) {
  int64_t body_cost = 0;
  for (size_t i = 0; i < op->body_count; ++i) {
    const pgopt_scalar_op *scalar = &op->body[i];
    int64_t cost;
    if (computes_an_index(network, op, scalar))
      continue;
    if (!pgopt_scalar_cost(scalar->name, &cost)) {
      if (!strcmp(scalar->name, "scf.if"))
        pgopt_count_unknown(count, "branch");
      else if (!strncmp(scalar->name, "scf.", 4))
        pgopt_count_unknown(count, "loop");
      else
        pgopt_count_unknown(count, "no operation count for '%s'", scalar->name);
      return;
    }
    body_cost += cost;
  }
  if (!body_cost)
    return;
  for (size_t i = 0; i < op->loop_count; ++i)
    if (op->loop_extents[i] == PGOPT_DYNAMIC) {
      pgopt_count_unknown(count, "dynamic extent");
      return;
    }
  int64_t points;
  if (!pgopt_checked_product(op->loop_extents, op->loop_count, &points)) {
    pgopt_count_unknown(count, "overflow");
    return;
  }
  pgopt_count_product(count, points, body_cost, false);
  if (!*count->unknown) /* smaller than the product that did not overflow */
    count->contraction = points * contraction_cost(op, body_cost);
}
