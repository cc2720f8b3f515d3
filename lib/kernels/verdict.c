#include "kernels/verdict.h"

#include <math.h>
#include <string.h>
#include <time.h>

static int64_t millionths(double value) {
  return value > 0 && value < 1e6 ? llround(value * 1e6) : 0;
}

pgopt_store_candidate
pgopt_measured_candidate(const char *name, const pgopt_candidate_result *result,
                         size_t runs) {
  return (pgopt_store_candidate){.variant = name,
                                 .median_ns = result->time.median_ns,
                                 .min_ns = result->time.min_ns,
                                 .mad_ns = result->time.mad_ns,
                                 .runs = (int64_t)runs,
                                 .ratio_ppm = millionths(result->pairing.ratio),
                                 .chance_ppm =
                                     millionths(result->pairing.p_value),
                                 .failure = ""};
}

const pgopt_store_choice *pgopt_verdict_find(const pgopt_timings *timings,
                                             const char *key, size_t count) {
  const pgopt_store_choice *choice = pgopt_timings_choice(timings, key);
  return choice && !strcmp(choice->version, PGOPT_VERSION) &&
                 choice->candidate_count == count
             ? choice
             : NULL;
}

pgopt_store_choice pgopt_verdict_file(pgopt_timings *timings, const char *key,
                                      const pgopt_store_candidate *candidates,
                                      size_t count, size_t chosen) {
  const pgopt_store_choice choice = {.signature = key,
                                     .candidates = candidates,
                                     .candidate_count = count,
                                     .chosen = chosen,
                                     .date_s = time(NULL),
                                     .version = PGOPT_VERSION};
  if (!pgopt_store_check_choice(&choice, NULL))
    pgopt_timings_remember(timings, &choice);
  return choice;
}
