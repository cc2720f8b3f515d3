#include "tools/pgopt-runner/options.h"

#include "base/memory.h"
#include "profile/contained.h"
#include "profile/trial.h"
#include "tools/pgopt-runner/terminal.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORKERS = 4096 };

static const char help[] =
    "usage: pgopt-runner FILE.mlir|MODEL.onnx [options]\n"
    "Runs a network at any stage: on tensors, kernel calls, cores, lowered.\n"
    "\n"
    "what to run\n"
    "  --entry=NAME           the network's function (default: the only "
    "public\n"
    "                         one on tensors or memrefs)\n"
    "  --naive                lower with upstream's plain loops\n"
    "  --workers=N            deal an unscheduled network out to N cores "
    "first\n"
    "  --blas-threads=N       threads BLAS may use in sequential programs "
    "(1)\n"
    "  --shared-libs=A,B      libraries the program needs\n"
    "  --no-cache             neither read nor write the object cache\n"
    "                         ($PGOPT_CACHE, else pgopt in the user's cache)\n"
    "data\n"
    "  --seed=N               of random inputs and elided constants (0)\n"
    "  --input=I:FILE.npy     argument I; may be repeated. Others are random:\n"
    "                         floats in [-1, 1), integers 0, 1, 2 ... along\n"
    "                         the last dimension\n"
    "  --positive=auto        random data for arguments that only square\n"
    "                         roots, logarithms and additions in front of "
    "them\n"
    "                         read is in [0.5, 1.5); needs a network on "
    "tensors\n"
    "  --shapes=argI:NxN,...  shapes of arguments with dynamic dimensions\n"
    "  --parameters=FILE      safetensors file with the arguments that carry\n"
    "                         pg.parameter\n"
    "  --fill-elided=seed|error  constants without data: make values up or "
    "refuse\n"
    "  --output=DIR           write every result to DIR/result_I.npy\n"
    "  --output=I:FILE.npy    write result I; may be repeated\n"
    "  --print-results        print the results' elements\n"
    "comparing and measuring\n"
    "  --compare=OTHER.mlir   run both on the same inputs; print the error of\n"
    "                         every result and where it is\n"
    "  --reference=naive|auto how OTHER is lowered when it is on tensors "
    "(naive)\n"
    "  --tolerance=X          largest error that passes (1e-4)\n"
    "  --bench[=SECONDS]      measure (2); with --compare both in turn\n"
    "  --trace=FILE.json      write a timeline of one run (Chrome trace "
    "events)\n"
    "  --trial=FILE.mlir      trial run of sequential kernel calls; JSON on "
    "stdout\n"
    "                         with --compare of two programs in turn, at\n"
    "                         any stages\n"
    "  --budget-ms=N          time for the trial run (10000)\n"
    "  --progress             show progress though stderr is no terminal\n"
    "  --paired               only runs with timers, 9 to 301, and every "
    "sample\n"
    "  --kernel-limit=T       a kernel of the trial run that takes longer is\n"
    "                         left out (10s)\n"
    "  --memory-limit=SIZE    memory for the trial run, as 512MiB (what is "
    "free)\n"
    "  --diff A.json B.json   which kernels of two reports of --profile became "
    "faster\n"
    "stores and the machine\n"
    "  --show-store=FILE      print a store of Timing in text form\n"
    "  --variants=SIGNATURE   the variants of the kernels whose signatures "
    "begin so\n"
    "                         ('' for all) in --store, with their times; with "
    "a\n"
    "                         FILE they are measured first, for --budget-ms\n"
    "  --simulate[=RESOURCES] carry out the schedule of a module with the\n"
    "                         profile's times; for a number of RESOURCES, or\n"
    "                         what docs/scheduling.md says, a new schedule\n"
    "  --policy=NAME          that makes it (list)\n"
    "  --distance=far|near    between cores, of all ever seen (far)\n"
    "  --report=table|json    form of --variants and --simulate (table)\n"
    "  --search-layouts=FILE  search a cost table; the trace as JSON\n"
    "  --strategy=NAME        of it: greedy, beam or exact (greedy)\n"
    "  --measure-machine[=T]  describe and measure this machine, watching the\n"
    "                         distance between cores for T (5s)\n"
    "  --store=FILE           where --measure-machine, and --bench of the "
    "distance,\n"
    "                         keep what they find ($PGOPT_STORE)\n"
    "  --bind=NAME=N,...      symbolic dimensions of an ONNX model\n"
    "  --onnx-test-dir=DIR    check DIR/model.onnx, or every model one folder\n"
    "                         below, on its test_data_set_*\n"
    "  --expected=FILE        lines NAME: REASON of tests that must fail\n"
    "other\n"
    "  --materialize-elided   write the module with data for every elided\n"
    "                         constant to -o FILE (default stdout)\n"
    "  --document-attributes  print docs/attributes.md\n"
    "  --document-passes      print docs/passes.md\n"
    "  --help, --version\n"
    "\n"
    "exit codes: 0, 1 a comparison or trial run failed, 2 any other error\n";

void print_help(void) { fputs(help, stdout); }

enum {
  OPTION_ENTRY = 256,
  OPTION_SEED,
  OPTION_INPUT,
  OPTION_OUTPUT,
  OPTION_COMPARE,
  OPTION_REFERENCE,
  OPTION_TOLERANCE,
  OPTION_BENCH,
  OPTION_TRACE,
  OPTION_PRINT,
  OPTION_NAIVE,
  OPTION_MATERIALIZE,
  OPTION_TRIAL,
  OPTION_ONNX_TEST,
  OPTION_EXPECTED,
  OPTION_BIND,
  OPTION_BUDGET,
  OPTION_PROGRESS,
  OPTION_PAIRED,
  OPTION_KERNEL_LIMIT,
  OPTION_MEMORY_LIMIT,
  OPTION_PARAMETERS,
  OPTION_POSITIVE,
  OPTION_SHAPES,
  OPTION_WORKERS,
  OPTION_BLAS,
  OPTION_LIBRARIES,
  OPTION_NO_CACHE,
  OPTION_FILL,
  OPTION_SHOW_STORE,
  OPTION_VARIANTS,
  OPTION_SEARCH,
  OPTION_STRATEGY,
  OPTION_REPORT,
  OPTION_SIMULATE,
  OPTION_POLICY,
  OPTION_DISTANCE,
  OPTION_DIFF,
  OPTION_MACHINE,
  OPTION_STORE,
  OPTION_ATTRIBUTES,
  OPTION_PASSES,
  OPTION_HELP,
  OPTION_VERSION,
};

static const struct option long_options[] = {
    {"entry", required_argument, NULL, OPTION_ENTRY},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"input", required_argument, NULL, OPTION_INPUT},
    {"output", required_argument, NULL, OPTION_OUTPUT},
    {"compare", required_argument, NULL, OPTION_COMPARE},
    {"reference", required_argument, NULL, OPTION_REFERENCE},
    {"tolerance", required_argument, NULL, OPTION_TOLERANCE},
    {"bench", optional_argument, NULL, OPTION_BENCH},
    {"trace", required_argument, NULL, OPTION_TRACE},
    {"print-results", no_argument, NULL, OPTION_PRINT},
    {"naive", no_argument, NULL, OPTION_NAIVE},
    {"materialize-elided", no_argument, NULL, OPTION_MATERIALIZE},
    {"trial", required_argument, NULL, OPTION_TRIAL},
    {"onnx-test-dir", required_argument, NULL, OPTION_ONNX_TEST},
    {"bind", required_argument, NULL, OPTION_BIND},
    {"expected", required_argument, NULL, OPTION_EXPECTED},
    {"budget-ms", required_argument, NULL, OPTION_BUDGET},
    {"progress", no_argument, NULL, OPTION_PROGRESS},
    {"paired", no_argument, NULL, OPTION_PAIRED},
    {"kernel-limit", required_argument, NULL, OPTION_KERNEL_LIMIT},
    {"memory-limit", required_argument, NULL, OPTION_MEMORY_LIMIT},
    {"parameters", required_argument, NULL, OPTION_PARAMETERS},
    {"positive", required_argument, NULL, OPTION_POSITIVE},
    {"shapes", required_argument, NULL, OPTION_SHAPES},
    {"workers", required_argument, NULL, OPTION_WORKERS},
    {"blas-threads", required_argument, NULL, OPTION_BLAS},
    {"shared-libs", required_argument, NULL, OPTION_LIBRARIES},
    {"no-cache", no_argument, NULL, OPTION_NO_CACHE},
    {"fill-elided", required_argument, NULL, OPTION_FILL},
    {"show-store", required_argument, NULL, OPTION_SHOW_STORE},
    {"variants", required_argument, NULL, OPTION_VARIANTS},
    {"search-layouts", required_argument, NULL, OPTION_SEARCH},
    {"strategy", required_argument, NULL, OPTION_STRATEGY},
    {"report", required_argument, NULL, OPTION_REPORT},
    {"simulate", optional_argument, NULL, OPTION_SIMULATE},
    {"policy", required_argument, NULL, OPTION_POLICY},
    {"distance", required_argument, NULL, OPTION_DISTANCE},
    {"diff", required_argument, NULL, OPTION_DIFF},
    {"measure-machine", optional_argument, NULL, OPTION_MACHINE},
    {"store", required_argument, NULL, OPTION_STORE},
    {"document-attributes", no_argument, NULL, OPTION_ATTRIBUTES},
    {"document-passes", no_argument, NULL, OPTION_PASSES},
    {"help", no_argument, NULL, OPTION_HELP},
    {"version", no_argument, NULL, OPTION_VERSION},
    {NULL, 0, NULL, 0}};

static bool refuse(const char *option, const char *value, const char *allowed) {
  fprintf(stderr, "pgopt-runner: --%s: '%s' is not %s\n", option, value,
          allowed);
  return false;
}

static bool parse_integer(const char *option, const char *text, int64_t least,
                          int64_t most, int64_t *value) {
  char *end;
  errno = 0;
  long long parsed = strtoll(text, &end, 10);
  if (*text && !*end && !errno && parsed >= least && parsed <= most) {
    *value = parsed;
    return true;
  }
  char allowed[80];
  snprintf(allowed, sizeof allowed, "an integer from %lld to %lld",
           (long long)least, (long long)most);
  return refuse(option, text, allowed);
}

static bool parse_number(const char *option, const char *text, double *value) {
  char *end;
  errno = 0;
  double parsed = strtod(text, &end);
  if (!*text || *end || errno || !isfinite(parsed) || parsed < 0)
    return refuse(option, text, "a number of at least 0");
  *value = parsed;
  return true;
}

static bool parse_duration(const char *option, const char *text, int64_t *ms) {
  pgopt_error error;
  if (!pgopt_parse_duration(text, ms, &error))
    return true;
  fprintf(stderr, "pgopt-runner: --%s: %s\n", option, error.message);
  return false;
}

static bool parse_amount(const char *option, const char *text, int64_t *bytes) {
  pgopt_error error;
  if (!pgopt_parse_bytes(text, bytes, &error))
    return true;
  fprintf(stderr, "pgopt-runner: --%s: %s\n", option, error.message);
  return false;
}

/// "I:FILE"; false without a message when `text` does not begin like that.
static bool split_numbered(const char *text, numbered_file *file) {
  size_t digits = strspn(text, "0123456789");
  if (!digits || digits > 9 || text[digits] != ':' || !text[digits + 1])
    return false;
  file->number = strtoll(text, NULL, 10);
  file->path = text + digits + 1;
  return true;
}

static bool add_input(runner_options *options, const char *text) {
  numbered_file file;
  if (!split_numbered(text, &file))
    return refuse("input", text, "an argument's number and a file, I:FILE.npy");
  for (size_t i = 0; i < options->input_count; ++i)
    if (options->inputs[i].number == file.number)
      return refuse("input", text, "for an argument that was not given before");
  PGOPT_APPEND(options->inputs, options->input_count, options->input_capacity,
               file);
  return true;
}

static void add_output(runner_options *options, const char *text) {
  numbered_file file;
  if (split_numbered(text, &file))
    PGOPT_APPEND(options->outputs, options->output_count,
                 options->output_capacity, file);
  else
    options->output_directory = text;
}

static bool parse_choice(const char *option, const char *text,
                         const char *first, const char *second,
                         bool *is_first) {
  *is_first = !strcmp(text, first);
  if (*is_first || !strcmp(text, second))
    return true;
  fprintf(stderr, "pgopt-runner: --%s: '%s' is neither '%s' nor '%s'\n", option,
          text, first, second);
  return false;
}

static bool set_mode(runner_options *options, runner_mode mode) {
  if (options->mode != MODE_RUN && options->mode != mode) {
    fprintf(stderr, "pgopt-runner: options ask for two different things; "
                    "see --help\n");
    return false;
  }
  options->mode = mode;
  return true;
}

static void add_libraries(runner_options *options, const char *list) {
  free(options->library_list);
  options->library_list = pgopt_duplicate_text(list);
  options->library_count = 0;
  char *rest = options->library_list;
  for (char *part; (part = strsep(&rest, ","));)
    if (*part)
      PGOPT_APPEND(options->libraries, options->library_count,
                   options->library_capacity, (const char *)part);
}

static bool take_option(runner_options *options, int option) {
  bool is_first;
  switch (option) {
  case OPTION_ENTRY:
    options->entry = optarg;
    return true;
  case OPTION_SEED:
    return parse_integer("seed", optarg, INT64_MIN, INT64_MAX, &options->seed);
  case OPTION_INPUT:
    return add_input(options, optarg);
  case OPTION_OUTPUT:
    add_output(options, optarg);
    return true;
  case OPTION_COMPARE:
    options->compare = optarg;
    return true;
  case OPTION_REFERENCE:
    return parse_choice("reference", optarg, "naive", "auto",
                        &options->reference_is_naive);
  case OPTION_TOLERANCE:
    return parse_number("tolerance", optarg, &options->tolerance);
  case OPTION_BENCH:
    options->bench_seconds = 2;
    return !optarg ||
           (parse_number("bench", optarg, &options->bench_seconds) &&
            (options->bench_seconds > 0 ||
             refuse("bench", optarg, "a number of seconds above 0")));
  case OPTION_TRACE:
    options->trace = optarg;
    return true;
  case OPTION_PRINT:
    options->prints_results = true;
    return true;
  case OPTION_NAIVE:
    options->is_naive = true;
    return true;
  case OPTION_MATERIALIZE:
    return set_mode(options, MODE_MATERIALIZE);
  case OPTION_TRIAL:
    options->file = optarg;
    return set_mode(options, MODE_TRIAL);
  case OPTION_ONNX_TEST:
    options->onnx_tests = optarg;
    return set_mode(options, MODE_ONNX_TEST);
  case OPTION_BIND:
    options->bind = optarg;
    return true;
  case OPTION_EXPECTED:
    options->expected = optarg;
    return true;
  case OPTION_BUDGET:
    return parse_integer("budget-ms", optarg, 1, INT32_MAX,
                         &options->budget_ms);
  case OPTION_PROGRESS:
    force_progress();
    return true;
  case OPTION_PAIRED:
    options->is_paired = true;
    return true;
  case OPTION_KERNEL_LIMIT:
    return parse_duration("kernel-limit", optarg, &options->kernel_limit_ms);
  case OPTION_MEMORY_LIMIT:
    return parse_amount("memory-limit", optarg, &options->memory_limit);
  case OPTION_PARAMETERS:
    options->parameters = optarg;
    return true;
  case OPTION_POSITIVE:
    options->finds_positive = true;
    return !strcmp(optarg, "auto") || refuse("positive", optarg, "'auto'");
  case OPTION_SHAPES:
    options->shapes = optarg;
    return true;
  case OPTION_WORKERS:
    return parse_integer("workers", optarg, 1, MAX_WORKERS, &options->workers);
  case OPTION_BLAS:
    return parse_integer("blas-threads", optarg, 1, MAX_WORKERS,
                         &options->blas_threads);
  case OPTION_LIBRARIES:
    add_libraries(options, optarg);
    return true;
  case OPTION_NO_CACHE:
    options->uses_cache = false;
    return true;
  case OPTION_FILL:
    if (!parse_choice("fill-elided", optarg, "seed", "error", &is_first))
      return false;
    options->fill_elided = is_first ? "seed" : "error";
    return true;
  case OPTION_SHOW_STORE:
    options->file = optarg;
    return set_mode(options, MODE_SHOW_STORE);
  case OPTION_SEARCH:
    options->file = optarg;
    return set_mode(options, MODE_SEARCH);
  case OPTION_STRATEGY:
    return pgopt_search_find_strategy(optarg, &options->strategy) ||
           refuse("strategy", optarg, "greedy, beam or exact");
  case OPTION_VARIANTS:
    options->variants = optarg;
    return set_mode(options, MODE_VARIANTS);
  case OPTION_REPORT:
    return parse_choice("report", optarg, "json", "table",
                        &options->report_is_json);
  case OPTION_SIMULATE:
    options->resources = optarg ? optarg : "";
    return set_mode(options, MODE_SIMULATE);
  case OPTION_POLICY:
    options->policy = optarg;
    return true;
  case OPTION_DISTANCE:
    if (!parse_choice("distance", optarg, "far", "near", &is_first))
      return false;
    options->distance = is_first ? "far" : "near";
    return true;
  case OPTION_DIFF:
    options->diff = optarg;
    return set_mode(options, MODE_DIFF);
  case OPTION_MACHINE:
    return parse_duration("measure-machine", optarg ? optarg : "5s",
                          &options->watch_ms) &&
           set_mode(options, MODE_MEASURE_MACHINE);
  case OPTION_STORE:
    options->store = optarg;
    return true;
  case 'o':
    options->output = optarg;
    return true;
  case OPTION_ATTRIBUTES:
    return set_mode(options, MODE_DOCUMENT_ATTRIBUTES);
  case OPTION_PASSES:
    return set_mode(options, MODE_DOCUMENT_PASSES);
  case OPTION_HELP:
    return set_mode(options, MODE_HELP);
  case OPTION_VERSION:
    return set_mode(options, MODE_VERSION);
  default: // getopt has said what is wrong
    fprintf(stderr, "pgopt-runner: see --help\n");
    return false;
  }
}

bool parse_options(int argc, char **argv, runner_options *options) {
  *options = (runner_options){.entry = "",
                              .resources = "",
                              .policy = "",
                              .distance = "far",
                              .fill_elided = "seed",
                              .tolerance = 1e-4,
                              .budget_ms = 10000,
                              .kernel_limit_ms = 10000,
                              .reference_is_naive = true,
                              .uses_cache = true};
  for (int option;
       (option = getopt_long(argc, argv, "o:", long_options, NULL)) != -1;)
    if (!take_option(options, option))
      return false;
  for (; optind < argc; ++optind) {
    if (options->file) {
      fprintf(stderr,
              "pgopt-runner: one file is expected, found '%s' and '%s'\n",
              options->file, argv[optind]);
      return false;
    }
    options->file = argv[optind];
  }
  bool needs_file = options->mode == MODE_RUN ||
                    options->mode == MODE_MATERIALIZE ||
                    options->mode == MODE_SIMULATE;
  if (needs_file && !options->file) {
    fprintf(stderr, "pgopt-runner: no file given; see --help\n");
    return false;
  }
  return true;
}

void free_options(runner_options *options) {
  free(options->inputs);
  free(options->outputs);
  free(options->libraries);
  free(options->library_list);
}
