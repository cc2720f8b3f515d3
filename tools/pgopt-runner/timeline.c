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

/// Processes of the trace.
enum { MEASURED = 1, PREDICTED = 2 };

/// Names a process, or a row of it.
static json_t *name_row(const char *what, int process, int64_t core,
                        const char *name) {
  return json_pack("{s:s, s:s, s:i, s:I, s:{s:s}}", "name", what, "ph", "M",
                   "pid", process, "tid", (json_int_t)core, "args", "name",
                   name);
}

static json_t *name_core(int process, int64_t core) {
  char name[32];
  snprintf(name, sizeof name, "core %lld", (long long)core);
  return name_row("thread_name", process, core, name);
}

/// Times in the file are in microseconds.
static json_t *slice(const loaded_program *loaded, int process,
                     const expected_call *drawn) {
  call_name key = {.core = drawn->core, .slot = drawn->slot};
  const call_name *call = loaded->call_count
                              ? bsearch(&key, loaded->calls, loaded->call_count,
                                        sizeof key, by_place)
                              : NULL;
  char unnamed[32];
  if (drawn->slot < 0) // in front of the kernels
    snprintf(unnamed, sizeof unnamed, "prepare");
  else
    snprintf(unnamed, sizeof unnamed, "slot %lld", (long long)drawn->slot);
  return json_pack("{s:s, s:s, s:s, s:i, s:I, s:f, s:f, s:{s:I}}", "name",
                   call ? call->name : unnamed, "cat", "kernel", "ph", "X",
                   "pid", process, "tid", (json_int_t)drawn->core, "ts",
                   drawn->begin_ns / 1e3, "dur",
                   (drawn->end_ns - drawn->begin_ns) / 1e3, "args", "slot",
                   (json_int_t)drawn->slot);
}

/// One end of an arrow: its tail in the slice of the kernel that writes, its
/// head at the begin of the one that reads.
static json_t *arrow_end(int process, size_t id, const expected_call *drawn,
                         bool is_tail, int64_t bytes) {
  double at_ns =
      is_tail ? (drawn->begin_ns + drawn->end_ns) / 2 : drawn->begin_ns;
  return json_pack("{s:s, s:s, s:s, s:s, s:I, s:i, s:I, s:f, s:{s:I}}", "name",
                   "dependency", "cat", "dependency", "ph", is_tail ? "s" : "f",
                   "bp", "e", "id", 2 * (json_int_t)id + (process == PREDICTED),
                   "pid", process, "tid", (json_int_t)drawn->core, "ts",
                   at_ns / 1e3, "args", "bytes", (json_int_t)bytes);
}

/// Slices and arrows of one process.
/// \param drawn sorted by core.
/// \param of_call per expected call: where it is in `drawn`, or SIZE_MAX.
static void draw(const loaded_program *loaded, int process,
                 const expected_call *drawn, size_t count,
                 const size_t *of_call, json_t *list) {
  for (size_t i = 0; i < count; ++i) {
    if (i == 0 || drawn[i].core != drawn[i - 1].core)
      json_array_append_new(list, name_core(process, drawn[i].core));
    json_array_append_new(list, slice(loaded, process, &drawn[i]));
  }
  const expected_run *expected = &loaded->expected;
  for (size_t i = 0; i < expected->flow_count; ++i) {
    const expected_flow *flow = &expected->flows[i];
    if (of_call[flow->from] == SIZE_MAX || of_call[flow->to] == SIZE_MAX)
      continue;
    json_array_append_new(
        list,
        arrow_end(process, i, &drawn[of_call[flow->from]], true, flow->bytes));
    json_array_append_new(list, arrow_end(process, i, &drawn[of_call[flow->to]],
                                          false, flow->bytes));
  }
}

/// What was recorded. \param events sorted by core, slot, begin before end.
static void draw_measured(const loaded_program *loaded,
                          const pgopt_rt_event *events, size_t count,
                          int64_t start_ns, json_t *list) {
  const expected_run *expected = &loaded->expected;
  expected_call *drawn = pgopt_allocate(count, sizeof *drawn);
  size_t *of_call = pgopt_allocate(expected->call_count, sizeof *of_call);
  size_t drawn_count = 0;
  for (size_t i = 0; i < expected->call_count; ++i)
    of_call[i] = SIZE_MAX;
  for (size_t i = 0; i + 1 < count; ++i) {
    if (!events[i].is_begin ||
        compare_keys(events[i].core, events[i].slot, events[i + 1].core,
                     events[i + 1].slot))
      continue;
    const expected_call *call =
        find_expected_call(expected, events[i].core, events[i].slot);
    if (call)
      of_call[call - expected->calls] = drawn_count;
    drawn[drawn_count++] = (expected_call){
        events[i].core, events[i].slot, (double)(events[i].time_ns - start_ns),
        (double)(events[i + 1].time_ns - start_ns)};
  }
  json_array_append_new(list,
                        name_row("process_name", MEASURED, 0, "measured"));
  draw(loaded, MEASURED, drawn, drawn_count, of_call, list);
  free(drawn);
  free(of_call);
}

/// What was expected, from the begin of the first kernel.
static void draw_predicted(const loaded_program *loaded, int64_t first_ns,
                           json_t *list) {
  const expected_run *expected = &loaded->expected;
  expected_call *drawn = pgopt_allocate(expected->call_count, sizeof *drawn);
  size_t *of_call = pgopt_allocate(expected->call_count, sizeof *of_call);
  for (size_t i = 0; i < expected->call_count; ++i) {
    const expected_call *call = &expected->calls[i];
    of_call[i] = i;
    drawn[i] = (expected_call){call->core, call->slot,
                               (double)first_ns + call->begin_ns,
                               (double)first_ns + call->end_ns};
  }
  json_array_append_new(list,
                        name_row("process_name", PREDICTED, 0, "predicted"));
  draw(loaded, PREDICTED, drawn, expected->call_count, of_call, list);
  free(drawn);
  free(of_call);
}

/// \param events sorted by core, slot, begin before end.
static json_t *build_events(const loaded_program *loaded,
                            const pgopt_rt_event *events, size_t count) {
  json_t *list = json_array();
  int64_t start_ns = INT64_MAX, first_ns = INT64_MAX;
  for (size_t i = 0; i < count; ++i) {
    if (events[i].time_ns < start_ns)
      start_ns = events[i].time_ns;
    if (events[i].slot >= 0 && events[i].time_ns < first_ns)
      first_ns = events[i].time_ns;
  }
  draw_measured(loaded, events, count, start_ns, list);
  if (loaded->expected.has_times && first_ns != INT64_MAX)
    draw_predicted(loaded, first_ns - start_ns, list);
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
