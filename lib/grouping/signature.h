/// \file Canonical signatures: the key under which a kernel's Timing is kept.
#ifndef PGOPT_GROUPING_SIGNATURE_H
#define PGOPT_GROUPING_SIGNATURE_H

#include "grouping/grouping.h"

/// Appends to `arena` the signature of a group: a readable head (stem, element
/// type, iteration space) and a hash of the whole computation: loops, maps,
/// types and scalar expressions, with loops and values numbered by first use.
/// It is the same for named and generic operations and does not depend on
/// names, locations or the order of unrelated operations.
const char *pgopt_group_signature(const pgopt_network *network,
                                  const pgopt_group *group, pgopt_arena *arena);

/// The signature of a part of it: the iterations [low, high) of the range loop.
const char *pgopt_part_signature(const char *signature, int64_t low,
                                 int64_t high, pgopt_arena *arena);

#endif // PGOPT_GROUPING_SIGNATURE_H
