/// \file The pinned worker threads and their queues.
///
/// Worker slot s is pinned to the (s mod n)-th of the n CPUs that the process
/// was allowed when the library was loaded. The threads of one submission are
/// dealt to the slots behind the caller's CPU, so that they meet neither the
/// caller nor one another as long as there are CPUs left. Workers are started
/// when they are first needed and then stay; idle ones poll for a moment and
/// then sleep. A forked child starts without workers.
#ifndef PGOPT_RUNTIME_POOL_H
#define PGOPT_RUNTIME_POOL_H

#include <stdbool.h>
#include <stdint.h>

struct pgopt_worker;

/// Work for one worker. The worker does not touch it once it has called `run`;
/// the submission reads `worker` until it returns.
typedef struct pgopt_task {
  struct pgopt_task *next;
  struct pgopt_worker *worker;
  void (*run)(struct pgopt_task *task);
} pgopt_task;

/// Queues `*tasks[i]`, i < count, each on a worker of its own, all at once, and
/// leaves the array of pointers in an unspecified state: the
/// queues of all workers hold concurrent submissions in one order. Hence the
/// oldest unfinished submission always runs, and its tasks may wait for one
/// another and for the caller.
void pgopt_pool_submit(pgopt_task **tasks, int64_t count);

/// Counts `threads` as busy (or, negative, as free again) for
/// `pgopt_pool_spin_ns`.
void pgopt_pool_occupy(int64_t threads);

/// CPUs that may be busy at once, at least 1.
int64_t pgopt_pool_cpus(void);

/// How long a wait should poll before it sleeps: about as long as a wake-up
/// takes when every busy thread has a CPU of its own; else 0, since the CPU is
/// better left to the thread that is waited for.
int64_t pgopt_pool_spin_ns(void);

#endif // PGOPT_RUNTIME_POOL_H
