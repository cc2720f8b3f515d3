/// \file The roofline: how long a kernel takes at least on a machine.
#ifndef PGOPT_MACHINE_ROOFLINE_H
#define PGOPT_MACHINE_ROOFLINE_H

#include "machine/machine.h"

/// What a kernel computes and moves at least.
typedef struct pgopt_kernel_work {
  int64_t lflops;         ///< -1 when not known
  int64_t bytes;          ///< read and written; -1 when not known
  int64_t written_bytes;  ///< of them
  int64_t constant_bytes; ///< of them: constants and parameters
} pgopt_kernel_work;

typedef struct pgopt_roofline {
  double compute_ns; ///< at the peak of f32 multiply-adds; 0 not known
  double memory_ns;  ///< at the rates of where the data sit; 0 not known
} pgopt_roofline;

/// Constants were last read one run of the network ago: they sit where all of
/// its constants fit. All else sits where what the kernel touches fits.
/// \param all_constant_bytes of the whole network.
/// Source: Williams et al., CACM 52(4), 2009, with a roof for each cache.
pgopt_roofline pgopt_machine_roofline(const pgopt_machine *machine,
                                      const pgopt_kernel_work *work,
                                      int64_t all_constant_bytes);

#endif // PGOPT_MACHINE_ROOFLINE_H
