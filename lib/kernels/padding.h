/// \file Zeros around an operand that are never stored, or another constant.
///
/// `form-kernels` writes a pad inside a kernel as a buffer that is filled with
/// it and into which the image is copied. An operation that is generated reads
/// the image itself and leaves out what lies beside it.
#ifndef PGOPT_KERNELS_PADDING_H
#define PGOPT_KERNELS_PADDING_H

#include "codegen/generic.h"

enum { PGOPT_PADDING_MAX_RANK = 8 };

/// Dimension d of the operand as the operation reads it. Its element i is, in
/// the image, number i + offset - low along the dimension, which is `stride`
/// elements a step, when that is in [0, extent); else it is 0.
typedef struct pgopt_padded_dimension {
  int64_t low, high; ///< zeros before and behind the image, both >= 0
  int64_t extent;    ///< of the image; `low + extent + high` is the buffer's
  int64_t stride;
  /// Where the slice that the operation reads begins in the buffer: a value
  /// when it depends on the kernel's range, else null and `first`.
  MlirValue offset;
  int64_t first;
} pgopt_padded_dimension;

typedef struct pgopt_padding {
  MlirValue image; ///< a memref of static strides
  size_t rank;     ///< the operand's
  pgopt_padded_dimension dimensions[PGOPT_PADDING_MAX_RANK];
  bool is_squared;      ///< each element of the image is
  MlirOperation buffer; ///< the memref.alloc
} pgopt_padding;

/// Reads input `number` of the operation as an image with zeros around it.
/// \returns false when it is none: the buffer has other readers or writers,
///   the image may change before it is read, or shapes are not static.
bool pgopt_padding_read(const pgopt_generic *generic, size_t number,
                        pgopt_padding *padding);

/// The same for an image with another constant around it.
/// \param may_square the image's squares will do as well, where that is 0.
bool pgopt_padding_read_constant(const pgopt_generic *generic, size_t number,
                                 double constant, bool may_square,
                                 pgopt_padding *padding);

/// Erases the buffer and what fills it; nothing else may use it any more but
/// views that nothing uses.
void pgopt_padding_erase(const pgopt_padding *padding);

#endif // PGOPT_KERNELS_PADDING_H
