/// \file A header in front of each block says which heap lists it. Blocks from
/// elsewhere (a library's strdup) have none and go to the C library.
#include "codegen/heap.h"

#include "base/memory.h"
#include "pgopt/runtime.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct block {
  struct block *previous, *next;
  pgopt_heap *heap; ///< null for none
  void *memory;     ///< what the C library gave
  uintptr_t mark;   ///< the header's address, changed by a constant
} block;

struct pgopt_heap {
  pthread_mutex_t lock;
  block *first;
};

static const uintptr_t mark = (uintptr_t)0x9d6f3b5ac1e87024u;

static _Thread_local pgopt_heap *current;

pgopt_heap *pgopt_heap_create(void) {
  pgopt_heap *heap = pgopt_allocate(1, sizeof *heap);
  pthread_mutex_init(&heap->lock, NULL);
  return heap;
}

size_t pgopt_heap_blocks(pgopt_heap *heap) {
  size_t count = 0;
  pthread_mutex_lock(&heap->lock);
  for (const block *b = heap->first; b; b = b->next)
    ++count;
  pthread_mutex_unlock(&heap->lock);
  return count;
}

void pgopt_heap_clear(pgopt_heap *heap) {
  pthread_mutex_lock(&heap->lock);
  block *next;
  for (block *b = heap->first; b; b = next) {
    next = b->next;
    free(b->memory);
  }
  heap->first = NULL;
  pthread_mutex_unlock(&heap->lock);
}

void pgopt_heap_destroy(pgopt_heap *heap) {
  if (!heap)
    return;
  pgopt_heap_clear(heap);
  pthread_mutex_destroy(&heap->lock);
  free(heap);
}

void pgopt_heap_enter(pgopt_heap *heap) { current = heap; }

void *pgopt_heap_aligned_alloc(size_t alignment, size_t size) {
  if (alignment < _Alignof(max_align_t))
    alignment = _Alignof(max_align_t);
  // The header lies right in front of an aligned address.
  size_t extra, total;
  if ((alignment & (alignment - 1)) ||
      __builtin_add_overflow(sizeof(block), alignment, &extra) ||
      __builtin_add_overflow(size, extra, &total) || total > PTRDIFF_MAX)
    total = 0;
  char *memory = total ? malloc(total) : NULL;
  if (!memory) {
    pgopt_rt_out_of_memory((int64_t)size);
    return NULL;
  }
  uintptr_t begin = (uintptr_t)memory + sizeof(block);
  size_t offset = (size_t)(-begin & (alignment - 1));
  block *made = (block *)(memory + offset);
  *made = (block){.heap = current, .memory = memory};
  made->mark = (uintptr_t)made ^ mark;
  if (current) {
    pthread_mutex_lock(&current->lock);
    made->next = current->first;
    if (made->next)
      made->next->previous = made;
    current->first = made;
    pthread_mutex_unlock(&current->lock);
  }
  return made + 1;
}

void *pgopt_heap_malloc(size_t size) {
  return pgopt_heap_aligned_alloc(_Alignof(max_align_t), size);
}

void *pgopt_heap_calloc(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes))
    return NULL;
  void *memory = pgopt_heap_malloc(bytes);
  if (memory)
    memset(memory, 0, bytes);
  return memory;
}

/// The word in front of a block of the C library is its own header: it may be
/// read, whatever the address sanitizer thinks of it.
__attribute__((no_sanitize("address"))) static bool is_ours(const block *b) {
  return b->mark == ((uintptr_t)b ^ mark);
}

void pgopt_heap_free(void *memory) {
  if (!memory)
    return;
  block *freed = (block *)memory - 1;
  if (!is_ours(freed)) {
    free(memory);
    return;
  }
  pgopt_heap *heap = freed->heap;
  if (heap) {
    pthread_mutex_lock(&heap->lock);
    if (freed->previous)
      freed->previous->next = freed->next;
    else
      heap->first = freed->next;
    if (freed->next)
      freed->next->previous = freed->previous;
    pthread_mutex_unlock(&heap->lock);
  }
  free(freed->memory);
}
