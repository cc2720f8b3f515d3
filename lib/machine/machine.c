#include "machine/machine.h"

#include <inttypes.h>
#include <string.h>

void pgopt_machine_key(const pgopt_machine *machine, pgopt_text *key) {
  pgopt_text_append(key, "%s; %s; %" PRId64 " %s; %s", machine->cpu,
                    machine->isa, machine->cores,
                    machine->cores == 1 ? "core" : "cores", machine->blas);
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/// Which of two lists stays: the longer one, then any total order.
static bool is_less(size_t count, const void *list, size_t other_count,
                    const void *other, size_t item_size) {
  return count != other_count ? count < other_count
                              : memcmp(list, other, count * item_size) < 0;
}

/// Rates of the same working sets: the best of each. Else one list stays.
static void merge_rates(pgopt_machine *machine, const pgopt_machine *other) {
  int64_t sets[2][PGOPT_MACHINE_MAX_RATES] = {{0}};
  for (size_t i = 0; i < PGOPT_MACHINE_MAX_RATES; ++i) {
    sets[0][i] = machine->rates[i].working_set_bytes;
    sets[1][i] = other->rates[i].working_set_bytes;
  }
  if (is_less(machine->rate_count, sets[0], other->rate_count, sets[1],
              sizeof **sets)) {
    memcpy(machine->rates, other->rates, sizeof machine->rates);
    machine->rate_count = other->rate_count;
  } else if (!is_less(other->rate_count, sets[1], machine->rate_count, sets[0],
                      sizeof **sets)) {
    for (size_t i = 0; i < other->rate_count; ++i) {
      pgopt_rate *rate = &machine->rates[i];
      rate->read_mb_s = larger(rate->read_mb_s, other->rates[i].read_mb_s);
      rate->copy_mb_s = larger(rate->copy_mb_s, other->rates[i].copy_mb_s);
    }
  }
}

/// The smaller one of what is known.
static int64_t least_known(int64_t a, int64_t b) {
  return !a || (b && b < a) ? b : a;
}

static void merge_sharing(pgopt_sharing *sharing, const pgopt_sharing *other) {
  sharing->fetch_ps = least_known(sharing->fetch_ps, other->fetch_ps);
  sharing->reclaim_ps = least_known(sharing->reclaim_ps, other->reclaim_ps);
  sharing->wake_ns = least_known(sharing->wake_ns, other->wake_ns);
  sharing->call_ns = least_known(sharing->call_ns, other->call_ns);
  sharing->peak_mflops = larger(sharing->peak_mflops, other->peak_mflops);
  sharing->read_mb_s = larger(sharing->read_mb_s, other->read_mb_s);
}

void pgopt_machine_merge(pgopt_machine *machine, const pgopt_machine *other) {
  merge_rates(machine, other);
  if (is_less(machine->cache_count, machine->caches, other->cache_count,
              other->caches, sizeof *machine->caches)) {
    memcpy(machine->caches, other->caches, sizeof machine->caches);
    machine->cache_count = other->cache_count;
  }
  machine->cpus = larger(machine->cpus, other->cpus);
  machine->peak_mflops = larger(machine->peak_mflops, other->peak_mflops);
  machine->latency_min_ns =
      least_known(machine->latency_min_ns, other->latency_min_ns);
  machine->latency_max_ns =
      larger(machine->latency_max_ns, other->latency_max_ns);
  merge_sharing(&machine->sharing, &other->sharing);
  machine->date_s = larger(machine->date_s, other->date_s);
}

/// Length of the UTF-8 sequence that a byte begins; 0 for none.
static size_t sequence_length(unsigned char lead) {
  return lead < 0x80                   ? 1
         : lead >= 0xC2 && lead < 0xE0 ? 2
         : lead >= 0xE0 && lead < 0xF0 ? 3
         : lead >= 0xF0 && lead < 0xF5 ? 4
                                       : 0;
}

bool pgopt_text_is_plain(const char *text, size_t limit) {
  const unsigned char *at = (const unsigned char *)text;
  size_t size = strnlen(text, limit + 1);
  if (size > limit)
    return false;
  for (const unsigned char *end = at + size; at < end;) {
    size_t length = sequence_length(*at);
    if (!length || (size_t)(end - at) < length || *at < 0x20 || *at == 0x7F)
      return false;
    for (size_t i = 1; i < length; ++i)
      if (at[i] < 0x80 || at[i] > 0xBF)
        return false;
    // Longer than needed, surrogates, beyond Unicode.
    if ((*at == 0xE0 && at[1] < 0xA0) || (*at == 0xED && at[1] > 0x9F) ||
        (*at == 0xF0 && at[1] < 0x90) || (*at == 0xF4 && at[1] > 0x8F))
      return false;
    at += length;
  }
  return true;
}

typedef struct field {
  const char *name;
  int64_t value, least;
} field;

static const int64_t LARGEST = INT64_C(1) << 50;
static const int64_t LATEST_S = INT64_C(253402300799); // end of the year 9999

static pgopt_status check_fields(const field *fields, size_t count,
                                 pgopt_error *error) {
  for (size_t i = 0; i < count; ++i)
    if (fields[i].value < fields[i].least || fields[i].value > LARGEST)
      return pgopt_fail(
          error, PGOPT_INVALID,
          "the machine's %s is %" PRId64 "; it must be %" PRId64 " to %" PRId64,
          fields[i].name, fields[i].value, fields[i].least, LARGEST);
  return PGOPT_OK;
}

static pgopt_status check_lists(const pgopt_machine *machine,
                                pgopt_error *error) {
  for (size_t i = 0; i < machine->cache_count; ++i) {
    const pgopt_cache *c = &machine->caches[i];
    const field fields[] = {{"cache level", c->level, 1},
                            {"cache bytes", c->bytes, 1},
                            {"cpus of a cache", c->cpus, 1}};
    if (check_fields(fields, 3, error))
      return PGOPT_INVALID;
    if (i && c->level <= c[-1].level)
      return pgopt_fail(error, PGOPT_INVALID,
                        "the machine's caches do not ascend by level");
  }
  for (size_t i = 0; i < machine->rate_count; ++i) {
    const pgopt_rate *r = &machine->rates[i];
    const field fields[] = {{"working_set_bytes", r->working_set_bytes, 1},
                            {"read_mb_s", r->read_mb_s, 0},
                            {"copy_mb_s", r->copy_mb_s, 0}};
    if (check_fields(fields, 3, error))
      return PGOPT_INVALID;
    if (i && r->working_set_bytes <= r[-1].working_set_bytes)
      return pgopt_fail(error, PGOPT_INVALID,
                        "the machine's rates do not ascend by working set");
  }
  return PGOPT_OK;
}

pgopt_status pgopt_machine_check(const pgopt_machine *machine,
                                 pgopt_error *error) {
  const char *texts[] = {machine->cpu, machine->isa, machine->blas};
  for (size_t i = 0; i < 3; ++i)
    if (!pgopt_text_is_plain(texts[i], PGOPT_MACHINE_TEXT - 1))
      return pgopt_fail(error, PGOPT_INVALID,
                        "the machine's %s is not UTF-8 without control "
                        "characters",
                        i == 0   ? "cpu"
                        : i == 1 ? "isa"
                                 : "blas");
  const field fields[] = {
      {"cores", machine->cores, 1},
      {"cpus", machine->cpus, 1},
      {"peak_mflops", machine->peak_mflops, 0},
      {"latency_min_ns", machine->latency_min_ns, 0},
      {"latency_max_ns", machine->latency_max_ns, machine->latency_min_ns},
      {"fetch_ps", machine->sharing.fetch_ps, 0},
      {"reclaim_ps", machine->sharing.reclaim_ps, 0},
      {"wake_ns", machine->sharing.wake_ns, 0},
      {"call_ns", machine->sharing.call_ns, 0},
      {"peak_mflops of all cores", machine->sharing.peak_mflops, 0},
      {"read_mb_s of all cores", machine->sharing.read_mb_s, 0},
      {"date_s", machine->date_s, 0}};
  if (check_fields(fields, sizeof fields / sizeof *fields, error))
    return PGOPT_INVALID;
  if (machine->date_s > LATEST_S)
    return pgopt_fail(error, PGOPT_INVALID,
                      "the machine's date is beyond the year 9999");
  return check_lists(machine, error);
}
