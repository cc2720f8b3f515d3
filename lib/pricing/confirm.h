/// \file Two forms of a network compared, run by run.
#ifndef PGOPT_PRICING_CONFIRM_H
#define PGOPT_PRICING_CONFIRM_H

#include "kernels/choose_variants.h"
#include "profile/choose.h"

typedef struct pgopt_confirmation {
  pgopt_candidate_result results[2]; ///< of both forms; ratio: to the first
  int64_t runs;                      ///< 0: they could not be compared
  const char *failure; ///< why not, or null: a kernel failed; constant text
  bool second_is_faster;
  bool is_interrupted;
} pgopt_confirmation;

/// Measures both forms in one trial run, in turn and on the same arguments,
/// each kernel in the variant that is on file for it.
/// \param module nested in the pass's; both functions are in it and stay as
///   they are.
/// \returns failure after one error.
MlirLogicalResult pgopt_confirm(pgopt_pass *pass, MlirOperation module,
                                const MlirOperation forms[2],
                                const pgopt_choose_options *options,
                                pgopt_confirmation *confirmation);

#endif // PGOPT_PRICING_CONFIRM_H
