/// \file The strategies of the search: each improves a choice under one set of
/// prices. They agree on costs with state.h, ties included.
#ifndef PGOPT_SEARCH_STRATEGIES_H
#define PGOPT_SEARCH_STRATEGIES_H

#include "search/state.h"

/// What a strategy did, added to what was there.
typedef struct pgopt_search_effort {
  size_t sweeps, region_moves;
  int64_t nodes;
  bool interrupted;
  bool proved;     ///< exact: set or cleared
  double bound_ns; ///< set by beam and exact
} pgopt_search_effort;

/// Tells how far a stage is. \returns false when the search shall stop.
bool pgopt_search_poll(const pgopt_search_options *options,
                       pgopt_search_effort *effort, const char *stage,
                       size_t done, size_t total, double cost_ns);

/// Local greedy: visits values, largest first, and stores each in the layout
/// that is cheapest while all others are held; sweeps until nothing gains;
/// then tries regions, and sweeps again.
void pgopt_search_greedy(pgopt_search_state *state,
                         const pgopt_search_options *options,
                         pgopt_search_effort *effort);

/// Grows regions in a choice.
typedef struct pgopt_search_regions pgopt_search_regions;
pgopt_search_regions *pgopt_search_regions_create(pgopt_search_state *state);
void pgopt_search_regions_free(pgopt_search_regions *regions);

/// One region, grown from storing `value` in `layout`: again and again, of the
/// values that share a kernel with it, the one whose change costs least
/// follows, as long as that may still pay. What paid best is kept when it saves
/// more than `gain` of the time of the kernels it touches.
/// \returns what it saves, 0 when nothing was kept.
double pgopt_search_region(pgopt_search_regions *regions, int value, int layout,
                           double gain);

/// Both start from the present choice and end in one that is not dearer.
void pgopt_search_beam(pgopt_search_state *state,
                       const pgopt_search_options *options,
                       pgopt_search_effort *effort);
void pgopt_search_exact(pgopt_search_state *state,
                        const pgopt_search_options *options,
                        pgopt_search_effort *effort);

#endif // PGOPT_SEARCH_STRATEGIES_H
