#include "tools/pgopt-runner/show_store.h"

#include "pgopt/runtime.h"
#include "store/store_file.h"
#include "tools/pgopt-runner/terminal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Length of one look at the distance between cores.
enum { ROUND_MS = 15, PEAK_MS = 200 };

static int print(pgopt_text *text) {
  bool failed = fputs(pgopt_text_get(text), stdout) < 0 || fflush(stdout);
  pgopt_text_free(text);
  if (failed)
    complain("cannot write to the standard output");
  return failed ? EXIT_ERROR : 0;
}

int show_store(const runner_options *options) {
  pgopt_store store;
  pgopt_error error = {0};
  bool exists;
  if (pgopt_store_load(options->file, &store, &exists, &error)) {
    complain("%s", error.message);
    return EXIT_ERROR;
  }
  if (!exists) {
    complain("store '%s': there is no such file", options->file);
    return EXIT_ERROR;
  }
  pgopt_text text = {0};
  pgopt_store_write(&store, true, &text);
  pgopt_store_free(&store);
  return print(&text);
}

const char *store_path(const runner_options *options) {
  const char *path = options->store ? options->store : getenv("PGOPT_STORE");
  return path && *path && strcmp(path, "none") != 0 ? path : NULL;
}

/// Merges with the store's description of this machine, there and here.
static bool keep(const char *path, pgopt_machine *machine) {
  pgopt_store store = {0}, merged;
  pgopt_error error = {0};
  pgopt_text key = {0};
  pgopt_store_add_machine(&store, machine);
  pgopt_status status = pgopt_store_update(path, &store, &error);
  pgopt_store_free(&store);
  if (!status)
    status = pgopt_store_load(path, &merged, NULL, &error);
  if (status) {
    complain("%s", error.message);
    return false;
  }
  pgopt_machine_key(machine, &key);
  const pgopt_store_profile *profile =
      pgopt_store_find_profile(&merged, key.data);
  if (profile)
    *machine = profile->machine;
  pgopt_text_free(&key);
  pgopt_store_free(&merged);
  return true;
}

bool check_store(const runner_options *options) {
  const char *path = store_path(options);
  pgopt_error error = {0};
  pgopt_store store;
  if (!path)
    return true;
  pgopt_status status = pgopt_store_load(path, &store, NULL, &error);
  pgopt_store_free(&store);
  if (!status)
    status = pgopt_store_check(path, &error);
  if (status)
    complain("%s", error.message);
  return !status;
}

bool widen_latencies(const runner_options *options) {
  const char *path = store_path(options);
  pgopt_machine machine;
  if (!path)
    return true;
  pgopt_machine_describe("", &machine);
  pgopt_machine_measure_cores(&machine, ROUND_MS);
  return keep(path, &machine);
}

int measure_machine(const runner_options *options) {
  pgopt_machine machine;
  pgopt_text text = {0};
  int64_t end_ns = pgopt_rt_now_ns() + options->watch_ms * 1000000;
  if (!check_store(options))
    return EXIT_ERROR;
  pgopt_machine_describe("", &machine);
  defer_interrupts();
  pgopt_machine_measure_rates(&machine);
  pgopt_machine_measure_sharing(&machine);
  pgopt_machine_measure_cores(
      &machine, options->watch_ms < PEAK_MS ? options->watch_ms : PEAK_MS);
  while (pgopt_rt_now_ns() < end_ns && !is_interrupted()) {
    pgopt_machine_measure_cores(&machine, ROUND_MS);
    progress("%" PRId64 " to %" PRId64 " ns between cores, %" PRId64 " s left",
             machine.latency_min_ns, machine.latency_max_ns,
             (end_ns - pgopt_rt_now_ns()) / 1000000000);
  }
  progress(NULL);
  const char *path = store_path(options);
  if (path && !keep(path, &machine))
    return EXIT_ERROR;
  pgopt_store_write_machine(&machine, &text);
  pgopt_text_append(&text, "\n");
  int code = print(&text);
  resume_interrupts();
  return code;
}
