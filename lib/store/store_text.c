/// \file The text form: JSON, one line a Timing, for people and tests.
#include "store/store_internal.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/// "2026-11-30T16:05:00Z".
static void append_date(pgopt_text *text, int64_t date_s) {
  time_t seconds = date_s;
  struct tm parts;
  char date[64] = "";
  if (gmtime_r(&seconds, &parts))
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &parts);
  pgopt_text_append(text, "\"%s\"", date);
}

static void append_text(pgopt_text *text, const char *key, const char *value) {
  pgopt_text_append(text, "\"%s\": ", key);
  pgopt_text_append_json(text, value);
  pgopt_text_append(text, ", ");
}

static void append_i64(pgopt_text *text, const char *key, int64_t value) {
  pgopt_text_append(text, "\"%s\": %" PRId64 ", ", key, value);
}

/// Members of what cores share.
static const struct {
  const char *name;
  size_t offset;
} sharing_members[] = {
    {"fetch_ps", offsetof(pgopt_sharing, fetch_ps)},
    {"reclaim_ps", offsetof(pgopt_sharing, reclaim_ps)},
    {"wake_ns", offsetof(pgopt_sharing, wake_ns)},
    {"call_ns", offsetof(pgopt_sharing, call_ns)},
    {"peak_mflops", offsetof(pgopt_sharing, peak_mflops)},
    {"read_mb_s", offsetof(pgopt_sharing, read_mb_s)},
};
enum { SHARING_MEMBERS = sizeof sharing_members / sizeof *sharing_members };

/// Where something of it is known.
static void write_sharing(const pgopt_sharing *sharing, pgopt_text *text) {
  if (pgopt_sharing_is_unknown(sharing))
    return;
  for (size_t i = 0; i < SHARING_MEMBERS; ++i)
    pgopt_text_append(
        text, "%s\"%s\": %" PRId64, i ? ", " : "\"sharing\": {",
        sharing_members[i].name,
        *(const int64_t *)((const char *)sharing + sharing_members[i].offset));
  pgopt_text_append(text, "}, ");
}

void pgopt_store_write_machine(const pgopt_machine *m, pgopt_text *text) {
  pgopt_text_append(text, "{");
  append_text(text, "cpu", m->cpu);
  append_text(text, "isa", m->isa);
  append_text(text, "blas", m->blas);
  append_i64(text, "cores", m->cores);
  pgopt_text_append(text, "\"cpus\": %" PRId64 ",\n    \"caches\": [", m->cpus);
  for (size_t i = 0; i < m->cache_count; ++i)
    pgopt_text_append(text,
                      "%s{\"level\": %" PRId64 ", \"bytes\": %" PRId64
                      ", \"cpus\": %" PRId64 "}",
                      i ? ", " : "", m->caches[i].level, m->caches[i].bytes,
                      m->caches[i].cpus);
  pgopt_text_append(text, "],\n    \"rates\": [");
  for (size_t i = 0; i < m->rate_count; ++i)
    pgopt_text_append(text,
                      "%s{\"working_set_bytes\": %" PRId64
                      ", \"read_mb_s\": %" PRId64 ", \"copy_mb_s\": %" PRId64
                      "}",
                      i ? ", " : "", m->rates[i].working_set_bytes,
                      m->rates[i].read_mb_s, m->rates[i].copy_mb_s);
  pgopt_text_append(text, "],\n    ");
  append_i64(text, "peak_mflops", m->peak_mflops);
  append_i64(text, "latency_min_ns", m->latency_min_ns);
  append_i64(text, "latency_max_ns", m->latency_max_ns);
  write_sharing(&m->sharing, text);
  pgopt_text_append(text, "\"date\": ");
  append_date(text, m->date_s);
  pgopt_text_append(text, "}");
}

static void write_timing(const pgopt_store_timing *t, pgopt_text *text) {
  pgopt_text_append(text, "    {");
  append_text(text, "signature", t->signature);
  append_i64(text, "median_ns", t->median_ns);
  append_i64(text, "min_ns", t->min_ns);
  append_i64(text, "mad_ns", t->mad_ns);
  append_i64(text, "runs", t->runs);
  append_text(text, "how", t->how);
  pgopt_text_append(text, "\"date\": ");
  append_date(text, t->date_s);
  pgopt_text_append(text, ", \"version\": ");
  pgopt_text_append_json(text, t->version);
  pgopt_text_append(text, "}");
}

static void write_choice(const pgopt_store_choice *choice, pgopt_text *text) {
  pgopt_text_append(text, "    {");
  append_text(text, "signature", choice->signature);
  append_i64(text, "chosen", (int64_t)choice->chosen);
  pgopt_text_append(text, "\"date\": ");
  append_date(text, choice->date_s);
  pgopt_text_append(text, ", \"version\": ");
  pgopt_text_append_json(text, choice->version);
  pgopt_text_append(text, ", \"candidates\": [");
  for (size_t i = 0; i < choice->candidate_count; ++i) {
    const pgopt_store_candidate *c = &choice->candidates[i];
    pgopt_text_append(text, "%s\n      {", i ? "," : "");
    append_text(text, "variant", c->variant);
    append_i64(text, "cycles", c->cycles);
    append_i64(text, "median_ns", c->median_ns);
    append_i64(text, "min_ns", c->min_ns);
    append_i64(text, "mad_ns", c->mad_ns);
    append_i64(text, "runs", c->runs);
    append_i64(text, "ratio_ppm", c->ratio_ppm);
    append_i64(text, "chance_ppm", c->chance_ppm);
    pgopt_text_append(text, "\"failure\": ");
    pgopt_text_append_json(text, c->failure);
    pgopt_text_append(text, "}");
  }
  pgopt_text_append(text, "]}");
}

void pgopt_store_write_text(const pgopt_store *store, pgopt_text *text) {
  pgopt_text_append(text,
                    "{\"format\": \"" PGOPT_STORE_MAGIC
                    "\", \"version\": %d, \"profiles\": [",
                    pgopt_store_version(store));
  for (size_t i = 0; i < store->profile_count; ++i) {
    const pgopt_store_profile *profile = &store->profiles[i];
    pgopt_text_append(text, "%s\n  {\"machine\": ", i ? "," : "");
    pgopt_store_write_machine(&profile->machine, text);
    pgopt_text_append(text, ",\n   \"timings\": [");
    for (size_t k = 0; k < profile->timing_count; ++k) {
      pgopt_text_append(text, "%s\n", k ? "," : "");
      write_timing(&profile->timings[k], text);
    }
    pgopt_text_append(text, "]");
    if (pgopt_store_version(store) > 1) {
      pgopt_text_append(text, ",\n   \"choices\": [");
      for (size_t k = 0; k < profile->choice_count; ++k) {
        pgopt_text_append(text, "%s\n", k ? "," : "");
        write_choice(&profile->choices[k], text);
      }
      pgopt_text_append(text, "]");
    }
    pgopt_text_append(text, "}");
  }
  pgopt_text_append(text, "]}\n");
}

/// Reads members until the first problem.
typedef struct reader {
  pgopt_error *error;
  pgopt_status status;
} reader;

__attribute__((format(printf, 2, 3))) static void
complain(reader *r, const char *format, ...) {
  if (r->status)
    return;
  char message[PGOPT_ERROR_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  r->status = pgopt_fail(r->error, PGOPT_INVALID, "%s", message);
}

/// The object's members must be those of the list, all of them.
static const json_t *check_object(reader *r, const json_t *object,
                                  const char *what, const char *const *keys,
                                  size_t count) {
  if (!json_is_object(object)) {
    complain(r, "%s is not an object", what);
    return NULL;
  }
  for (size_t i = 0; i < count; ++i)
    if (!json_object_get(object, keys[i])) {
      complain(r, "%s has no '%s'", what, keys[i]);
      return NULL;
    }
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)object, key, value) {
    size_t i = 0;
    while (i < count && strcmp(keys[i], key) != 0)
      ++i;
    if (i == count) {
      complain(r, "%s has a member '%.64s', which is not known", what, key);
      return NULL;
    }
  }
  return object;
}

#define CHECK_OBJECT(r, object, what, ...)                                     \
  check_object(r, object, what, (const char *const[]){__VA_ARGS__},            \
               sizeof((const char *const[]){__VA_ARGS__}) /                    \
                   sizeof(const char *))

static int64_t read_i64(reader *r, const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  if (!json_is_integer(value))
    complain(r, "'%s' is not an integer", key);
  return json_integer_value(value);
}

static const char *read_text(reader *r, const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  if (json_is_string(value))
    return json_string_value(value);
  complain(r, "'%s' is not a text", key);
  return "";
}

static void read_bounded(reader *r, const json_t *object, const char *key,
                         char *target) {
  const char *value = read_text(r, object, key);
  size_t size = strlen(value);
  if (size >= PGOPT_MACHINE_TEXT)
    complain(r, "'%s' is longer than %d bytes", key, PGOPT_MACHINE_TEXT - 1);
  else
    memcpy(target, value, size + 1);
}

static size_t read_list(reader *r, const json_t *object, const char *key,
                        size_t most, const json_t **list) {
  *list = json_object_get(object, key);
  if (!json_is_array(*list))
    complain(r, "'%s' is not a list", key);
  else if (json_array_size(*list) > most)
    complain(r, "'%s' has %zu items; at most %zu are allowed", key,
             json_array_size(*list), most);
  return r->status ? 0 : json_array_size(*list);
}

static int64_t read_date(reader *r, const json_t *object, const char *key) {
  const char *value = read_text(r, object, key);
  struct tm parts = {0};
  const char *end = strptime(value, "%Y-%m-%dT%H:%M:%SZ", &parts);
  int64_t seconds = timegm(&parts);
  // What strptime is lenient about does not come out as it went in.
  pgopt_text again = {0};
  append_date(&again, seconds);
  size_t size = strlen(value);
  if (!end || *end || again.size != size + 2 ||
      memcmp(again.data + 1, value, size) != 0)
    complain(r, "'%s' is '%.40s'; it must be like 2026-11-30T16:05:00Z", key,
             value);
  pgopt_text_free(&again);
  return seconds;
}

/// The member is there where something of it is known.
static void read_sharing(reader *r, const json_t *object,
                         pgopt_sharing *sharing) {
  const char *names[SHARING_MEMBERS];
  for (size_t i = 0; i < SHARING_MEMBERS; ++i)
    names[i] = sharing_members[i].name;
  if (!object ||
      !check_object(r, object, "what cores share", names, SHARING_MEMBERS))
    return;
  for (size_t i = 0; i < SHARING_MEMBERS; ++i)
    *(int64_t *)((char *)sharing + sharing_members[i].offset) =
        read_i64(r, object, names[i]);
}

static void read_machine(reader *r, const json_t *object, int version,
                         pgopt_machine *m) {
  const json_t *list;
  *m = (pgopt_machine){0};
  const json_t *sharing =
      version < 3 ? NULL : json_object_get(object, "sharing");
  if (!CHECK_OBJECT(r, object, "a machine", "cpu", "isa", "blas", "cores",
                    "cpus", "caches", "rates", "peak_mflops", "latency_min_ns",
                    "latency_max_ns", "date", sharing ? "sharing" : "date"))
    return;
  read_sharing(r, sharing, &m->sharing);
  read_bounded(r, object, "cpu", m->cpu);
  read_bounded(r, object, "isa", m->isa);
  read_bounded(r, object, "blas", m->blas);
  m->cores = read_i64(r, object, "cores");
  m->cpus = read_i64(r, object, "cpus");
  m->peak_mflops = read_i64(r, object, "peak_mflops");
  m->latency_min_ns = read_i64(r, object, "latency_min_ns");
  m->latency_max_ns = read_i64(r, object, "latency_max_ns");
  m->date_s = read_date(r, object, "date");
  m->cache_count =
      read_list(r, object, "caches", PGOPT_MACHINE_MAX_CACHES, &list);
  for (size_t i = 0; i < m->cache_count; ++i) {
    const json_t *cache = CHECK_OBJECT(r, json_array_get(list, i), "a cache",
                                       "level", "bytes", "cpus");
    if (!cache)
      return;
    m->caches[i] =
        (pgopt_cache){read_i64(r, cache, "level"), read_i64(r, cache, "bytes"),
                      read_i64(r, cache, "cpus")};
  }
  m->rate_count = read_list(r, object, "rates", PGOPT_MACHINE_MAX_RATES, &list);
  for (size_t i = 0; i < m->rate_count; ++i) {
    const json_t *rate =
        CHECK_OBJECT(r, json_array_get(list, i), "a rate", "working_set_bytes",
                     "read_mb_s", "copy_mb_s");
    if (!rate)
      return;
    m->rates[i] = (pgopt_rate){read_i64(r, rate, "working_set_bytes"),
                               read_i64(r, rate, "read_mb_s"),
                               read_i64(r, rate, "copy_mb_s")};
  }
}

static void read_timing(reader *r, const json_t *object, pgopt_store *store,
                        pgopt_store_profile *profile) {
  if (!CHECK_OBJECT(r, object, "a Timing", "signature", "median_ns", "min_ns",
                    "mad_ns", "runs", "how", "date", "version"))
    return;
  const pgopt_store_timing timing = {
      .signature = read_text(r, object, "signature"),
      .median_ns = read_i64(r, object, "median_ns"),
      .min_ns = read_i64(r, object, "min_ns"),
      .mad_ns = read_i64(r, object, "mad_ns"),
      .runs = read_i64(r, object, "runs"),
      .how = read_text(r, object, "how"),
      .date_s = read_date(r, object, "date"),
      .version = read_text(r, object, "version")};
  if (!r->status)
    r->status = pgopt_store_read_timing(store, profile, &timing, r->error);
}

static void read_choice(reader *r, const json_t *object, pgopt_store *store,
                        pgopt_store_profile *profile) {
  const json_t *list;
  pgopt_store_candidate candidates[PGOPT_STORE_MAX_CANDIDATES];
  if (!CHECK_OBJECT(r, object, "a choice", "signature", "chosen", "date",
                    "version", "candidates"))
    return;
  size_t count =
      read_list(r, object, "candidates", PGOPT_STORE_MAX_CANDIDATES, &list);
  for (size_t i = 0; i < count; ++i) {
    const json_t *c =
        CHECK_OBJECT(r, json_array_get(list, i), "a candidate", "variant",
                     "cycles", "median_ns", "min_ns", "mad_ns", "runs",
                     "ratio_ppm", "chance_ppm", "failure");
    if (!c)
      return;
    candidates[i] =
        (pgopt_store_candidate){.variant = read_text(r, c, "variant"),
                                .cycles = read_i64(r, c, "cycles"),
                                .median_ns = read_i64(r, c, "median_ns"),
                                .min_ns = read_i64(r, c, "min_ns"),
                                .mad_ns = read_i64(r, c, "mad_ns"),
                                .runs = read_i64(r, c, "runs"),
                                .ratio_ppm = read_i64(r, c, "ratio_ppm"),
                                .chance_ppm = read_i64(r, c, "chance_ppm"),
                                .failure = read_text(r, c, "failure")};
  }
  int64_t chosen = read_i64(r, object, "chosen");
  const pgopt_store_choice choice = {
      .signature = read_text(r, object, "signature"),
      .candidates = candidates,
      .candidate_count = count,
      .chosen = chosen < 0 ? SIZE_MAX : (size_t)chosen,
      .date_s = read_date(r, object, "date"),
      .version = read_text(r, object, "version")};
  if (!r->status)
    r->status = pgopt_store_read_choice(store, profile, &choice, r->error);
}

static void read_profile(reader *r, const json_t *object, int version,
                         pgopt_store *store) {
  pgopt_machine machine;
  pgopt_store_profile *profile = NULL;
  const json_t *list;
  if (version == 1 ? !CHECK_OBJECT(r, object, "a profile", "machine", "timings")
                   : !CHECK_OBJECT(r, object, "a profile", "machine", "timings",
                                   "choices"))
    return;
  read_machine(r, json_object_get(object, "machine"), version, &machine);
  if (!r->status)
    r->status = pgopt_store_read_machine(store, &machine, &profile, r->error);
  size_t count = read_list(r, object, "timings", SIZE_MAX, &list);
  for (size_t i = 0; i < count && !r->status; ++i)
    read_timing(r, json_array_get(list, i), store, profile);
  if (version == 1)
    return;
  count = read_list(r, object, "choices", SIZE_MAX, &list);
  for (size_t i = 0; i < count && !r->status; ++i)
    read_choice(r, json_array_get(list, i), store, profile);
}

pgopt_status pgopt_store_parse_text(const void *bytes, size_t size,
                                    pgopt_store *store, pgopt_error *error) {
  json_error_t problem;
  reader r = {.error = error};
  const json_t *list;
  json_t *root = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &problem);
  if (!root)
    return pgopt_fail(error, PGOPT_INVALID,
                      "line %d, column %d: %s; a store in text form is JSON",
                      problem.line, problem.column, problem.text);
  const json_t *format = json_object_get(root, "format");
  const json_t *version = json_object_get(root, "version");
  if (!json_is_string(format) ||
      strcmp(json_string_value(format), PGOPT_STORE_MAGIC))
    complain(&r, "is not a store: its 'format' is not '" PGOPT_STORE_MAGIC "'");
  else if (!json_is_integer(version) || json_integer_value(version) < 1 ||
           json_integer_value(version) > PGOPT_STORE_VERSION)
    complain(&r,
             "has version %" PRId64 " of the format; this pgopt reads versions "
             "1 to %d",
             (int64_t)json_integer_value(version), PGOPT_STORE_VERSION);
  else if (CHECK_OBJECT(&r, root, "the store", "format", "version",
                        "profiles")) {
    size_t count = read_list(&r, root, "profiles", SIZE_MAX, &list);
    for (size_t i = 0; i < count && !r.status; ++i)
      read_profile(&r, json_array_get(list, i),
                   (int)json_integer_value(version), store);
  }
  json_decref(root);
  return r.status;
}
