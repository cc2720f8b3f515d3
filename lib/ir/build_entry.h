/// \file Rebuilds the network's function on memrefs: buffers, views and calls
/// of kernels.
#ifndef PGOPT_IR_BUILD_ENTRY_H
#define PGOPT_IR_BUILD_ENTRY_H

#include "grouping/kernel_plan.h"
#include "ir/read_network.h"
#include "ir/symbol_names.h"

/// One call of a kernel: a part of a group.
typedef struct pgopt_kernel_call {
  size_t group;
  const char *function;                 ///< symbol of the kernel
  int64_t low, high;                    ///< its range
  const MlirNamedAttribute *attributes; ///< to put on the call
  size_t attribute_count;
} pgopt_kernel_call;

/// Puts a function on memrefs in the place of the network's function: same
/// name, visibility, attributes and argument attributes; tensors become
/// memrefs. Constants become globals of the module. \param names of the
/// module's symbols. \param plans one a group. \param calls in order of
/// execution, all parts of a group together. \param[out] entry the new
/// function; `ir` is invalid afterwards. \returns failure after one error at an
/// operation that cannot stand between
///   kernels.
MlirLogicalResult
pgopt_build_entry(MlirOperation module, MlirOperation function,
                  const pgopt_ir_network *ir, const pgopt_grouping *grouping,
                  const pgopt_kernel_plan *plans,
                  const pgopt_kernel_call *calls, size_t call_count,
                  pgopt_symbol_names *names, MlirOperation *entry);

/// The memref with the tensor's shape and element type; other types unchanged.
MlirType pgopt_memref_of(MlirType type);

/// Builds storage of the entry for one value, aligned.
/// \param before in front of it; null: at the end of the block.
MlirValue pgopt_build_entry_buffer(MlirBlock block, MlirOperation before,
                                   MlirLocation location, MlirType memref);

#endif // PGOPT_IR_BUILD_ENTRY_H
