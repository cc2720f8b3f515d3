/// \file Bindings of symbolic dimensions and of inputs that decide shapes.
#include "onnx/import_graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/// Reads "2,3" or "0.5,2.0" up to the end into data of I64 or F64.
static bool read_list(char *list, pgopt_arena *arena, pgopt_onnx_data *data) {
  bool is_float = strpbrk(list, ".eE") != NULL;
  int64_t count = *list != 0;
  for (const char *c = list; *c; ++c)
    count += *c == ',';
  int64_t *integers =
      pgopt_arena_allocate(arena, (size_t)count + 1, sizeof *integers);
  double *floats =
      pgopt_arena_allocate(arena, (size_t)count + 1, sizeof *floats);
  for (int64_t i = 0; i < count; ++i) {
    char *end;
    errno = 0;
    if (is_float)
      floats[i] = strtod(list, &end);
    else
      integers[i] = strtoll(list, &end, 10);
    if (end == list || errno || (*end && *end != ','))
      return false;
    list = *end ? end + 1 : end;
  }
  int64_t *shape = pgopt_arena_allocate(arena, 1, sizeof *shape);
  *shape = count;
  *data = (pgopt_onnx_data){.type = is_float ? PGOPT_F64 : PGOPT_I64,
                            .rank = 1,
                            .shape = shape,
                            .count = count,
                            .data = is_float ? (const void *)floats : integers};
  return true;
}

/// Ends the entry at the next comma outside of brackets; null at the end.
static char *next_entry(char *entry) {
  bool inside = false;
  for (; *entry; ++entry) {
    inside = (inside || *entry == '[') && *entry != ']';
    if (*entry == ',' && !inside) {
      *entry = 0;
      return entry + 1;
    }
  }
  return NULL;
}

static bool read_binding(char *entry, pgopt_arena *arena,
                         pgopt_onnx_binding *binding) {
  char *equals = strchr(entry, '=');
  if (!equals || equals == entry)
    return false;
  *equals = 0;
  char *value = equals + 1;
  size_t length = strlen(value);
  *binding = (pgopt_onnx_binding){.name = entry};
  if (*value == '[') {
    if (value[length - 1] != ']')
      return false;
    value[length - 1] = 0;
    pgopt_onnx_data *data = pgopt_arena_allocate(arena, 1, sizeof *data);
    binding->data = data;
    return read_list(value + 1, arena, data);
  }
  char *end;
  errno = 0;
  binding->value = strtoll(value, &end, 10);
  return end != value && !*end && !errno && binding->value >= 0;
}

pgopt_status pgopt_onnx_read_bindings(const char *list, pgopt_arena *arena,
                                      pgopt_onnx_options *options,
                                      pgopt_error *error) {
  *options = (pgopt_onnx_options){0};
  if (!list || !*list)
    return PGOPT_OK;
  char *entry = pgopt_arena_text(arena, list, strlen(list));
  pgopt_onnx_binding *bindings =
      pgopt_arena_allocate(arena, strlen(list), sizeof *bindings);
  options->bindings = bindings;
  while (entry) {
    char *next = next_entry(entry);
    char *shown = pgopt_arena_text(arena, entry, strlen(entry));
    if (!read_binding(entry, arena, &bindings[options->binding_count]))
      return pgopt_fail(error, PGOPT_INVALID,
                        "'%.100s' is not NAME=NUMBER, as in batch=1, or "
                        "INPUT=[NUMBER,...]",
                        shown);
    ++options->binding_count;
    entry = next;
  }
  return PGOPT_OK;
}
