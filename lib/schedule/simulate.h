/// \file A schedule carried out without its machine: discrete-event simulation
/// with the profile's times.
#ifndef PGOPT_SCHEDULE_SIMULATE_H
#define PGOPT_SCHEDULE_SIMULATE_H

#include "base/text.h"
#include "schedule/predict.h"

/// One resource; times in nanoseconds, which sum up to `end_ns`.
typedef struct pgopt_simulated_resource {
  double busy_ns;    ///< runs kernels
  double passing_ns; ///< longer, for bytes that pass between resources
  double waiting_ns; ///< until a signal of another resource arrives
  double sync_ns;    ///< spends in waits and signals themselves
  double end_ns;     ///< has done all of its list
  size_t kernels, waits;
  size_t held_up; ///< waits that had to wait
} pgopt_simulated_resource;

/// When a node ran; both 0 for one that is outside.
typedef struct pgopt_simulated_node {
  double begin_ns, end_ns;
} pgopt_simulated_node;

typedef struct pgopt_simulation {
  double makespan_ns;
  double sequential_ns; ///< all nodes one after the other, at speed 100
  size_t kernels;
  pgopt_simulated_resource *resources;
  size_t resource_count; ///< idle ones included
  pgopt_simulated_node *nodes;
  size_t node_count;
} pgopt_simulation;

/// Carries the lists out: every resource goes on as soon as its list lets it,
/// at its own speed, from when its worker is awake; a signal is seen after
/// `sync->latency_ns` and the distance, and bytes that pass between resources
/// (schedule/exchange.h) make the nodes take longer.
/// \param resource of each list, another for each, below the count of
///   `sync->resources`; null: list k is resource k. Without `sync->resources`
///   there are as many as lists.
/// \param[out] simulation freed with pgopt_simulation_free; empty on failure.
/// \returns PGOPT_INVALID when the lists cannot come to their end, or do not
///   have a resource each.
pgopt_status pgopt_simulate(const pgopt_profile_graph *graph,
                            const pgopt_core_lists *lists,
                            const int64_t *resource,
                            const pgopt_node_costs *costs,
                            const pgopt_sync_costs *sync,
                            pgopt_simulation *simulation, pgopt_error *error);
void pgopt_simulation_free(pgopt_simulation *simulation);

/// Busy time over makespan x resources, 0 to 1.
double pgopt_simulation_utilisation(const pgopt_simulation *simulation);

/// One line, and one line a resource.
/// \param policy that made the schedule, or what else to call it.
void pgopt_simulation_print(const pgopt_simulation *simulation,
                            const char *policy, pgopt_text *text);

/// The same as one JSON object; docs/scheduling.md has its members.
void pgopt_simulation_print_json(const pgopt_simulation *simulation,
                                 const char *policy, pgopt_text *text);

#endif // PGOPT_SCHEDULE_SIMULATE_H
