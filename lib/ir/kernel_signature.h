/// \file Signatures of kernels as a module wants them computed.
#ifndef PGOPT_IR_KERNEL_SIGNATURE_H
#define PGOPT_IR_KERNEL_SIGNATURE_H

#include "grouping/winograd_choice.h"
#include "mlir-c/IR.h"

/// What `pg.winograd` of the module around the operation says; auto without it,
/// or when it is none of the words.
pgopt_winograd pgopt_winograd_of(MlirOperation op);

/// The signature of a group, in `arena`, with what the module around `op` says
/// of how its kernel is computed: Winograd's tiles where that applies ("f4"),
/// and the target ("for haswell").
const char *pgopt_kernel_signature(MlirOperation op,
                                   const pgopt_network *network,
                                   const pgopt_group *group,
                                   pgopt_arena *arena);

#endif // PGOPT_IR_KERNEL_SIGNATURE_H
