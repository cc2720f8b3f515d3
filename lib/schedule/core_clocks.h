/// \file What the cores know of one another: vector clocks over the lists of a
/// schedule.
///
/// Each core has a clock: the number of nodes of every core that are done for
/// certain. A signal keeps a copy of its core's clock, a wait adds the copy of
/// the first signal that can end it.
#ifndef PGOPT_SCHEDULE_CORE_CLOCKS_H
#define PGOPT_SCHEDULE_CORE_CLOCKS_H

#include "schedule/list_walk.h"

typedef struct pgopt_core_clocks {
  const pgopt_core_lists *lists;
  uint32_t **known;     ///< per core: its clock, one number a core
  uint32_t ***snapshot; ///< per core and signal
} pgopt_core_clocks;

/// Clocks of cores that have done nothing. The lists must outlive them.
pgopt_core_clocks pgopt_core_clocks_create(const pgopt_core_lists *lists);
void pgopt_core_clocks_free(pgopt_core_clocks *clocks);

/// Goes on by one step of a walk over the lists. Before the step of a node its
/// core's clock says what is done when the node begins.
void pgopt_core_clocks_step(pgopt_core_clocks *clocks,
                            const pgopt_walk_step *step);

#endif // PGOPT_SCHEDULE_CORE_CLOCKS_H
