/// \file Groups that the operations name already.
#ifndef PGOPT_GROUPING_GIVEN_GROUPS_H
#define PGOPT_GROUPING_GIVEN_GROUPS_H

#include "grouping/chains.h"

/// Takes over the groups that the operations carry (`pgopt_op.group`).
/// \returns false, with every operation free, when one that needs a group has
///     none, or when executing every group at its last member would compute
///     something after its use.
bool pgopt_take_given_groups(pgopt_group_analysis *a);

/// Per core the last member of its group, the place at which it is executed.
/// \returns one number an operation; free with `free`.
int *pgopt_group_places(const pgopt_group_analysis *a);

#endif // PGOPT_GROUPING_GIVEN_GROUPS_H
