/// \file `malloc` of loaded programs: memory that a run leaves behind, as
/// results do in upstream's plain lowering, is freed at the next run.
#ifndef PGOPT_CODEGEN_HEAP_H
#define PGOPT_CODEGEN_HEAP_H

#include <stddef.h>

typedef struct pgopt_heap pgopt_heap;

pgopt_heap *pgopt_heap_create(void);

/// Frees all blocks and the heap. Null is allowed.
void pgopt_heap_destroy(pgopt_heap *heap);

/// How many blocks are allocated from it.
size_t pgopt_heap_blocks(pgopt_heap *heap);

/// Frees all blocks.
void pgopt_heap_clear(pgopt_heap *heap);

/// Makes the calling thread allocate from `heap`; null: from no heap, so that
/// blocks live until they are freed one by one.
void pgopt_heap_enter(pgopt_heap *heap);

/// What programs call instead of the C library's functions (LLVM makes `calloc`
/// of a `malloc` that is cleared). A block may be freed from any thread. Null
/// when there is no memory.
void *pgopt_heap_malloc(size_t size);
void *pgopt_heap_calloc(size_t count, size_t size);
void *pgopt_heap_aligned_alloc(size_t alignment, size_t size);
void pgopt_heap_free(void *memory);

#endif // PGOPT_CODEGEN_HEAP_H
