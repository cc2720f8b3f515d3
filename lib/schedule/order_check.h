/// \file The ordering checker: proves that the lists of the cores keep every
/// order that the network needs.
#ifndef PGOPT_SCHEDULE_ORDER_CHECK_H
#define PGOPT_SCHEDULE_ORDER_CHECK_H

#include "schedule/schedule.h"

/// Proves, from the nodes' accesses and the lists' waits and signals alone (not
/// from the edges of the graph), that
///  - every node that is not outside is run exactly once;
///  - the lists always come to their end;
///  - of any two nodes that conflict (they access common elements of a buffer
///    and one of them writes; or one is a barrier) the one with the smaller
///    index is done before the other begins.
/// \returns PGOPT_INVALID with the first violation in words.
pgopt_status pgopt_order_check(const pgopt_profile_graph *graph,
                               const pgopt_core_lists *lists,
                               pgopt_error *error);

#endif // PGOPT_SCHEDULE_ORDER_CHECK_H
