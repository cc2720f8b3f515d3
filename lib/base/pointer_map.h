/// \file A hash map from pointers to integers. Iterating it is not offered:
/// pointer order differs from run to run.
#ifndef PGOPT_BASE_POINTER_MAP_H
#define PGOPT_BASE_POINTER_MAP_H

#include <stdbool.h>
#include <stddef.h>

typedef struct pgopt_pointer_slot {
  const void *key; ///< null when free
  int value;
} pgopt_pointer_slot;

/// A zero-initialised map is empty.
typedef struct pgopt_pointer_map {
  pgopt_pointer_slot *slots;
  size_t count, capacity;
} pgopt_pointer_map;

/// Sets the value of a key, which must not be null.
void pgopt_pointer_map_set(pgopt_pointer_map *map, const void *key, int value);
/// Returns false, and leaves `value` alone, when the key is absent.
bool pgopt_pointer_map_get(const pgopt_pointer_map *map, const void *key,
                           int *value);
void pgopt_pointer_map_free(pgopt_pointer_map *map);

#endif // PGOPT_BASE_POINTER_MAP_H
