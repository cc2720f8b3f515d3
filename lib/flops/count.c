/// \file Counts any op: the choice of the rule, regions, calls and totals.
#include "base/checked_math.h"
#include "flops/count_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void pgopt_count_unknown(pgopt_count *count, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(count->unknown, sizeof count->unknown, format, arguments);
  va_end(arguments);
}

void pgopt_count_product(pgopt_count *count, int64_t repetitions, int64_t each,
                         bool contraction) {
  if (!pgopt_checked_multiply(repetitions, each, &count->operations)) {
    pgopt_count_unknown(count, "overflow");
    return;
  }
  count->contraction = contraction ? count->operations : 0;
}

void pgopt_count_elements(pgopt_count *count, const pgopt_type *type,
                          int64_t each) {
  int64_t elements;
  if (!each)
    return;
  if (!type->is_ranked && type->is_shaped) {
    pgopt_count_unknown(count, "dynamic extent");
    return;
  }
  for (size_t i = 0; i < type->rank; ++i)
    if (type->extents[i] == PGOPT_DYNAMIC) {
      pgopt_count_unknown(count, "dynamic extent");
      return;
    }
  if (pgopt_type_elements(type, &elements))
    pgopt_count_product(count, elements, each, false);
  else
    pgopt_count_unknown(count, "overflow");
}

const pgopt_type *pgopt_count_type(const pgopt_network *network, int value) {
  return value < 0 ? NULL : &network->values[value].type;
}

bool pgopt_op_is_counted(const pgopt_op *op) {
  switch (op->kind) {
  case PGOPT_OP_STRUCTURED:
  case PGOPT_OP_MOVE:
  case PGOPT_OP_REGION:
  case PGOPT_OP_TOSA:
  case PGOPT_OP_CALL:
  case PGOPT_OP_OPAQUE:
    return true;
  case PGOPT_OP_VIEW:
  case PGOPT_OP_CONSTANT:
  case PGOPT_OP_EMPTY:
  case PGOPT_OP_SCALAR:
  case PGOPT_OP_EFFECT:
  case PGOPT_OP_RETURN:
    return false;
  }
  return false;
}

/// Adds `part` to the operations; one that is unknown makes all unknown.
static void add_count(pgopt_count *count, const pgopt_count *part) {
  if (*count->unknown)
    return;
  if (*part->unknown)
    pgopt_count_unknown(count, "%s", part->unknown);
  else if (!pgopt_checked_add(count->operations, part->operations,
                              &count->operations))
    pgopt_count_unknown(count, "overflow");
  else /* a part of what did not overflow */
    count->contraction += part->contraction;
}

/// Adds the ops of a region, scalars included; the first unknown one makes all
/// unknown.
static void add_region(const pgopt_counter *counter, const pgopt_region *region,
                       pgopt_count *count) {
  for (size_t i = 0; i < region->op_count && !*count->unknown; ++i) {
    pgopt_count inner;
    pgopt_count_op(counter, &region->ops[i], &inner);
    add_count(count, &inner);
  }
}

static void repeat(pgopt_count *count, int64_t times) {
  if (*count->unknown)
    return;
  if (!pgopt_checked_multiply(count->operations, times, &count->operations))
    pgopt_count_unknown(count, "overflow");
  else
    count->contraction *= times;
}

/// Iterations of an scf.forall with constant bounds.
static bool forall_trips(const pgopt_op *op, int64_t *trips) {
  pgopt_integer_list low = pgopt_op_integers(op, "staticLowerBound"),
                     high = pgopt_op_integers(op, "staticUpperBound"),
                     step = pgopt_op_integers(op, "staticStep");
  *trips = 1;
  if (!high.count || low.count != high.count || step.count != high.count)
    return false;
  for (size_t i = 0; i < high.count; ++i) {
    int64_t span;
    if (low.values[i] == INT64_MIN || high.values[i] == INT64_MIN ||
        step.values[i] < 1 ||
        __builtin_sub_overflow(high.values[i], low.values[i], &span))
      return false; /* INT64_MIN stands for a bound that is a value */
    int64_t count =
        span <= 0 ? 0 : span / step.values[i] + (span % step.values[i] != 0);
    if (!pgopt_checked_multiply(*trips, count, trips))
      return false;
  }
  return true;
}

static void count_region(const pgopt_counter *counter, const pgopt_op *op,
                         pgopt_count *count) {
  int64_t trips = 1;
  if (!strcmp(op->name, "scf.if") || !strcmp(op->name, "scf.index_switch")) {
    pgopt_count_unknown(count, "branch");
    return;
  }
  if (!strcmp(op->name, "scf.for") && op->trip_count >= 0)
    trips = op->trip_count;
  else if (strcmp(op->name, "scf.execute_region") &&
           strcmp(op->name, "scf.forall.in_parallel") &&
           (strcmp(op->name, "scf.forall") || !forall_trips(op, &trips))) {
    pgopt_count_unknown(count, "loop");
    return;
  }
  for (size_t i = 0; i < op->region_count; ++i)
    add_region(counter, &op->regions[i], count);
  repeat(count, trips);
}

static bool starts_with(const char *text, const char *start) {
  return !strncmp(text, start, strlen(start));
}

/// Ops of other dialects: whole-tensor arithmetic, softmax, tensor.generate,
/// and single elements.
static void count_opaque(const pgopt_counter *counter, const pgopt_op *op,
                         pgopt_count *count) {
  const pgopt_type *result =
      op->result_count ? pgopt_count_type(counter->network, op->results[0])
                       : NULL;
  int64_t each;
  if (!strcmp(op->name, "linalg.softmax") && result) {
    /* maximum, difference, exponential, sum, quotient */
    pgopt_scalar_cost("math.exp", &each);
    pgopt_count_elements(count, result, each + 4);
  } else if (!strcmp(op->name, "tensor.generate") && result &&
             op->region_count == 1) {
    pgopt_count body = {0};
    add_region(counter, &op->regions[0], &body);
    if (*body.unknown)
      pgopt_count_unknown(count, "%s", body.unknown);
    else
      pgopt_count_elements(count, result, body.operations);
  } else if (pgopt_scalar_cost(op->name, &each)) {
    if (result)
      pgopt_count_elements(count, result, each);
  } else {
    pgopt_count_unknown(count, "no operation count for '%s'", op->name);
  }
}

/// One scalar; index arithmetic is not counted.
static void count_scalar(const pgopt_network *network, const pgopt_op *op,
                         pgopt_count *count) {
  const pgopt_type *first =
      op->operand_count ? pgopt_count_type(network, op->operands[0]) : NULL;
  const pgopt_type *result =
      op->result_count ? pgopt_count_type(network, op->results[0]) : NULL;
  if (starts_with(op->name, "index.") ||
      (result && result->element == PGOPT_INDEX) ||
      (first && first->element == PGOPT_INDEX))
    return;
  if (!pgopt_scalar_cost(op->name, &count->operations))
    pgopt_count_unknown(count, "no operation count for '%s'", op->name);
}

void pgopt_count_op(const pgopt_counter *counter, const pgopt_op *op,
                    pgopt_count *count) {
  *count = (pgopt_count){0};
  switch (op->kind) {
  case PGOPT_OP_STRUCTURED:
    pgopt_count_structured(counter->network, op, count);
    break;
  case PGOPT_OP_TOSA:
    pgopt_count_tosa(counter->network, op, count);
    break;
  case PGOPT_OP_REGION:
    /* Inside a region its terminator is of the same dialect. */
    if (op->region_count)
      count_region(counter, op, count);
    break;
  case PGOPT_OP_CALL:
    if (counter->callee)
      counter->callee(op, counter->user, count);
    else
      pgopt_count_unknown(count, "call");
    break;
  case PGOPT_OP_OPAQUE:
    count_opaque(counter, op, count);
    break;
  case PGOPT_OP_SCALAR:
    count_scalar(counter->network, op, count);
    break;
  case PGOPT_OP_MOVE:
  case PGOPT_OP_VIEW:
  case PGOPT_OP_CONSTANT:
  case PGOPT_OP_EMPTY:
  case PGOPT_OP_EFFECT:
  case PGOPT_OP_RETURN:
    break;
  }
  if (*count->unknown)
    count->operations = count->contraction = 0;
  count->bytes = pgopt_count_bytes(counter->network, op);
}

/// True for a contraction that does not take all of the inputs itself: one is
/// an image that zeros are put around.
static bool reads_padded(const pgopt_op *op, const int *inputs, size_t count) {
  if (!pgopt_op_is_contraction(op))
    return false;
  for (size_t i = 0; i < count; ++i) {
    bool takes = false;
    for (size_t k = 0; k < op->operand_count; ++k)
      takes |= op->operands[k] == inputs[i];
    for (size_t k = 0; k < op->capture_count; ++k)
      takes |= op->captures[k] == inputs[i];
    if (!takes)
      return true;
  }
  return false;
}

void pgopt_count_kernel(const pgopt_counter *counter, const int *members,
                        size_t member_count, const int *inputs,
                        size_t input_count, const int *outputs,
                        size_t output_count, pgopt_count *count) {
  *count = (pgopt_count){0};
  for (size_t i = 0; i < member_count; ++i) {
    pgopt_count one;
    pgopt_count_op(counter, &counter->network->ops[members[i]], &one);
    add_count(count, &one);
    count->bytes = one.bytes;
  }
  if (*count->unknown)
    count->operations = count->contraction = 0;
  if (member_count != 1 ||
      reads_padded(&counter->network->ops[members[0]], inputs, input_count))
    count->bytes = pgopt_count_value_bytes(counter->network, inputs,
                                           input_count, outputs, output_count);
}

void pgopt_total_add(pgopt_total *total, const pgopt_count *count) {
  ++total->counted;
  if (*count->unknown) {
    ++total->unknown;
    return;
  }
  if (total->overflow)
    return;
  /* A contraction's part never exceeds the whole. */
  if (!pgopt_checked_add(total->operations, count->operations,
                         &total->operations))
    total->overflow = true;
  else
    total->contraction += count->contraction;
}
