/// \file Choices of variants in a store: adding, sorting, finding, checking.
#include "store/store_internal.h"

#include <stdlib.h>
#include <string.h>

static const int64_t latest_s = INT64_C(253402300799); // year 9999

static const char *copy_text(pgopt_store *store, const char *text) {
  return pgopt_arena_text(&store->arena, text, strlen(text));
}

void pgopt_store_add_choice(pgopt_store *store, pgopt_store_profile *profile,
                            const pgopt_store_choice *choice) {
  pgopt_store_choice copy = *choice;
  pgopt_store_candidate *candidates =
      pgopt_arena_copy(&store->arena, choice->candidates,
                       choice->candidate_count * sizeof *choice->candidates);
  for (size_t i = 0; i < choice->candidate_count; ++i) {
    candidates[i].variant = copy_text(store, candidates[i].variant);
    candidates[i].failure = copy_text(store, candidates[i].failure);
  }
  copy.candidates = candidates;
  copy.signature = copy_text(store, choice->signature);
  copy.version = copy_text(store, choice->version);
  PGOPT_APPEND(profile->choices, profile->choice_count,
               profile->choice_capacity, copy);
  profile->is_sorted = false;
}

static int compare_i64(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int compare_candidates(const pgopt_store_candidate *a,
                              const pgopt_store_candidate *b) {
  const int64_t left[] = {b->median_ns, b->min_ns,     b->mad_ns, a->runs,
                          b->ratio_ppm, b->chance_ppm, a->cycles};
  const int64_t right[] = {a->median_ns, a->min_ns,     a->mad_ns, b->runs,
                           a->ratio_ppm, a->chance_ppm, b->cycles};
  int order = 0;
  for (size_t i = 0; i < sizeof left / sizeof *left && !order; ++i)
    order = compare_i64(left[i], right[i]);
  if (!order)
    order = strcmp(a->variant, b->variant);
  return order ? order : strcmp(a->failure, b->failure);
}

/// Measured runs of the default.
static int64_t runs(const pgopt_store_choice *choice) {
  return choice->candidates[0].runs;
}

int pgopt_store_compare_choices(const pgopt_store_choice *a,
                                const pgopt_store_choice *b) {
  int order = pgopt_store_compare_versions(a->version, b->version);
  if (!order)
    order = compare_i64(runs(a), runs(b));
  if (!order)
    order = compare_i64(a->date_s, b->date_s);
  if (!order)
    order =
        compare_i64((int64_t)a->candidate_count, (int64_t)b->candidate_count);
  for (size_t i = 0; i < a->candidate_count && !order; ++i)
    order = compare_candidates(&a->candidates[i], &b->candidates[i]);
  return order ? order : compare_i64((int64_t)b->chosen, (int64_t)a->chosen);
}

/// By signature, the better choice of one signature first.
static int compare_for_sort(const void *left, const void *right) {
  const pgopt_store_choice *l = left, *r = right;
  int order = strcmp(l->signature, r->signature);
  return order ? order : pgopt_store_compare_choices(r, l);
}

size_t pgopt_store_sort_choices(pgopt_store_profile *profile) {
  size_t kept = 0, count = profile->choice_count;
  if (count)
    qsort(profile->choices, count, sizeof *profile->choices, compare_for_sort);
  for (size_t i = 0; i < count; ++i)
    if (!kept || strcmp(profile->choices[kept - 1].signature,
                        profile->choices[i].signature) != 0)
      profile->choices[kept++] = profile->choices[i];
  profile->choice_count = kept;
  return count - kept;
}

static int compare_signature(const void *key, const void *item) {
  return strcmp(key, ((const pgopt_store_choice *)item)->signature);
}

const pgopt_store_choice *
pgopt_store_find_choice(const pgopt_store_profile *profile,
                        const char *signature) {
  return profile->choice_count
             ? bsearch(signature, profile->choices, profile->choice_count,
                       sizeof *profile->choices, compare_signature)
             : NULL;
}

static bool is_text(const char *text, size_t most) {
  return *text && pgopt_text_is_plain(text, most);
}

static bool is_measured(const pgopt_store_candidate *c) {
  return 0 <= c->min_ns && c->min_ns <= c->median_ns && 0 <= c->mad_ns &&
         c->runs >= 1 && !*c->failure;
}

static bool has_failed(const pgopt_store_candidate *c) {
  return !c->min_ns && !c->median_ns && !c->mad_ns && !c->runs &&
         !c->ratio_ppm && !c->chance_ppm &&
         is_text(c->failure, PGOPT_STORE_MAX_SIGNATURE);
}

static pgopt_status refuse(const pgopt_store_choice *choice, const char *what,
                           pgopt_error *error) {
  return pgopt_fail(error, PGOPT_INVALID, "the choice for '%.100s' %s",
                    choice->signature, what);
}

pgopt_status pgopt_store_check_choice(const pgopt_store_choice *choice,
                                      pgopt_error *error) {
  if (!is_text(choice->signature, PGOPT_STORE_MAX_SIGNATURE))
    return pgopt_fail(error, PGOPT_INVALID,
                      "a signature is not UTF-8 without control characters, of "
                      "1 to %d bytes",
                      PGOPT_STORE_MAX_SIGNATURE);
  if (choice->candidate_count < 1 ||
      choice->candidate_count > PGOPT_STORE_MAX_CANDIDATES)
    return refuse(choice, "does not have 1 to 64 candidates", error);
  if (choice->chosen >= choice->candidate_count)
    return refuse(choice, "takes a candidate that it does not have", error);
  for (size_t i = 0; i < choice->candidate_count; ++i) {
    const pgopt_store_candidate *c = &choice->candidates[i];
    if (!is_text(c->variant, 64))
      return refuse(choice, "has a variant that is not a text of 1 to 64 bytes",
                    error);
    for (size_t k = 0; k < i; ++k)
      if (!strcmp(choice->candidates[k].variant, c->variant))
        return refuse(choice, "has a variant twice", error);
    if (c->cycles < 0 || c->ratio_ppm < 0 || c->chance_ppm < 0 ||
        c->chance_ppm > 1000000)
      return refuse(choice, "has a negative number, or a chance above 1",
                    error);
    if (!is_measured(c) && !has_failed(c))
      return refuse(choice,
                    "has times that cannot be: 0 <= min_ns <= median_ns, 0 <= "
                    "mad_ns and 1 <= runs, or a failure and none of them",
                    error);
  }
  if (choice->chosen && *choice->candidates[choice->chosen].failure)
    return refuse(choice, "takes a candidate that failed", error);
  if (choice->date_s < 0 || choice->date_s > latest_s)
    return refuse(choice, "has a date before 1970 or after the year 9999",
                  error);
  if (!is_text(choice->version, 64))
    return refuse(choice, "does not tell pgopt's version in 1 to 64 bytes",
                  error);
  return PGOPT_OK;
}

pgopt_status pgopt_store_read_choice(pgopt_store *store,
                                     pgopt_store_profile *profile,
                                     const pgopt_store_choice *choice,
                                     pgopt_error *error) {
  pgopt_status status = pgopt_store_check_choice(choice, error);
  if (!status)
    pgopt_store_add_choice(store, profile, choice);
  return status;
}
