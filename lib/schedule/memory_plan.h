/// \file Where the values between kernels lie in one block of memory, the
/// arena. Two of them share memory only when the schedule has one of them done
/// with before the other begins.
#ifndef PGOPT_SCHEDULE_MEMORY_PLAN_H
#define PGOPT_SCHEDULE_MEMORY_PLAN_H

#include "schedule/schedule.h"

/// Places begin at multiples of this many bytes.
#define PGOPT_PLACE_ALIGNMENT 64

/// Of a buffer that is not in the arena.
#define PGOPT_NO_PLACE (-1)

/// The node may write buffer `written` over buffer `read`: it reads an element
/// of `read` only to compute the element of `written` at the same position,
/// before it writes it.
typedef struct pgopt_overwrite {
  size_t node, read, written;
} pgopt_overwrite;

typedef struct pgopt_memory_request {
  const pgopt_profile_graph *graph;
  /// A right schedule of it; `count` 0: the nodes run in their order.
  const pgopt_core_lists *lists;
  /// Per buffer: read behind the last node, like what the network returns.
  const bool *is_kept;
  const pgopt_overwrite *overwrites;
  size_t overwrite_count;
  bool is_rough; ///< the first order that values are placed in is good enough
} pgopt_memory_request;

/// Sizes count each buffer's bytes rounded up to the alignment.
typedef struct pgopt_memory_plan {
  size_t buffer_count;
  /// Per buffer: bytes from the arena's begin. Buffers of kind
  /// PGOPT_BUFFER_VALUE have a place, others PGOPT_NO_PLACE.
  int64_t *offsets;
  int64_t arena_bytes;
  int64_t values_bytes; ///< of all values, each with memory of its own
  /// No arena is smaller that has the same values in place of others: the most
  /// bytes that are in use while some node runs.
  int64_t bound_bytes;
  size_t value_count, in_place_count; ///< the latter lie on what they are made
                                      ///< from
} pgopt_memory_plan;

/// Plans: values that may are put in place of what they are made from, first
/// come first served. Then each gets the smallest gap it fits in between those
/// that it must not share memory with, the largest first; other orders are
/// tried where that does not reach the bound. A value that no node accesses
/// shares memory with none.
/// \param[out] plan freed with pgopt_memory_plan_free; empty on failure.
/// \returns PGOPT_INVALID when the lists cannot run, PGOPT_OUT_OF_RANGE when
///   the bytes of all values do not fit int64_t.
pgopt_status pgopt_memory_plan_create(const pgopt_memory_request *request,
                                      pgopt_memory_plan *plan,
                                      pgopt_error *error);
void pgopt_memory_plan_free(pgopt_memory_plan *plan);

/// Proves from the nodes' accesses and the lists alone, not from how the plan
/// was made, that no two values that overlap in memory are in use at the same
/// time.
/// \returns PGOPT_INVALID with the first violation in words.
pgopt_status pgopt_memory_plan_check(const pgopt_memory_request *request,
                                     const pgopt_memory_plan *plan,
                                     pgopt_error *error);

#endif // PGOPT_SCHEDULE_MEMORY_PLAN_H
