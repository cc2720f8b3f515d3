/// \file Builds a reduction in parts and the step that combines them.
#ifndef PGOPT_IR_BUILD_PARTIALS_H
#define PGOPT_IR_BUILD_PARTIALS_H

#include "grouping/partial_reduction.h"
#include "ir/read_network.h"

/// The operations that took a reduction's place.
typedef struct pgopt_partials {
  MlirOperation partial; ///< its outermost loop runs over the parts
  MlirOperation combine; ///< elementwise; accumulates into the reduction's init
} pgopt_partials;

/// Replaces a reduction, and what makes its operands in its kernel, by the same
/// in parts and a combine step: operands are expanded, partial results begin at
/// the neutral element. Where the operations carry `pg.kernel`, the combine
/// step stays in its kernel.
/// \param kernel `pg.kernel` of the parts, where the operations carry one.
/// \param ir of the old operations, which are destroyed: of these alone it is
///   invalid afterwards.
pgopt_partials pgopt_build_partials(const pgopt_ir_network *ir,
                                    const pgopt_partial_reduction *reduction,
                                    const char *kernel);

#endif // PGOPT_IR_BUILD_PARTIALS_H
