/// \file The one-dimensional transforms of Winograd's F(2,3) and F(4,3).
///
/// `size` outputs of a convolution with 3 weights take `size + 2` products:
/// out = A [(G g) * (B d)]. In two dimensions each is applied to the columns
/// and then to the rows. F(4,3) interpolates at 0, +-1/sqrt 2, +-sqrt 2 and
/// infinity, whose error is a quarter of that of 0, +-1, +-2.
/// Source: Lavin and Gray, Fast Algorithms for Convolutional Neural Networks,
/// 2015; Barabasz et al., Error Analysis and Improving the Accuracy of Winograd
/// Convolution, 2018, for the choice of points.
#ifndef PGOPT_KERNELS_WINOGRAD_TRANSFORM_H
#define PGOPT_KERNELS_WINOGRAD_TRANSFORM_H

#include "kernels/vectors.h"

enum { PGOPT_WINOGRAD_MAX_SIDE = 6 }; ///< size + 2

/// Replaces size + 2 elements of the image by B d.
void pgopt_winograd_input(pgopt_emitter e, const pgopt_vectors *v, int64_t size,
                          MlirValue *d);
/// Replaces 3 weights by the size + 2 of G g.
void pgopt_winograd_weights(pgopt_emitter e, const pgopt_vectors *v,
                            int64_t size, MlirValue *g);
/// Replaces size + 2 products by `size` outputs.
void pgopt_winograd_output(pgopt_emitter e, const pgopt_vectors *v,
                           int64_t size, MlirValue *m);

/// Applies the transform to the columns and then to the rows of a square,
/// `square[y * PGOPT_WINOGRAD_MAX_SIDE + x]` with `side` rows and columns.
/// \param results rows and columns that the transform makes of `side`.
void pgopt_winograd_square(pgopt_emitter e, const pgopt_vectors *v,
                           int64_t size,
                           void (*transform)(pgopt_emitter,
                                             const pgopt_vectors *, int64_t,
                                             MlirValue *),
                           int64_t side, int64_t results, MlirValue *square);

#endif // PGOPT_KERNELS_WINOGRAD_TRANSFORM_H
