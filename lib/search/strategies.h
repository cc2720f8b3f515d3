/// \file The strategies of the search: each improves a choice under one set of
/// prices. They agree on costs with state.h, ties included.
#ifndef PGOPT_SEARCH_STRATEGIES_H
#define PGOPT_SEARCH_STRATEGIES_H

#include "search/state.h"

/// What a strategy did, added to what was there.
typedef struct pgopt_search_effort {
  size_t sweeps, region_moves, block_moves;
  int64_t nodes;
  bool interrupted;
  bool proved;     ///< exact: set or cleared
  double bound_ns; ///< set by beam and exact
} pgopt_search_effort;

/// Tells how far a stage is. \returns false when the search shall stop.
bool pgopt_search_poll(const pgopt_search_options *options,
                       pgopt_search_effort *effort, const char *stage,
                       size_t done, size_t total,
                       const pgopt_search_state *state);

/// Local greedy: visits values, largest first, and stores each in the layout
/// that is cheapest while all others are held; sweeps until nothing gains;
/// then tries regions and blocks, and sweeps again where one was taken.
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

/// Solves small blocks of a choice. Prices may not change meanwhile.
typedef struct pgopt_search_blocks pgopt_search_blocks;
pgopt_search_blocks *pgopt_search_blocks_create(pgopt_search_state *state);
void pgopt_search_blocks_free(pgopt_search_blocks *blocks);

/// Finds the best candidates of the kernels nearest to the value together, with
/// all others held, and takes them when that saves more than `gain` of what
/// they cost. \returns what it saves, 0 when nothing was changed.
double pgopt_search_block(pgopt_search_blocks *blocks, int value, double gain);

/// Both start from the present choice and end in one that is not dearer.
void pgopt_search_beam(pgopt_search_state *state,
                       const pgopt_search_options *options,
                       pgopt_search_effort *effort);
void pgopt_search_exact(pgopt_search_state *state,
                        const pgopt_search_options *options,
                        pgopt_search_effort *effort);

#endif // PGOPT_SEARCH_STRATEGIES_H
