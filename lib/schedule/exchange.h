/// \file The bytes that pass between cores under a schedule: cache lines that
/// one core writes and another one reads, again and again.
#ifndef PGOPT_SCHEDULE_EXCHANGE_H
#define PGOPT_SCHEDULE_EXCHANGE_H

#include "schedule/schedule.h"

/// Bytes, per node, when the lists are carried out again and again.
typedef struct pgopt_exchange {
  /// What it reads that another list's nodes wrote, and its own list has not
  /// read since.
  double *fetched;
  /// What it writes that other lists have read since it was written.
  double *reclaimed;
} pgopt_exchange;

/// Values between the nodes lie where a rough memory plan puts them that keeps
/// what no node reads; those of a network with more than 2,000 buffers share no
/// memory.
/// \param[out] exchange freed with pgopt_exchange_free; empty on failure.
/// \returns PGOPT_INVALID when the lists cannot come to their end,
///   PGOPT_OUT_OF_RANGE when the bytes of all values do not fit int64_t.
pgopt_status pgopt_exchange_create(const pgopt_profile_graph *graph,
                                   const pgopt_core_lists *lists,
                                   pgopt_exchange *exchange,
                                   pgopt_error *error);
void pgopt_exchange_free(pgopt_exchange *exchange);

/// How much longer a node takes than `time_ns` for bytes that pass. What it
/// fetches comes all the while, and what it takes back while it computes: its
/// operations at the machine's peak.
static inline double pgopt_passing_delay(const pgopt_sync_costs *sync,
                                         const pgopt_graph_node *node,
                                         double time_ns, double fetched,
                                         double reclaimed) {
  double fetch_ns = fetched * sync->byte_ns;
  double reclaim_ns = reclaimed * sync->reclaim_ns;
  if (sync->operation_ns <= 0)
    return fetch_ns + reclaim_ns;
  double computing_ns =
      node->has_lflops ? (double)node->lflops * sync->operation_ns : 0;
  fetch_ns -= time_ns;
  reclaim_ns -= computing_ns < time_ns ? computing_ns : time_ns;
  return (fetch_ns > 0 ? fetch_ns : 0) + (reclaim_ns > 0 ? reclaim_ns : 0);
}

#endif // PGOPT_SCHEDULE_EXCHANGE_H
