/// \file Brings a network into the form that the stages work on.
#ifndef PGOPT_IR_NORMALIZE_ENTRY_H
#define PGOPT_IR_NORMALIZE_ENTRY_H

#include "bridge/bridge.h"

/// What `pgopt_normalize` did.
typedef struct pgopt_normalized {
  int64_t tosa_ops;      ///< TOSA operations lowered
  int64_t empties_split; ///< tensor.empty operations added
  int64_t inits_filled;  ///< constants that operations accumulate into
  int64_t calls_inlined; ///< calls of functions with tensors
  int64_t arithmetic;    ///< arith and math operations on tensors
  int64_t slices;        ///< strided slices that dropped dimensions
  int64_t reshapes;      ///< operations moved in front of a reshape
} pgopt_normalized;

/// Lowers TOSA in the entry to linalg, tensor and arith by upstream's passes,
/// inlines calls of functions on tensors, makes a fill of every splat constant
/// that an operation accumulates into (a kernel then copies nothing), and gives
/// every use of a `tensor.empty` one of its own (bufferization is quadratic in
/// ops that share one). Arithmetic on whole tensors becomes linalg, and slices
/// with strides keep their dimensions, to be collapsed afterwards. Nothing
/// changes in an entry that has none of these.
/// \returns failure after an error, also for TOSA that upstream cannot lower.
MlirLogicalResult pgopt_normalize_entry(pgopt_pass *pass, MlirOperation module,
                                        MlirOperation entry,
                                        pgopt_normalized *result);

/// True when normalising would leave the entry as it is.
bool pgopt_entry_is_normal(MlirOperation entry);

#endif // PGOPT_IR_NORMALIZE_ENTRY_H
