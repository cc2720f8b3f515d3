/// \file One function a core, and the entry that runs them in parallel.
#ifndef PGOPT_IR_OUTLINE_CORES_H
#define PGOPT_IR_OUTLINE_CORES_H

#include "ir/read_calls.h"

/// Writes pg.core and pg.slot on the ops of all nodes that the schedule places,
/// and removes them from the others.
void pgopt_write_schedule(const pgopt_call_program *program,
                          const pgopt_schedule *schedule);

/// Moves the ops of each core, in the order of its list and with all their
/// attributes, into a private function `@<entry>_core<k>`, with the list's
/// waits and signals as calls of the runtime; in their place the entry runs one
/// instance of an scf.parallel a core.
///
/// Storage, views and globals stay in the entry and are passed in, constants
/// are repeated. Barriers between kernels move to their core like kernels;
/// those in front of the first and behind the last kernel stay in the entry. A
/// number that a barrier computes on one core and others use goes through a
/// memref of one element, which the barriers' order makes safe.
/// \param lists of a schedule of `program`, which is sequential; at least one
///   core. On success the program's ops are still valid.
/// \returns failure after one error: a needed symbol is taken, or a barrier
///   computes for other cores what no memref can hold.
MlirLogicalResult pgopt_outline_cores(MlirOperation module,
                                      const pgopt_call_program *program,
                                      const pgopt_core_lists *lists);

#endif // PGOPT_IR_OUTLINE_CORES_H
