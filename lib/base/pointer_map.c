/// \file Open addressing with linear probing, at most half full.
#include "base/pointer_map.h"

#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>

static pgopt_pointer_slot *find_slot(const pgopt_pointer_map *map,
                                     const void *key) {
  uint64_t hash = (uint64_t)(uintptr_t)key * UINT64_C(0x9E3779B97F4A7C15);
  size_t index = (size_t)(hash >> 20) & (map->capacity - 1);
  while (map->slots[index].key && map->slots[index].key != key)
    index = (index + 1) & (map->capacity - 1);
  return &map->slots[index];
}

static void grow(pgopt_pointer_map *map) {
  pgopt_pointer_map bigger = {.capacity =
                                  map->capacity ? 2 * map->capacity : 64};
  bigger.slots = pgopt_allocate(bigger.capacity, sizeof *bigger.slots);
  for (size_t i = 0; i < map->capacity; ++i)
    if (map->slots[i].key)
      *find_slot(&bigger, map->slots[i].key) = map->slots[i];
  bigger.count = map->count;
  free(map->slots);
  *map = bigger;
}

void pgopt_pointer_map_set(pgopt_pointer_map *map, const void *key, int value) {
  if (2 * (map->count + 1) > map->capacity)
    grow(map);
  pgopt_pointer_slot *slot = find_slot(map, key);
  map->count += !slot->key;
  *slot = (pgopt_pointer_slot){key, value};
}

bool pgopt_pointer_map_get(const pgopt_pointer_map *map, const void *key,
                           int *value) {
  if (!map->capacity)
    return false;
  const pgopt_pointer_slot *slot = find_slot(map, key);
  if (!slot->key)
    return false;
  *value = slot->value;
  return true;
}

void pgopt_pointer_map_free(pgopt_pointer_map *map) {
  free(map->slots);
  *map = (pgopt_pointer_map){0};
}
