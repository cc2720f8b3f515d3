/// \file The rate of fused multiply-adds of one core, the yardstick for
/// kernels.
///
/// Twelve independent chains hide the latency of the instruction and fit, with
/// the two constants, into the sixteen registers of the smaller vector sets.
#include <stdint.h>

#include "pgopt/runtime.h"

enum { STEPS = 2000, CHAINS = 12, BATCH = 16, LEAST_BATCHES = 4 };

/// Runs STEPS multiply-adds on CHAINS vectors. The numbers are not known to the
/// compiler; the result is returned so that it is needed.
typedef float chains_function(float factor, float addend);

#define FOR_EACH_CHAIN(DO)                                                     \
  DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)
#define BEGIN_CHAIN(i) vector sum##i = addends + (float)i;
#define STEP_CHAIN(i) sum##i = sum##i * factors + addends;
#define END_CHAIN(i) total += sum##i[0];

#define DEFINE_CHAINS(name, lanes, attributes)                                 \
  attributes static float name(float factor, float addend) {                   \
    typedef float vector __attribute__((vector_size(4 * (lanes))));            \
    vector factors = factor + (vector){0}, addends = addend + (vector){0};     \
    FOR_EACH_CHAIN(BEGIN_CHAIN)                                                \
    for (int step = 0; step < STEPS; ++step) {                                 \
      FOR_EACH_CHAIN(STEP_CHAIN)                                               \
    }                                                                          \
    float total = 0;                                                           \
    FOR_EACH_CHAIN(END_CHAIN)                                                  \
    return total;                                                              \
  }

DEFINE_CHAINS(run_chains_4, 4, )
#if defined(__x86_64__)
DEFINE_CHAINS(run_chains_8, 8, __attribute__((target("avx2,fma"))))
DEFINE_CHAINS(run_chains_16, 16, __attribute__((target("avx512f"))))
#endif

static chains_function *pick_chains(int *lanes) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) {
    *lanes = 16;
    return run_chains_16;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    *lanes = 8;
    return run_chains_8;
  }
#endif
  *lanes = 4;
  return run_chains_4;
}

double pgopt_rt_measure_peak_gflops(int64_t budget_ms) {
  int lanes;
  chains_function *run_chains = pick_chains(&lanes);
  double operations = 2.0 * lanes * CHAINS * STEPS * BATCH;
  volatile float factor = 0.5f, addend = 0.25f, sink = 0;
  int64_t begin = pgopt_rt_now_ns(), now = begin, shortest_ns = INT64_MAX;
  for (int batches = 0;
       batches < LEAST_BATCHES || now - begin < budget_ms * 1000000;
       ++batches) {
    for (int i = 0; i < BATCH; ++i)
      sink = sink + run_chains(factor, addend);
    int64_t end = pgopt_rt_now_ns();
    if (end - now < shortest_ns)
      shortest_ns = end - now;
    now = end;
  }
  return operations / (double)(shortest_ns > 0 ? shortest_ns : 1);
}
