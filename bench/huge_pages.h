/// \file Memory as the runtime gives it to values between kernels.
#ifndef PGOPT_BENCH_HUGE_PAGES_H
#define PGOPT_BENCH_HUGE_PAGES_H

#include <stdint.h>

/// Zeros on huge pages, where the system has them. Ends the program, after a
/// message, when there is no memory.
float *huge_pages_allocate(int64_t elements);

#endif // PGOPT_BENCH_HUGE_PAGES_H
