/// \file Least bytes of an op: every operand read once, every result written
/// once, whatever the caches do (compulsory misses).
#include "base/checked_math.h"
#include "flops/count_internal.h"

#include <string.h>

/// Sum of bytes; -1 once a part is not known.
static void add_bytes(int64_t *sum, int64_t part) {
  if (*sum >= 0 && (part < 0 || !pgopt_checked_add(*sum, part, sum)))
    *sum = -1;
}

static int64_t value_bytes(const pgopt_network *network, int value) {
  const pgopt_type *type = pgopt_count_type(network, value);
  int64_t bytes;
  if (type && !type->is_shaped)
    return 0; /* a scalar stays in a register */
  return type && pgopt_type_bytes(type, &bytes) ? bytes : -1;
}

/// A structured op that yields a scalar everywhere, named linalg.fill or not.
static bool is_fill(const pgopt_network *network, const pgopt_op *op) {
  if (op->kind != PGOPT_OP_STRUCTURED || op->body_count ||
      op->operand_count - op->input_count != 1 ||
      op->yields[0].source == PGOPT_FROM_BODY)
    return false;
  int value = op->yields[0].source == PGOPT_FROM_OUTSIDE
                  ? op->yields[0].number
                  : op->operands[op->yields[0].number];
  const pgopt_type *type = pgopt_count_type(network, value);
  return type && !type->is_shaped;
}

/// A tensor that needs no reading: empty, or one number everywhere.
static bool is_uniform(const pgopt_network *network, int value) {
  while (value >= 0 && network->values[value].producer >= 0) {
    const pgopt_op *producer = &network->ops[network->values[value].producer];
    switch (producer->kind) {
    case PGOPT_OP_EMPTY:
      return true;
    case PGOPT_OP_CONSTANT:
      return producer->is_splat;
    case PGOPT_OP_VIEW:
      value = producer->operands[0];
      continue;
    default:
      return is_fill(network, producer) ||
             !strcmp(producer->name, "tensor.splat");
    }
  }
  return false;
}

static int64_t read_bytes(const pgopt_network *network, int value) {
  return is_uniform(network, value) ? 0 : value_bytes(network, value);
}

static bool appears_before(const int *values, size_t position) {
  for (size_t i = 0; i < position; ++i)
    if (values[i] == values[position])
      return true;
  return false;
}

static int64_t smaller(int64_t a, int64_t b) {
  return a < 0 ? b : b < 0 || a < b ? a : b;
}

static bool body_reads(const pgopt_op *op, int argument) {
  for (size_t i = 0; i < op->body_count; ++i)
    for (size_t k = 0; k < op->body[i].operand_count; ++k)
      if (op->body[i].operands[k].source == PGOPT_FROM_ARGUMENT &&
          op->body[i].operands[k].number == argument)
        return true;
  for (size_t i = 0; i < op->operand_count - op->input_count; ++i)
    if (op->yields[i].source == PGOPT_FROM_ARGUMENT &&
        op->yields[i].number == argument)
      return true;
  return false;
}

/// What tensor.extract reads of a captured tensor: one element a point, and
/// never more than there is.
static int64_t extracted_bytes(const pgopt_network *network, const pgopt_op *op,
                               int value) {
  const pgopt_type *type = pgopt_count_type(network, value);
  int64_t whole = read_bytes(network, value), points, part;
  if (!type || !type->is_shaped || !whole)
    return 0;
  for (size_t i = 0; i < op->loop_count; ++i)
    if (op->loop_extents[i] == PGOPT_DYNAMIC)
      return whole;
  if (!pgopt_checked_product(op->loop_extents, op->loop_count, &points) ||
      !pgopt_checked_multiply(points, (type->element_bits + 7) / 8, &part))
    return whole;
  return smaller(whole, part);
}

static int64_t structured_bytes(const pgopt_network *network,
                                const pgopt_op *op) {
  int64_t sum = 0;
  for (size_t i = 0; i < op->operand_count; ++i)
    if (!appears_before(op->operands, i) && body_reads(op, (int)i))
      add_bytes(&sum, read_bytes(network, op->operands[i]));
  for (size_t i = 0; i < op->capture_count; ++i)
    add_bytes(&sum, extracted_bytes(network, op, op->captures[i]));
  for (size_t i = 0; i < op->result_count; ++i)
    add_bytes(&sum, value_bytes(network, op->results[i]));
  /* On memrefs the inits are what is written. */
  for (size_t i = op->input_count; !op->result_count && i < op->operand_count;
       ++i)
    add_bytes(&sum, value_bytes(network, op->operands[i]));
  return sum;
}

/// Operands and captures once, results once.
static int64_t whole_bytes(const pgopt_network *network, const pgopt_op *op) {
  int64_t sum = 0;
  for (size_t i = 0; i < op->operand_count; ++i)
    if (!appears_before(op->operands, i))
      add_bytes(&sum, read_bytes(network, op->operands[i]));
  for (size_t i = 0; i < op->capture_count; ++i)
    add_bytes(&sum, read_bytes(network, op->captures[i]));
  for (size_t i = 0; i < op->result_count; ++i)
    add_bytes(&sum, value_bytes(network, op->results[i]));
  return sum;
}

int64_t pgopt_count_value_bytes(const pgopt_network *network, const int *inputs,
                                size_t input_count, const int *outputs,
                                size_t output_count) {
  int64_t sum = 0;
  for (size_t i = 0; i < input_count; ++i)
    add_bytes(&sum, read_bytes(network, inputs[i]));
  for (size_t i = 0; i < output_count; ++i)
    add_bytes(&sum, value_bytes(network, outputs[i]));
  return sum;
}

static bool is_one_of(const char *name, const char *const *names) {
  for (; *names; ++names)
    if (!strcmp(name, *names))
      return true;
  return false;
}

int64_t pgopt_count_bytes(const pgopt_network *network, const pgopt_op *op) {
  static const char *const selections[] = {"tensor.extract_slice", "tosa.slice",
                                           "tensor.gather", "tosa.gather",
                                           NULL};
  static const char *const insertions[] = {"tensor.insert_slice",
                                           "tensor.insert", NULL};
  if (op->kind == PGOPT_OP_VIEW || op->kind == PGOPT_OP_CONSTANT ||
      op->kind == PGOPT_OP_EMPTY)
    return 0;
  if (!strcmp(op->name, "tensor.extract")) {
    const pgopt_type *type = pgopt_count_type(network, op->results[0]);
    return (type->element_bits + 7) / 8;
  }
  if (op->kind == PGOPT_OP_STRUCTURED)
    return structured_bytes(network, op);
  if (!op->result_count || op->operand_count < 1)
    return whole_bytes(network, op);
  int64_t written = value_bytes(network, op->results[0]), sum = 0;
  if (is_one_of(op->name, selections)) {
    /* Reads what it selects; a gather also its indices. */
    add_bytes(&sum, smaller(read_bytes(network, op->operands[0]), written));
    if (strstr(op->name, "gather") && op->operand_count > 1)
      add_bytes(&sum, read_bytes(network, op->operands[1]));
    add_bytes(&sum, written);
    return sum;
  }
  if (is_one_of(op->name, insertions) && op->operand_count > 1) {
    /* Of the destination only what the source leaves is read. */
    int64_t source = value_bytes(network, op->operands[0]);
    add_bytes(&sum, read_bytes(network, op->operands[0]));
    if (!is_uniform(network, op->operands[1]))
      add_bytes(&sum, source < 0 ? -1 : written - source);
    add_bytes(&sum, written);
    return sum;
  }
  return whole_bytes(network, op);
}
