/// \file Runs that are cancelled: whenever and from wherever that is requested,
/// every core leaves, the workers sleep again, nothing is kept (the sanitizers
/// watch), and later launches work.
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "one_cpu.h"
#include "pgopt/runtime.h"

enum { CORES = 3, MANY_CORES = 13, ENDLESS = 1 << 30 };

static void pause_ns(int64_t ns) { nanosleep(&(struct timespec){0, ns}, NULL); }

/// A ring: each core waits for the one before it. Runs for `turns`.
typedef struct ring {
  int64_t cores, turns, pause_ns;
  int64_t sum[MANY_CORES]; ///< plain memory: only waits and signals order it
  _Atomic int64_t begun;   ///< cores
  pgopt_rt_cancellation *cancellation; ///< requested by core 0 at turn 7
} ring;

static void turn_ring(void *frame, int64_t core) {
  ring *r = frame;
  int64_t before = (core + r->cores - 1) % r->cores;
  atomic_fetch_add(&r->begun, 1);
  // As kernels do.
  memset(pgopt_rt_scratch(1000), (int)core, 1000);
  for (int64_t turn = 1; turn <= r->turns; ++turn) {
    pgopt_rt_wait(before, core ? turn : turn - 1);
    r->sum[core] = r->sum[before] + 1;
    if (r->pause_ns && core == 1)
      pause_ns(r->pause_ns);
    if (r->cancellation && core == 0 && turn == 7)
      raise(SIGUSR1);
    pgopt_rt_signal(turn);
  }
}

/// As the entry of a program does.
static void run_ring(void *argument) {
  ring *r = argument;
  memset(pgopt_rt_arena(r, 4096), 1, 4096);
  pgopt_rt_launch(turn_ring, r, r->cores);
}

/// A launch that nobody cancels.
static bool launch_works(int64_t cores) {
  ring r = {.cores = cores, .turns = 5};
  pgopt_rt_launch(turn_ring, &r, cores);
  return r.sum[cores - 1] == 5 * cores;
}

typedef struct canceller {
  ring *ring;
  pgopt_rt_cancellation *cancellation;
  int64_t delay_ns;
} canceller;

static void *cancel_later(void *argument) {
  canceller *c = argument;
  while (!atomic_load(&c->ring->begun))
    pause_ns(10000);
  pause_ns(c->delay_ns);
  pgopt_rt_cancel(c->cancellation);
  return NULL;
}

/// One run, cancelled by another thread. \returns whether it was cut, and the
/// next launch works.
static bool cancel_run(int64_t cores, int64_t pause, int64_t delay_ns) {
  pgopt_rt_cancellation cancellation = {0};
  ring r = {.cores = cores, .turns = ENDLESS, .pause_ns = pause};
  canceller c = {&r, &cancellation, delay_ns};
  pthread_t thread;
  if (pthread_create(&thread, NULL, cancel_later, &c))
    return false;
  bool is_cut = pgopt_rt_run_cancellable(run_ring, &r, &cancellation);
  pthread_join(thread, NULL);
  pgopt_rt_program_release(&r);
  return is_cut && launch_works(cores);
}

static void test_from_another_thread(void) {
  for (int i = 0; i < 50; ++i)
    CHECK(cancel_run(CORES, 0, 1000 * i));
  CHECK(cancel_run(1, 0, 100000));
  // Its cores are not on the caller's stack.
  CHECK(cancel_run(MANY_CORES, 0, 1000000));
  // The others sleep while one computes.
  for (int i = 0; i < 5; ++i)
    CHECK(cancel_run(CORES, 2000000, 1000000 + 700000 * i));
}

static pgopt_rt_cancellation *interrupted;

static void interrupt(int number) {
  (void)number;
  pgopt_rt_cancel(interrupted);
}

/// In the middle of a kernel; it ends still, nothing behind it begins.
static void test_from_a_signal_handler(void) {
  pgopt_rt_cancellation cancellation = {0};
  interrupted = &cancellation;
  struct sigaction action = {.sa_handler = interrupt}, old;
  sigaction(SIGUSR1, &action, &old);
  ring r = {.cores = CORES, .turns = ENDLESS, .cancellation = &cancellation};
  CHECK_EQ_I64(pgopt_rt_run_cancellable(run_ring, &r, &cancellation), 1);
  sigaction(SIGUSR1, &old, NULL);
  CHECK_EQ_I64(r.sum[0], 6 * CORES + 1);
  CHECK_EQ_I64(r.sum[CORES - 1], 6 * CORES);
  pgopt_rt_program_release(&r);
  CHECK(launch_works(CORES));
}

static void test_what_is_not_cut(void) {
  pgopt_rt_cancellation cancellation = {0};
  ring r = {.cores = CORES, .turns = 11};
  CHECK_EQ_I64(pgopt_rt_run_cancellable(run_ring, &r, &cancellation), 0);
  CHECK_EQ_I64(r.sum[CORES - 1], 11 * CORES);
  // Requested before: nothing begins.
  pgopt_rt_cancel(&cancellation);
  r = (ring){.cores = CORES, .turns = 11};
  CHECK_EQ_I64(pgopt_rt_run_cancellable(run_ring, &r, &cancellation), 1);
  CHECK_EQ_I64(r.sum[0], 0);
  // Other launches know nothing of it.
  CHECK(launch_works(CORES));
  cancellation.is_requested = 0;
  CHECK_EQ_I64(pgopt_rt_run_cancellable(run_ring, &r, &cancellation), 0);
  CHECK_EQ_I64(r.sum[CORES - 1], 11 * CORES);
  pgopt_rt_program_release(&r);
}

typedef struct caller {
  bool cancels;
  int64_t wrong;
} caller;

static void *call_many(void *argument) {
  caller *self = argument;
  for (int i = 0; i < 20; ++i) {
    if (self->cancels)
      self->wrong += !cancel_run(CORES, 0, 50000);
    self->wrong += !launch_works(CORES);
  }
  return NULL;
}

/// Runs of other threads go on.
static void test_beside_other_callers(void) {
  enum { CALLERS = 4 };
  pthread_t threads[CALLERS];
  caller callers[CALLERS];
  for (int i = 0; i < CALLERS; ++i) {
    callers[i] = (caller){.cancels = i % 2};
    CHECK(!pthread_create(&threads[i], NULL, call_many, &callers[i]));
  }
  for (int i = 0; i < CALLERS; ++i) {
    pthread_join(threads[i], NULL);
    CHECK_EQ_I64(callers[i].wrong, 0);
  }
}

/// CPU time of the process over 50 ms in which it has nothing to do.
static void test_workers_sleep(void) {
  struct timespec before, after;
  CHECK(cancel_run(MANY_CORES, 0, 1000000));
  pause_ns(10000000);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
  pause_ns(50000000);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
  int64_t used_ns = (after.tv_sec - before.tv_sec) * INT64_C(1000000000) +
                    after.tv_nsec - before.tv_nsec;
  CHECK(used_ns < 10000000);
}

int main(int argc, char **argv) {
  (void)argv;
  bool restricted = argc > 1;
  char name[] = "cancel_test", mode[] = "on-one-cpu";
  if (!restricted)
    CHECK(run_again_on_one_cpu((char *[]){name, mode, NULL}));
  test_what_is_not_cut();
  test_from_another_thread();
  test_from_a_signal_handler();
  test_beside_other_callers();
  test_workers_sleep();
  return check_result();
}
