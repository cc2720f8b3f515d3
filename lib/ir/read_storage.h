/// \file What a memory plan must know of a program beside its Profile graph.
#ifndef PGOPT_IR_READ_STORAGE_H
#define PGOPT_IR_READ_STORAGE_H

#include "ir/read_calls.h"
#include "schedule/memory_plan.h"

typedef struct pgopt_program_storage {
  MlirOperation *allocs; ///< per buffer: its memref.alloc in the entry, or null
  bool *is_kept;         ///< per buffer: the entry returns it
  pgopt_overwrite *overwrites;
  size_t overwrite_count;
} pgopt_program_storage;

/// A call may write over what it reads when its kernel is one elementwise
/// operation: every element of the operand is read where the element of the
/// result at the same place is computed, and nowhere else.
/// \param[out] storage freed with pgopt_program_storage_free.
void pgopt_read_storage(MlirOperation module, const pgopt_call_program *program,
                        pgopt_program_storage *storage);
void pgopt_program_storage_free(pgopt_program_storage *storage);

#endif // PGOPT_IR_READ_STORAGE_H
