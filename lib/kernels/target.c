/// \file What kernels are written for.
#include "kernels/target.h"

#include "machine/machine.h"
#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"

#include <string.h>
#include <unistd.h>

#define SSE2 "x86-64 x86-64-v2 nehalem westmere sandybridge ivybridge"
#define AVX2                                                                   \
  "x86-64-v3 haswell broadwell skylake alderlake raptorlake arrowlake "        \
  "lunarlake znver1 znver2 znver3"
#define AVX512                                                                 \
  "x86-64-v4 skylake-avx512 cascadelake cooperlake icelake-client "            \
  "icelake-server tigerlake rocketlake sapphirerapids emeraldrapids "          \
  "graniterapids znver4 znver5"
#define NEON "apple-m1 cortex-a72 cortex-a76 neoverse-n1 neoverse-v1"

/// What a family of CPUs has, as features.
typedef struct family {
  const char *features;
  const char *names; ///< separated by blanks
} family;

static const family families[] = {
#if defined(__x86_64__)
    {"+sse2", SSE2},
    {"+avx2,+fma", AVX2},
    {"+avx2,+fma,+avx512f,+avx512vl", AVX512},
#elif defined(__aarch64__)
    {"+neon", NEON},
#endif
    {"", "generic"},
};

const char *pgopt_target_names(void) {
#if defined(__x86_64__)
  return SSE2 " " AVX2 " " AVX512 " generic";
#elif defined(__aarch64__)
  return NEON " generic";
#else
  return "generic";
#endif
}

/// True when the list, separated by `separator`, has the word.
static bool has_word(const char *list, const char *word, char separator) {
  size_t length = strlen(word);
  for (const char *at = list; (at = strstr(at, word)); at += length)
    if ((at == list || at[-1] == separator) &&
        (at[length] == separator || !at[length]))
      return true;
  return false;
}

static void add_features(const char *features, pgopt_target *target) {
  static const char *const fused[] = {"+fma", "+neon", "+sve"};
  if (has_word(features, "+neon", ','))
    target->vector_registers = 32;
  if (has_word(features, "+avx2", ','))
    target->vector_bytes = 32;
  if (has_word(features, "+avx512f", ',')) {
    target->vector_bytes = 64;
    target->vector_registers = 32;
  }
  if (has_word(features, "-avx512f", ',') && target->vector_bytes == 64) {
    target->vector_bytes = 32;
    target->vector_registers = 16;
  }
  if ((has_word(features, "-avx2", ',') || has_word(features, "-avx", ',')) &&
      target->vector_bytes > 16) {
    target->vector_bytes = 16;
    target->vector_registers = 16;
  }
  for (size_t i = 0; i < sizeof fused / sizeof *fused; ++i)
    if (has_word(features, fused[i], ','))
      target->has_fma = true;
  if (has_word(features, "-fma", ','))
    target->has_fma = false;
}

bool pgopt_target_read(const char *cpu, const char *features,
                       pgopt_target *target) {
  bool is_known = !*cpu;
  *target = (pgopt_target){.vector_bytes = 16,
                           .vector_registers = 16,
                           .l1_bytes = 32 << 10,
                           .l2_bytes = 512 << 10,
                           .l3_bytes = 8 << 20};
  if (!*cpu) {
    char *host = LLVMGetHostCPUFeatures();
    add_features(host, target);
    LLVMDisposeMessage(host);
  }
  for (size_t i = 0; i < sizeof families / sizeof *families && *cpu; ++i)
    if (has_word(families[i].names, cpu, ' ')) {
      add_features(families[i].features, target);
      is_known = true;
    }
  add_features(features, target);
  return is_known;
}

void pgopt_target_measure_caches(pgopt_target *target) {
  pgopt_machine machine;
  pgopt_machine_describe("", &machine);
  for (size_t i = 0; i < machine.cache_count; ++i) {
    const pgopt_cache *cache = &machine.caches[i];
    if (cache->level == 1)
      target->l1_bytes = cache->bytes;
    else if (cache->level == 2)
      target->l2_bytes = cache->bytes;
    else if (cache->level == 3)
      target->l3_bytes = cache->bytes;
  }
#if defined(_SC_LEVEL1_DCACHE_SIZE) && defined(_SC_LEVEL2_CACHE_SIZE)
  // Where the system describes none the C library asks the CPU. Of the last
  // cache that tells what a package has, of which a core may reach a part.
  if (!machine.cache_count) {
    long l1 = sysconf(_SC_LEVEL1_DCACHE_SIZE);
    long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    target->l1_bytes = l1 > 0 ? l1 : target->l1_bytes;
    target->l2_bytes = l2 > 0 ? l2 : target->l2_bytes;
  }
#endif
}
