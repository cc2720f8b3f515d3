/// \file Going through the lists of all cores in an order in which their events
/// can happen: what the checker, the prediction and the reader share.
#ifndef PGOPT_SCHEDULE_LIST_WALK_H
#define PGOPT_SCHEDULE_LIST_WALK_H

#include "schedule/schedule.h"

/// One core's state.
typedef struct pgopt_walk_core {
  size_t next;     ///< its next event
  size_t runs;     ///< nodes run so far
  size_t signals;  ///< signals given so far
  int64_t *values; ///< of all its signals, growing
  size_t value_count;
} pgopt_walk_core;

typedef struct pgopt_list_walk {
  const pgopt_core_lists *lists;
  pgopt_walk_core *cores;
  size_t current; ///< the core whose event came last
} pgopt_list_walk;

typedef struct pgopt_walk_step {
  size_t core;
  const pgopt_event *event;
  size_t slot; ///< nodes that the core had run before this event
  /// A signal: its number among its core's signals. A wait: the number, among
  /// the signals of the core waited for, of the first one that ends the wait.
  size_t signal;
} pgopt_walk_step;

/// Starts a walk over `lists`, which must outlive it. Always end it.
/// \returns PGOPT_INVALID when a core's signals do not grow from at least 1, or
///   a wait names a core that is not there.
pgopt_status pgopt_list_walk_begin(pgopt_list_walk *walk,
                                   const pgopt_core_lists *lists,
                                   pgopt_error *error);

/// The next event that can happen. Of the cores that can go on it takes the one
/// that has run the fewest nodes, the first of these: the order is a function
/// of the lists alone. \returns false when no core can go on.
bool pgopt_list_walk_next(pgopt_list_walk *walk, pgopt_walk_step *step);

/// Frees what the walk holds. \returns PGOPT_INVALID when events are left that
/// can never happen, with the first core that waits for ever in words.
pgopt_status pgopt_list_walk_end(pgopt_list_walk *walk, pgopt_error *error);

#endif // PGOPT_SCHEDULE_LIST_WALK_H
