/// \file Variants: the ways to compute what a kernel is about, as short texts
/// that `pg.variant` holds.
///
///     product:6x4             register tiles of 6 rows x 4 vectors
///     product:6x4 packed      with the columns copied into panels first,
///     product:6x4 gathered    or gathered into a matrix
///     product:6x4 swapped     of a pair: the other operand has the rows
///     winograd:f4             Winograd's F(4x4, 3x3), or f2
///     window:7                tiles of a window of at most 7 outputs
///     blas  im2col            OpenBLAS on the operands, or on gathered ones
///     vector  loops           upstream's vectorizer, plain loops
#ifndef PGOPT_KERNELS_VARIANTS_H
#define PGOPT_KERNELS_VARIANTS_H

#include "base/text.h"
#include "kernels/prepare.h"
#include "kernels/product_plan.h"
#include "mlir-c/IR.h"

enum {
  PGOPT_VARIANT_TEXT = 32,
  PGOPT_MAX_VARIANTS = 6, ///< of one kernel, after pruning
};

typedef enum pgopt_algorithm {
  PGOPT_ALGORITHM_PRODUCT,
  PGOPT_ALGORITHM_WINOGRAD,
  PGOPT_ALGORITHM_WINDOW,
  PGOPT_ALGORITHM_BLAS,
  PGOPT_ALGORITHM_IM2COL,
  PGOPT_ALGORITHM_VECTOR,
  PGOPT_ALGORITHM_LOOPS,
} pgopt_algorithm;

typedef struct pgopt_variant {
  pgopt_algorithm algorithm;
  pgopt_product_shape shape; ///< of a product
  int64_t size; ///< of Winograd's tiles, 2 or 4; outputs of a window's tile
} pgopt_variant;

/// Reads a variant's text. False when it is none.
bool pgopt_variant_parse(const char *text, pgopt_variant *variant);

/// Writes the text that is read back as the same variant.
void pgopt_variant_print(const pgopt_variant *variant,
                         char text[PGOPT_VARIANT_TEXT]);

/// A variant that applies to a kernel, and what the model expects of it.
typedef struct pgopt_variant_estimate {
  pgopt_variant variant;
  double cycles;
} pgopt_variant_estimate;

/// The operation that variants are of: the function's only multiply-accumulate;
/// in a function without, its only reduction; without these, its only operation
/// that reads an array. Null when there is none or there are several.
MlirOperation pgopt_variant_core(MlirOperation function);

/// Whether an operation that a kernel has as its core can be computed so. May
/// change it: for copies.
bool pgopt_variant_applies(MlirOperation core, const pgopt_variant *variant,
                           const pgopt_target *target,
                           pgopt_preparation *preparation);

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

#endif // PGOPT_KERNELS_VARIANTS_H
