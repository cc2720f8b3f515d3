/// \file Questions about a network's types and operations.
#include "network/network.h"

#include "base/checked_math.h"

#include <stdlib.h>
#include <string.h>

void pgopt_network_free(pgopt_network *network) {
  free(network->ops);
  free(network->values);
  pgopt_arena_free(&network->arena);
  *network = (pgopt_network){0};
}

bool pgopt_type_elements(const pgopt_type *type, int64_t *elements) {
  if (type->is_shaped && !type->is_ranked)
    return false;
  for (size_t i = 0; i < type->rank; ++i)
    if (type->extents[i] == PGOPT_DYNAMIC)
      return false;
  return pgopt_checked_product(type->extents, type->rank, elements);
}

bool pgopt_type_bytes(const pgopt_type *type, int64_t *bytes) {
  int64_t elements;
  return type->element != PGOPT_OTHER_ELEMENT &&
         pgopt_type_elements(type, &elements) &&
         pgopt_checked_multiply(elements, (type->element_bits + 7) / 8, bytes);
}

int pgopt_linear_single_loop(const pgopt_linear *expression, size_t loops) {
  if (!expression->is_linear || expression->constant)
    return -1;
  int found = -1;
  for (size_t i = 0; i < loops; ++i) {
    if (!expression->coefficients[i])
      continue;
    if (expression->coefficients[i] != 1 || found >= 0)
      return -1;
    found = (int)i;
  }
  return found;
}

pgopt_integer_list pgopt_op_integers(const pgopt_op *op, const char *name) {
  for (size_t i = 0; i < op->integer_count; ++i)
    if (!strcmp(op->integers[i].name, name))
      return op->integers[i];
  return (pgopt_integer_list){name, NULL, 0};
}

bool pgopt_op_is_reduction(const pgopt_op *op) {
  if (op->kind != PGOPT_OP_STRUCTURED)
    return false;
  for (size_t i = 0; i < op->loop_count; ++i)
    if (op->loop_is_reduction[i])
      return true;
  return false;
}

static bool maps_are_linear(const pgopt_op *op) {
  for (size_t i = 0; i < op->operand_count; ++i)
    for (size_t k = 0; k < op->maps[i].result_count; ++k)
      if (!op->maps[i].results[k].is_linear)
        return false;
  return true;
}

bool pgopt_op_is_elementwise(const pgopt_op *op) {
  return op->kind == PGOPT_OP_STRUCTURED && op->result_count == 1 &&
         !pgopt_op_is_reduction(op) && maps_are_linear(op);
}

static bool name_is_one_of(const char *name, const char *const *names) {
  for (; *names; ++names)
    if (!strcmp(name, *names))
      return true;
  return false;
}

/// How often the body, its yields included, takes this scalar.
static size_t count_uses(const pgopt_op *op, pgopt_source source, int number) {
  size_t uses = 0;
  for (size_t i = 0; i < op->body_count; ++i)
    for (size_t k = 0; k < op->body[i].operand_count; ++k)
      uses += op->body[i].operands[k].source == source &&
              op->body[i].operands[k].number == number;
  for (size_t i = 0; i < op->result_count; ++i)
    uses += op->yields[i].source == source && op->yields[i].number == number;
  return uses;
}

bool pgopt_op_is_contraction(const pgopt_op *op) {
  static const char *const products[] = {"arith.mulf", "arith.muli",
                                         "arith.andi", NULL};
  static const char *const sums[] = {"arith.addf", "arith.addi", "arith.ori",
                                     NULL};
  static const char *const casts[] = {
      "arith.extf",   "arith.extsi",  "arith.extui",  "arith.truncf",
      "arith.trunci", "arith.sitofp", "arith.uitofp", NULL};
  if (!pgopt_op_is_reduction(op) || op->input_count < 2 ||
      op->result_count != 1 || !maps_are_linear(op))
    return false;
  /* At most a few casts a product; longer bodies are something else. */
  if (op->body_count > 8 * op->input_count)
    return false;
  size_t product_count = 0, sum_count = 0;
  int last_sum = -1;
  for (size_t i = 0; i < op->body_count; ++i) {
    if (name_is_one_of(op->body[i].name, products))
      ++product_count;
    else if (name_is_one_of(op->body[i].name, sums)) {
      ++sum_count;
      last_sum = (int)i;
    } else if (!name_is_one_of(op->body[i].name, casts))
      return false;
  }
  if (product_count != op->input_count - 1 || sum_count != 1 ||
      op->yields[0].source != PGOPT_FROM_BODY ||
      op->yields[0].number != last_sum)
    return false;
  /* Everything is used once: the body is a tree, whose leaves are all the
     inputs, so that the product is one of all of them. */
  for (int i = 0; i <= (int)op->input_count; ++i)
    if (count_uses(op, PGOPT_FROM_ARGUMENT, i) != 1)
      return false;
  for (int i = 0; i < (int)op->body_count; ++i)
    if (count_uses(op, PGOPT_FROM_BODY, i) != 1)
      return false;
  /* The sum must take the accumulator as it is. */
  const pgopt_scalar_op *sum = &op->body[last_sum];
  for (size_t i = 0; i < sum->operand_count; ++i)
    if (sum->operands[i].source == PGOPT_FROM_ARGUMENT &&
        sum->operands[i].number == (int)op->input_count)
      return true;
  return false;
}

bool pgopt_op_is_convolution(const pgopt_op *op) {
  if (!pgopt_op_is_contraction(op))
    return false;
  for (size_t i = 0; i < op->input_count; ++i)
    for (size_t k = 0; k < op->maps[i].result_count; ++k) {
      size_t loops = 0;
      for (size_t l = 0; l < op->loop_count; ++l)
        loops += op->maps[i].results[k].coefficients[l] != 0;
      if (loops > 1)
        return true;
    }
  return false;
}
