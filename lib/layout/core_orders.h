/// \file What a product wants of its other operands, when the order of one is
/// known.
#ifndef PGOPT_LAYOUT_CORE_ORDERS_H
#define PGOPT_LAYOUT_CORE_ORDERS_H

#include "layout/assignment.h"

/// The order of the data or the result of a product with a parameter that
/// follows from the other's: the axes of both in that order, the parameter's
/// own where the reduced ones stood, and the other way round.
/// \param known orders of values, null where there is none.
/// \param[out] order of the value of `slot`.
/// \returns false when nothing follows.
bool pgopt_follow_product(const pgopt_assignment *declared, size_t op,
                          size_t slot, const int *const *known, int *order);

/// The order in which a product or convolution would have the parameter in
/// `slot`, others as known, else as declared.
bool pgopt_parameter_order(const pgopt_assignment *declared, size_t op,
                           size_t slot, const int *const *known, int *order);

/// True when the product would have to gather one of its matrices.
/// \param orders of its two operands and its result.
bool pgopt_product_gathers(const pgopt_assignment *declared, size_t op,
                           const int *const orders[3]);

#endif // PGOPT_LAYOUT_CORE_ORDERS_H
