/// \file Lflops: how many operations an op performs, and how many bytes it must
/// move at least. docs/counting.md states the rules; the numbers stand in
/// costs.def and tosa.def.
#ifndef PGOPT_FLOPS_FLOPS_H
#define PGOPT_FLOPS_FLOPS_H

#include "network/network.h"

#include <stdbool.h>
#include <stdint.h>

enum { PGOPT_REASON_SIZE = 96 };

typedef struct pgopt_count {
  int64_t operations;  ///< unset when `unknown` says why
  int64_t contraction; ///< the part of them that contractions perform
  char unknown[PGOPT_REASON_SIZE]; ///< why they are not known, or ""
  int64_t bytes;                   ///< -1 when not known
} pgopt_count;

/// What a called function performs, all of its operations; `user` is that of
/// the counter.
typedef void (*pgopt_count_callee)(const pgopt_op *call, void *user,
                                   pgopt_count *count);

typedef struct pgopt_counter {
  const pgopt_network *network;
  pgopt_count_callee callee; ///< null: calls are unknown
  void *user;
} pgopt_counter;

/// True for the ops that are counted: those that compute on tensors or move
/// them. Views, constants, empties, returns, effects and scalars outside every
/// layer are not.
bool pgopt_op_is_counted(const pgopt_op *op);

/// Counts one op of the counter's network, nested or not.
void pgopt_count_op(const pgopt_counter *counter, const pgopt_op *op,
                    pgopt_count *count);

/// Counts a kernel: the operations of all of its members, and the bytes of its
/// inputs and outputs alone, because between the members nothing is stored. A
/// kernel of one op counts as the op does.
void pgopt_count_kernel(const pgopt_counter *counter, const int *members,
                        size_t member_count, const int *inputs,
                        size_t input_count, const int *outputs,
                        size_t output_count, pgopt_count *count);

typedef struct pgopt_total {
  int64_t operations;  ///< of the ops that are known
  int64_t contraction; ///< of the ops that are known
  int64_t counted;     ///< ops that are counted at all
  int64_t unknown;     ///< ops that are not in the sums
  bool overflow;       ///< the sums do not fit; they are unset
} pgopt_total;

/// Adds an op's count. A zero-initialised total is empty.
void pgopt_total_add(pgopt_total *total, const pgopt_count *count);

/// Operations that one scalar operation counts as.
/// \returns false when the table has no line for it.
bool pgopt_scalar_cost(const char *name, int64_t *operations);

#endif // PGOPT_FLOPS_FLOPS_H
