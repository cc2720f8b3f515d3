/// \file The CPUs that this process may use.
#ifndef PGOPT_RUNTIME_CPUS_H
#define PGOPT_RUNTIME_CPUS_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pgopt_cpu_list {
  int *ids; ///< ascending
  size_t count;
} pgopt_cpu_list;

/// The CPUs in the calling thread's affinity mask, at least one; `ids` is freed
/// by the caller.
pgopt_cpu_list pgopt_cpu_list_allowed(void);

/// Starts a thread that runs on one CPU only. Returns 0 or an error number;
/// EINVAL when the CPU is not allowed.
int pgopt_cpu_start_thread(int cpu, void *(*main)(void *), void *argument,
                           pthread_t *thread);

/// Of the CPUs in the list, how many cores they are (CPUs of one core share its
/// caches and units). `root` is put before "/sys": "" except in tests. A CPU
/// whose topology is not known counts as a core.
size_t pgopt_cpu_list_cores(const pgopt_cpu_list *list, const char *root);

/// CPU time that the control groups (version 1 and 2) grant this process, in
/// CPUs rounded down, at least 1; INT64_MAX when nothing limits it. `root` is
/// put before "/proc" and "/sys": "" except in tests.
int64_t pgopt_cpu_quota(const char *root);

#endif // PGOPT_RUNTIME_CPUS_H
