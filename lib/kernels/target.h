/// \file What kernels are written for: vectors, registers and caches.
#ifndef PGOPT_KERNELS_TARGET_H
#define PGOPT_KERNELS_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pgopt_target {
  int64_t vector_bytes;     ///< of one register; a power of two, >= 16
  int64_t vector_registers; ///< 16 or 32
  bool has_fma;
  int64_t l1_bytes, l2_bytes, l3_bytes; ///< data a core can have in each
} pgopt_target;

/// Reads a CPU's name and features as LLVM spells them.
/// \param cpu "" for the host's, or a name such as "haswell".
/// \param features "" or "+avx2,-avx512f": added to what the CPU has.
/// \returns false when the CPU is not known here; what `features` tells is used
///   all the same, over what every CPU of the architecture has.
bool pgopt_target_read(const char *cpu, const char *features,
                       pgopt_target *target);

/// The CPUs that are known, separated by blanks.
const char *pgopt_target_names(void);

/// Sets the caches to this machine's; sizes that are not known keep a guess.
void pgopt_target_measure_caches(pgopt_target *target);

#endif // PGOPT_KERNELS_TARGET_H
