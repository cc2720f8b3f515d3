/// \file Tasks: chains of kernels that are scheduled as one, because another
/// core could not take a part of them before it had waited for longer than that
/// part runs.
#ifndef PGOPT_SCHEDULE_TASKS_H
#define PGOPT_SCHEDULE_TASKS_H

#include "profile/profile_graph.h"

typedef struct pgopt_tasks {
  /// A node a task, in an order that respects dependencies, and the edges
  /// between tasks; no buffers.
  pgopt_profile_graph *graph;
  double *ns;      ///< per task: the time of its nodes
  size_t *first;   ///< per task, and one more: where its nodes begin ...
  size_t *members; ///< ... among all nodes, in the order in which they run
} pgopt_tasks;

/// A node joins the task of the only one it depends on when nothing else
/// depends on that one, and the task or the node runs for less than `small_ns`.
/// Barriers are alone. \param graph connected; must outlive the tasks. \param
/// ns per node. \param[out] tasks freed with pgopt_tasks_free.
void pgopt_tasks_create(const pgopt_profile_graph *graph, const double *ns,
                        double small_ns, pgopt_tasks *tasks);
void pgopt_tasks_free(pgopt_tasks *tasks);

#endif // PGOPT_SCHEDULE_TASKS_H
