/// \file A module from an einsum equation: arguments are the operands.
#include "tensor/einsum.h"
#include "tools/pgopt-translate/translate.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_OPERANDS = 64 };

static bool find_type(const char *name, pgopt_number *type) {
  for (int i = 0; i < PGOPT_NUMBER_COUNT; ++i)
    if (!strcmp(pgopt_number_name((pgopt_number)i), name)) {
      *type = (pgopt_number)i;
      return true;
    }
  return false;
}

/// Reads "3x5" up to a comma or the end; "" and "scalar" are rank 0.
static const char *read_shape(const char *text, int64_t *shape, int *rank) {
  *rank = 0;
  if (!strncmp(text, "scalar", 6))
    return text + 6;
  while (*text && *text != ',') {
    char *end;
    long long extent = strtoll(text, &end, 10);
    if (end == text || extent < 1 || *rank == PGOPT_MAX_TENSOR_RANK ||
        (*end && *end != 'x' && *end != ','))
      return NULL;
    shape[(*rank)++] = extent;
    text = *end == 'x' ? end + 1 : end;
  }
  return text;
}

static int build(const translate_options *options,
                 pgopt_tensor_program *program, pgopt_number type) {
  int operands[MAX_OPERANDS], count = 0;
  const char *text = options->shapes ? options->shapes : "";
  for (bool more = true; more;) {
    int64_t shape[PGOPT_MAX_TENSOR_RANK];
    int rank;
    const char *end = read_shape(text, shape, &rank);
    if (!end || (*end && *end != ','))
      return translate_error("--shapes=%s is not a list such as 3x5,5x7",
                             options->shapes);
    if (count == MAX_OPERANDS)
      return translate_error("more than %d operands", MAX_OPERANDS);
    operands[count++] = pgopt_tensors_input(program, type, rank, shape, "");
    more = *end == ',';
    text = end + 1;
  }
  program->location = options->equation;
  int result =
      pgopt_tensors_einsum(program, options->equation, count, operands);
  if (result < 0)
    return translate_error("%s", program->error.message);
  pgopt_tensors_output(program, result);
  pgopt_tensor_program_finish(program);
  pgopt_import_files files = output_files(options);
  pgopt_error error = {0};
  if (pgopt_import_write(program, "main", &files, &error) != PGOPT_OK)
    return translate_error("%s", error.message);
  return 0;
}

int import_einsum(const translate_options *options) {
  pgopt_number type;
  if (!find_type(options->type, &type))
    return translate_error("--type=%s is not a type such as f32, f64 or i64",
                           options->type);
  pgopt_tensor_program program = {0};
  int code = build(options, &program, type);
  pgopt_tensor_program_free(&program);
  return code;
}
