/// \file The variants of a kernel that are worth measuring.
#ifndef PGOPT_KERNELS_VARIANT_LIST_H
#define PGOPT_KERNELS_VARIANT_LIST_H

#include "kernels/variants.h"

enum { PGOPT_MAX_VARIANTS = 6 }; ///< of one kernel, after pruning

/// A variant that applies to a kernel, and what the model expects of it.
typedef struct pgopt_variant_estimate {
  pgopt_variant variant;
  double cycles;
} pgopt_variant_estimate;

/// Lists the variants of a kernel that are worth measuring, the default first,
/// then by what the model expects: what it expects within 1.5 times the best,
/// and BLAS wherever it applies.
/// \param function its linalg operations are generic ones on memrefs.
/// \param preparation of the module's constants; may be null.
/// \param[out] list at most PGOPT_MAX_VARIANTS.
/// \returns how many; 0 when there is only one way to compute the kernel.
size_t pgopt_variants_list(MlirOperation function, const pgopt_target *target,
                           pgopt_preparation *preparation,
                           pgopt_variant_estimate *list);

/// Sorts candidates and leaves out what the model expects little of.
/// \param default_number which of them the default is.
/// \returns how many are left, at most PGOPT_MAX_VARIANTS, the default first.
size_t pgopt_variants_prune(pgopt_variant_estimate *list, size_t count,
                            size_t default_number);

#endif // PGOPT_KERNELS_VARIANT_LIST_H
