#include "tools/pgopt-runner/timeline.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "pgopt/runtime.h"
#include "tools/pgopt-runner/terminal.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARMUP_RUNS = 2 };

typedef struct event_list {
  pgopt_rt_event *events;
  size_t count, capacity;
} event_list;

static int compare_keys(int64_t a_core, int64_t a_slot, int64_t b_core,
                        int64_t b_slot) {
  if (a_core != b_core)
    return a_core < b_core ? -1 : 1;
  return (a_slot > b_slot) - (a_slot < b_slot);
}

static int by_place(const void *a, const void *b) {
  const call_name *x = a, *y = b;
  return compare_keys(x->core, x->slot, y->core, y->slot);
}

static int by_place_and_end(const void *a, const void *b) {
  const pgopt_rt_event *x = a, *y = b;
  int order = compare_keys(x->core, x->slot, y->core, y->slot);
  return order ? order : (int)(y->is_begin - x->is_begin);
}

/// Names a core's row.
static json_t *row_name(int64_t core) {
  char name[32];
  snprintf(name, sizeof name, "core %lld", (long long)core);
  return json_pack("{s:s, s:s, s:i, s:I, s:{s:s}}", "name", "thread_name", "ph",
                   "M", "pid", 1, "tid", (json_int_t)core, "args", "name",
                   name);
}

/// Times are in microseconds from the first event.
static json_t *slice(const char *name, const pgopt_rt_event *begin,
                     const pgopt_rt_event *end, int64_t start_ns) {
  return json_pack("{s:s, s:s, s:s, s:i, s:I, s:f, s:f, s:{s:I}}", "name", name,
                   "cat", "kernel", "ph", "X", "pid", 1, "tid",
                   (json_int_t)begin->core, "ts",
                   (double)(begin->time_ns - start_ns) / 1e3, "dur",
                   (double)(end->time_ns - begin->time_ns) / 1e3, "args",
                   "slot", (json_int_t)begin->slot);
}

/// \param events sorted by core, slot, begin before end.
static json_t *build_events(const loaded_program *loaded,
                            const pgopt_rt_event *events, size_t count) {
  json_t *list = json_array();
  int64_t start_ns = INT64_MAX;
  for (size_t i = 0; i < count; ++i)
    if (events[i].time_ns < start_ns)
      start_ns = events[i].time_ns;
  for (size_t i = 0; i < count; ++i) {
    if (i == 0 || events[i].core != events[i - 1].core)
      json_array_append_new(list, row_name(events[i].core));
    if (!events[i].is_begin || i + 1 == count ||
        compare_keys(events[i].core, events[i].slot, events[i + 1].core,
                     events[i + 1].slot))
      continue;
    call_name key = {.core = events[i].core, .slot = events[i].slot};
    const call_name *call =
        loaded->call_count ? bsearch(&key, loaded->calls, loaded->call_count,
                                     sizeof key, by_place)
                           : NULL;
    char unnamed[32];
    if (events[i].slot < 0) // in front of the kernels
      snprintf(unnamed, sizeof unnamed, "prepare");
    else
      snprintf(unnamed, sizeof unnamed, "slot %lld", (long long)events[i].slot);
    json_array_append_new(list, slice(call ? call->name : unnamed, &events[i],
                                      &events[i + 1], start_ns));
  }
  return list;
}

static int write_trace(const char *path, json_t *trace) {
  char *text = json_dumps(trace, JSON_COMPACT | JSON_REAL_PRECISION(12));
  pgopt_error error = {0};
  defer_interrupts();
  pgopt_status status = pgopt_file_write(path, text, strlen(text), &error);
  resume_interrupts();
  free(text);
  if (status)
    complain("%s", error.message);
  return status ? EXIT_ERROR : 0;
}

/// Runs once and appends what is recorded: all of it, or what comes in front of
/// the kernels.
static void record_run(const loaded_program *loaded, bool all,
                       event_list *list) {
  int64_t capacity = 2 * (int64_t)loaded->call_count + 2;
  pgopt_rt_trace_start(capacity);
  pgopt_program_run(loaded->program);
  const pgopt_rt_event *recorded;
  int64_t count = pgopt_rt_trace_stop(&recorded);
  for (int64_t i = 0; i < count && i < capacity; ++i)
    if (all || recorded[i].slot < 0)
      PGOPT_APPEND(list->events, list->count, list->capacity, recorded[i]);
}

int run_trace(const runner_options *options, const loaded_program *loaded) {
  event_list list = {0};
  pgopt_program_prepare_again(loaded->program);
  record_run(loaded, false, &list);
  for (int i = 1; i < WARMUP_RUNS; ++i)
    pgopt_program_run(loaded->program);
  record_run(loaded, true, &list);
  if (!list.count) {
    complain("'%s' records no kernel calls; --trace needs kernels that are not "
             "lowered yet, and not --naive",
             loaded->path);
    return EXIT_ERROR;
  }
  qsort(list.events, list.count, sizeof *list.events, by_place_and_end);
  qsort(loaded->calls, loaded->call_count, sizeof *loaded->calls, by_place);
  json_t *trace =
      json_pack("{s:o, s:s, s:{s:s}}", "traceEvents",
                build_events(loaded, list.events, list.count),
                "displayTimeUnit", "ns", "otherData", "file", loaded->path);
  free(list.events);
  int code = write_trace(options->trace, trace);
  json_decref(trace);
  if (!code)
    printf("trace of %zu kernel calls in %s\n", loaded->call_count,
           options->trace);
  return code;
}
