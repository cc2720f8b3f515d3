/// \file What a kernel's function says about the memory its calls touch.
#ifndef PGOPT_IR_KERNEL_INTERFACE_H
#define PGOPT_IR_KERNEL_INTERFACE_H

#include "ir/element_type.h"
#include "mlir-c/IR.h"
#include "mlir-c/Support.h"
#include "profile/profile_graph.h"

/// One argument of a kernel: a memref, or a number.
typedef struct pgopt_kernel_argument {
  bool is_memref;
  /// Of a memref, from `pg.access`. With `is_cut`, a call of range [lo, hi)
  /// touches [lo * scale, (hi - 1) * scale + window) of dimension `dim`. With
  /// neither `reads` nor `writes` it touches nothing.
  bool reads, writes, is_cut;
  int64_t dim, scale, window;
  pgopt_array_type type;
} pgopt_kernel_argument;

/// The two last arguments are the range and not listed.
typedef struct pgopt_kernel_interface {
  MlirOperation function;
  pgopt_kernel_argument *arguments; ///< freed with `free`
  size_t count;
} pgopt_kernel_interface;

/// True for a func.call with a memref among its operands.
bool pgopt_is_kernel_call(MlirOperation op);
/// True when an operand, a result or anything in a region of the op is a tensor
/// or a memref.
bool pgopt_mentions_arrays(MlirOperation op);

/// Reads the function of a kernel. \returns failure after one error at it: no
/// range at the end, a memref without `pg.access`, with dynamic extents or with
/// a layout, or results.
MlirLogicalResult
pgopt_read_kernel_interface(MlirOperation function,
                            pgopt_kernel_interface *interface);

/// The value of an arith.constant of an integer or index.
bool pgopt_constant_value(MlirValue value, int64_t *number);

/// The call's range. \returns failure after one error at the call.
MlirLogicalResult pgopt_read_call_range(MlirOperation call, int64_t *low,
                                        int64_t *high);

/// The elements of argument `index` that a call of [low, high) touches.
pgopt_status pgopt_kernel_range(const pgopt_kernel_interface *interface,
                                size_t index, int64_t low, int64_t high,
                                pgopt_buffer_range *range, pgopt_error *error);

#endif // PGOPT_IR_KERNEL_INTERFACE_H
