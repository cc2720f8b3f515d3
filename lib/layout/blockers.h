/// \file Why a layout change cannot be removed.
#ifndef PGOPT_LAYOUT_BLOCKERS_H
#define PGOPT_LAYOUT_BLOCKERS_H

#include "layout/assignment.h"

typedef enum pgopt_blocker_kind {
  PGOPT_BLOCKED_BY_NOTHING,  ///< nothing holds this side
  PGOPT_BLOCKED_BY_ARGUMENT, ///< keeps its declared layout
  PGOPT_BLOCKED_BY_RESULT,   ///< of the function: likewise
  PGOPT_BLOCKED_BY_RESHAPE,  ///< one whose groups do not stay together
  PGOPT_BLOCKED_BY_WINDOW,   ///< a convolution in the layout it was written for
  PGOPT_BLOCKED_BY_OP,       ///< any other op that takes layouts as declared
} pgopt_blocker_kind;

typedef struct pgopt_blocker {
  pgopt_blocker_kind kind;
  int op; ///< of RESHAPE, WINDOW and OP
} pgopt_blocker;

/// What holds the value in its order, the nearest first: looks through every
/// operation but `except` that would have to move along.
pgopt_blocker pgopt_find_blocker(const pgopt_assignment *assignment, int value,
                                 int except);

/// "a function argument", "'scf.if'"; valid as long as the network.
void pgopt_blocker_describe(const pgopt_network *network, pgopt_blocker blocker,
                            char *text, size_t size);

#endif // PGOPT_LAYOUT_BLOCKERS_H
