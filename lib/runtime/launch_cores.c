/// \file Launches and their progress counters.
///
/// A core's counter is one 64-bit word: the value, shifted left, and two flags.
/// Raising it is one atomic exchange, which also tells whether somebody sleeps
/// on it; the exchange that marks the core as ended is its last access to the
/// launch, so the launch may live on the caller's stack.
#include "runtime/launch_cores.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fatal.h"
#include "runtime/openblas.h"
#include "runtime/pool.h"
#include "runtime/waiting.h"

enum {
  COUNTER_SLEEPERS = 1, ///< somebody waits in the kernel for a change
  COUNTER_ENDED = 2,    ///< the core's function has returned
  COUNTER_SHIFT = 2,
  CORES_ON_STACK = 8,
  MAX_CORES = 1 << 16,
};

#define MAX_VALUE (INT64_MAX >> COUNTER_SHIFT)

typedef struct launch launch;

/// Two cache lines, since processors fetch them in pairs. All that a core needs
/// to begin is in the second one.
typedef struct core_state {
  _Alignas(128) _Atomic uint64_t counter;
  _Alignas(64) pgopt_task task;
  pgopt_rt_core_function function;
  void *frame;
  int64_t core;
  const launch *owner;
} core_state;

struct launch {
  int64_t cores;
  core_state *states;
};

/// The core that the calling thread is, if it works for a launch, and the value
/// of its counter.
static _Thread_local core_state *current;
static _Thread_local int64_t current_value;
static _Thread_local const void *current_stack;

int64_t pgopt_launch_core(const void **stack) {
  *stack = current ? current_stack : NULL;
  return current ? current->core : -1;
}

/// Returns the counter once its value is at least `value` or its core has
/// ended.
static uint64_t await_counter(_Atomic uint64_t *counter, int64_t value) {
  pgopt_spin spin = {0};
  for (;;) {
    uint64_t word = atomic_load_explicit(counter, memory_order_acquire);
    if ((word & COUNTER_ENDED) || (int64_t)(word >> COUNTER_SHIFT) >= value)
      return word;
    if (pgopt_spin_on(&spin, pgopt_pool_spin_ns()))
      continue;
    uint64_t asleep = word | COUNTER_SLEEPERS;
    if (word == asleep ||
        atomic_compare_exchange_strong_explicit(
            counter, &word, asleep, memory_order_relaxed, memory_order_relaxed))
      pgopt_futex_wait(counter, asleep);
  }
}

/// The counter's memory may be gone when this returns, if `word` has the flag
/// COUNTER_ENDED.
static void set_counter(_Atomic uint64_t *counter, uint64_t word) {
  uint64_t previous =
      atomic_exchange_explicit(counter, word, memory_order_acq_rel);
  if (previous & COUNTER_SLEEPERS)
    pgopt_futex_wake(counter);
}

static void run_core(core_state *state) {
  current = state;
  current_value = 0;
  current_stack = __builtin_frame_address(0);
  state->function(state->frame, state->core);
  current = NULL;
  set_counter(&state->counter,
              (uint64_t)current_value << COUNTER_SHIFT | COUNTER_ENDED);
}

static void run_task(pgopt_task *task) {
  run_core((core_state *)((char *)task - offsetof(core_state, task)));
}

void pgopt_rt_launch(pgopt_rt_core_function function, void *frame,
                     int64_t cores) {
  if (current)
    pgopt_runtime_fatal("core %lld of a launch started another launch; launch "
                        "from a thread outside of it",
                        (long long)current->core);
  if (cores < 1 || cores > MAX_CORES)
    pgopt_runtime_fatal("launch of %lld cores; 1 to %d are allowed",
                        (long long)cores, MAX_CORES);
  core_state on_stack[CORES_ON_STACK];
  pgopt_task *tasks_on_stack[CORES_ON_STACK];
  core_state *states = on_stack;
  pgopt_task **tasks = tasks_on_stack;
  if (cores > CORES_ON_STACK) {
    states = aligned_alloc(128, (size_t)cores * sizeof *states);
    tasks = malloc((size_t)cores * sizeof(pgopt_task *));
    if (!states || !tasks)
      pgopt_runtime_fatal("out of memory for a launch of %lld cores",
                          (long long)cores);
  }
  const launch self = {cores, states};
  for (int64_t k = 0; k < cores; ++k) {
    atomic_init(&states[k].counter, 0);
    states[k].task.run = run_task;
    states[k].function = function;
    states[k].frame = frame;
    states[k].core = k;
    states[k].owner = &self;
    tasks[k] = &states[k].task;
  }
  if (cores > 1) {
    pgopt_openblas_use_one_thread();
    pgopt_pool_occupy(cores);
    pgopt_pool_submit(tasks + 1, cores - 1);
  }
  run_core(&states[0]);
  for (int64_t k = 1; k < cores; ++k)
    await_counter(&states[k].counter, INT64_MAX);
  if (cores > 1)
    pgopt_pool_occupy(-cores);
  if (states != on_stack) {
    free(states);
    free(tasks);
  }
}

void pgopt_rt_signal(int64_t value) {
  core_state *self = current;
  if (!self)
    pgopt_runtime_fatal("signal outside of a launch");
  if (value < current_value || value > MAX_VALUE)
    pgopt_runtime_fatal("core %lld signals %lld after %lld; values only grow, "
                        "up to %lld",
                        (long long)self->core, (long long)value,
                        (long long)current_value, (long long)MAX_VALUE);
  current_value = value;
  set_counter(&self->counter, (uint64_t)value << COUNTER_SHIFT);
}

void pgopt_rt_wait(int64_t core, int64_t value) {
  core_state *self = current;
  if (!self)
    pgopt_runtime_fatal("wait outside of a launch");
  if (core < 0 || core >= self->owner->cores)
    pgopt_runtime_fatal("core %lld waits for core %lld of %lld",
                        (long long)self->core, (long long)core,
                        (long long)self->owner->cores);
  core_state *other = &self->owner->states[core];
  if (other == self) {
    if (value > current_value)
      pgopt_runtime_fatal("core %lld waits for itself to reach %lld",
                          (long long)core, (long long)value);
    return;
  }
  uint64_t word = await_counter(&other->counter, value);
  if ((int64_t)(word >> COUNTER_SHIFT) < value)
    pgopt_runtime_fatal("core %lld waits for core %lld to reach %lld, but it "
                        "has ended at %lld",
                        (long long)self->core, (long long)core,
                        (long long)value, (long long)(word >> COUNTER_SHIFT));
}
