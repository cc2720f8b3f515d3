/// \file Variants: the ways to compute what a kernel is about, as short texts
/// that `pg.variant` holds.
///
///     product:6x4             register tiles of 6 rows x 4 vectors
///     product:6x4 packed      with the columns copied into panels first,
///     product:6x4 gathered    or gathered into a matrix
///     product:6x4 swapped     of a pair: the other operand has the rows
///     winograd:f4             Winograd's F(4x4, 3x3), or f2
///     window:7                tiles of a window of at most 7 outputs
///     rows  rows:4            a chain along rows, 4 vectors of a row a turn
///     apart                   its operations, each by itself
///     reduce:8                8 vectors reduced side by side
///     gather:4  copy:4        rows copied, 4 vectors a turn
///     blas  im2col            OpenBLAS on the operands, or on gathered ones
///     vector  loops           upstream's vectorizer, plain loops
#ifndef PGOPT_KERNELS_VARIANTS_H
#define PGOPT_KERNELS_VARIANTS_H

#include "base/text.h"
#include "kernels/prepare.h"
#include "kernels/product_plan.h"
#include "mlir-c/IR.h"

enum { PGOPT_VARIANT_TEXT = 32 };

typedef enum pgopt_algorithm {
  PGOPT_ALGORITHM_PRODUCT,
  PGOPT_ALGORITHM_WINOGRAD,
  PGOPT_ALGORITHM_WINDOW,
  PGOPT_ALGORITHM_ROWS,
  PGOPT_ALGORITHM_REDUCE,
  PGOPT_ALGORITHM_GATHER,
  PGOPT_ALGORITHM_COPY,
  PGOPT_ALGORITHM_APART,
  PGOPT_ALGORITHM_BLAS,
  PGOPT_ALGORITHM_IM2COL,
  PGOPT_ALGORITHM_VECTOR,
  PGOPT_ALGORITHM_LOOPS,
} pgopt_algorithm;

typedef struct pgopt_variant {
  pgopt_algorithm algorithm;
  pgopt_product_shape shape; ///< of a product
  /// Of Winograd's tiles, 2 or 4; outputs of a window's tile; else vectors, of
  /// which chains along rows may have 0: the model's, pass by pass.
  int64_t size;
} pgopt_variant;

/// Reads a variant's text. False when it is none.
bool pgopt_variant_parse(const char *text, pgopt_variant *variant);

/// Writes the text that is read back as the same variant.
void pgopt_variant_print(const pgopt_variant *variant,
                         char text[PGOPT_VARIANT_TEXT]);

/// The operation that variants are of: the function's only multiply-accumulate;
/// in a function without, its only reduction; without these, its only operation
/// that reads an array. Null when there is none or there are several.
MlirOperation pgopt_variant_core(MlirOperation function);

/// The operations that variants are of: the core, or, where nothing is reduced,
/// all that read an array: the parts of a concatenation.
/// \param[out] count 0 where there are several of which one reduces.
/// \returns them in their order; to be freed.
MlirOperation *pgopt_variant_cores(MlirOperation function, size_t *count);

/// Whether a kernel can be computed so. May change its operations: for copies.
bool pgopt_variant_applies(MlirOperation function, const pgopt_variant *variant,
                           const pgopt_target *target,
                           pgopt_preparation *preparation);

#endif // PGOPT_KERNELS_VARIANTS_H
