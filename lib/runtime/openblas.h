/// \file The number of threads that OpenBLAS uses, a setting of the process.
#ifndef PGOPT_RUNTIME_OPENBLAS_H
#define PGOPT_RUNTIME_OPENBLAS_H

/// Makes sure that OpenBLAS uses one thread only. Cheap when it does already.
void pgopt_openblas_use_one_thread(void);

#endif // PGOPT_RUNTIME_OPENBLAS_H
