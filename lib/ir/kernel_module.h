/// \file The module in which kernels are built on tensors and bufferized,
/// before they move beside the network's function.
#ifndef PGOPT_IR_KERNEL_MODULE_H
#define PGOPT_IR_KERNEL_MODULE_H

#include "bridge/bridge.h"
#include "grouping/kernel_plan.h"
#include "ir/read_network.h"
#include "ir/symbol_names.h"

/// A kernel's function and what its arguments are.
typedef struct pgopt_kernel {
  char *name; ///< its symbol in the network's module; owned
  int next;   ///< kernel whose body has the same hash, or -1
  MlirOperation function;
  const pgopt_kernel_plan *plan;
  int64_t range; ///< as of pgopt_build_kernel
  const char *signature;
  const char *variant; ///< or null
} pgopt_kernel;

typedef struct pgopt_kernel_module {
  MlirOperation network;    ///< the module that the network is in
  MlirOperation op;         ///< a builtin.module nested at its end
  pgopt_symbol_names names; ///< taken in the network's module
  pgopt_kernel *kernels;
  size_t count, capacity;
  pgopt_pointer_map by_hash; ///< hash of the body -> last kernel
} pgopt_kernel_module;

void pgopt_kernel_module_create(MlirOperation network,
                                pgopt_kernel_module *kernels);

/// Builds the kernel of a group, or finds one with an equal body.
/// \param range iterations of every range, as of pgopt_build_kernel.
/// \param id names the function, if it is new.
/// \param variant becomes its `pg.variant`; null for none.
/// \param[out] kernel its index.
MlirLogicalResult pgopt_kernel_module_add(pgopt_kernel_module *kernels,
                                          const pgopt_ir_network *ir,
                                          const pgopt_kernel_plan *plan,
                                          int64_t range, const char *id,
                                          const char *signature,
                                          const char *variant, size_t *kernel);

/// Bufferizes all kernels and moves them in front of the network's function.
MlirLogicalResult pgopt_kernel_module_finish(pgopt_kernel_module *kernels,
                                             pgopt_pass *pass,
                                             MlirOperation before);

void pgopt_kernel_module_free(pgopt_kernel_module *kernels);

#endif // PGOPT_IR_KERNEL_MODULE_H
