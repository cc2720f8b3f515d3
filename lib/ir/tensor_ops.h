/// \file Builders for the tensor and linalg operations that kernels are made
/// of.
#ifndef PGOPT_IR_TENSOR_OPS_H
#define PGOPT_IR_TENSOR_OPS_H

#include "grouping/kernel_plan.h"
#include "mlir-c/IR.h"

/// Where new operations go.
typedef struct pgopt_builder {
  MlirContext context;
  MlirBlock block;
  MlirLocation location;
} pgopt_builder;

/// `name` applied to two index values (arith.addi, arith.subi, arith.muli).
MlirValue pgopt_build_index_op(const pgopt_builder *b, const char *name,
                               MlirValue left, MlirValue right);

/// tensor.empty of a static type.
MlirValue pgopt_build_empty(const pgopt_builder *b, MlirType type);

/// A place in a tensor: static offsets and sizes, except in dimension `dim`
/// (none when -1), where the offset is a value, and the size is `size`, or,
/// when that is null, `static_size`.
typedef struct pgopt_box {
  const int64_t *offsets, *sizes; ///< one a dimension; null offsets are 0
  int dim;
  MlirValue offset, size;
  int64_t static_size;
} pgopt_box;

/// tensor.extract_slice of `source`, of the same rank.
MlirValue pgopt_build_slice(const pgopt_builder *b, MlirValue source,
                            const pgopt_box *box);
/// tensor.insert_slice of `value` into `destination`.
MlirValue pgopt_build_insert(const pgopt_builder *b, MlirValue value,
                             MlirValue destination, const pgopt_box *box);

/// linalg.copy of `value` into `destination`.
MlirValue pgopt_build_copy(const pgopt_builder *b, MlirValue value,
                           MlirValue destination);
/// linalg.fill of `destination` with a scalar.
MlirValue pgopt_build_fill(const pgopt_builder *b, MlirValue scalar,
                           MlirValue destination);

/// A tensor full of the constant attribute `splat`'s number, in front of
/// `before`: a scalar, a tensor.empty and a linalg.fill.
MlirValue pgopt_build_splat_before(MlirOperation before, MlirAttribute splat);

/// tensor.expand_shape of `value` to `type`, in front of `before`: its
/// dimension `dimension` becomes two.
MlirValue pgopt_build_expand_before(MlirOperation before, MlirValue value,
                                    MlirType type, int dimension);

/// linalg's word for a loop.
MlirAttribute pgopt_iterator_attribute(MlirContext context, bool is_reduction);

/// Replaces every memref.copy below `root` by linalg.copy, which is tiled and
/// vectorized like the rest; copies of a buffer onto itself go.
void pgopt_replace_memref_copies(MlirOperation root);

/// linalg.generic in place of the structured operation `op`, which is in no
/// block and is destroyed. `description` says what it is.
/// \param in_place an input that is dropped: the init holds its value; or -1.
MlirOperation pgopt_rebuild_as_generic(const pgopt_builder *b, MlirOperation op,
                                       const pgopt_op *description,
                                       int in_place);

#endif // PGOPT_IR_TENSOR_OPS_H
