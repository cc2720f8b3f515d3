#include "tools/pgopt-runner/compare_runs.h"

#include "base/compare.h"
#include "base/memory.h"
#include "tools/pgopt-runner/terminal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_same_type(const pgopt_array_type *a, const pgopt_array_type *b) {
  return pgopt_element_equal(a->element, b->element) && a->rank == b->rank &&
         !memcmp(a->extents, b->extents, a->rank * sizeof *a->extents);
}

static bool check_count(const char *what, const loaded_program *loaded,
                        size_t count, const loaded_program *other,
                        size_t other_count) {
  if (count != other_count)
    complain("'%s' has %zu %ss, '%s' has %zu", loaded->path, count, what,
             other->path, other_count);
  return count == other_count;
}

static bool check_type(const char *what, size_t number,
                       const loaded_program *loaded,
                       const pgopt_array_type *type,
                       const loaded_program *other,
                       const pgopt_array_type *other_type) {
  if (is_same_type(type, other_type))
    return true;
  pgopt_text text = {0};
  append_type(&text, type);
  pgopt_text_append(&text, " in '%s', but ", loaded->path);
  append_type(&text, other_type);
  complain("%s %zu is %s in '%s'", what, number, text.data, other->path);
  pgopt_text_free(&text);
  return false;
}

/// Input `number`, packed as in one program, packed as in the other.
static bool repack(const pgopt_array_type *type, size_t number,
                   const pgopt_packing *from, const void *data,
                   const pgopt_packing *to, void *result) {
  size_t element_bytes = (size_t)pgopt_element_bytes(type->element);
  const void *declared = data;
  void *unpacked = NULL;
  if (from) {
    unpacked = to ? allocate_array(number, type->bytes) : result;
    if (!unpacked)
      return false;
    pgopt_packing_unpack(from, element_bytes, data, unpacked);
    declared = unpacked;
  }
  if (to)
    pgopt_packing_pack(to, element_bytes, declared, result);
  if (unpacked != result)
    free(unpacked);
  return true;
}

int copy_inputs(const loaded_program *loaded, const input_set *inputs,
                const loaded_program *other, input_set *copies) {
  if (!check_count("argument", loaded, inputs->count, other,
                   pgopt_program_argument_count(other->program)))
    return EXIT_DIFFERENT;
  *copies = create_inputs(inputs->count);
  for (size_t i = 0; i < inputs->count; ++i) {
    pgopt_array_type type = declared_type(loaded, i);
    pgopt_array_type other_type = declared_type(other, i);
    if (!check_type("argument", i, loaded, &type, other, &other_type))
      return EXIT_DIFFERENT;
    const pgopt_packing *from = packing_of(loaded, i);
    const pgopt_packing *to = packing_of(other, i);
    if (from || to) {
      if (!allocate_input(copies, i, type.bytes) ||
          !repack(&type, i, from, inputs->data[i], to, copies->data[i]))
        return EXIT_ERROR;
      continue;
    }
    copies->is_mapped[i] = inputs->is_mapped[i];
    copies->data[i] = inputs->data[i];
    if (inputs->is_mapped[i])
      continue;
    if (!allocate_input(copies, i, type.bytes))
      return EXIT_ERROR;
    memcpy(copies->data[i], inputs->data[i], (size_t)type.bytes);
  }
  return 0;
}

/// Prints the error; true when it is within the tolerance.
static bool report(const runner_options *options, const char *what,
                   size_t number, const pgopt_array_type *type, const void *a,
                   const void *b) {
  pgopt_difference difference =
      pgopt_compare(type->element, a, b, type->elements);
  bool passes = difference.error <= options->tolerance;
  printf("%s %zu: error %.3g", what, number, difference.error);
  if (type->elements) {
    int64_t position[PGOPT_MAX_ARRAY_RANK];
    pgopt_position(difference.worst, type->extents, type->rank, position);
    printf(" at [");
    for (size_t k = 0; k < type->rank; ++k)
      printf(k ? ", %lld" : "%lld", (long long)position[k]);
    printf("]");
  }
  if (!passes)
    printf(" (%.9g, expected %.9g), above the tolerance %g", difference.a,
           difference.b, options->tolerance);
  putchar('\n');
  return passes;
}

int compare_networks(const runner_options *options,
                     const loaded_program *loaded, const input_set *inputs,
                     const loaded_program *other,
                     const input_set *other_inputs) {
  size_t count = pgopt_program_result_count(loaded->program);
  if (!check_count("result", loaded, count, other,
                   pgopt_program_result_count(other->program)))
    return EXIT_DIFFERENT;
  for (size_t i = 0; i < count; ++i)
    if (!check_type("result", i, loaded,
                    &pgopt_program_result(loaded->program, i)->type, other,
                    &pgopt_program_result(other->program, i)->type))
      return EXIT_DIFFERENT;
  input_set before = {0};
  int code = copy_inputs(other, other_inputs, other, &before);
  if (code) {
    free_inputs(&before);
    return code;
  }
  void **results = read_results(loaded);
  progress("running %s", other->path);
  pgopt_program_run(other->program);
  progress(NULL);
  void **expected = results ? read_results(other) : NULL;
  if (!expected) {
    free_results(loaded, results);
    free_inputs(&before);
    return EXIT_ERROR;
  }
  bool passes = true;
  size_t compared = count;
  for (size_t i = 0; i < count; ++i)
    passes &= report(options, "result", i,
                     &pgopt_program_result(loaded->program, i)->type,
                     results[i], expected[i]);
  for (size_t i = 0; i < inputs->count; ++i) {
    const pgopt_array_type *type =
        &pgopt_program_argument(loaded->program, i)->type;
    size_t bytes = (size_t)type->bytes;
    if (packing_of(loaded, i) || packing_of(other, i))
      continue; // a parameter that a loader packed: nobody writes to it
    if (!memcmp(inputs->data[i], before.data[i], bytes) &&
        !memcmp(other_inputs->data[i], before.data[i], bytes))
      continue;
    ++compared;
    passes &= report(options, "argument", i, type, inputs->data[i],
                     other_inputs->data[i]);
  }
  fflush(stdout);
  free_results(loaded, results);
  free_results(other, expected);
  free_inputs(&before);
  if (!compared) {
    complain("'%s' has no results to compare", loaded->path);
    return EXIT_DIFFERENT;
  }
  return passes ? 0 : EXIT_DIFFERENT;
}
