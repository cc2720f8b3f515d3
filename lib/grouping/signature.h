/// \file Canonical signatures: the key under which a kernel's Timing is kept.
#ifndef PGOPT_GROUPING_SIGNATURE_H
#define PGOPT_GROUPING_SIGNATURE_H

#include "grouping/grouping.h"

/// The signature of a group, in `arena`: a readable head (stem, extents of the
/// result and of the reductions) and a hash of a normal form of what the group
/// computes. It is the same for named and generic operations, for elementwise
/// operations fused or not, for unit dimensions kept or folded, on tensors and
/// memrefs; names, locations and unused operands leave no trace.
const char *pgopt_group_signature(const pgopt_network *network,
                                  const pgopt_group *group, pgopt_arena *arena);

/// The key of its Timing when it is computed in a variant that is not the
/// model's. Parts are of this one.
const char *pgopt_variant_signature(const char *signature, const char *variant,
                                    pgopt_arena *arena);

/// The signature of a part of it: the iterations [low, high) of the range loop.
const char *pgopt_part_signature(const char *signature, int64_t low,
                                 int64_t high, pgopt_arena *arena);

#endif // PGOPT_GROUPING_SIGNATURE_H
