/// \file Forms of a network compared, run by run: which of them is kept.
#ifndef PGOPT_PRICING_CONFIRM_H
#define PGOPT_PRICING_CONFIRM_H

#include "kernels/choose_variants.h"
#include "search/decisions.h"

/// A form that is compared. The first one is the network as it was given.
typedef struct pgopt_form {
  const char *name; ///< for the trace and the store
  MlirOperation function;
} pgopt_form;

typedef struct pgopt_confirmation {
  /// Of the forms whose kernels differ from those of all before them.
  pgopt_search_comparison comparison;
  pgopt_search_form_time times[PGOPT_SEARCH_MAX_FORMS];
  size_t chosen;       ///< of the forms: the one to be kept
  const char *failure; ///< why they could not be compared, or null
  bool is_on_file;     ///< as it was found out before
  bool is_interrupted;
} pgopt_confirmation;

/// Measures all forms in one trial run, in turn and on the same arguments,
/// each kernel in the variant that is on file for it; forms of equal kernels
/// are one. What was found out is kept with the timings, so that the same forms
/// are not measured again.
///
/// The first form is kept unless others are faster; then the one of these with
/// the least ratio to it.
/// \param module nested in the pass's; the functions are in it and stay as
///   they are.
/// \param count 1 .. PGOPT_SEARCH_MAX_FORMS.
/// \returns failure after one error.
MlirLogicalResult pgopt_confirm(pgopt_pass *pass, MlirOperation module,
                                const pgopt_form *forms, size_t count,
                                const pgopt_choose_options *options,
                                pgopt_confirmation *confirmation);

#endif // PGOPT_PRICING_CONFIRM_H
