/// \file What is noted on an operation, when another takes its place.
#ifndef PGOPT_IR_KEPT_ATTRIBUTES_H
#define PGOPT_IR_KEPT_ATTRIBUTES_H

#include "mlir-c/IR.h"

typedef enum pgopt_replacement {
  PGOPT_SAME_COMPUTATION, ///< also by signature: its Timing holds
  PGOPT_OTHER_ORDER,      ///< the same operations on other layouts: no Timing
  PGOPT_PART_OF_IT, ///< one of several operations: no Timing and no amounts
} pgopt_replacement;

/// Copies the discardable attributes of `from` that hold for `to` as well.
void pgopt_keep_attributes(MlirOperation from, MlirOperation to,
                           pgopt_replacement replacement);

#endif // PGOPT_IR_KEPT_ATTRIBUTES_H
