/// \file Memory: allocations that never return null, and an arena that frees
/// everything built in it at once. Running out of memory ends the process with
/// a message: sizes that come from outside are checked before they get here.
#ifndef PGOPT_BASE_MEMORY_H
#define PGOPT_BASE_MEMORY_H

#include <stddef.h>

/// `count * size` zeroed bytes; freed with `free`. Aborts on overflow.
void *pgopt_allocate(size_t count, size_t size);

/// A copy of `size` bytes (`size` may be 0); freed with `free`.
void *pgopt_duplicate(const void *bytes, size_t size);

/// A copy of the text; freed with `free`.
char *pgopt_duplicate_text(const char *text);

/// Grows the array at `*items` so that it holds `needed` items of `item_size`
/// bytes; `*capacity` counts items. Doubles, so appending is linear overall.
void pgopt_reserve(void **items, size_t *capacity, size_t needed,
                   size_t item_size);

/// Appends to a growing array held as pointer `items`, `count` and `capacity`.
#define PGOPT_APPEND(items, count, capacity, value)                            \
  do {                                                                         \
    pgopt_reserve((void **)&(items), &(capacity), (count) + 1,                 \
                  sizeof *(items));                                            \
    (items)[(count)++] = (value);                                              \
  } while (0)

typedef struct pgopt_arena {
  struct pgopt_arena_block *blocks;
} pgopt_arena;

/// Zeroed memory, aligned for any type, that lives until the arena is freed.
/// A zero-initialised `pgopt_arena` is an empty one.
void *pgopt_arena_allocate(pgopt_arena *arena, size_t count, size_t size);
void *pgopt_arena_copy(pgopt_arena *arena, const void *bytes, size_t size);
char *pgopt_arena_text(pgopt_arena *arena, const char *text, size_t length);
char *pgopt_arena_format(pgopt_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void pgopt_arena_free(pgopt_arena *arena);

#endif // PGOPT_BASE_MEMORY_H
