/// \file Launches: every core runs, waits and signals order memory, whatever
/// the number of workers, callers and CPUs.
#include <pthread.h>
#include <stdlib.h>

#include "check.h"
#include "death.h"
#include "one_cpu.h"
#include "pgopt/runtime.h"

enum { MAX_CORES = 13, MAX_TASKS = 61, MAX_NEEDS = 3 };

/// Every core notes who it is.
typedef struct roll_call {
  pthread_t threads[MAX_CORES];
  int64_t runs[MAX_CORES];
} roll_call;

static void answer(void *frame, int64_t core) {
  roll_call *call = frame;
  call->threads[core] = pthread_self();
  ++call->runs[core];
}

static void test_every_core_runs_once_on_its_thread(void) {
  static const int64_t counts[] = {1, 2, 3, 5, 7, 13, 2};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
    roll_call call = {0};
    pgopt_rt_launch(answer, &call, counts[i]);
    CHECK(pthread_equal(call.threads[0], pthread_self()));
    for (int64_t k = 0; k < MAX_CORES; ++k)
      CHECK_EQ_I64(call.runs[k], k < counts[i]);
    for (int64_t k = 0; k < counts[i]; ++k)
      for (int64_t other = 0; other < k; ++other)
        CHECK(!pthread_equal(call.threads[k], call.threads[other]));
  }
}

/// Tasks with needs, dealt to cores. The list of every core follows one order.
typedef struct plan {
  int64_t cores, tasks;
  int64_t core[MAX_TASKS], slot[MAX_TASKS];
  int64_t need_count[MAX_TASKS], needs[MAX_TASKS][MAX_NEEDS];
  uint64_t values[MAX_TASKS];
} plan;

static uint64_t next_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state >> 33;
}

static void make_plan(plan *p, uint64_t *state, int64_t most_cores) {
  int64_t slots[MAX_CORES] = {0};
  p->cores = 1 + (int64_t)(next_random(state) % (uint64_t)most_cores);
  p->tasks = 1 + (int64_t)(next_random(state) % MAX_TASKS);
  for (int64_t t = 0; t < p->tasks; ++t) {
    p->core[t] = (int64_t)(next_random(state) % (uint64_t)p->cores);
    p->slot[t] = slots[p->core[t]]++;
    p->need_count[t] = t ? (int64_t)(next_random(state) % (MAX_NEEDS + 1)) : 0;
    for (int64_t i = 0; i < p->need_count[t]; ++i)
      p->needs[t][i] = (int64_t)(next_random(state) % (uint64_t)t);
  }
}

/// A value that depends on the task and, in order, on what it needs. Plain
/// memory: only waits and signals order the accesses.
static void run_one(plan *p, int64_t t) {
  uint64_t value = (uint64_t)t + 1;
  for (int64_t i = 0; i < p->need_count[t]; ++i)
    value = value * 0x9e3779b97f4a7c15u + p->values[p->needs[t][i]];
  p->values[t] = value;
}

static void run_plan_core(void *frame, int64_t core) {
  plan *p = frame;
  for (int64_t t = 0; t < p->tasks; ++t) {
    if (p->core[t] != core)
      continue;
    for (int64_t i = 0; i < p->need_count[t]; ++i) {
      int64_t need = p->needs[t][i];
      pgopt_rt_wait(p->core[need], p->slot[need] + 1);
    }
    run_one(p, t);
    pgopt_rt_signal(p->slot[t] + 1);
  }
}

/// Number of wrong values in `count` random plans.
static int64_t run_plans(uint64_t seed, int64_t count, int64_t most_cores) {
  int64_t wrong = 0;
  for (int64_t i = 0; i < count; ++i) {
    plan scheduled = {0};
    make_plan(&scheduled, &seed, most_cores);
    plan sequential = scheduled;
    for (int64_t t = 0; t < sequential.tasks; ++t)
      run_one(&sequential, t);
    pgopt_rt_launch(run_plan_core, &scheduled, scheduled.cores);
    for (int64_t t = 0; t < scheduled.tasks; ++t)
      wrong += scheduled.values[t] != sequential.values[t];
  }
  return wrong;
}

static void test_a_thousand_plans_with_more_workers_than_cores(void) {
  CHECK_EQ_I64(run_plans(1, 1000, MAX_CORES), 0);
}

typedef struct caller {
  uint64_t seed;
  int64_t wrong;
} caller;

static void *call_many(void *argument) {
  caller *self = argument;
  self->wrong = run_plans(self->seed, 100, 1 + (int64_t)self->seed % 7);
  return NULL;
}

static void test_several_callers_at_once(void) {
  enum { CALLERS = 5 };
  pthread_t threads[CALLERS];
  caller callers[CALLERS];
  for (int i = 0; i < CALLERS; ++i) {
    callers[i] = (caller){(uint64_t)i + 11, -1};
    CHECK(!pthread_create(&threads[i], NULL, call_many, &callers[i]));
  }
  for (int i = 0; i < CALLERS; ++i) {
    pthread_join(threads[i], NULL);
    CHECK_EQ_I64(callers[i].wrong, 0);
  }
}

/// Asks how far the cores are apart, between launches.
static void *ask_latency(void *argument) {
  int64_t *latency_ns = argument;
  for (int i = 0; i < 20; ++i) {
    *latency_ns = pgopt_rt_core_latency();
    run_plans((uint64_t)i, 1, 3);
  }
  return NULL;
}

/// One of them measures, the others need not wait for it.
static void test_core_latency(void) {
  enum { CALLERS = 4 };
  pthread_t threads[CALLERS];
  int64_t latency_ns[CALLERS];
  for (int i = 0; i < CALLERS; ++i)
    CHECK(!pthread_create(&threads[i], NULL, ask_latency, &latency_ns[i]));
  for (int i = 0; i < CALLERS; ++i) {
    pthread_join(threads[i], NULL);
    CHECK(latency_ns[i] > 0);
    CHECK(latency_ns[i] < 2000000 || latency_ns[i] == INT64_MAX);
  }
  if (pgopt_rt_cpu_count(0) == 1)
    CHECK_EQ_I64(pgopt_rt_core_latency(), INT64_MAX);
}

/// Waits for long enough that the other side goes to sleep.
static void sleep_long(void *frame, int64_t core) {
  int64_t *value = frame;
  struct timespec pause = {0, 3000000};
  if (core == 0) {
    nanosleep(&pause, NULL);
    *value = 41;
    pgopt_rt_signal(1);
    pgopt_rt_wait(1, 2);
    ++*value;
  } else {
    pgopt_rt_wait(0, 1);
    nanosleep(&pause, NULL);
    ++*value;
    pgopt_rt_signal(2);
    nanosleep(&pause, NULL);
  }
}

static void test_sleepers_are_woken(void) {
  for (int i = 0; i < 20; ++i) {
    int64_t value = 0;
    pgopt_rt_launch(sleep_long, &value, 2);
    CHECK_EQ_I64(value, 43);
  }
}

/// The child has no workers until it launches.
static void test_a_forked_child_launches(void) {
#ifndef __SANITIZE_THREAD__ // it does not support threads after such a fork
  CHECK_EQ_I64(run_plans(3, 3, MAX_CORES), 0);
  pid_t child = fork();
  if (child == 0)
    _exit(run_plans(4, 20, MAX_CORES) != 0);
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  CHECK_EQ_I64(run_plans(5, 3, MAX_CORES), 0);
#endif
}

static void nothing(void *frame, int64_t core) { (void)frame, (void)core; }

static void launch_inside(void *frame, int64_t core) {
  (void)core;
  pgopt_rt_launch(nothing, frame, 2);
}

static void wait_for_more_than_there_is(void *frame, int64_t core) {
  (void)frame;
  if (core == 0)
    pgopt_rt_wait(1, 5);
  else
    pgopt_rt_signal(3);
}

static void wait_for_oneself(void *frame, int64_t core) {
  (void)frame;
  pgopt_rt_wait(core, 1);
}

static void wait_for_nobody(void *frame, int64_t core) {
  (void)frame, (void)core;
  pgopt_rt_wait(2, 1);
}

static void signal_backwards(void *frame, int64_t core) {
  (void)frame, (void)core;
  pgopt_rt_signal(4);
  pgopt_rt_signal(3);
}

static void die_nested(void) { pgopt_rt_launch(launch_inside, NULL, 1); }
static void die_ended(void) {
  pgopt_rt_launch(wait_for_more_than_there_is, NULL, 2);
}
static void die_self(void) { pgopt_rt_launch(wait_for_oneself, NULL, 1); }
static void die_nobody(void) { pgopt_rt_launch(wait_for_nobody, NULL, 2); }
static void die_backwards(void) { pgopt_rt_launch(signal_backwards, NULL, 1); }
static void die_no_core(void) { pgopt_rt_launch(nothing, NULL, 0); }
static void die_signal(void) { pgopt_rt_signal(1); }
static void die_wait(void) { pgopt_rt_wait(0, 1); }

/// Stands for a kernel; aborts in a library that it calls.
__attribute__((noinline)) static void trap_in_library(void) { abort(); }

static void run_kernel_that_traps(void *frame, int64_t core) {
  (void)frame;
  if (core == 1)
    trap_in_library();
  pgopt_rt_wait(1, 1);
}

static void die_trapped(void) {
  const pgopt_rt_code gone = {"gone", (const void *)(uintptr_t)nothing, 64};
  const pgopt_rt_code kernel = {"faulty",
                                (const void *)(uintptr_t)trap_in_library, 64};
  pgopt_rt_report_traps();
  pgopt_rt_add_code(&gone, &gone, 1);
  pgopt_rt_add_code(&kernel, &kernel, 1);
  pgopt_rt_remove_code(&gone);
  pgopt_rt_launch(run_kernel_that_traps, NULL, 2);
}

/// Nothing is said about the application's own faults.
static void die_of_itself(void) {
  pgopt_rt_report_traps();
  fputs("own fault\n", stderr);
  abort();
}

static void test_traps_are_named(void) {
  CHECK_DIES(die_trapped, "pgopt: kernel faulty on core 1 trapped: SIGABRT");
  CHECK_DIES(die_of_itself, "own fault\n");
}

static void test_broken_rules_end_the_process(void) {
  CHECK_DIES(die_nested, "core 0 of a launch started another launch");
  CHECK_DIES(die_ended,
             "core 0 waits for core 1 to reach 5, but it has ended at 3");
  CHECK_DIES(die_self, "core 0 waits for itself to reach 1");
  CHECK_DIES(die_nobody, "waits for core 2 of 2");
  CHECK_DIES(die_backwards, "core 0 signals 3 after 4");
  CHECK_DIES(die_no_core, "launch of 0 cores; 1 to 65536 are allowed");
  CHECK_DIES(die_signal, "signal outside of a launch");
  CHECK_DIES(die_wait, "wait outside of a launch");
}

int main(int argc, char **argv) {
  (void)argv;
  bool restricted = argc > 1;
  test_broken_rules_end_the_process();
  test_traps_are_named();
  char name[] = "launch_test", mode[] = "on-one-cpu";
  if (!restricted)
    CHECK(run_again_on_one_cpu((char *[]){name, mode, NULL}));
  else
    CHECK_EQ_I64(pgopt_rt_cpu_count(0), 1);
  test_every_core_runs_once_on_its_thread();
  test_core_latency();
  test_sleepers_are_woken();
  test_a_thousand_plans_with_more_workers_than_cores();
  test_several_callers_at_once();
  test_a_forked_child_launches();
  return check_result();
}
