/// \file Where the buffers of a lowered program live. Nothing is allocated per
/// inference: the entry's buffers are slices of the program's arena (one arena
/// a calling thread), the buffers inside a kernel are slices of one block of
/// the thread's scratch, and parameters are addresses in the parameter file.
#ifndef PGOPT_CODEGEN_STORAGE_H
#define PGOPT_CODEGEN_STORAGE_H

#include "codegen/emit.h"

/// Address of the object that is the program's name towards the runtime; made
/// in the module at first use.
MlirValue pgopt_emit_program_handle(pgopt_emitter emitter,
                                    MlirOperation module);

/// Replaces every `memref.alloc` of the entry by a 64-byte aligned slice of the
/// program's arena, at its `pg.offset`; buffers without one have slices of
/// their own. A result that the entry returns lies in the arena: it is valid
/// until the thread's next call. \param[out] arena_bytes size of the arena.
/// \returns failure after one error: a buffer of dynamic size or of a type
///   without a fixed size.
MlirLogicalResult pgopt_place_entry_buffers(MlirOperation entry,
                                            int64_t *arena_bytes);

/// Replaces the `memref.alloc`s of a kernel by slices of one block of scratch,
/// fetched when the kernel begins. Sizes may be computed from the kernel's
/// range, but not inside loops.
/// \param[in,out] most_bytes raised to the block's size, as far as it is known.
MlirLogicalResult pgopt_place_kernel_buffers(MlirOperation kernel,
                                             int64_t *most_bytes);

/// Replaces `memref.get_global` of globals that carry `pg.parameter` by their
/// address in the parameter file that the module names, fetched once a call of
/// the function that uses them; erases those globals.
/// \param[out] count parameters bound.
MlirLogicalResult pgopt_bind_parameters(MlirOperation module, int64_t *count);

#endif // PGOPT_CODEGEN_STORAGE_H
