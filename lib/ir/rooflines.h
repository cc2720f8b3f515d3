/// \file The rooflines of a network's kernels on the machine of its Timing.
#ifndef PGOPT_IR_ROOFLINES_H
#define PGOPT_IR_ROOFLINES_H

#include "grouping/kernel_plan.h"
#include "machine/roofline.h"
#include "mlir-c/IR.h"
#include "profile/report.h"

/// What a group's kernel computes and moves.
/// \param lflops, bytes -1 when not known.
pgopt_kernel_work pgopt_group_work(const pgopt_network *network,
                                   const pgopt_kernel_plan *plan,
                                   int64_t lflops, int64_t bytes);

/// What a kernel call computes and moves: its counts, and of the bytes those of
/// its written arguments and its constants. A call that computes a part of the
/// range has that part of them. Without `pg.access` only the counts are known.
/// \param function that is called; may be null.
/// \returns failure after one error, when its interface is no kernel's.
MlirLogicalResult pgopt_call_work(MlirOperation call, MlirOperation entry,
                                  MlirOperation function,
                                  pgopt_kernel_work *work);

/// Fills in the least times of layers; nothing without `pg.machine`.
/// \param works one a layer.
void pgopt_fill_rooflines(MlirOperation module, const pgopt_kernel_work *works,
                          pgopt_report_layer *layers, size_t count);

#endif // PGOPT_IR_ROOFLINES_H
