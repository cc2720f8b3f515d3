/// \file From IR at the kernel-call stage, sequential or scheduled, to the
/// Profile graph.
#ifndef PGOPT_IR_READ_CALLS_H
#define PGOPT_IR_READ_CALLS_H

#include "base/pointer_map.h"
#include "mlir-c/IR.h"
#include "mlir-c/Support.h"
#include "profile/profile_graph.h"
#include "schedule/schedule.h"

/// A network as kernel calls. Handles are borrowed from the module.
typedef struct pgopt_call_program {
  MlirOperation entry;
  pgopt_profile_graph *graph; ///< connected; owned
  MlirOperation *ops;         ///< per node: the call, or the barrier's op
  pgopt_pointer_map buffers;  ///< memref value -> buffer; of the entry and of
                              ///< the functions of its cores
  /// The lists of the cores as the IR has them; `count` 0 for a sequential
  /// program.
  pgopt_core_lists lists;
  int64_t *resources; ///< per core: which of the resources it is, as written
} pgopt_call_program;

/// Reads the entry and, when it is scheduled, the functions of its cores.
///
/// A call with a memref among its operands is a kernel's and must say by
/// `pg.access` what it touches. Other operations without memrefs are barriers,
/// but for constants and for arithmetic that no barrier feeds. Nodes of a
/// sequential program stand in its order, those of a scheduled one in an order
/// in which they can run.
/// \param entry a func.func at PGOPT_STAGE_CALLS or PGOPT_STAGE_CORES.
/// \param[out] program freed with pgopt_call_program_free; empty on failure.
/// \returns failure after one error at the operation that does not fit.
MlirLogicalResult pgopt_read_calls(MlirOperation module, MlirOperation entry,
                                   pgopt_call_program *program);
void pgopt_call_program_free(pgopt_call_program *program);

#endif // PGOPT_IR_READ_CALLS_H
