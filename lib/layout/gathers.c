/// \file Arrays that the body of a structured operation reads element by
/// element.
#include "layout/gathers.h"

#include <stdlib.h>
#include <string.h>

/// Stands for data: an index that is no function of the loops alone.
#define UNKNOWN (UINT64_C(1) << 63)

static uint64_t index_loop(const pgopt_scalar_op *op) {
  const char *dim = strstr(op->attributes, "dim = ");
  long number = dim ? strtol(dim + strlen("dim = "), NULL, 10) : -1;
  return number >= 0 && number < 63 ? UINT64_C(1) << number : UNKNOWN;
}

static uint64_t operand_loops(const uint64_t *loops,
                              const pgopt_scalar_operand *operand) {
  return operand->source == PGOPT_FROM_BODY       ? loops[operand->number]
         : operand->source == PGOPT_FROM_ARGUMENT ? UNKNOWN
                                                  : 0;
}

/// Which loops each result of the body depends on, a bit a loop.
static uint64_t *body_loops(const pgopt_op *op) {
  uint64_t *loops = pgopt_allocate(op->body_count, sizeof *loops);
  for (size_t i = 0; i < op->body_count; ++i) {
    const pgopt_scalar_op *scalar = &op->body[i];
    if (!strcmp(scalar->name, "linalg.index"))
      loops[i] = index_loop(scalar);
    else if (!strcmp(scalar->name, "tensor.extract"))
      loops[i] = UNKNOWN;
    for (size_t k = 0; k < scalar->operand_count; ++k)
      loops[i] |= operand_loops(loops, &scalar->operands[k]);
  }
  return loops;
}

static bool is_value(const pgopt_scalar_operand *operand, int value) {
  return operand->source == PGOPT_FROM_OUTSIDE && operand->number == value;
}

/// Adds the loops of every index to `masks`; false when the value is used in
/// another way.
static bool read_extracts(const pgopt_op *op, int value, size_t rank,
                          const uint64_t *loops, uint64_t *masks) {
  bool found = false;
  for (size_t i = 0; i < op->body_count; ++i) {
    const pgopt_scalar_op *scalar = &op->body[i];
    /* What a nested region uses is not listed. */
    if (!strncmp(scalar->name, "scf.", 4))
      return false;
    for (size_t k = 0; k < scalar->operand_count; ++k) {
      if (!is_value(&scalar->operands[k], value))
        continue;
      if (k || strcmp(scalar->name, "tensor.extract") ||
          scalar->operand_count != rank + 1)
        return false;
      found = true;
      for (size_t d = 0; d < rank; ++d)
        masks[d] |= operand_loops(loops, &scalar->operands[d + 1]);
    }
  }
  return found;
}

/// The only loop of a mask, when it runs over more than one index; else -1.
static int only_loop(const pgopt_op *op, uint64_t mask) {
  if (!mask || mask & UNKNOWN || mask & (mask - 1))
    return -1;
  int loop = __builtin_ctzll(mask);
  return (size_t)loop < op->loop_count && op->loop_extents[loop] > 1 ? loop
                                                                     : -1;
}

bool pgopt_gather_loops(const pgopt_network *network, const pgopt_op *op,
                        size_t capture, int *loops) {
  int value = op->captures[capture];
  const pgopt_type *type = &network->values[value].type;
  if (op->kind != PGOPT_OP_STRUCTURED || !type->is_shaped || !type->is_ranked)
    return false;
  uint64_t *all = body_loops(op), seen = 0;
  uint64_t *masks = pgopt_allocate(type->rank, sizeof *masks);
  bool result = read_extracts(op, value, type->rank, all, masks);
  for (size_t d = 0; d < type->rank && result; ++d) {
    loops[d] = -1;
    if (type->extents[d] == 1)
      continue;
    loops[d] = only_loop(op, masks[d]);
    result = loops[d] >= 0 && !(seen >> loops[d] & 1);
    if (result)
      seen |= UINT64_C(1) << loops[d];
  }
  free(masks);
  free(all);
  return result;
}
