/// \file Schedules: which resource runs each node of a Profile graph, in which
/// order, and where the resources wait for one another.
///
/// A policy decides order and cores (one file and one line of the table a
/// policy). What is here turns its decision into slots, into the fewest waits
/// and signals, and into one list of events a core. Every list follows the
/// policy's one global order, so no set of lists can deadlock.
#ifndef PGOPT_SCHEDULE_SCHEDULE_H
#define PGOPT_SCHEDULE_SCHEDULE_H

#include "profile/profile_graph.h"
#include "schedule/resource_model.h"

/// What working together costs on the machine.
typedef struct pgopt_sync_costs {
  double latency_ns; ///< from a signal until a core that waits goes on, >= 0
  double hop_ns;     ///< time a core spends in one wait or signal, >= 0
  /// For each byte read that another core wrote, >= 0.
  double byte_ns;
  /// For each byte written that another core has read since it was written the
  /// last time, >= 0.
  double reclaim_ns;
  /// An operation at the machine's peak. Bytes come from other cores while a
  /// kernel runs, and are taken back while it computes. 0: not known, then
  /// neither.
  double operation_ns;
  /// When a run begins that nothing of the network ran before for `poll_ns`,
  /// workers sleep: all cores but the first begin after `wake_ns`, and the
  /// first one, which wakes them, after `call_ns`. Runs are in turn with
  /// something that takes as long as the sequential program.
  double wake_ns, call_ns, poll_ns;
  /// How fast resources are, and how much more than `latency_ns` lies between
  /// them; null: all alike. Borrowed; its count is that of the schedule.
  const pgopt_resource_model *resources;
} pgopt_sync_costs;

/// When a core begins.
/// \param is_first the caller's.
/// \param sequential_ns of all nodes one after the other.
/// \param cores that have something to do.
static inline double pgopt_sync_begin(const pgopt_sync_costs *sync,
                                      bool is_first, double sequential_ns,
                                      size_t cores) {
  if (cores < 2 || sequential_ns <= sync->poll_ns)
    return 0;
  return is_first ? sync->call_ns : sync->wake_ns;
}

typedef struct pgopt_schedule_request {
  int64_t resources; ///< 1 .. PGOPT_MAX_RESOURCES
  pgopt_sync_costs costs;
} pgopt_schedule_request;

typedef struct pgopt_schedule_policy {
  const char *name, *summary;
  /// \param graph connected.
  /// \param[out] order all nodes, every one after those it depends on.
  /// \param[out] core per node, 0 .. resources-1; ignored for nodes that are
  ///   outside. Barriers of one schedule share a core.
  void (*assign)(const pgopt_profile_graph *graph,
                 const pgopt_schedule_request *request, size_t *order,
                 int64_t *core);
  /// Plans compute cheap kernels on several cores where that is faster.
  bool copies;
} pgopt_schedule_policy;

/// Everything on one resource.
extern const pgopt_schedule_policy pgopt_sequential;
extern const pgopt_schedule_policy pgopt_round_robin;
/// Each to the resource with the least time so far, in turn.
extern const pgopt_schedule_policy pgopt_timed_round_robin;
/// By critical path and measured time, waiting between cores included.
extern const pgopt_schedule_policy pgopt_list_schedule;

/// Null-terminated; the sequential one first.
extern const pgopt_schedule_policy *const pgopt_schedule_policies[];

/// Null when there is none of that name.
const pgopt_schedule_policy *pgopt_schedule_find_policy(const char *name);

typedef struct pgopt_schedule {
  size_t node_count;
  size_t cores;      ///< 0 .. cores-1 have at least one node each
  size_t *order;     ///< all nodes in the global order
  int64_t *core;     ///< per node; PGOPT_NO_CORE for a node that is outside
  int64_t *slot;     ///< per node: position in its core's list, from 0
  int64_t *resource; ///< per core: which one the policy meant
} pgopt_schedule;

/// Applies the policy. Cores that got nothing are taken out and the others
/// renumbered in order.
/// \returns PGOPT_OUT_OF_RANGE for a number of resources that is not allowed.
pgopt_status pgopt_schedule_create(const pgopt_profile_graph *graph,
                                   const pgopt_schedule_policy *policy,
                                   const pgopt_schedule_request *request,
                                   pgopt_schedule *schedule,
                                   pgopt_error *error);
/// The schedule of an order and cores as a policy decides them; they are
/// copied.
void pgopt_schedule_place(const pgopt_profile_graph *graph, int64_t resources,
                          const size_t *order, const int64_t *core,
                          pgopt_schedule *schedule);
void pgopt_schedule_free(pgopt_schedule *schedule);

typedef enum pgopt_event_kind {
  PGOPT_EVENT_RUN,    ///< runs `node`
  PGOPT_EVENT_WAIT,   ///< until the counter of `core` is at least `value`
  PGOPT_EVENT_SIGNAL, ///< raises the own counter to `value`
} pgopt_event_kind;

typedef struct pgopt_event {
  pgopt_event_kind kind;
  size_t node;
  int64_t core, value;
} pgopt_event;

typedef struct pgopt_core_list {
  pgopt_event *events;
  size_t count, capacity;
} pgopt_core_list;

/// What each core does, in its order. A counter is the number of nodes of its
/// core that are known to be done.
typedef struct pgopt_core_lists {
  pgopt_core_list *cores;
  size_t count;
} pgopt_core_lists;

/// Empty lists for `count` cores.
pgopt_core_lists pgopt_core_lists_create(size_t count);
void pgopt_core_lists_free(pgopt_core_lists *lists);
void pgopt_core_lists_append(pgopt_core_lists *lists, size_t core,
                             pgopt_event event);
size_t pgopt_core_lists_count(const pgopt_core_lists *lists,
                              pgopt_event_kind kind);

/// The lists of a schedule. A wait is there only when no earlier wait of its
/// core, and nothing that the cores waited for did before, implies it; a signal
/// only when somebody waits for it.
pgopt_core_lists pgopt_schedule_lists(const pgopt_profile_graph *graph,
                                      const pgopt_schedule *schedule);

#endif // PGOPT_SCHEDULE_SCHEDULE_H
