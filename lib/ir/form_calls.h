/// \file Turns a network on tensors into kernel functions and calls of them.
#ifndef PGOPT_IR_FORM_CALLS_H
#define PGOPT_IR_FORM_CALLS_H

#include "bridge/bridge.h"
#include "ir/timings.h"

typedef struct pgopt_form_options {
  bool fuse;       ///< false: every operation is a kernel of its own
  int64_t split;   ///< ranges a layer is cut into; 0: where Timing pays for it
  bool reductions; ///< these may be cut as well, with a combine step behind
  /// Kernels that are cut work on ranges of any length: phases have their own.
  bool any_length;
  /// Between cores, which ranges have to pay for: "far", "near"; null: far.
  const char *distance;
  pgopt_timings *timings; ///< the store, or null
  bool ignores_variants;  ///< the model's choices, whatever was measured
  /// Takes `pg.variant` off the kernels of the module that cannot be computed
  /// so, each with a warning.
  MlirLogicalResult (*check_variants)(pgopt_pass *pass, MlirOperation module,
                                      MlirOperation entry);
} pgopt_form_options;

typedef struct pgopt_formed {
  int64_t kernels, shared, calls, layers_split, reductions_split, layers_dead;
} pgopt_formed;

/// Forms the kernels of a normalised entry (docs/architecture.md, "Kernel
/// calls"). Calls carry Lflops, bytes and, where it is known, Timing: from the
/// group's core operation, else by signature from the module's `pg.profile` or
/// the store. Kernels get the `pg.variant` that the module's `pg.variants` or
/// the store has for them.
/// \returns failure after one error at an operation that cannot be in a kernel;
///   the module is then not to be used.
MlirLogicalResult pgopt_form_calls(pgopt_pass *pass, MlirOperation module,
                                   MlirOperation entry,
                                   const pgopt_form_options *options,
                                   pgopt_formed *formed);

#endif // PGOPT_IR_FORM_CALLS_H
