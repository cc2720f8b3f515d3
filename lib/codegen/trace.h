/// \file Calls of the runtime's timers around kernel calls.
#ifndef PGOPT_CODEGEN_TRACE_H
#define PGOPT_CODEGEN_TRACE_H

#include "mlir-c/IR.h"

/// A sequential program: `pgopt_rt_mark(-1)` where the entry begins and
/// `pgopt_rt_mark(i)` after its i-th kernel call in program order.
void pgopt_instrument(MlirOperation module, MlirOperation entry);

/// `pgopt_rt_span(core, slot, begin)` around every kernel call of the module.
/// A call without `pg.core` and `pg.slot` is on core 0, and its slot is its
/// position among the kernel calls of its function.
void pgopt_trace(MlirOperation module);

#endif // PGOPT_CODEGEN_TRACE_H
