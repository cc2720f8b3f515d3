/// \file What a run starts from.
#include "base/fill.h"
#include "base/memory.h"
#include "npy/npy.h"
#include "tools/pgopt-runner/run.h"
#include "tools/pgopt-runner/terminal.h"

#include <stdlib.h>
#include <string.h>

void append_type(pgopt_text *text, const pgopt_array_type *type) {
  char name[8];
  pgopt_element_name(type->element, name);
  for (size_t i = 0; i < type->rank; ++i)
    pgopt_text_append(text, "%lldx", (long long)type->extents[i]);
  pgopt_text_append(text, "%s", name);
}

/// index and i64 are the same in a file.
static bool is_same_element(pgopt_element a, pgopt_element b) {
  return pgopt_element_equal(a, b) ||
         (!pgopt_element_is_float(a) && !pgopt_element_is_float(b) &&
          a.bits == b.bits);
}

static bool is_same_shape(const pgopt_npy *array,
                          const pgopt_array_type *type) {
  return array->rank == type->rank &&
         !memcmp(array->extents, type->extents,
                 type->rank * sizeof *type->extents);
}

static bool read_input(const numbered_file *file, const pgopt_array_type *type,
                       void *data) {
  pgopt_npy array;
  pgopt_error error = {0};
  if (pgopt_npy_read(file->path, &array, &error)) {
    complain("--input=%lld: %s", (long long)file->number, error.message);
    return false;
  }
  bool fits = is_same_element(array.element, type->element) &&
              is_same_shape(&array, type);
  if (fits) {
    memcpy(data, array.data, (size_t)type->bytes);
  } else {
    pgopt_array_type found = {.element = array.element, .rank = array.rank};
    memcpy(found.extents, array.extents, array.rank * sizeof *found.extents);
    pgopt_text text = {0};
    append_type(&text, &found);
    pgopt_text_append(&text, ", but argument %lld is ",
                      (long long)file->number);
    append_type(&text, type);
    complain("--input=%lld: '%s' holds %s", (long long)file->number, file->path,
             text.data);
    pgopt_text_free(&text);
  }
  pgopt_npy_free(&array);
  return fits;
}

static const numbered_file *find_input(const runner_options *options,
                                       size_t argument) {
  for (size_t i = 0; i < options->input_count; ++i)
    if (options->inputs[i].number == (int64_t)argument)
      return &options->inputs[i];
  return NULL;
}

static bool make_input(const runner_options *options,
                       const loaded_program *loaded, size_t argument,
                       void *data) {
  const pgopt_array_type *type =
      &pgopt_program_argument(loaded->program, argument)->type;
  const numbered_file *file = find_input(options, argument);
  if (file)
    return read_input(file, type, data);
  const char *parameter =
      argument < loaded->argument_count ? loaded->parameters[argument] : NULL;
  pgopt_fill_type fill = {type->element, type->rank, type->extents};
  uint64_t seed = (uint64_t)options->seed;
  if (parameter)
    pgopt_fill(seed, parameter, strlen(parameter), &fill, data);
  else
    pgopt_fill_input(seed, (int64_t)argument, &fill, data);
  return true;
}

bool make_inputs(const runner_options *options, const loaded_program *loaded,
                 input_set *inputs) {
  size_t count = pgopt_program_argument_count(loaded->program);
  *inputs = (input_set){pgopt_allocate(count, sizeof *inputs->data), count};
  for (size_t i = 0; i < options->input_count; ++i)
    if (options->inputs[i].number >= (int64_t)count) {
      complain("--input=%lld:%s: '%s' has %zu argument%s",
               (long long)options->inputs[i].number, options->inputs[i].path,
               loaded->path, count, count == 1 ? "" : "s");
      return false;
    }
  for (size_t i = 0; i < count; ++i) {
    int64_t bytes = pgopt_program_argument(loaded->program, i)->type.bytes;
    size_t rounded = ((size_t)bytes + 64) / 64 * 64;
    inputs->data[i] = aligned_alloc(64, rounded);
    if (!inputs->data[i]) {
      complain("no memory for the %lld bytes of argument %zu", (long long)bytes,
               i);
      return false;
    }
    if (!make_input(options, loaded, i, inputs->data[i]))
      return false;
  }
  return true;
}

void free_inputs(input_set *inputs) {
  for (size_t i = 0; i < inputs->count; ++i)
    free(inputs->data[i]);
  free(inputs->data);
  *inputs = (input_set){0};
}

void bind_inputs(const loaded_program *loaded, const input_set *inputs) {
  for (size_t i = 0; i < inputs->count; ++i)
    pgopt_program_bind(loaded->program, i, inputs->data[i]);
}
