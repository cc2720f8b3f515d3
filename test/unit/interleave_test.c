/// \file Waits, signals and launches in every interleaving: the runtime's own
/// source, its atomic operations, mutex and sleeps replaced by those of a
/// model. No kernel starts too early, no wake-up is lost, every launch comes to
/// its end, and none is touched after that. A thread that polls sees what one
/// sees that sleeps at once, so polling is left out.
///
/// Broken variants of the protocol show that the exploration finds them.
#include "check.h"
#include "interleave.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"
#include "pgopt/runtime.h"
#include "runtime/cpus.h"
#include "runtime/fatal.h"
#include "runtime/openblas.h"

// In place of runtime/waiting.h.
#define PGOPT_RUNTIME_WAITING_H
typedef struct pgopt_spin {
  int64_t rounds;
} pgopt_spin;
#define pgopt_spin_on(spin, budget_ns) ((void)(spin), false)
#define pgopt_futex_wait model_futex_wait
#define pgopt_futex_wake model_futex_wake

#undef atomic_load_explicit
#undef atomic_store_explicit
#undef atomic_exchange_explicit
#undef atomic_compare_exchange_strong_explicit
#undef atomic_compare_exchange_weak_explicit
#undef atomic_compare_exchange_strong
#undef atomic_fetch_add_explicit
#define atomic_load_explicit(word, order) (model_step(word), *(word))
#define atomic_store_explicit(word, value, order)                              \
  (model_step(word), *(word) = (value))
#define atomic_exchange_explicit(word, value, order)                           \
  model_exchange((word), (value))
#define atomic_compare_exchange_strong(word, expected, value)                  \
  model_compare_exchange((word), (expected), (value))
#define atomic_compare_exchange_strong_explicit(word, expected, value, a, b)   \
  model_compare_exchange((word), (expected), (value))
#define atomic_compare_exchange_weak_explicit(word, expected, value, a, b)     \
  model_compare_exchange((word), (expected), (value))
#define atomic_fetch_add_explicit(word, value, order) (*(word) += (value))
#define pthread_mutex_lock(mutex) model_lock()
#define pthread_mutex_unlock(mutex) model_unlock()
#define pthread_join(thread, result) model_join((int)(thread))
#define pthread_setname_np(thread, name) ((void)(name))
#define pthread_sigmask(how, set, previous) ((void)(set), (void)(previous))
#define pthread_atfork(prepare, parent, child)                                 \
  ((void)(prepare), (void)(parent), (void)(child))
#define aligned_alloc(alignment, bytes) model_allocate(bytes)
#define free(memory) ((void)(memory))
#define sched_getcpu() (model.running % model_cpus)
#define pgopt_reserve(memory, capacity, needed, size)                          \
  (*(memory) = model_workers, *(capacity) = (needed))

static int model_cpus = 1;
static void *model_workers[INTERLEAVE_THREADS];

// NOLINTNEXTLINE(bugprone-suspicious-include): it is what is explored
#include "runtime/pool.c"
// NOLINTNEXTLINE(bugprone-suspicious-include)
#include "runtime/launch_cores.c"

pgopt_cpu_list pgopt_cpu_list_allowed(void) {
  static int ids[INTERLEAVE_THREADS] = {0, 1, 2, 3, 4, 5};
  return (pgopt_cpu_list){ids, (size_t)model_cpus};
}

int64_t pgopt_cpu_quota(const char *root) {
  (void)root;
  return INT64_MAX;
}

int pgopt_cpu_start_thread(int cpu, void *(*main)(void *), void *argument,
                           pthread_t *thread) {
  (void)cpu;
  *thread = (pthread_t)model_start(main, argument);
  return 0;
}

void pgopt_openblas_use_one_thread(void) {}

void pgopt_runtime_fatal(const char *format, ...) {
  model_fail(format);
  abort();
}

/// What a core does: runs a kernel (a letter, which needs those behind it),
/// waits ("<" core value), signals (">" value).
typedef struct program {
  const char *cores[3];
  int64_t core_count;
} program;

enum { MOST_CALLERS = 2, KERNELS = 26 };

static struct {
  const program *program;
  int launches;
  bool is_done[MOST_CALLERS][32]; ///< kernels of the launch that is under way
  bool is_through[MOST_CALLERS];
  pgopt_rt_cancellation cancellation;
} work;

static void run_kernel(int caller, const char **at) {
  int kernel = *(*at)++ - 'a';
  for (; **at >= 'a' && **at <= 'z'; ++*at)
    if (!work.is_done[caller][**at - 'a'])
      model_fail("starts too early");
  work.is_done[caller][kernel] = true;
}

static void run_program_core(void *frame, int64_t core) {
  int caller = (int)(intptr_t)frame;
  for (const char *at = work.program->cores[core]; *at;) {
    if (*at == ' ') {
      ++at;
    } else if (*at == '<') {
      pgopt_rt_wait(at[1] - '0', at[2] - '0');
      at += 3;
    } else if (*at == '>') {
      pgopt_rt_signal(at[1] - '0');
      at += 2;
    } else {
      run_kernel(caller, &at);
    }
  }
}

/// Every kernel that the program has must be done when its launch returns.
static void check_launch(int caller) {
  for (int64_t core = 0; core < work.program->core_count; ++core)
    for (const char *at = work.program->cores[core]; *at; ++at)
      if (*at >= 'a' && *at <= 'z' && !work.is_done[caller][*at - 'a'])
        model_fail("returns before the end");
  memset(work.is_done[caller], 0, sizeof work.is_done[caller]);
}

static void *call_program(void *argument) {
  int caller = (int)(intptr_t)argument;
  for (int i = 0; i < work.launches; ++i) {
    pgopt_rt_launch(run_program_core, argument, work.program->core_count);
    check_launch(caller);
  }
  work.is_through[caller] = true;
  return NULL;
}

static void launch_program(void *argument) {
  pgopt_rt_launch(run_program_core, argument, work.program->core_count);
}

/// A run that another thread may cancel, and a launch that it may not.
static void *call_cancellable(void *argument) {
  int caller = (int)(intptr_t)argument;
  if (pgopt_rt_run_cancellable(launch_program, argument, &work.cancellation))
    memset(work.is_done[caller], 0, sizeof work.is_done[caller]);
  else
    check_launch(caller);
  return call_program(argument);
}

static void *cancel(void *unused) {
  pgopt_rt_cancel(&work.cancellation);
  return unused;
}

static void *call_and_end(void *argument) {
  call_program(argument);
  pool_end();
  return NULL;
}

static bool all_are_through(void) {
  for (int i = 0; i < INTERLEAVE_THREADS; ++i) {
    const model_thread *thread = &model.world.threads[i];
    bool calls = thread->main == call_program || thread->main == call_and_end ||
                 thread->main == call_cancellable;
    if (calls && thread->status != THREAD_ENDED)
      return false;
  }
  return true;
}

typedef struct model_case {
  program program;
  int callers, launches, cpus, sudden_wakes;
  bool ends_the_pool;
  model_fault fault;
  bool is_cancelled; ///< by another thread, at any time
} model_case;

static const char *explore(const model_case *c) {
  model_begin((size_t)1 << 22);
  model.world.sudden_wakes = c->sudden_wakes;
  model_cpus = c->cpus;
  memset(&pool, 0, sizeof pool);
  memset(model_workers, 0, sizeof model_workers);
  memset(&work, 0, sizeof work);
  pool_begin();
  work.program = &c->program;
  work.launches = c->launches;
  model.fault = c->fault;
  model.watched[0] = (model_memory){&pool, sizeof pool};
  model.watched[1] = (model_memory){model_workers, sizeof model_workers};
  model.watched[2] = (model_memory){&work, sizeof work};
  model.locals[0] = (model_memory){&current, sizeof(void *)};
  model.locals[1] = (model_memory){&current_value, sizeof current_value};
  model.locals[2] = (model_memory){&current_run, sizeof(void *)};
  for (int i = 0; i < c->callers; ++i)
    model_start(c->is_cancelled    ? call_cancellable
                : c->ends_the_pool ? call_and_end
                                   : call_program,
                (void *)(intptr_t)i);
  if (c->is_cancelled)
    model_start(cancel, NULL);
  const char *failure = model_run(all_are_through);
  memset(&pool, 0, sizeof pool);
  if (getenv("PGOPT_TEST_VERBOSE"))
    fprintf(stderr, "%zu states, %zu ends: %s\n", model.seen_count, model.ends,
            failure ? failure : "good");
  return failure;
}

/// One core after the other, and back.
static const program to_and_fro = {{"a>1<11c", "<01ba>1"}, 2};
/// Two wait for one, one waits for two.
static const program diamond = {{"a>1<11<21dbc", "<01ba>1", "<01ca>1"}, 3};
/// Two values of one counter; a value that nobody waits for.
static const program steps = {{"a>1b>2c>3", "<01da<02eb"}, 2};
/// Each waits for the one before it.
static const program circle = {{"a>1<21da", "<01ba>1", "<11cb>1"}, 3};
static const program pair = {{"a<11cb", "b>1"}, 2};

static void test_good_programs(void) {
  const model_case cases[] = {
      {to_and_fro, 1, 1, 2, 2, true, FAULT_NONE, false},
      {to_and_fro, 1, 2, 2, 1, false, FAULT_NONE, false},
      {steps, 1, 1, 2, 2, true, FAULT_NONE, false},
      {pair, 1, 3, 1, 1, true, FAULT_NONE, false},
      {diamond, 1, 1, 3, 1, false, FAULT_NONE, false},
      {circle, 1, 1, 1, 0, true, FAULT_NONE, false},
      {pair, 2, 1, 1, 1, false, FAULT_NONE, false},
      {pair, 2, 1, 2, 0, false, FAULT_NONE, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    CHECK_EQ_TEXT(explore(&cases[i]) ? model.failure_text : "", "");
}

static void test_cancelled_programs(void) {
  const model_case cases[] = {
      {to_and_fro, 1, 1, 2, 1, false, FAULT_NONE, true},
      {steps, 1, 1, 2, 1, false, FAULT_NONE, true},
      {pair, 1, 1, 1, 1, false, FAULT_NONE, true},
      {circle, 1, 1, 1, 0, false, FAULT_NONE, true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    CHECK_EQ_TEXT(explore(&cases[i]) ? model.failure_text : "", "");
}

static void test_broken_ones_are_found(void) {
  // A signal that looks for sleepers first and raises the counter afterwards.
  model_case c = {to_and_fro, 1, 1, 2, 0, false, FAULT_TORN_EXCHANGE, false};
  CHECK_EQ_TEXT(explore(&c), "nobody goes on");
  // A sleep that does not compare.
  c = (model_case){to_and_fro, 1, 1, 2, 0, false, FAULT_BLIND_SLEEP, false};
  CHECK_EQ_TEXT(explore(&c), "nobody goes on");
  // A core that touches its counter after it has told that it is at its end.
  c = (model_case){pair, 1, 1, 2, 0, false, FAULT_LATE_LOOK, false};
  CHECK_EQ_TEXT(explore(&c), "uses memory that is gone");
  // A wait left out; a signal in front of what it tells.
  c = (model_case){{{"a>1ca", "ba"}, 2}, 1, 1, 2, 0, false, FAULT_NONE, false};
  CHECK_EQ_TEXT(explore(&c), "starts too early");
  c = (model_case){{{">1a", "<01ba"}, 2}, 1, 1, 2, 0, false, FAULT_NONE, false};
  CHECK_EQ_TEXT(explore(&c), "starts too early");
  // Lists without a common order.
  c = (model_case){
      {{"<11a>1", "<01b>1"}, 2}, 1, 1, 2, 0, false, FAULT_NONE, false};
  CHECK_EQ_TEXT(explore(&c), "nobody goes on");
}

int main(void) {
  test_good_programs();
  test_cancelled_programs();
  test_broken_ones_are_found();
  return check_result();
}
