#include "ir/machine_attribute.h"

#include "dialect_c/attributes.h"
#include "ir/ir.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum { MAX_MEMBERS = 16 };

typedef struct members {
  MlirContext context;
  MlirNamedAttribute list[MAX_MEMBERS];
  intptr_t count;
} members;

static void add(members *m, const char *key, MlirAttribute value) {
  m->list[m->count++] = pgopt_named(m->context, key, value);
}

static void add_text(members *m, const char *key, const char *value) {
  if (*value)
    add(m, key, pgopt_text_attribute(m->context, value));
}

static void add_i64(members *m, const char *key, int64_t value) {
  if (value)
    add(m, key, pgopt_i64_attribute(m->context, value));
}

static void add_mflops(members *m, const char *key, int64_t mflops) {
  if (mflops)
    add(m, key,
        mlirFloatAttrDoubleGet(m->context, mlirF64TypeGet(m->context),
                               (double)mflops / 1e3));
}

static MlirAttribute finish(members *m) {
  return mlirDictionaryAttrGet(m->context, m->count, m->list);
}

static MlirAttribute cache_list(MlirContext context, const pgopt_machine *m) {
  MlirAttribute list[PGOPT_MACHINE_MAX_CACHES];
  for (size_t i = 0; i < m->cache_count; ++i) {
    members one = {.context = context};
    add_i64(&one, "bytes", m->caches[i].bytes);
    add_i64(&one, "cpus", m->caches[i].cpus);
    add_i64(&one, "level", m->caches[i].level);
    list[i] = finish(&one);
  }
  return mlirArrayAttrGet(context, (intptr_t)m->cache_count, list);
}

static MlirAttribute rate_list(MlirContext context, const pgopt_machine *m) {
  MlirAttribute list[PGOPT_MACHINE_MAX_RATES];
  for (size_t i = 0; i < m->rate_count; ++i) {
    members one = {.context = context};
    add_i64(&one, "copy_mb_s", m->rates[i].copy_mb_s);
    add_i64(&one, "read_mb_s", m->rates[i].read_mb_s);
    add_i64(&one, "working_set_bytes", m->rates[i].working_set_bytes);
    list[i] = finish(&one);
  }
  return mlirArrayAttrGet(context, (intptr_t)m->rate_count, list);
}

static MlirAttribute sharing_members(MlirContext context,
                                     const pgopt_sharing *s) {
  members all = {.context = context};
  add_i64(&all, "call_ns", s->call_ns);
  add_i64(&all, "fetch_ps", s->fetch_ps);
  add_mflops(&all, "peak_gflops", s->peak_mflops);
  add_i64(&all, "read_mb_s", s->read_mb_s);
  add_i64(&all, "reclaim_ps", s->reclaim_ps);
  add_i64(&all, "wake_ns", s->wake_ns);
  return finish(&all);
}

MlirAttribute pgopt_machine_to_attribute(MlirContext context,
                                         const pgopt_machine *m) {
  members all = {.context = context};
  char date[32] = "";
  time_t seconds = m->date_s;
  struct tm parts;
  if (m->date_s && gmtime_r(&seconds, &parts))
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &parts);
  add_text(&all, "blas", m->blas);
  if (m->cache_count)
    add(&all, "caches", cache_list(context, m));
  add_i64(&all, "cores", m->cores);
  add_text(&all, "cpu", m->cpu);
  add_i64(&all, "cpus", m->cpus);
  add_text(&all, "date", date);
  add_text(&all, "isa", m->isa);
  if (m->latency_max_ns) { // 0 is a distance, and below a nanosecond
    add(&all, "latency_max_ns",
        pgopt_i64_attribute(context, m->latency_max_ns));
    add(&all, "latency_min_ns",
        pgopt_i64_attribute(context, m->latency_min_ns));
  }
  add_text(&all, "mlir", PGOPT_MLIR_VERSION);
  add_mflops(&all, "peak_gflops", m->peak_mflops);
  if (m->rate_count)
    add(&all, "rates", rate_list(context, m));
  if (!pgopt_sharing_is_unknown(&m->sharing))
    add(&all, "sharing", sharing_members(context, &m->sharing));
  return finish(&all);
}

static MlirAttribute member(MlirAttribute dictionary, const char *key) {
  return mlirAttributeIsADictionary(dictionary)
             ? mlirDictionaryAttrGetElementByName(dictionary, pgopt_ref(key))
             : mlirAttributeGetNull();
}

static void read_text(MlirAttribute dictionary, const char *key, char *text) {
  MlirAttribute value = member(dictionary, key);
  if (mlirAttributeIsNull(value) || !mlirAttributeIsAString(value))
    return;
  MlirStringRef ref = mlirStringAttrGetValue(value);
  if (ref.length < PGOPT_MACHINE_TEXT && !memchr(ref.data, 0, ref.length))
    memcpy(text, ref.data, ref.length);
}

/// 0 when the key is absent or no integer of 64 bits.
static int64_t read_i64(MlirAttribute dictionary, const char *key) {
  MlirAttribute value = member(dictionary, key);
  if (mlirAttributeIsNull(value) || !mlirAttributeIsAInteger(value) ||
      !mlirTypeIsAInteger(mlirAttributeGetType(value)) ||
      mlirIntegerTypeGetWidth(mlirAttributeGetType(value)) > 64)
    return 0;
  return mlirIntegerAttrGetValueInt(value);
}

static int64_t read_mflops(MlirAttribute machine) {
  MlirAttribute value = member(machine, "peak_gflops");
  double peak = !mlirAttributeIsNull(value) && mlirAttributeIsAFloat(value)
                    ? mlirFloatAttrGetValueDouble(value)
                    : 0;
  return peak > 0 && peak < 1e9 ? llround(peak * 1e3) : 0;
}

static int64_t read_date(MlirAttribute machine) {
  char text[PGOPT_MACHINE_TEXT] = "";
  struct tm parts = {0};
  read_text(machine, "date", text);
  const char *end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return end && !*end ? timegm(&parts) : 0;
}

static size_t list_size(MlirAttribute list, size_t most) {
  intptr_t count = mlirAttributeIsNull(list) || !mlirAttributeIsAArray(list)
                       ? 0
                       : mlirArrayAttrGetNumElements(list);
  return (size_t)count <= most ? (size_t)count : 0;
}

bool pgopt_machine_of_module(MlirOperation module, pgopt_machine *m) {
  MlirAttribute machine = pgopt_get(module, PGOPT_MACHINE);
  *m = (pgopt_machine){0};
  if (mlirAttributeIsNull(machine) || !mlirAttributeIsADictionary(machine))
    return false;
  read_text(machine, "blas", m->blas);
  read_text(machine, "cpu", m->cpu);
  read_text(machine, "isa", m->isa);
  m->cores = read_i64(machine, "cores");
  m->cpus = read_i64(machine, "cpus");
  m->date_s = read_date(machine);
  m->latency_max_ns = read_i64(machine, "latency_max_ns");
  m->latency_min_ns = read_i64(machine, "latency_min_ns");
  m->peak_mflops = read_mflops(machine);
  MlirAttribute sharing = member(machine, "sharing");
  if (!mlirAttributeIsNull(sharing))
    m->sharing = (pgopt_sharing){.fetch_ps = read_i64(sharing, "fetch_ps"),
                                 .reclaim_ps = read_i64(sharing, "reclaim_ps"),
                                 .wake_ns = read_i64(sharing, "wake_ns"),
                                 .call_ns = read_i64(sharing, "call_ns"),
                                 .peak_mflops = read_mflops(sharing),
                                 .read_mb_s = read_i64(sharing, "read_mb_s")};
  MlirAttribute caches = member(machine, "caches");
  m->cache_count = list_size(caches, PGOPT_MACHINE_MAX_CACHES);
  for (size_t i = 0; i < m->cache_count; ++i) {
    MlirAttribute one = mlirArrayAttrGetElement(caches, (intptr_t)i);
    m->caches[i] = (pgopt_cache){read_i64(one, "level"), read_i64(one, "bytes"),
                                 read_i64(one, "cpus")};
  }
  MlirAttribute rates = member(machine, "rates");
  m->rate_count = list_size(rates, PGOPT_MACHINE_MAX_RATES);
  for (size_t i = 0; i < m->rate_count; ++i) {
    MlirAttribute one = mlirArrayAttrGetElement(rates, (intptr_t)i);
    m->rates[i] =
        (pgopt_rate){read_i64(one, "working_set_bytes"),
                     read_i64(one, "read_mb_s"), read_i64(one, "copy_mb_s")};
  }
  return *m->cpu && !pgopt_machine_check(m, NULL);
}
