/// \file The command line of pgopt-runner.
#ifndef PGOPT_RUNNER_OPTIONS_H
#define PGOPT_RUNNER_OPTIONS_H

#include "search/search.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Exit codes.
enum {
  EXIT_DIFFERENT = 1,    ///< a comparison failed; also a failed trial run
  EXIT_ERROR = 2,        ///< bad command line, input or output
  EXIT_INTERRUPTED = 130 ///< by SIGINT, as shells report it
};

typedef enum runner_mode {
  MODE_RUN,
  MODE_TRIAL,
  MODE_MATERIALIZE,
  MODE_ONNX_TEST,
  MODE_SHOW_STORE,
  MODE_VARIANTS,
  MODE_SEARCH,
  MODE_SIMULATE,
  MODE_DIFF,
  MODE_MEASURE_MACHINE,
  MODE_DOCUMENT_ATTRIBUTES,
  MODE_DOCUMENT_PASSES,
  MODE_HELP,
  MODE_VERSION,
} runner_mode;

/// "I:FILE" of --input and --output.
typedef struct numbered_file {
  int64_t number;
  const char *path;
} numbered_file;

typedef struct runner_options {
  runner_mode mode;
  const char *file;
  const char *entry;   ///< "" for the default
  const char *compare; ///< other module, or null
  const char *output;  ///< -o, or null for stdout
  const char *output_directory;
  const char *parameters;  ///< safetensors file, or null
  const char *shapes;      ///< of arguments with dynamic dimensions, or null
  const char *trace;       ///< file, or null
  const char *onnx_tests;  ///< folder of a test or of tests
  const char *bind;        ///< of an ONNX model's dimensions, or null
  const char *expected;    ///< list of expected failures, or null
  const char *fill_elided; ///< "seed" or "error"
  const char *store;       ///< file, or null
  const char *variants;    ///< begin of the signatures of --variants
  const char *resources;   ///< of --simulate; "" for the module's
  const char *policy;      ///< of --simulate; "" for the module's, or list
  const char *distance;    ///< of --simulate: "far" or "near"
  const char *diff;        ///< the first of two reports; `file` is the second
  numbered_file *inputs, *outputs;
  size_t input_count, input_capacity, output_count, output_capacity;
  const char **libraries;
  size_t library_count, library_capacity;
  char *library_list;              ///< the texts behind `libraries`
  double tolerance, bench_seconds; ///< bench_seconds 0: no benchmark
  int64_t seed, budget_ms, workers, blas_threads; ///< 0 for the default
  int64_t kernel_limit_ms;        ///< of one kernel of a trial run
  int64_t memory_limit;           ///< of a trial run, in bytes; 0: what is free
  int64_t watch_ms;               ///< how long --measure-machine watches
  pgopt_search_strategy strategy; ///< of --search-layouts
  bool finds_positive;            ///< arguments that must be
  bool report_is_json;            ///< of --variants and --simulate
  bool is_paired;                 ///< a trial run that compares kernels
  bool reference_is_naive, is_naive, prints_results, uses_cache;
} runner_options;

/// Parses the command line; arguments are borrowed from `argv`.
/// \returns false after a message on stderr.
bool parse_options(int argc, char **argv, runner_options *options);

void free_options(runner_options *options);

void print_help(void);

#endif // PGOPT_RUNNER_OPTIONS_H
