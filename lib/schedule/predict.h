/// \file What a schedule will cost, before it runs.
#ifndef PGOPT_SCHEDULE_PREDICT_H
#define PGOPT_SCHEDULE_PREDICT_H

#include "schedule/schedule.h"

/// Where the time of a node comes from, best first.
typedef enum pgopt_cost_basis {
  PGOPT_COST_MEASURED, ///< its own Timing
  PGOPT_COST_DERIVED,  ///< a derived Timing, or Lflops at the measured rate
  PGOPT_COST_COUNTED,  ///< Lflops at one operation a nanosecond
  PGOPT_COST_UNIT,     ///< nothing known: one microsecond
  PGOPT_COST_BASES,
} pgopt_cost_basis;

/// "measured", "derived" ...
const char *pgopt_cost_basis_name(pgopt_cost_basis basis);

typedef struct pgopt_node_costs {
  double *ns;                      ///< per node; 0 for barriers
  size_t counts[PGOPT_COST_BASES]; ///< kernels of each basis
} pgopt_node_costs;

/// A node's Timing; without one its share of all measured time by Lflops; when
/// nothing is measured its Lflops; without those a constant.
pgopt_node_costs pgopt_node_costs_create(const pgopt_profile_graph *graph);
void pgopt_node_costs_free(pgopt_node_costs *costs);

typedef struct pgopt_prediction {
  double sequential_ns;    ///< all nodes one after the other, as measured
  double makespan_ns;      ///< of the lists, with waits, signals and bytes
  double critical_path_ns; ///< longest path on the fastest resource,
                           ///< synchronisation free
  double *load_ns;         ///< per core: its nodes' own times
  size_t cores;
  /// What is read on another core than wrote it; an edge's bytes count once.
  int64_t bytes_across;
  size_t edges_across;
} pgopt_prediction;

/// \param lists of the schedule.
/// \returns PGOPT_INVALID when the lists cannot come to their end.
pgopt_status pgopt_predict(const pgopt_profile_graph *graph,
                           const pgopt_schedule *schedule,
                           const pgopt_core_lists *lists,
                           const pgopt_node_costs *costs,
                           const pgopt_sync_costs *sync,
                           pgopt_prediction *prediction, pgopt_error *error);
void pgopt_prediction_free(pgopt_prediction *prediction);

#endif // PGOPT_SCHEDULE_PREDICT_H
