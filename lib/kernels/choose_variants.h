/// \file Choosing the variants of a network's kernels by measuring them.
#ifndef PGOPT_KERNELS_CHOOSE_VARIANTS_H
#define PGOPT_KERNELS_CHOOSE_VARIANTS_H

#include "bridge/bridge.h"
#include "ir/measure_program.h"
#include "ir/timings.h"
#include "kernels/target.h"

typedef struct pgopt_choose_options {
  bool fuse; ///< of a network on tensors
  pgopt_measure_request request;
  pgopt_timings *timings; ///< the store, or null
  pgopt_target target;
  bool confirms; ///< the variants have to make the network faster
  /// Not null: of a network on tensors the time of every kernel in the variant
  /// that is chosen now, or was before, is added to the module's `pg.profile`,
  /// under the signature of the variant and this behind it.
  const char *times_suffix;
  /// Of a kernel, by the model's order; 0: all. 1: none is chosen, the model's
  /// are measured.
  size_t most_candidates;
  /// Not null: nothing is measured; told instead is, for every kernel of a
  /// network on tensors that has several candidates, what the model expects of
  /// the best.
  void (*estimated)(void *context, const char *signature, double cycles);
  void *context;
} pgopt_choose_options;

typedef struct pgopt_chosen {
  int64_t kernels;    ///< that were measured now
  int64_t candidates; ///< of these kernels
  int64_t changed; ///< of these, computed in another variant than the model's
  int64_t runs;    ///< of the trial run
  /// Set when the whole network was run in the variants that were chosen now
  /// and in the model's, in turn.
  bool is_confirmed;
  double ratio, p_value; ///< of the former by the latter
  bool is_kept;          ///< else none of them was taken
  bool is_interrupted;
} pgopt_chosen;

/// Measures the candidates of every kernel of a network, on tensors or in
/// kernel calls, for which no choice is on file, and adds the choices to the
/// timings; kernels of calls get their `pg.variant`.
///
/// Then the whole network is run with the new choices and without them, if that
/// is asked for; unless it is faster with them, the model's are filed instead.
///
/// The trial run's program is the network several times over, each time with
/// the next variant of every kernel: all are measured in place, in turn, and
/// compared run by run. A candidate that fails is left out and named.
/// \returns failure after one error.
MlirLogicalResult pgopt_choose_variants(pgopt_pass *pass, MlirOperation module,
                                        MlirOperation entry,
                                        const pgopt_choose_options *options,
                                        pgopt_chosen *chosen);

/// Takes `pg.variant` off the kernels of the module that cannot be computed so
/// on this machine, with a warning, and with it the Timing of their calls.
MlirLogicalResult pgopt_check_variants(pgopt_pass *pass, MlirOperation module,
                                       MlirOperation entry);

#endif // PGOPT_KERNELS_CHOOSE_VARIANTS_H
