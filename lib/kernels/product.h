/// \file Multiply-accumulates as generated kernels.
#ifndef PGOPT_KERNELS_PRODUCT_H
#define PGOPT_KERNELS_PRODUCT_H

#include "codegen/contraction.h"
#include "kernels/fuse.h"
#include "kernels/prepare.h"
#include "kernels/target.h"

/// Reads a `linalg.generic` that multiplies and accumulates as a problem of its
/// three operands; false when it is none.
bool pgopt_read_product(const pgopt_generic *generic,
                        pgopt_contraction *contraction,
                        pgopt_product_problem *problem);

/// Replaces a `linalg.generic` on memrefs that multiplies and accumulates by
/// loops around register tiles, together with what sets its destination before
/// and with the elementwise operations on it behind.
/// \param preparation where constants can be prepared; may be null.
/// \param shape how; null: as the model has it cheapest.
/// \param[out] erased operations behind it that are part of it now.
/// \returns false, with nothing changed, when there is no plan in this shape,
///   or, without one, no plan that pays off.
bool pgopt_generate_product(MlirOperation op, const pgopt_target *target,
                            pgopt_preparation *preparation,
                            const pgopt_product_shape *shape,
                            MlirOperation erased[PGOPT_FUSION_MAX_OPS],
                            size_t *erased_count);

/// Whether there is a plan in the shape; null: one that pays off.
bool pgopt_can_generate_product(MlirOperation op, const pgopt_target *target,
                                pgopt_preparation *preparation,
                                const pgopt_product_shape *shape);

/// A product whose columns are packed in a phase of their own.
typedef struct pgopt_product_phases {
  pgopt_product_shape shape; ///< of both phases
  pgopt_copy_cut cut;        ///< of the first one
  MlirValue operand;         ///< the argument that is packed
  double cycles;
} pgopt_product_phases;

/// Plans the phases of a product that copies its columns while it runs, all of
/// an argument of the kernel.
/// \param shape of the product in one phase; null: as the model has it.
/// \returns false when it copies nothing, or only what its range cuts.
bool pgopt_plan_product_phases(MlirOperation op, const pgopt_target *target,
                               pgopt_preparation *preparation,
                               const pgopt_product_shape *shape,
                               pgopt_product_phases *phases);

/// Calls `visit` with the plan of every shape that the operation can be
/// computed in; of shapes with equal plans with the first one alone.
/// \param[out] is_default whether the cheapest of them (the first of several)
///   is what `pgopt_generate_product` takes without a shape.
void pgopt_visit_products(MlirOperation op, const pgopt_target *target,
                          pgopt_preparation *preparation,
                          void (*visit)(const pgopt_product_shape *shape,
                                        double cycles, void *data),
                          void *data, bool *is_default);

#endif // PGOPT_KERNELS_PRODUCT_H
