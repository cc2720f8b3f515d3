/// \file Runs one network, or two on the same inputs.
#include "tools/pgopt-runner/run.h"

#include "base/memory.h"
#include "npy/npy.h"
#include "pgopt/runtime.h"
#include "tools/pgopt-runner/bench.h"
#include "tools/pgopt-runner/compare_runs.h"
#include "tools/pgopt-runner/show_store.h"
#include "tools/pgopt-runner/terminal.h"
#include "tools/pgopt-runner/timeline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { PRINTED_ELEMENTS = 1000 };

void **read_results(const loaded_program *loaded) {
  size_t count = pgopt_program_result_count(loaded->program);
  void **results = pgopt_allocate(count, sizeof *results);
  for (size_t i = 0; i < count; ++i) {
    int64_t bytes = pgopt_program_result(loaded->program, i)->type.bytes;
    results[i] = malloc(bytes ? (size_t)bytes : 1);
    if (!results[i]) {
      complain("no memory for the %lld bytes of result %zu", (long long)bytes,
               i);
      free_results(loaded, results);
      return NULL;
    }
    pgopt_program_read(loaded->program, i, results[i]);
  }
  return results;
}

void free_results(const loaded_program *loaded, void **results) {
  if (!results)
    return;
  for (size_t i = 0; i < pgopt_program_result_count(loaded->program); ++i)
    free(results[i]);
  free(results);
}

/// One line a result: its type and what its elements are like.
static void print_summary(size_t number, const pgopt_array_type *type,
                          const void *data) {
  pgopt_text text = {0};
  append_type(&text, type);
  double least = (double)INFINITY, most = -(double)INFINITY, sum = 0;
  int64_t odd = 0;
  for (int64_t i = 0; i < type->elements; ++i) {
    double value = pgopt_element_read(type->element, data, i);
    if (!isfinite(value)) {
      ++odd;
      continue;
    }
    least = fmin(least, value);
    most = fmax(most, value);
    sum += value;
  }
  int64_t finite = type->elements - odd;
  printf("result %zu: %s", number, text.data);
  if (finite)
    printf(", %g to %g, mean %g", least, most, sum / (double)finite);
  if (odd)
    printf(", %lld NaN or infinite", (long long)odd);
  putchar('\n');
  pgopt_text_free(&text);
}

static void append_element(pgopt_text *text, const pgopt_array_type *type,
                           const void *data, int64_t index) {
  if (pgopt_element_is_float(type->element))
    pgopt_text_append(text, "%g",
                      pgopt_element_read(type->element, data, index));
  else
    pgopt_text_append(
        text, "%lld",
        (long long)pgopt_element_read_integer(type->element, data, index));
}

/// Nested brackets, one pair a dimension.
static void print_elements(const pgopt_array_type *type, const void *data) {
  pgopt_text text = {0};
  int64_t shown =
      type->elements < PRINTED_ELEMENTS ? type->elements : PRINTED_ELEMENTS;
  for (int64_t i = 0; i < shown; ++i) {
    int64_t block = 1, opened = 0, closed = 0;
    for (size_t k = type->rank; k-- > 0;) {
      block *= type->extents[k];
      opened += i % block == 0;
      closed += (i + 1) % block == 0;
    }
    pgopt_text_append(&text, "%s", i ? ", " : "  ");
    for (int64_t k = 0; k < opened; ++k)
      pgopt_text_append(&text, "[");
    append_element(&text, type, data, i);
    for (int64_t k = 0; k < closed; ++k)
      pgopt_text_append(&text, "]");
  }
  if (!type->elements)
    pgopt_text_append(&text, "  []");
  if (shown < type->elements)
    pgopt_text_append(&text, ", and %lld more",
                      (long long)(type->elements - shown));
  puts(pgopt_text_get(&text));
  pgopt_text_free(&text);
}

static bool write_result(const char *path, const pgopt_array_type *type,
                         const void *data) {
  pgopt_error error = {0};
  defer_interrupts();
  pgopt_status status = pgopt_npy_write(path, type->element, type->extents,
                                        type->rank, data, &error);
  resume_interrupts();
  if (status)
    complain("%s", error.message);
  return !status;
}

static bool write_results(const runner_options *options,
                          const loaded_program *loaded, void *const *results) {
  size_t count = pgopt_program_result_count(loaded->program);
  for (size_t i = 0; i < options->output_count; ++i) {
    const numbered_file *file = &options->outputs[i];
    if (file->number >= (int64_t)count) {
      complain("--output=%lld:%s: '%s' has %zu result%s",
               (long long)file->number, file->path, loaded->path, count,
               count == 1 ? "" : "s");
      return false;
    }
    size_t number = (size_t)file->number;
    if (!write_result(file->path,
                      &pgopt_program_result(loaded->program, number)->type,
                      results[number]))
      return false;
  }
  if (!options->output_directory)
    return true;
  mkdir(options->output_directory, 0777); // writing says what is wrong
  for (size_t i = 0; i < count; ++i) {
    pgopt_text path = {0};
    pgopt_text_append(&path, "%s/result_%zu.npy", options->output_directory, i);
    bool ok = write_result(
        path.data, &pgopt_program_result(loaded->program, i)->type, results[i]);
    pgopt_text_free(&path);
    if (!ok)
      return false;
  }
  return true;
}

static bool show_results(const runner_options *options,
                         const loaded_program *loaded) {
  void **results = read_results(loaded);
  if (!results)
    return false;
  for (size_t i = 0; i < pgopt_program_result_count(loaded->program); ++i) {
    const pgopt_array_type *type =
        &pgopt_program_result(loaded->program, i)->type;
    print_summary(i, type, results[i]);
    if (options->prints_results)
      print_elements(type, results[i]);
  }
  fflush(stdout);
  bool ok = write_results(options, loaded, results);
  free_results(loaded, results);
  return ok;
}

/// Everything that is asked of one program, or of a program and `other`.
static int run_loaded(const runner_options *options,
                      const loaded_program *loaded,
                      const loaded_program *other) {
  input_set inputs = {0}, other_inputs = {0};
  int code = EXIT_ERROR;
  const bool *positive =
      loaded->positive || !other ? loaded->positive : other->positive;
  if (options->finds_positive && !positive) {
    complain("--positive: no network is on tensors, where square roots can be "
             "followed to arguments");
    goto done;
  }
  if (!make_inputs(options, loaded, positive, &inputs))
    goto done;
  bind_inputs(loaded, &inputs);
  if (other) {
    // A copy of its own: a program may write to its arguments.
    code = copy_inputs(loaded, &inputs, other, &other_inputs);
    if (code)
      goto done;
    bind_inputs(other, &other_inputs);
  }
  progress("running %s", loaded->path);
  pgopt_rt_report_traps();
  pgopt_program_run(loaded->program);
  progress(NULL);
  code = show_results(options, loaded) ? 0 : EXIT_ERROR;
  if (!code && other)
    code = compare_networks(options, loaded, &inputs, other, &other_inputs);
  if (!code && options->bench_seconds > 0)
    code = run_bench(options, loaded, other);
  if (!code && options->bench_seconds > 0 && !widen_latencies(options))
    code = EXIT_ERROR;
  if (!code && options->trace)
    code = run_trace(options, loaded);
done:
  free_inputs(&inputs);
  free_inputs(&other_inputs);
  return code;
}

int run_network(const runner_options *options) {
  if (options->blas_threads)
    pgopt_rt_set_blas_threads(options->blas_threads);
  load_request request = {.is_naive = options->is_naive,
                          .has_trace = options->trace != NULL,
                          .workers = options->workers};
  load_request other_request = {.is_naive_if_on_tensors =
                                    options->reference_is_naive};
  loaded_program loaded = {0}, other = {0};
  int code = EXIT_ERROR;
  if ((options->bench_seconds <= 0 || check_store(options)) &&
      load_program(options, options->file, &request, &loaded) &&
      (!options->compare ||
       load_program(options, options->compare, &other_request, &other)))
    code = run_loaded(options, &loaded, options->compare ? &other : NULL);
  unload_program(&loaded);
  unload_program(&other);
  return code;
}
