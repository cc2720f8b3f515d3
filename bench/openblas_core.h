/// \file OpenBLAS's kernel sets: a fair rival runs with the fastest.
#ifndef PGOPT_BENCH_OPENBLAS_CORE_H
#define PGOPT_BENCH_OPENBLAS_CORE_H

#include <stdint.h>

/// Leaves OpenBLAS, on one thread, with the kernel set that ran fastest.
/// \param time times what is to be fast, with `data`, in ns: `repeats` times
///   each.
void openblas_choose_core(int64_t (*time)(void *data), void *data, int repeats);

#endif // PGOPT_BENCH_OPENBLAS_CORE_H
