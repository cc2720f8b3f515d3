#include "base/memory.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Blocks grow from the one to the other, so that short-lived arenas are cheap.
enum { FIRST_BLOCK_BYTES = 1024, LAST_BLOCK_BYTES = 64 * 1024 };

struct pgopt_arena_block {
  struct pgopt_arena_block *next;
  size_t used, capacity;
  alignas(max_align_t) unsigned char bytes[];
};

static _Noreturn void out_of_memory(size_t count, size_t size) {
  fprintf(stderr, "pgopt: out of memory asking for %zu x %zu bytes\n", count,
          size);
  abort();
}

static size_t checked_size(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX)
    out_of_memory(count, size);
  return bytes;
}

void *pgopt_allocate(size_t count, size_t size) {
  size_t bytes = checked_size(count, size);
  void *memory = calloc(1, bytes ? bytes : 1);
  if (!memory)
    out_of_memory(count, size);
  return memory;
}

void *pgopt_duplicate(const void *bytes, size_t size) {
  void *copy = pgopt_allocate(size, 1);
  if (size)
    memcpy(copy, bytes, size);
  return copy;
}

char *pgopt_duplicate_text(const char *text) {
  return pgopt_duplicate(text, strlen(text) + 1);
}

void pgopt_reserve(void **items, size_t *capacity, size_t needed,
                   size_t item_size) {
  if (needed <= *capacity)
    return;
  size_t grown = *capacity ? 2 * *capacity : 8;
  if (grown < needed)
    grown = needed;
  void *memory = realloc(*items, checked_size(grown, item_size));
  if (!memory)
    out_of_memory(grown, item_size);
  *items = memory;
  *capacity = grown;
}

void *pgopt_arena_allocate(pgopt_arena *arena, size_t count, size_t size) {
  size_t align = alignof(max_align_t);
  size_t bytes = (checked_size(count, size) + align - 1) / align * align;
  struct pgopt_arena_block *block = arena->blocks;
  if (!block || block->capacity - block->used < bytes) {
    size_t capacity = block ? 4 * block->capacity : FIRST_BLOCK_BYTES;
    if (capacity > LAST_BLOCK_BYTES)
      capacity = LAST_BLOCK_BYTES;
    if (capacity < bytes)
      capacity = bytes;
    block = pgopt_allocate(1, sizeof *block + capacity);
    block->capacity = capacity;
    block->next = arena->blocks;
    arena->blocks = block;
  }
  void *memory = block->bytes + block->used;
  block->used += bytes;
  return memory;
}

void *pgopt_arena_copy(pgopt_arena *arena, const void *bytes, size_t size) {
  void *copy = pgopt_arena_allocate(arena, size, 1);
  if (size)
    memcpy(copy, bytes, size);
  return copy;
}

char *pgopt_arena_text(pgopt_arena *arena, const char *text, size_t length) {
  char *copy = pgopt_arena_allocate(arena, length + 1, 1);
  if (length)
    memcpy(copy, text, length);
  return copy;
}

char *pgopt_arena_format(pgopt_arena *arena, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  char *text = pgopt_arena_allocate(arena, (size_t)length + 1, 1);
  va_start(arguments, format);
  vsnprintf(text, (size_t)length + 1, format, arguments);
  va_end(arguments);
  return text;
}

void pgopt_arena_free(pgopt_arena *arena) {
  struct pgopt_arena_block *block = arena->blocks;
  while (block) {
    struct pgopt_arena_block *next = block->next;
    free(block);
    block = next;
  }
  arena->blocks = NULL;
}
