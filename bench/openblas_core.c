/// \file The library is told to start anew with each of its kernel sets.
#include "openblas_core.h"

#include "pgopt/runtime.h"

#include <stdlib.h>

void gotoblas_dynamic_quit(void) __attribute__((weak));
void gotoblas_dynamic_init(void) __attribute__((weak));

static void use_core(const char *name) {
  if (!gotoblas_dynamic_quit || !gotoblas_dynamic_init)
    return;
  setenv("OPENBLAS_CORETYPE", name, 1);
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  pgopt_rt_set_blas_threads(1);
}

void openblas_choose_core(int64_t (*time)(void *data), void *data,
                          int repeats) {
  static const char *const cores[] = {"Haswell", "Zen", "SkylakeX",
                                      "Cooperlake", "Sandybridge"};
  const char *best = cores[0];
  int64_t best_ns = INT64_MAX;
  for (size_t i = 0; i < sizeof cores / sizeof *cores; ++i) {
    use_core(cores[i]);
    for (int repeat = 0; repeat < repeats; ++repeat) {
      int64_t ns = time(data);
      if (ns < best_ns) {
        best_ns = ns;
        best = cores[i];
      }
    }
  }
  use_core(best);
}
