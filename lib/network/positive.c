#include "network/positive.h"

#include <stdlib.h>
#include <string.h>

static bool is_one_of(const char *name, const char *const *names) {
  for (; *names; ++names)
    if (!strcmp(name, *names))
      return true;
  return false;
}

/// Functions whose first operand must not be negative.
static bool needs_positive(const char *name) {
  static const char *const names[] = {
      "math.sqrt",  "math.rsqrt",   "math.log", "math.log2", "math.log10",
      "math.powf",  "tosa.rsqrt",   "tosa.log", "tosa.pow",  "linalg.sqrt",
      "linalg.log", "linalg.rsqrt", NULL};
  return is_one_of(name, names);
}

/// Positive operands make a positive result, and nothing else is sure to.
static bool passes_on(const char *name) {
  static const char *const names[] = {"arith.addf",
                                      "arith.extf",
                                      "arith.truncf",
                                      "arith.maximumf",
                                      "arith.maxnumf",
                                      "tosa.add",
                                      "tosa.cast",
                                      "tosa.maximum",
                                      "linalg.add",
                                      "linalg.max",
                                      NULL};
  return is_one_of(name, names);
}

typedef struct marks {
  const pgopt_network *network;
  bool *is_marked; ///< per value
} marks;

static void mark(marks *m, int value) {
  if (value >= 0)
    m->is_marked[value] = true;
}

/// Follows a scalar of a body back to the operands it comes from.
static void mark_scalar(marks *m, const pgopt_op *op,
                        pgopt_scalar_operand scalar) {
  switch (scalar.source) {
  case PGOPT_FROM_OUTSIDE:
    mark(m, scalar.number);
    break;
  case PGOPT_FROM_ARGUMENT:
    mark(m, op->operands[scalar.number]);
    break;
  case PGOPT_FROM_BODY: {
    const pgopt_scalar_op *body = &op->body[scalar.number];
    for (size_t i = 0; i < body->operand_count && passes_on(body->name); ++i)
      mark_scalar(m, op, body->operands[i]);
    break;
  }
  }
}

static void mark_body(marks *m, const pgopt_op *op) {
  for (size_t i = 0; i < op->body_count; ++i)
    if (needs_positive(op->body[i].name) && op->body[i].operand_count)
      mark_scalar(m, op, op->body[i].operands[0]);
  for (size_t r = 0; r < op->result_count; ++r)
    if (m->is_marked[op->results[r]] && pgopt_op_is_elementwise(op))
      mark_scalar(m, op, op->yields[r]);
}

void pgopt_find_positive_arguments(const pgopt_network *network,
                                   bool *positive) {
  marks m = {network,
             pgopt_allocate(network->value_count, sizeof *m.is_marked)};
  for (size_t i = network->op_count; i-- > 0;) {
    const pgopt_op *op = &network->ops[i];
    if (op->kind == PGOPT_OP_STRUCTURED) {
      mark_body(&m, op);
      continue;
    }
    bool result = false;
    for (size_t r = 0; r < op->result_count; ++r)
      result |= m.is_marked[op->results[r]];
    if (needs_positive(op->name) && op->operand_count)
      mark(&m, op->operands[0]);
    if (result && (op->kind == PGOPT_OP_VIEW || op->kind == PGOPT_OP_MOVE ||
                   passes_on(op->name)))
      for (size_t k = 0; k < op->operand_count; ++k)
        mark(&m, op->operands[k]);
  }
  memcpy(positive, m.is_marked, network->argument_count * sizeof *positive);
  free(m.is_marked);
}
