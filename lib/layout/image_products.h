/// \file Products of images with parameters: convolutions of one pixel.
#ifndef PGOPT_LAYOUT_IMAGE_PRODUCTS_H
#define PGOPT_LAYOUT_IMAGE_PRODUCTS_H

#include "layout/assignment.h"

/// The order in which a product of data with a parameter would write its
/// result: first the data's axes as they are stored, then the parameter's, the
/// longest innermost. Where the layout of images is blocked and the data's
/// channels are, the result's take their places.
/// \param[out] order the result's axes.
/// \returns false when the op is no such product, or writes so.
bool pgopt_product_order(const pgopt_assignment *assignment, size_t op,
                         int *order);

#endif // PGOPT_LAYOUT_IMAGE_PRODUCTS_H
