/// \file A map from names to numbers.
#ifndef PGOPT_ONNX_NAMES_H
#define PGOPT_ONNX_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/// A zero-initialised map is empty. Names are borrowed.
typedef struct pgopt_names {
  struct pgopt_name_slot *slots;
  size_t count, capacity;
} pgopt_names;

/// False, and nothing changes, when the name is there already.
bool pgopt_names_add(pgopt_names *names, const char *name, int value);
/// Adds or replaces.
void pgopt_names_set(pgopt_names *names, const char *name, int value);
bool pgopt_names_get(const pgopt_names *names, const char *name, int *value);
void pgopt_names_free(pgopt_names *names);

#endif // PGOPT_ONNX_NAMES_H
