#include "store/store_internal.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void pgopt_store_free(pgopt_store *store) {
  for (size_t i = 0; i < store->profile_count; ++i)
    free(store->profiles[i].timings);
  for (size_t i = 0; i < store->profile_count; ++i)
    free(store->profiles[i].choices);
  free(store->profiles);
  pgopt_arena_free(&store->arena);
  *store = (pgopt_store){0};
}

/// Index of the profile with the key, or where it belongs.
static size_t find_place(const pgopt_store *store, const char *key,
                         bool *found) {
  size_t low = 0, high = store->profile_count;
  *found = false;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = strcmp(store->profiles[middle].key, key);
    if (!order) {
      *found = true;
      return middle;
    }
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

pgopt_store_profile *pgopt_store_add_machine(pgopt_store *store,
                                             const pgopt_machine *machine) {
  pgopt_text key = {0};
  bool found;
  pgopt_machine_key(machine, &key);
  size_t place = find_place(store, pgopt_text_get(&key), &found);
  if (found) {
    pgopt_machine_merge(&store->profiles[place].machine, machine);
  } else {
    pgopt_reserve((void **)&store->profiles, &store->profile_capacity,
                  store->profile_count + 1, sizeof *store->profiles);
    memmove(store->profiles + place + 1, store->profiles + place,
            (store->profile_count++ - place) * sizeof *store->profiles);
    store->profiles[place] = (pgopt_store_profile){
        .machine = *machine,
        .key = pgopt_arena_text(&store->arena, key.data, key.size),
        .is_sorted = true};
  }
  pgopt_text_free(&key);
  return &store->profiles[place];
}

static const char *copy_text(pgopt_store *store, const char *text) {
  return pgopt_arena_text(&store->arena, text, strlen(text));
}

void pgopt_store_add_timing(pgopt_store *store, pgopt_store_profile *profile,
                            const pgopt_store_timing *timing) {
  pgopt_store_timing copy = *timing;
  copy.signature = copy_text(store, timing->signature);
  copy.version = copy_text(store, timing->version);
  copy.how = copy_text(store, timing->how);
  PGOPT_APPEND(profile->timings, profile->timing_count,
               profile->timing_capacity, copy);
  profile->is_sorted = false;
}

static int compare_i64(int64_t a, int64_t b) { return (a > b) - (a < b); }

/// Runs of digits compare as numbers.
static int order_versions(const char *a, const char *b) {
  while (*a && *b) {
    if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
      size_t zeros_a = strspn(a, "0"), zeros_b = strspn(b, "0");
      size_t digits_a = strspn(a + zeros_a, "0123456789");
      size_t digits_b = strspn(b + zeros_b, "0123456789");
      if (digits_a != digits_b)
        return digits_a < digits_b ? -1 : 1;
      int order = memcmp(a + zeros_a, b + zeros_b, digits_a);
      if (order)
        return order;
      a += zeros_a + digits_a;
      b += zeros_b + digits_b;
    } else if (*a != *b) {
      return *a < *b ? -1 : 1;
    } else {
      ++a;
      ++b;
    }
  }
  return (*a != 0) - (*b != 0);
}

int pgopt_store_compare_versions(const char *a, const char *b) {
  int order = order_versions(a, b);
  return order ? order : strcmp(a, b); // "1.0" and "1.00"
}

int pgopt_store_compare(const pgopt_store_timing *a,
                        const pgopt_store_timing *b) {
  int order = pgopt_store_compare_versions(a->version, b->version);
  if (!order)
    order = compare_i64(a->runs, b->runs);
  if (!order)
    order = compare_i64(a->date_s, b->date_s);
  if (!order)
    order = compare_i64(b->median_ns, a->median_ns);
  if (!order)
    order = compare_i64(b->min_ns, a->min_ns);
  if (!order)
    order = compare_i64(b->mad_ns, a->mad_ns);
  return order ? order : strcmp(b->how, a->how);
}

/// By signature, the better Timing of one signature first.
static int compare_for_sort(const void *left, const void *right) {
  const pgopt_store_timing *l = left, *r = right;
  int order = strcmp(l->signature, r->signature);
  return order ? order : pgopt_store_compare(r, l);
}

static size_t sort_profile(pgopt_store_profile *profile) {
  if (profile->is_sorted)
    return 0;
  if (profile->timing_count)
    qsort(profile->timings, profile->timing_count, sizeof *profile->timings,
          compare_for_sort);
  size_t kept = 0, count = profile->timing_count;
  for (size_t i = 0; i < count; ++i)
    if (!kept || strcmp(profile->timings[kept - 1].signature,
                        profile->timings[i].signature) != 0)
      profile->timings[kept++] = profile->timings[i];
  profile->timing_count = kept;
  profile->is_sorted = true;
  return count - kept + pgopt_store_sort_choices(profile);
}

size_t pgopt_store_sort(pgopt_store *store) {
  size_t dropped = 0;
  for (size_t i = 0; i < store->profile_count; ++i)
    dropped += sort_profile(&store->profiles[i]);
  return dropped;
}

void pgopt_store_merge(pgopt_store *store, const pgopt_store *other) {
  for (size_t i = 0; i < other->profile_count; ++i) {
    const pgopt_store_profile *from = &other->profiles[i];
    pgopt_store_profile *to = pgopt_store_add_machine(store, &from->machine);
    for (size_t k = 0; k < from->timing_count; ++k)
      pgopt_store_add_timing(store, to, &from->timings[k]);
    for (size_t k = 0; k < from->choice_count; ++k)
      pgopt_store_add_choice(store, to, &from->choices[k]);
  }
  pgopt_store_sort(store);
}

const pgopt_store_profile *pgopt_store_find_profile(const pgopt_store *store,
                                                    const char *key) {
  bool found;
  size_t place = find_place(store, key, &found);
  return found ? &store->profiles[place] : NULL;
}

static int compare_signature(const void *key, const void *item) {
  return strcmp(key, ((const pgopt_store_timing *)item)->signature);
}

const pgopt_store_timing *
pgopt_store_find_timing(const pgopt_store_profile *profile,
                        const char *signature) {
  return profile->timing_count
             ? bsearch(signature, profile->timings, profile->timing_count,
                       sizeof *profile->timings, compare_signature)
             : NULL;
}

static pgopt_status refuse(const pgopt_store_timing *timing, const char *what,
                           pgopt_error *error) {
  return pgopt_fail(error, PGOPT_INVALID, "the Timing of '%.100s' %s",
                    timing->signature, what);
}

pgopt_status pgopt_store_check_timing(const pgopt_store_timing *timing,
                                      pgopt_error *error) {
  static const int64_t latest_s = INT64_C(253402300799); // year 9999
  if (!*timing->signature ||
      !pgopt_text_is_plain(timing->signature, PGOPT_STORE_MAX_SIGNATURE))
    return pgopt_fail(error, PGOPT_INVALID,
                      "a signature is not UTF-8 without control characters, of "
                      "1 to %d bytes",
                      PGOPT_STORE_MAX_SIGNATURE);
  if (timing->min_ns < 0 || timing->median_ns < timing->min_ns ||
      timing->mad_ns < 0)
    return refuse(timing,
                  "has times that cannot be: 0 <= min_ns <= median_ns "
                  "and 0 <= mad_ns must hold",
                  error);
  if (timing->runs < 1)
    return refuse(timing, "has no runs; there must be at least 1", error);
  if (strcmp(timing->how, "in-place") && strcmp(timing->how, "isolated"))
    return refuse(timing, "was neither measured in-place nor isolated", error);
  if (timing->date_s < 0 || timing->date_s > latest_s)
    return refuse(timing, "has a date before 1970 or after the year 9999",
                  error);
  if (!*timing->version || !pgopt_text_is_plain(timing->version, 64))
    return refuse(timing, "does not tell pgopt's version in 1 to 64 bytes",
                  error);
  return PGOPT_OK;
}

pgopt_status pgopt_store_read_machine(pgopt_store *store,
                                      const pgopt_machine *machine,
                                      pgopt_store_profile **profile,
                                      pgopt_error *error) {
  pgopt_status status = pgopt_machine_check(machine, error);
  if (status)
    return status;
  size_t before = store->profile_count;
  *profile = pgopt_store_add_machine(store, machine);
  return store->profile_count > before
             ? PGOPT_OK
             : pgopt_fail(error, PGOPT_INVALID, "two profiles of '%s'",
                          (*profile)->key);
}

pgopt_status pgopt_store_read_timing(pgopt_store *store,
                                     pgopt_store_profile *profile,
                                     const pgopt_store_timing *timing,
                                     pgopt_error *error) {
  pgopt_status status = pgopt_store_check_timing(timing, error);
  if (!status)
    pgopt_store_add_timing(store, profile, timing);
  return status;
}

pgopt_status pgopt_store_parse(const void *bytes, size_t size,
                               pgopt_store *store, bool *is_text,
                               pgopt_error *error) {
  const unsigned char *first = bytes, *end = first + size;
  *store = (pgopt_store){0};
  *is_text = false;
  if (!size)
    return pgopt_fail(error, PGOPT_INVALID,
                      "is empty; remove it to begin a new store");
  if (size > PGOPT_STORE_MAX_BYTES)
    return pgopt_fail(error, PGOPT_OUT_OF_RANGE,
                      "has %zu bytes; a store has at most %d", size,
                      PGOPT_STORE_MAX_BYTES);
  while (first < end && (*first == ' ' || (*first >= '\t' && *first <= '\r')))
    ++first;
  // The tag of the binary form's first field is itself a line feed.
  *is_text = first < end && *first == '{';
  pgopt_status status =
      *is_text ? pgopt_store_parse_text(bytes, size, store, error)
               : pgopt_store_parse_binary(bytes, size, store, error);
  size_t dropped = status ? 0 : pgopt_store_sort(store);
  if (dropped)
    status = pgopt_fail(error, PGOPT_INVALID,
                        "has %zu Timings or choices of signatures that it has "
                        "one of already",
                        dropped);
  if (status)
    pgopt_store_free(store);
  return status;
}

int pgopt_store_version(const pgopt_store *store) {
  int version = 1;
  for (size_t i = 0; i < store->profile_count; ++i) {
    if (!pgopt_sharing_is_unknown(&store->profiles[i].machine.sharing))
      return PGOPT_STORE_VERSION;
    version = store->profiles[i].choice_count ? 2 : version;
  }
  return version;
}

void pgopt_store_write(const pgopt_store *store, bool as_text,
                       pgopt_text *bytes) {
  if (as_text)
    pgopt_store_write_text(store, bytes);
  else
    pgopt_store_write_binary(store, bytes);
}
