/// \file An entry that holds two schedules of its network: one whose cores work
/// together, for cores that are near, and the sequential program
/// (docs/architecture.md, "Two schedules").
#ifndef PGOPT_IR_SCHEDULE_CHOICE_H
#define PGOPT_IR_SCHEDULE_CHOICE_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#include <stdbool.h>
#include <stdint.h>

/// Makes the function that chooses: `near` where a signal between cores takes
/// at most `limit_ns` when it is called, else `sequential`.
/// \param near a function at PGOPT_STAGE_CORES; the new one gets its arguments,
///   results and attributes.
/// \param sequential of the same type.
/// \param name of the new function, not taken.
/// \returns failure after one error: a symbol of the runtime is taken.
MlirLogicalResult pgopt_build_choice(MlirOperation module, MlirOperation near,
                                     MlirOperation sequential, const char *name,
                                     int64_t limit_ns);

/// The functions that an entry at PGOPT_STAGE_CHOICE chooses from.
typedef struct pgopt_schedule_choice {
  MlirOperation calls[2];     ///< near, sequential; inside of `branch`
  MlirOperation functions[2]; ///< what they call
  MlirOperation branch;       ///< the scf.if
  int64_t limit_ns;
} pgopt_schedule_choice;

/// \returns failure after one error: the entry is not as pgopt_build_choice
///   makes it.
MlirLogicalResult pgopt_read_choice(MlirOperation module, MlirOperation entry,
                                    pgopt_schedule_choice *choice);

/// Leaves an entry that chooses only one of its schedules; any other entry
/// stays. \param[in,out] entry is another operation afterwards.
/// \returns failure after one error.
MlirLogicalResult pgopt_settle_choice(MlirOperation module, bool is_near,
                                      MlirOperation *entry);

/// Moves the bodies of both functions into the entry, in place of their calls.
MlirLogicalResult pgopt_inline_choice(MlirOperation module,
                                      MlirOperation entry);

#endif // PGOPT_IR_SCHEDULE_CHOICE_H
