/// \file Machines, Timings and stores for the tests of lib/store.
#ifndef PGOPT_TEST_STORE_FIXTURE_H
#define PGOPT_TEST_STORE_FIXTURE_H

#include "store/store.h"

#include <stdio.h>
#include <string.h>

static inline pgopt_machine test_machine(const char *cpu) {
  pgopt_machine m = {.isa = "avx2 fma",
                     .blas = "OpenBLAS 0.3.21",
                     .cores = 2,
                     .cpus = 4,
                     .caches = {{1, 32768, 2}, {2, 1048576, 2}},
                     .cache_count = 2,
                     .rates = {{524288, 50000, 20000}},
                     .rate_count = 1,
                     .peak_mflops = 117500,
                     .latency_min_ns = 60,
                     .latency_max_ns = 210,
                     .date_s = 1764518700};
  snprintf(m.cpu, sizeof m.cpu, "%s", cpu);
  return m;
}

static inline pgopt_store_timing test_timing(const char *signature,
                                             int64_t median_ns) {
  return (pgopt_store_timing){signature, median_ns,  median_ns - 1, 3,
                              10,        "in-place", 1764518700,    "0.1.0"};
}

static inline void test_add(pgopt_store *store, const char *cpu,
                            const char *signature, int64_t median_ns) {
  pgopt_machine machine = test_machine(cpu);
  pgopt_store_timing timing = test_timing(signature, median_ns);
  pgopt_store_add_timing(store, pgopt_store_add_machine(store, &machine),
                         &timing);
  pgopt_store_sort(store);
}

/// A choice of the second of three variants; the third failed.
static inline void test_choose(pgopt_store *store, const char *cpu,
                               const char *signature, int64_t runs) {
  pgopt_machine machine = test_machine(cpu);
  const pgopt_store_candidate candidates[] = {
      {"product:6x4", 1000, 700, 690, 3, runs, 1000000, 1000000, ""},
      {"product:8x3 packed", 1100, 600, 590, 2, runs, 857000, 12, ""},
      {"im2col", 2000, 0, 0, 0, 0, 0, 0, "trapped: SIGSEGV"}};
  const pgopt_store_choice choice = {.signature = signature,
                                     .candidates = candidates,
                                     .candidate_count = 3,
                                     .chosen = 1,
                                     .date_s = 1764518700,
                                     .version = "0.1.0"};
  pgopt_store_add_choice(store, pgopt_store_add_machine(store, &machine),
                         &choice);
  pgopt_store_sort(store);
}

/// The median on file, or -1.
static inline int64_t test_median(const pgopt_store *store, const char *cpu,
                                  const char *signature) {
  pgopt_machine machine = test_machine(cpu);
  pgopt_text key = {0};
  pgopt_machine_key(&machine, &key);
  const pgopt_store_profile *profile =
      pgopt_store_find_profile(store, key.data);
  const pgopt_store_timing *timing =
      profile ? pgopt_store_find_timing(profile, signature) : NULL;
  pgopt_text_free(&key);
  return timing ? timing->median_ns : -1;
}

#endif // PGOPT_TEST_STORE_FIXTURE_H
