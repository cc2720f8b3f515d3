/// \file Sums of a report, and its two forms.
#include "profile/report.h"

#include "base/checked_math.h"
#include "base/file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/// What a report adds up over its layers.
typedef struct sums {
  int64_t time_ns;
  int64_t timed_lflops; ///< Lflops of the layers that are timed
  size_t timed, derived;
} sums;

static sums add_up(const pgopt_report *report) {
  sums s = {0};
  for (size_t i = 0; i < report->layer_count; ++i) {
    const pgopt_report_layer *layer = &report->layers[i];
    if (!layer->is_timed)
      continue;
    ++s.timed;
    s.derived += !strcmp(layer->source, "derived");
    if (!pgopt_checked_add(s.time_ns, layer->time.median_ns, &s.time_ns))
      s.time_ns = INT64_MAX;
    if (layer->lflops >= 0 &&
        !pgopt_checked_add(s.timed_lflops, layer->lflops, &s.timed_lflops))
      s.timed_lflops = INT64_MAX;
  }
  return s;
}

/// Why the trial run of this run has no time of the layer; null when it has, or
/// did not measure it.
static const char *failure_of(const pgopt_report_layer *layer) {
  return layer->measured ? layer->measured->failure : NULL;
}

static int64_t fault_time(const pgopt_trial *trial) {
  int64_t time_ns;
  return pgopt_checked_multiply(trial->page_faults, trial->page_fault_ns,
                                &time_ns)
             ? time_ns
             : INT64_MAX;
}

static int64_t dropped_samples(const pgopt_trial *trial) {
  int64_t sum = 0;
  for (size_t i = 0; i < trial->kernel_count; ++i)
    if (!pgopt_checked_add(sum, trial->kernels[i].dropped, &sum))
      return INT64_MAX;
  return sum;
}

/// GFLOP/s, or -1 when one of the two is not known or no time passed.
static double rate(const pgopt_report_layer *layer) {
  return layer->is_timed && layer->lflops >= 0 && layer->time.median_ns > 0
             ? (double)layer->lflops / (double)layer->time.median_ns
             : -1;
}

static bool is_memory_bound(const pgopt_report_layer *layer) {
  return layer->memory_ns > layer->compute_ns;
}

/// Share of the roofline: the least time by the measured one. -1 when one of
/// them is not known.
static double roofline(const pgopt_report_layer *layer) {
  double least = is_memory_bound(layer) ? layer->memory_ns : layer->compute_ns;
  return layer->is_timed && layer->time.median_ns > 0 && least > 0
             ? least / (double)layer->time.median_ns
             : -1;
}

static double per_cent(double part, double whole) {
  return whole > 0 ? 100 * part / whole : 0;
}

static void format_count(char *text, size_t size, int64_t count) {
  if (count < 0)
    snprintf(text, size, "?");
  else
    snprintf(text, size, "%" PRId64, count);
}

/// A time in the unit that suits it: "812 ns", "12.3 us", "4.56 ms", "1.23 s".
static void format_time(char *text, size_t size, double ns) {
  if (ns < 1000)
    snprintf(text, size, "%.0f ns", ns);
  else if (ns < 1e6)
    snprintf(text, size, "%.2f us", ns / 1e3);
  else if (ns < 1e9)
    snprintf(text, size, "%.2f ms", ns / 1e6);
  else
    snprintf(text, size, "%.2f s", ns / 1e9);
}

static int longest(const pgopt_report *report, bool of_ops, int least) {
  int width = least;
  for (size_t i = 0; i < report->layer_count; ++i) {
    const pgopt_report_layer *layer = &report->layers[i];
    int length = (int)strlen(of_ops ? layer->op : layer->layer);
    width = length > width ? length : width;
    for (size_t m = 0; of_ops && m < layer->member_count; ++m) {
      length = 2 + (int)strlen(layer->members[m].op);
      width = length > width ? length : width;
    }
  }
  return width;
}

typedef struct columns {
  int layer, op;
} columns;

static void table_layer(const pgopt_report *report, const sums *s,
                        const pgopt_report_layer *layer, columns width,
                        pgopt_text *text) {
  char lflops[32], bytes[32], time[32] = "-", share[32] = "-", speed[32] = "-",
                              peak[32] = "-", roof[32] = "-";
  double gflops = rate(layer), reached = roofline(layer);
  format_count(lflops, sizeof lflops, layer->lflops);
  format_count(bytes, sizeof bytes, layer->bytes);
  if (layer->is_timed) {
    format_time(time, sizeof time, (double)layer->time.median_ns);
    snprintf(share, sizeof share, "%.1f%%",
             per_cent((double)layer->time.median_ns, (double)s->time_ns));
  }
  if (gflops > 0) {
    snprintf(speed, sizeof speed, "%.2f", gflops);
    if (report->peak_gflops > 0)
      snprintf(peak, sizeof peak, "%.1f%%",
               per_cent(gflops, report->peak_gflops));
  }
  if (reached >= 0)
    snprintf(roof, sizeof roof, "%.2f %c", reached,
             is_memory_bound(layer) ? 'm' : 'c');
  pgopt_text_append(text, "%-*s  %-*s %14s %12s %11s %7s %9s %7s %9s%s%s\n",
                    width.layer, layer->layer, width.op, layer->op, lflops,
                    bytes, time, share, speed, peak, roof,
                    *layer->unknown ? "  " : "", layer->unknown);
  for (size_t m = 0; m < layer->member_count; ++m) {
    const pgopt_report_member *member = &layer->members[m];
    format_count(lflops, sizeof lflops, member->lflops);
    pgopt_text_append(text, "%-*s  + %-*s %14s%s%s\n", width.layer, "",
                      width.op - 2, member->op, lflops,
                      *member->unknown ? "  " : "", member->unknown);
  }
}

static void table_totals(const pgopt_report *report, pgopt_text *text) {
  if (report->lflops < 0) {
    pgopt_text_append(text, "operations: more than 63 bits hold\n");
  } else {
    pgopt_text_append(text,
                      "operations: %" PRId64 ", in contractions %" PRId64
                      " (%" PRId64 " multiply-accumulates; 1 FMA = 2 "
                      "operations)\n",
                      report->lflops, report->contraction,
                      report->contraction / 2);
  }
  if (report->unknown_ops)
    pgopt_text_append(
        text, "not in these totals: %" PRId64 " %s\n", report->unknown_ops,
        report->unknown_ops == 1 ? "op whose count is not known"
                                 : "ops whose count is not known");
}

/// What a plain run spends outside of layers, by name. The numbers are medians
/// of different runs, so what is not explained may be negative.
static void table_rest(const pgopt_report *report, const sums *s,
                       pgopt_text *text) {
  const pgopt_trial *trial = report->trial;
  char entry[32], waits[32], faults[32], left[32];
  int64_t faults_ns = fault_time(trial);
  int64_t left_ns = trial->end_to_end.time.median_ns - s->time_ns -
                    trial->entry_ns - trial->waits_ns - faults_ns;
  format_time(entry, sizeof entry, (double)trial->entry_ns);
  format_time(waits, sizeof waits, (double)trial->waits_ns);
  format_time(faults, sizeof faults, (double)faults_ns);
  format_time(left, sizeof left, fabs((double)left_ns));
  pgopt_text_append(text,
                    "outside of layers: entry %s, waits for a CPU %s, %" PRId64
                    " page faults %s; %s%s not explained\n",
                    entry, waits, trial->page_faults, faults,
                    left_ns < 0 ? "-" : "", left);
}

static void table_timers(const pgopt_trial *trial, pgopt_text *text) {
  char instrumented[32];
  if (trial->instrumented.failure)
    return;
  format_time(instrumented, sizeof instrumented,
              (double)trial->instrumented.time.median_ns);
  pgopt_text_append(text, "with timers: %s", instrumented);
  if (trial->overhead > 0)
    pgopt_text_append(text, ", %+.1f%% over the run before it",
                      100 * (trial->overhead - 1));
  pgopt_text_append(text, "; one timer costs %.0f ns", trial->timer_ns);
  if (!trial->end_to_end.failure)
    pgopt_text_append(text, ", %zu of them %.2f%% of a run",
                      trial->kernel_count,
                      per_cent(trial->timer_ns * (double)trial->kernel_count,
                               (double)trial->end_to_end.time.median_ns));
  pgopt_text_append(text, "\n");
}

static void table_runs(const pgopt_trial *trial, pgopt_text *text) {
  if (!trial->end_to_end.failure && !trial->instrumented.failure) {
    char least[32], deviation[32];
    const pgopt_measured *time = &trial->end_to_end.time;
    format_time(least, sizeof least, (double)time->min_ns);
    format_time(deviation, sizeof deviation, (double)time->mad_ns);
    pgopt_text_append(text,
                      "measured runs: %" PRId64 " plain and %" PRId64
                      " with timers; a plain one took %s at least, median "
                      "deviation %s\n",
                      time->runs, trial->instrumented.time.runs, least,
                      deviation);
  }
  pgopt_text_append(text,
                    "disturbed and left out: %" PRId64 " plain runs, %" PRId64
                    " with timers, %" PRId64 " samples of layers\n",
                    trial->end_to_end.dropped, trial->instrumented.dropped,
                    dropped_samples(trial));
  pgopt_text_append(text, "data: warm, each run follows another one");
  if (!trial->cold.failure) {
    char cold[32];
    format_time(cold, sizeof cold, (double)trial->cold.time.median_ns);
    pgopt_text_append(text,
                      "; with data in no cache a run with timers takes %s, "
                      "median of %" PRId64,
                      cold, trial->cold.time.runs);
  }
  pgopt_text_append(text, "\n");
  if (trial->is_interrupted)
    pgopt_text_append(text, "the trial run was interrupted\n");
}

static void table_failures(const pgopt_report *report, pgopt_text *text) {
  for (size_t i = 0; i < report->layer_count; ++i) {
    const pgopt_report_layer *layer = &report->layers[i];
    if (failure_of(layer))
      pgopt_text_append(text, "no time for %s: %s\n", layer->layer,
                        failure_of(layer));
  }
}

static void table_times(const pgopt_report *report, const sums *s,
                        pgopt_text *text) {
  char sum[32], whole[32];
  const pgopt_trial *trial = report->trial;
  if (s->timed < report->layer_count)
    pgopt_text_append(text, "layers without a time: %zu of %zu\n",
                      report->layer_count - s->timed, report->layer_count);
  table_failures(report, text);
  if (s->derived)
    pgopt_text_append(text, "layers whose time is derived: %zu\n", s->derived);
  format_time(sum, sizeof sum, (double)s->time_ns);
  if (!trial) {
    if (s->timed)
      pgopt_text_append(text,
                        "sum of layers: %s; measured before, not in this "
                        "run\n",
                        sum);
    return;
  }
  if (trial->end_to_end.failure) {
    pgopt_text_append(text,
                      "sum of layers: %s; the network as a whole has no time: "
                      "%s\n",
                      sum, trial->end_to_end.failure);
  } else {
    format_time(whole, sizeof whole, (double)trial->end_to_end.time.median_ns);
    pgopt_text_append(
        text, "sum of layers: %s, %.1f%% of the network's %s\n", sum,
        per_cent((double)s->time_ns, (double)trial->end_to_end.time.median_ns),
        whole);
    table_rest(report, s, text);
  }
  table_timers(trial, text);
  table_runs(trial, text);
}

void pgopt_report_table(const pgopt_report *report, pgopt_text *text) {
  sums s = add_up(report);
  columns width = {longest(report, false, 5), longest(report, true, 4)};
  pgopt_text_append(text, "profile of @%s%s%s", report->network,
                    *report->cpu ? " on " : "", report->cpu);
  if (report->peak_gflops > 0)
    pgopt_text_append(text, ", one core's measured peak %.1f GFLOP/s",
                      report->peak_gflops);
  pgopt_text_append(text, "\n%-*s  %-*s %14s %12s %11s %7s %9s %7s %9s\n",
                    width.layer, "layer", width.op, "op", "Lflops", "bytes",
                    "time", "share", "GFLOP/s", "of peak", "roofline");
  for (size_t i = 0; i < report->layer_count; ++i)
    table_layer(report, &s, &report->layers[i], width, text);
  table_totals(report, text);
  table_times(report, &s, text);
}

static void json_count(pgopt_text *text, const char *name, int64_t count) {
  if (count < 0)
    pgopt_text_append(text, "\"%s\": null", name);
  else
    pgopt_text_append(text, "\"%s\": %" PRId64, name, count);
}

static void json_text(pgopt_text *text, const char *name, const char *value) {
  pgopt_text_append(text, "\"%s\": ", name);
  pgopt_text_append_json(text, value);
}

static void json_measured(pgopt_text *text, const pgopt_measured *m) {
  pgopt_text_append(text,
                    "{\"median_ns\": %" PRId64 ", \"min_ns\": %" PRId64
                    ", \"mad_ns\": %" PRId64 ", \"runs\": %" PRId64,
                    m->median_ns, m->min_ns, m->mad_ns, m->runs);
}

/// What the trial run of this run knows of a layer beside its Timing.
static void json_samples(const pgopt_report_layer *layer, pgopt_text *text) {
  const pgopt_trial_kernel *kernel = layer->measured;
  if (!kernel)
    return;
  if (kernel->failure) {
    pgopt_text_append(text, ", ");
    json_text(text, "failure", kernel->failure);
    return;
  }
  pgopt_text_append(text, ", \"dropped\": %" PRId64 ", ", kernel->dropped);
  json_count(text, "cold_ns", kernel->cold_ns);
  pgopt_text_append(text, ", \"samples_ns\": [");
  for (size_t i = 0; i < kernel->sample_count; ++i)
    pgopt_text_append(text, "%s%" PRId64, i ? ", " : "", kernel->samples[i]);
  pgopt_text_append(text, "]");
}

static void json_layer(const pgopt_report *report, const sums *s,
                       const pgopt_report_layer *layer, pgopt_text *text) {
  pgopt_text_append(text, "    {");
  json_text(text, "layer", layer->layer);
  pgopt_text_append(text, ", ");
  json_text(text, "op", layer->op);
  pgopt_text_append(text, ", ");
  if (*layer->signature) {
    json_text(text, "signature", layer->signature);
    pgopt_text_append(text, ", ");
  }
  json_count(text, "lflops", layer->lflops);
  if (*layer->unknown) {
    pgopt_text_append(text, ", ");
    json_text(text, "lflops_unknown", layer->unknown);
  }
  pgopt_text_append(text, ", ");
  json_count(text, "bytes", layer->bytes);
  pgopt_text_append(text, ", \"timing\": ");
  if (layer->is_timed) {
    json_measured(text, &layer->time);
    pgopt_text_append(text, ", ");
    json_text(text, "source", layer->source);
    pgopt_text_append(
        text, "}, \"share\": %.6f",
        per_cent((double)layer->time.median_ns, (double)s->time_ns) / 100);
  } else {
    pgopt_text_append(text, "null, \"share\": null");
  }
  double gflops = rate(layer);
  if (gflops >= 0)
    pgopt_text_append(text, ", \"gflops\": %.6f", gflops);
  else
    pgopt_text_append(text, ", \"gflops\": null");
  if (gflops >= 0 && report->peak_gflops > 0)
    pgopt_text_append(text, ", \"of_peak\": %.6f",
                      gflops / report->peak_gflops);
  else
    pgopt_text_append(text, ", \"of_peak\": null");
  if (roofline(layer) >= 0)
    pgopt_text_append(text, ", \"of_roofline\": %.6f, \"bound\": \"%s\"",
                      roofline(layer),
                      is_memory_bound(layer) ? "memory" : "compute");
  else
    pgopt_text_append(text, ", \"of_roofline\": null");
  json_samples(layer, text);
  pgopt_text_append(text, ", \"members\": [");
  for (size_t m = 0; m < layer->member_count; ++m) {
    const pgopt_report_member *member = &layer->members[m];
    pgopt_text_append(text, "%s{", m ? ", " : "");
    json_text(text, "op", member->op);
    pgopt_text_append(text, ", ");
    json_count(text, "lflops", member->lflops);
    if (*member->unknown) {
      pgopt_text_append(text, ", ");
      json_text(text, "lflops_unknown", member->unknown);
    }
    pgopt_text_append(text, "}");
  }
  pgopt_text_append(text, "]}");
}

static void json_runs(pgopt_text *text, const char *name,
                      const pgopt_trial_runs *runs) {
  pgopt_text_append(text, "\"%s\": ", name);
  if (!runs || runs->failure) {
    pgopt_text_append(text, "null,\n  ");
    return;
  }
  json_measured(text, &runs->time);
  pgopt_text_append(text, ", \"dropped\": %" PRId64 "},\n  ", runs->dropped);
}

/// Whole runs, and what they spend outside of layers.
static void json_trial(const pgopt_trial *trial, const sums *s,
                       pgopt_text *text) {
  json_runs(text, "end_to_end", trial ? &trial->end_to_end : NULL);
  json_runs(text, "instrumented", trial ? &trial->instrumented : NULL);
  json_runs(text, "cold", trial ? &trial->cold : NULL);
  if (!trial) {
    pgopt_text_append(text, "\"timer_ns\": null");
    return;
  }
  if (trial->end_to_end.failure) {
    json_text(text, "end_to_end_failure", trial->end_to_end.failure);
    pgopt_text_append(text, ",\n  ");
  } else {
    pgopt_text_append(
        text,
        "\"outside_of_layers\": {\"entry_ns\": %" PRId64
        ", \"waits_ns\": %" PRId64 ", \"page_faults\": %" PRId64
        ", \"page_faults_ns\": %" PRId64 ", \"not_explained_ns\": %" PRId64
        "},\n  ",
        trial->entry_ns, trial->waits_ns, trial->page_faults, fault_time(trial),
        trial->end_to_end.time.median_ns - s->time_ns - trial->entry_ns -
            trial->waits_ns - fault_time(trial));
  }
  if (trial->overhead > 0)
    pgopt_text_append(text, "\"timers_overhead\": %.6f,\n  ",
                      trial->overhead - 1);
  pgopt_text_append(text,
                    "\"data\": \"warm\",\n  \"interrupted\": %s,\n  "
                    "\"timer_ns\": %.3f",
                    trial->is_interrupted ? "true" : "false", trial->timer_ns);
}

void pgopt_report_json(const pgopt_report *report, pgopt_text *text) {
  sums s = add_up(report);
  pgopt_text_append(text, "{\n  \"format\": 1,\n  ");
  json_text(text, "network", report->network);
  pgopt_text_append(text, ",\n  ");
  json_count(text, "lflops", report->lflops);
  pgopt_text_append(text, ",\n  ");
  json_count(text, "lflops_contraction",
             report->lflops < 0 ? -1 : report->contraction);
  pgopt_text_append(text, ",\n  \"unknown_ops\": %" PRId64 ",\n  ",
                    report->unknown_ops);
  json_text(text, "cpu", report->cpu);
  if (report->peak_gflops > 0)
    pgopt_text_append(text, ",\n  \"peak_gflops\": %.3f", report->peak_gflops);
  else
    pgopt_text_append(text, ",\n  \"peak_gflops\": null");
  pgopt_text_append(text, ",\n  ");
  json_count(text, "sum_of_layers_ns", s.timed ? s.time_ns : -1);
  pgopt_text_append(text, ",\n  \"layers_without_timing\": %zu,\n  ",
                    report->layer_count - s.timed);
  json_trial(report->trial, &s, text);
  pgopt_text_append(text, ",\n  \"layers\": [\n");
  for (size_t i = 0; i < report->layer_count; ++i) {
    json_layer(report, &s, &report->layers[i], text);
    pgopt_text_append(text, i + 1 < report->layer_count ? ",\n" : "\n");
  }
  pgopt_text_append(text, "  ]\n}\n");
}

pgopt_status pgopt_report_write(const pgopt_text *text, const char *path,
                                pgopt_error *error) {
  if (*path)
    return pgopt_file_write(path, pgopt_text_get(text), text->size, error);
  fwrite(pgopt_text_get(text), 1, text->size, stderr);
  fflush(stderr);
  return PGOPT_OK;
}

void pgopt_report_progress(const char *line) {
  if (!isatty(STDERR_FILENO))
    return;
  fprintf(stderr, "\r\033[K%s", line ? line : "");
  fflush(stderr);
}
