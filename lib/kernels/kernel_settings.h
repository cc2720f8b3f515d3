/// \file How a module wants its kernels computed: options of every pass that
/// makes kernels, kept on the module so that later passes obey them.
#ifndef PGOPT_KERNELS_KERNEL_SETTINGS_H
#define PGOPT_KERNELS_KERNEL_SETTINGS_H

#include "bridge/bridge.h"
#include "kernels/target.h"

/// A member of a pass's options struct; "" for what the module says.
typedef struct pgopt_kernel_settings {
  const char *winograd, *target_cpu, *target_features;
} pgopt_kernel_settings;

/// Lines of a pass's option table; `type` is its options struct, `member` the
/// pgopt_kernel_settings in it.
#define PGOPT_KERNEL_SETTINGS(type, member)                                    \
  {"winograd", PGOPT_OPTION_TEXT, offsetof(type, member.winograd), "",         \
   "3x3 convolutions by Winograd's transforms: auto, off, or f2 or f4 for "    \
   "tiles of 2x2 or 4x4 alone; default: as the module says, else auto"},       \
      {"target-cpu", PGOPT_OPTION_TEXT, offsetof(type, member.target_cpu), "", \
       "CPU to generate code for, as LLVM calls it; default: as the module "   \
       "says, else this one"},                                                 \
  {                                                                            \
    "target-features", PGOPT_OPTION_TEXT,                                      \
        offsetof(type, member.target_features), "",                            \
        "features that the CPU has besides, or not: '+avx2,-avx512f'"          \
  }

/// Writes what is given on the module. \returns failure after one error at the
/// module when something is not known.
MlirLogicalResult
pgopt_kernel_settings_keep(MlirOperation module,
                           const pgopt_kernel_settings *settings);

/// The target that the module names, or this machine; caches are this
/// machine's.
/// \returns failure after one error at the module when it is not known.
MlirLogicalResult pgopt_kernel_target(MlirOperation module,
                                      pgopt_target *target);

/// Has LLVM generate code for the target that the module names, if any.
/// \param module lowered to functions of LLVM.
void pgopt_kernel_target_apply(MlirOperation module);

#endif // PGOPT_KERNELS_KERNEL_SETTINGS_H
