/// \file The memory plan of a program, from its kernel calls to `pg.offset` on
/// the entry's buffers.
#ifndef PGOPT_CODEGEN_ARENA_PLAN_H
#define PGOPT_CODEGEN_ARENA_PLAN_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#include <stddef.h>
#include <stdint.h>

/// What a plan comes to; pgopt_memory_plan says what the numbers mean.
typedef struct pgopt_arena_summary {
  int64_t arena_bytes, values_bytes, bound_bytes;
  size_t value_count, in_place_count;
} pgopt_arena_summary;

/// Plans where the values between kernels lie and writes `pg.offset` on their
/// `memref.alloc`s, for `pgopt_place_entry_buffers`. The plan is checked before
/// it is written. A remark at the entry says what it comes to, or why there is
/// none: kernels without `pg.access`, loops in the entry and the like, which
/// leave the numbers 0.
/// \param entry at PGOPT_STAGE_CALLS or PGOPT_STAGE_CORES.
/// \returns failure after one error: sizes that do not fit.
MlirLogicalResult pgopt_plan_arena(MlirOperation module, MlirOperation entry,
                                   pgopt_arena_summary *summary);

/// Removes the entry's `pg.offset`s.
void pgopt_forget_arena_plan(MlirOperation entry);

#endif // PGOPT_CODEGEN_ARENA_PLAN_H
