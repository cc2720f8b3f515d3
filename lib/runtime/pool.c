#include "runtime/pool.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "runtime/cpus.h"
#include "runtime/fatal.h"
#include "runtime/waiting.h"

enum { SPIN_NS = 100 * 1000 };

/// What `incoming` holds instead of the address of a task.
enum { QUEUE_EMPTY = 0, QUEUE_ASLEEP = 1 };

/// `incoming` is a stack of tasks, newest first, that the worker takes as a
/// whole and turns round. Pushing and going to sleep are one atomic operation
/// on this word, so no wake-up can be lost.
typedef struct pgopt_worker {
  _Alignas(128) _Atomic uint64_t incoming;
  _Alignas(128) pthread_t thread;
  int64_t slot;
  pgopt_task stop;
} pgopt_worker;

static struct {
  pthread_mutex_t lock;
  pgopt_worker **workers; ///< by slot; null where none was needed yet
  size_t worker_count, worker_capacity;
  pgopt_cpu_list cpus;
  int64_t cpu_time; ///< CPUs that may be busy at once
  _Atomic int64_t busy;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

void pgopt_pool_occupy(int64_t threads) {
  atomic_fetch_add_explicit(&pool.busy, threads, memory_order_relaxed);
}

int64_t pgopt_pool_cpus(void) { return pool.cpu_time; }

int64_t pgopt_pool_spin_ns(void) {
  int64_t busy = atomic_load_explicit(&pool.busy, memory_order_relaxed);
  return busy <= pool.cpu_time ? SPIN_NS : 0;
}

/// Takes all queued tasks, oldest first; sleeps until there is one.
static pgopt_task *take_tasks(pgopt_worker *self) {
  pgopt_spin spin = {0};
  while (atomic_load_explicit(&self->incoming, memory_order_acquire) ==
         QUEUE_EMPTY) {
    if (pgopt_spin_on(&spin, pgopt_pool_spin_ns()))
      continue;
    uint64_t empty = QUEUE_EMPTY;
    if (!atomic_compare_exchange_strong(&self->incoming, &empty, QUEUE_ASLEEP))
      continue;
    while (atomic_load_explicit(&self->incoming, memory_order_acquire) ==
           QUEUE_ASLEEP)
      pgopt_futex_wait(&self->incoming, QUEUE_ASLEEP);
  }
  pgopt_task *newest = (pgopt_task *)(uintptr_t)atomic_exchange_explicit(
      &self->incoming, QUEUE_EMPTY, memory_order_acq_rel);
  pgopt_task *oldest = NULL;
  while (newest) {
    pgopt_task *next = newest->next;
    newest->next = oldest;
    oldest = newest;
    newest = next;
  }
  return oldest;
}

/// Returns true when the worker sleeps and the caller must wake it.
static bool push_task(pgopt_worker *worker, pgopt_task *task) {
  uint64_t head = atomic_load_explicit(&worker->incoming, memory_order_relaxed);
  do {
    task->next = head == QUEUE_ASLEEP ? NULL : (pgopt_task *)(uintptr_t)head;
  } while (!atomic_compare_exchange_weak_explicit(
      &worker->incoming, &head, (uintptr_t)task, memory_order_acq_rel,
      memory_order_relaxed));
  return head == QUEUE_ASLEEP;
}

static void *worker_main(void *argument) {
  pgopt_worker *self = argument;
  char name[16];
  snprintf(name, sizeof name, "pgopt-%lld", (long long)self->slot % 100000);
  pthread_setname_np(pthread_self(), name);
  for (;;) {
    pgopt_task *next;
    for (pgopt_task *task = take_tasks(self); task; task = next) {
      next = task->next;
      if (task == &self->stop)
        return NULL;
      task->run(task);
    }
  }
}

/// The lock is held.
static pgopt_worker *get_worker(int64_t slot) {
  size_t needed = (size_t)slot + 1;
  if (needed > pool.worker_count) {
    pgopt_reserve((void **)&pool.workers, &pool.worker_capacity, needed,
                  sizeof *pool.workers);
    memset(pool.workers + pool.worker_count, 0,
           (needed - pool.worker_count) * sizeof *pool.workers);
    pool.worker_count = needed;
  }
  if (pool.workers[slot])
    return pool.workers[slot];
  pgopt_worker *worker = aligned_alloc(128, sizeof *worker);
  if (!worker)
    pgopt_runtime_fatal("out of memory for worker thread %lld",
                        (long long)slot);
  memset(worker, 0, sizeof *worker);
  worker->slot = slot;
  int cpu = pool.cpus.ids[(size_t)slot % pool.cpus.count];
  // Signals belong to the application's own threads, but for those that an
  // instruction of the worker's raises: blocked, they would pass by handlers.
  static const int own[] = {SIGSEGV, SIGBUS,  SIGFPE, SIGILL,
                            SIGABRT, SIGTRAP, SIGSYS};
  sigset_t all, previous;
  sigfillset(&all);
  for (size_t i = 0; i < sizeof own / sizeof *own; ++i)
    sigdelset(&all, own[i]);
  pthread_sigmask(SIG_SETMASK, &all, &previous);
  int failure =
      pgopt_cpu_start_thread(cpu, worker_main, worker, &worker->thread);
  if (failure == EINVAL) // no longer allowed there: anywhere then
    failure = pthread_create(&worker->thread, NULL, worker_main, worker);
  pthread_sigmask(SIG_SETMASK, &previous, NULL);
  if (failure)
    pgopt_runtime_fatal("cannot start worker thread %lld: %s", (long long)slot,
                        strerror(failure));
  pool.workers[slot] = worker;
  return worker;
}

/// Position of the calling thread's CPU in the list, 0 when it is not there.
static int64_t caller_position(void) {
  int cpu = sched_getcpu();
  for (size_t i = 0; i < pool.cpus.count; ++i)
    if (pool.cpus.ids[i] == cpu)
      return (int64_t)i;
  return 0;
}

void pgopt_pool_submit(pgopt_task **tasks, int64_t count) {
  int64_t cpus = (int64_t)pool.cpus.count;
  int64_t first = caller_position() + 1;
  pthread_mutex_lock(&pool.lock);
  for (int64_t i = 0; i < count; ++i)
    tasks[i]->worker = get_worker((first + i) % cpus + i / cpus * cpus);
  // Pushed tasks are not written to any more: their lines are on the way to
  // other cores. So the caller's array notes who must be woken, which is done
  // when the lock is free.
  for (int64_t i = 0; i < count; ++i)
    if (!push_task(tasks[i]->worker, tasks[i]))
      tasks[i] = NULL;
  pthread_mutex_unlock(&pool.lock);
  for (int64_t i = 0; i < count; ++i)
    if (tasks[i])
      pgopt_futex_wake(&tasks[i]->worker->incoming);
}

static void fork_prepare(void) { pthread_mutex_lock(&pool.lock); }

static void fork_parent(void) { pthread_mutex_unlock(&pool.lock); }

/// The child has only the thread that forked: it forgets the workers.
static void fork_child(void) {
  for (size_t i = 0; i < pool.worker_count; ++i)
    free(pool.workers[i]);
  pool.worker_count = 0;
  atomic_store_explicit(&pool.busy, 0, memory_order_relaxed);
  pthread_mutex_unlock(&pool.lock);
}

__attribute__((constructor)) static void pool_begin(void) {
  // Here and not at the first launch: threads of the application may be pinned
  // by then, which says nothing about what the process may use.
  pool.cpus = pgopt_cpu_list_allowed();
  pool.cpu_time = (int64_t)pool.cpus.count;
  int64_t quota = pgopt_cpu_quota("");
  if (quota < pool.cpu_time)
    pool.cpu_time = quota;
  pthread_atfork(fork_prepare, fork_parent, fork_child);
}

/// Ends the workers at exit, so that nothing of ours is left running. When a
/// launch is in flight, because a kernel called `exit`, they are left alone:
/// they may wait for a core that will never answer.
__attribute__((destructor)) static void pool_end(void) {
  pthread_mutex_lock(&pool.lock);
  pgopt_worker **workers = pool.workers;
  size_t count = pool.worker_count;
  bool idle = !atomic_load_explicit(&pool.busy, memory_order_relaxed);
  if (idle) {
    pool.workers = NULL;
    pool.worker_count = pool.worker_capacity = 0;
  }
  pthread_mutex_unlock(&pool.lock);
  if (!idle)
    return;
  for (size_t i = 0; i < count; ++i)
    if (workers[i] && push_task(workers[i], &workers[i]->stop))
      pgopt_futex_wake(&workers[i]->incoming);
  for (size_t i = 0; i < count; ++i)
    if (workers[i])
      pthread_join(workers[i]->thread, NULL);
  for (size_t i = 0; i < count; ++i)
    free(workers[i]);
  free(workers);
}
