/// \file The constants of a network that kernels read: through arguments that
/// every call passes a constant for, or by name.
///
/// The search has two steps. The first goes with the launch of a scheduled
/// program as it is written and marks the calls; the second finds them again
/// when the launch is lowered and rewrites have run.
#ifndef PGOPT_KERNELS_CONSTANT_OPERANDS_H
#define PGOPT_KERNELS_CONSTANT_OPERANDS_H

#include "base/memory.h"
#include "base/pointer_map.h"
#include "codegen/emit.h"

/// A `memref.global` that never changes, or a parameter of the entry.
typedef struct pgopt_constant {
  char *global;      ///< its symbol, or null
  intptr_t argument; ///< else the number of the entry's argument
  int64_t bytes;
} pgopt_constant;

typedef struct pgopt_constant_call {
  MlirOperation op;
  const int64_t *constants; ///< one an operand; -1: none. Null: not known
  MlirValue block;          ///< what the entry's first call returns
  int next;                 ///< call of the same kernel, or -1
} pgopt_constant_call;

typedef struct pgopt_constants {
  MlirOperation module, entry;
  char *placeholder; ///< function that the entry calls first
  MlirOperation placeholder_call;
  pgopt_constant *items;
  size_t count, capacity;
  pgopt_pointer_map by_global;

  bool is_indexed;
  pgopt_arena arena;
  pgopt_constant_call *calls;
  size_t call_count, call_capacity;
  pgopt_pointer_map first_call; ///< of a kernel
} pgopt_constants;

/// Marks the calls. The entry's first operation becomes a call of a function
/// that is only declared; the pointer it returns is passed on to functions of
/// cores, as their last argument.
/// \returns false, with nothing done, when the module has no constants.
bool pgopt_constants_mark(MlirOperation module, MlirOperation entry,
                          pgopt_constants *constants);

/// Finds the marked calls, once; calls and kernels must stay then.
void pgopt_constants_index(pgopt_constants *constants);

/// Removes the marks and the declared function, whose call is gone.
void pgopt_constants_free(pgopt_constants *constants);

/// What a memref is all of, in another shape perhaps; null when it may be a
/// part, or lie in another order.
MlirValue pgopt_whole_buffer(MlirValue value);

/// The function that the value is defined in.
MlirOperation pgopt_function_of(MlirValue value);

/// The number of the constant that a whole buffer is, for one call of the
/// kernel that reads it (null: the entry reads it); -1 when it is none.
int64_t pgopt_constant_number(pgopt_constants *constants,
                              const pgopt_constant_call *call,
                              MlirValue buffer);

/// The kernel's first call; null when it has none. The next one is number
/// `next`.
const pgopt_constant_call *
pgopt_constants_first_call(const pgopt_constants *constants,
                           MlirOperation kernel);

/// Adds an argument to a function without results, or an operand, behind all
/// others, or in front of the one that has number `place`.
MlirValue pgopt_add_argument(MlirOperation function, MlirType type);
void pgopt_add_operand(MlirOperation op, MlirValue operand);
MlirValue pgopt_insert_argument(MlirOperation function, intptr_t place,
                                MlirType type);
void pgopt_insert_operand(MlirOperation op, intptr_t place, MlirValue operand);

#endif // PGOPT_KERNELS_CONSTANT_OPERANDS_H
