#include "profile/report_diff.h"

#include "base/statistics.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
  pgopt_reported *reported;
  pgopt_error *error;
  bool failed;
} reader;

static void complain(reader *r, const char *what, const char *member) {
  if (!r->failed)
    pgopt_fail(r->error, PGOPT_INVALID,
               "is no report of --profile=report=json: '%s' must be %s", member,
               what);
  r->failed = true;
}

/// "" when the member is absent and may be.
static const char *read_text(reader *r, const json_t *object,
                             const char *member, bool may_be_absent) {
  const json_t *value = json_object_get(object, member);
  if (!value && may_be_absent)
    return "";
  if (!json_is_string(value)) {
    complain(r, "a text", member);
    return "";
  }
  return pgopt_arena_text(&r->reported->arena, json_string_value(value),
                          json_string_length(value));
}

static int64_t read_time(reader *r, const json_t *value, const char *member) {
  if (json_is_integer(value) && json_integer_value(value) >= 0)
    return json_integer_value(value);
  complain(r, "an integer of at least 0", member);
  return 0;
}

static void read_samples(reader *r, const json_t *list,
                         pgopt_reported_layer *layer) {
  if (!list)
    return;
  if (!json_is_array(list)) {
    complain(r, "an array", "samples_ns");
    return;
  }
  layer->sample_count = json_array_size(list);
  int64_t *samples = pgopt_arena_allocate(&r->reported->arena,
                                          layer->sample_count, sizeof *samples);
  for (size_t i = 0; i < layer->sample_count && !r->failed; ++i) {
    int64_t sample = read_time(r, json_array_get(list, i), "samples_ns");
    samples[i] = sample ? sample : 1; // below the cost of a timer
  }
  layer->samples_ns = samples;
}

static void read_layer(reader *r, const json_t *object,
                       pgopt_reported_layer *layer) {
  *layer = (pgopt_reported_layer){.median_ns = -1};
  layer->layer = read_text(r, object, "layer", false);
  layer->signature = read_text(r, object, "signature", true);
  const json_t *timing = json_object_get(object, "timing");
  if (json_is_object(timing))
    layer->median_ns =
        read_time(r, json_object_get(timing, "median_ns"), "median_ns");
  else if (!json_is_null(timing))
    complain(r, "an object or null", "timing");
  read_samples(r, json_object_get(object, "samples_ns"), layer);
}

static void read_all(reader *r, const json_t *root) {
  const json_t *format = json_object_get(root, "format");
  const json_t *layers = json_object_get(root, "layers");
  if (!json_is_integer(format) || json_integer_value(format) != 1)
    complain(r, "1", "format");
  if (!json_is_array(layers))
    complain(r, "an array", "layers");
  r->reported->network = read_text(r, root, "network", false);
  r->reported->cpu = read_text(r, root, "cpu", false);
  if (r->failed)
    return;
  r->reported->layer_count = json_array_size(layers);
  r->reported->layers =
      pgopt_arena_allocate(&r->reported->arena, r->reported->layer_count,
                           sizeof *r->reported->layers);
  for (size_t i = 0; i < r->reported->layer_count && !r->failed; ++i)
    read_layer(r, json_array_get(layers, i), &r->reported->layers[i]);
}

pgopt_status pgopt_reported_read(const char *json, size_t size,
                                 pgopt_reported *reported, pgopt_error *error) {
  json_error_t defect;
  *reported = (pgopt_reported){0};
  json_t *root = json_loadb(json, size, JSON_REJECT_DUPLICATES, &defect);
  if (!root)
    return pgopt_fail(error, PGOPT_INVALID, "is not JSON: %s (line %d)",
                      defect.text, defect.line);
  reader r = {reported, error, false};
  read_all(&r, root);
  json_decref(root);
  if (!r.failed)
    return PGOPT_OK;
  pgopt_reported_free(reported);
  return PGOPT_INVALID;
}

void pgopt_reported_free(pgopt_reported *reported) {
  pgopt_arena_free(&reported->arena);
  *reported = (pgopt_reported){0};
}

/// A layer of one report with its counterpart in the other.
typedef struct match {
  const pgopt_reported_layer *layer;
  size_t number; ///< in its report: the order of those that are alike
  size_t other;  ///< number of the counterpart, or NONE
} match;

static const size_t NONE = SIZE_MAX;

static int compare_signatures(const match *a, const match *b) {
  return strcmp(a->layer->signature, b->layer->signature);
}

static int compare_numbers(const match *a, const match *b) {
  return (a->number > b->number) - (a->number < b->number);
}

static int by_both(const void *left, const void *right) {
  const match *a = left, *b = right;
  int order = compare_signatures(a, b);
  if (!order)
    order = strcmp(a->layer->layer, b->layer->layer);
  return order ? order : compare_numbers(a, b);
}

static int by_signature(const void *left, const void *right) {
  int order = compare_signatures(left, right);
  return order ? order : compare_numbers(left, right);
}

static int by_number(const void *left, const void *right) {
  return compare_numbers(left, right);
}

static match *list_layers(const pgopt_reported *reported) {
  match *list = pgopt_allocate(reported->layer_count, sizeof *list);
  for (size_t i = 0; i < reported->layer_count; ++i)
    list[i] = (match){&reported->layers[i], i, NONE};
  return list;
}

static bool are_alike(const match *a, const match *b, bool by_layer) {
  return !compare_signatures(a, b) &&
         (by_layer ? !strcmp(a->layer->layer, b->layer->layer)
                   : *a->layer->signature != 0);
}

/// Makes pairs of layers that are alike and have no counterpart yet, in the
/// order of both reports.
static void pair(match *a, size_t a_count, match *b, size_t b_count,
                 bool by_layer) {
  int (*order)(const void *, const void *) = by_layer ? by_both : by_signature;
  if (a_count)
    qsort(a, a_count, sizeof *a, order);
  if (b_count)
    qsort(b, b_count, sizeof *b, order);
  for (size_t i = 0, k = 0; i < a_count && k < b_count;) {
    if (a[i].other != NONE) {
      ++i;
    } else if (b[k].other != NONE) {
      ++k;
    } else if (are_alike(&a[i], &b[k], by_layer)) {
      a[i].other = b[k].number;
      b[k].other = a[i].number;
      ++i;
      ++k;
    } else {
      match first = a[i], second = b[k];
      first.number = second.number = 0;
      if (order(&first, &second) < 0)
        ++i;
      else
        ++k;
    }
  }
}

typedef struct tally {
  size_t faster, slower, same, unknown, added, removed;
  double *ratios; ///< after to before, of the kernels compared
} tally;

static int compare_ratios(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

/// Two runs are hours or days apart: a machine that has become slower in
/// between shows as a ratio of all kernels that is not 1.
static void append_drift(pgopt_text *text, const tally *t) {
  size_t count = t->faster + t->slower + t->same;
  if (!count)
    return;
  qsort(t->ratios, count, sizeof *t->ratios, compare_ratios);
  double median = (t->ratios[count / 2] + t->ratios[(count - 1) / 2]) / 2;
  pgopt_text_append(text, "median ratio of the kernels compared: %.3f\n",
                    median);
}

static void append_time(pgopt_text *text, int64_t time_ns) {
  if (time_ns < 0)
    pgopt_text_append(text, " %12s", "-");
  else
    pgopt_text_append(text, " %12" PRId64, time_ns);
}

static void append_name(pgopt_text *text, const pgopt_reported_layer *before,
                        const pgopt_reported_layer *after) {
  bool renamed = before && after && strcmp(before->layer, after->layer) != 0;
  char name[128];
  snprintf(name, sizeof name, "%s%s%s", before ? before->layer : after->layer,
           renamed ? " -> " : "", renamed ? after->layer : "");
  pgopt_text_append(text, "%-32s", name);
  append_time(text, before ? before->median_ns : -1);
  append_time(text, after ? after->median_ns : -1);
}

static void append_pair(pgopt_text *text, const pgopt_reported_layer *before,
                        const pgopt_reported_layer *after, tally *t) {
  size_t count = before->sample_count < after->sample_count
                     ? before->sample_count
                     : after->sample_count;
  append_name(text, before, after);
  if (!count) {
    ++t->unknown;
    pgopt_text_append(text, "  %7s  %8s  %s\n", "-", "-",
                      before->median_ns < 0 || after->median_ns < 0
                          ? "not comparable, no time"
                          : "not comparable, no samples");
    return;
  }
  pgopt_pairing pairing =
      pgopt_pair_times(after->samples_ns, before->samples_ns, count);
  t->ratios[t->faster + t->slower + t->same] = pairing.ratio;
  t->faster += pairing.a_is_faster;
  t->slower += pairing.b_is_faster;
  t->same += !pairing.a_is_faster && !pairing.b_is_faster;
  pgopt_text_append(text, "  %7.3f  %8.2g  %s\n", pairing.ratio,
                    pairing.p_value,
                    pairing.a_is_faster   ? "faster"
                    : pairing.b_is_faster ? "slower"
                                          : "same");
}

void pgopt_reported_diff(const pgopt_reported *before,
                         const pgopt_reported *after, pgopt_text *text) {
  match *old = list_layers(before), *new = list_layers(after);
  size_t old_count = before->layer_count, new_count = after->layer_count;
  tally t = {.ratios = pgopt_allocate(new_count, sizeof *t.ratios)};
  pair(old, old_count, new, new_count, true);
  pair(old, old_count, new, new_count, false);
  if (old_count)
    qsort(old, old_count, sizeof *old, by_number);
  if (new_count)
    qsort(new, new_count, sizeof *new, by_number);
  pgopt_text_append(text, "%-32s %12s %12s  %7s  %8s\n", "kernel", "before ns",
                    "after ns", "ratio", "p");
  for (size_t i = 0; i < new_count; ++i) {
    if (new[i].other != NONE) {
      append_pair(text, &before->layers[new[i].other], new[i].layer, &t);
      continue;
    }
    ++t.added;
    append_name(text, NULL, new[i].layer);
    pgopt_text_append(text, "  %7s  %8s  added\n", "-", "-");
  }
  for (size_t i = 0; i < old_count; ++i) {
    if (old[i].other != NONE)
      continue;
    ++t.removed;
    append_name(text, old[i].layer, NULL);
    pgopt_text_append(text, "  %7s  %8s  removed\n", "-", "-");
  }
  pgopt_text_append(text,
                    "%zu faster, %zu slower, %zu same, %zu not comparable, %zu "
                    "added, %zu removed\n",
                    t.faster, t.slower, t.same, t.unknown, t.added, t.removed);
  append_drift(text, &t);
  free(t.ratios);
  free(old);
  free(new);
}
