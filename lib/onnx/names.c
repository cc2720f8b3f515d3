/// \file A map from names to numbers: open addressing, FNV-1a.
#include "onnx/names.h"

#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct pgopt_name_slot {
  const char *name; ///< null when free
  int value;
};

static struct pgopt_name_slot *find(const pgopt_names *names,
                                    const char *name) {
  uint64_t hash = UINT64_C(14695981039346656037);
  for (const char *c = name; *c; ++c)
    hash = (hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
  size_t at = (size_t)hash & (names->capacity - 1);
  while (names->slots[at].name && strcmp(names->slots[at].name, name))
    at = (at + 1) & (names->capacity - 1);
  return &names->slots[at];
}

static void grow(pgopt_names *names) {
  pgopt_names larger = {.capacity = names->capacity ? 2 * names->capacity : 64};
  larger.slots = pgopt_allocate(larger.capacity, sizeof *larger.slots);
  for (size_t i = 0; i < names->capacity; ++i)
    if (names->slots[i].name)
      *find(&larger, names->slots[i].name) = names->slots[i];
  larger.count = names->count;
  free(names->slots);
  *names = larger;
}

bool pgopt_names_add(pgopt_names *names, const char *name, int value) {
  if (2 * names->count >= names->capacity)
    grow(names);
  struct pgopt_name_slot *slot = find(names, name);
  if (slot->name)
    return false;
  *slot = (struct pgopt_name_slot){name, value};
  ++names->count;
  return true;
}

void pgopt_names_set(pgopt_names *names, const char *name, int value) {
  if (!pgopt_names_add(names, name, value))
    find(names, name)->value = value;
}

bool pgopt_names_get(const pgopt_names *names, const char *name, int *value) {
  if (!names->capacity)
    return false;
  const struct pgopt_name_slot *slot = find(names, name);
  if (!slot->name)
    return false;
  *value = slot->value;
  return true;
}

void pgopt_names_free(pgopt_names *names) {
  free(names->slots);
  *names = (pgopt_names){0};
}
