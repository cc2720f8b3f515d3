/// \file Launches and their progress counters.
///
/// A core's counter is one 64-bit word: the value, shifted left, and two flags.
/// Raising it is one atomic exchange, which also tells whether somebody sleeps
/// on it; the exchange that marks the core as ended is its last access to the
/// launch, so the launch may live on the caller's stack.
///
/// A cancelled launch: each core that signals or waits looks for the request
/// first, and jumps out of its function. Those that sleep are woken by the end
/// of the core they wait for, which is on its way to such a place or sleeps
/// itself: lists follow one order, so some core always runs.
#include "runtime/launch_cores.h"

#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>
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
  bool has_left; ///< before the end of its function
  _Alignas(64) pgopt_task task;
  pgopt_rt_core_function function;
  void *frame;
  int64_t core;
  const launch *owner;
  jmp_buf *leave; ///< where a core goes whose launch is cancelled
} core_state;

struct launch {
  int64_t cores;
  core_state *states;
  const _Atomic int64_t *request; ///< to end early, or null
};

/// A cancellable run.
typedef struct cancellable {
  const _Atomic int64_t *request;
  bool is_cut;
} cancellable;

/// The core that the calling thread is, if it works for a launch, and the value
/// of its counter.
static _Thread_local core_state *current;
static _Thread_local int64_t current_value;
static _Thread_local const void *current_stack;

/// The cancellable run that the calling thread is in, or null.
static _Thread_local cancellable *current_run;

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

static bool is_cancelled(const launch *self) {
  return self->request &&
         atomic_load_explicit(self->request, memory_order_relaxed);
}

/// Its own frame: a jump back must not find values in registers.
__attribute__((noinline)) static void run_until_cancelled(core_state *state) {
  jmp_buf leave;
  state->leave = &leave;
  if (_setjmp(leave))
    state->has_left = true;
  else
    state->function(state->frame, state->core);
  state->leave = NULL;
}

static void run_core(core_state *state) {
  current = state;
  current_value = 0;
  current_stack = __builtin_frame_address(0);
  if (state->owner->request)
    run_until_cancelled(state);
  else
    state->function(state->frame, state->core);
  current = NULL;
  set_counter(&state->counter,
              (uint64_t)current_value << COUNTER_SHIFT | COUNTER_ENDED);
}

static void run_task(pgopt_task *task) {
  run_core((core_state *)((char *)task - offsetof(core_state, task)));
}

/// Runs the cores. \returns whether one of them has left early.
static bool run_launch(const launch *self, pgopt_task **tasks) {
  if (self->cores > 1) {
    pgopt_openblas_use_one_thread();
    pgopt_pool_occupy(self->cores);
    pgopt_pool_submit(tasks + 1, self->cores - 1);
  }
  run_core(&self->states[0]);
  bool is_cut = self->states[0].has_left;
  for (int64_t k = 1; k < self->cores; ++k) {
    await_counter(&self->states[k].counter, INT64_MAX);
    is_cut |= self->states[k].has_left;
  }
  if (self->cores > 1)
    pgopt_pool_occupy(-self->cores);
  return is_cut;
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
  const launch self = {cores, states,
                       current_run ? current_run->request : NULL};
  for (int64_t k = 0; k < cores; ++k) {
    atomic_init(&states[k].counter, 0);
    states[k].task.run = run_task;
    states[k].function = function;
    states[k].frame = frame;
    states[k].core = k;
    states[k].owner = &self;
    states[k].leave = NULL;
    states[k].has_left = false;
    tasks[k] = &states[k].task;
  }
  // Whoever is cancelled before it begins has nothing to begin.
  bool is_cut = is_cancelled(&self) || run_launch(&self, tasks);
  if (is_cut)
    current_run->is_cut = true;
  if (states != on_stack) {
    free(states);
    free(tasks);
  }
}

int64_t pgopt_rt_run_cancellable(void (*run)(void *argument), void *argument,
                                 pgopt_rt_cancellation *cancellation) {
  cancellable self = {(const _Atomic int64_t *)&cancellation->is_requested,
                      false};
  cancellable *outer = current_run;
  current_run = &self;
  run(argument);
  current_run = outer;
  return self.is_cut;
}

void pgopt_rt_cancel(pgopt_rt_cancellation *cancellation) {
  atomic_store_explicit((_Atomic int64_t *)&cancellation->is_requested, 1,
                        memory_order_relaxed);
}

/// Jumps out of the core's function, when its launch is cancelled.
static void leave_if_cancelled(const core_state *self) {
  if (is_cancelled(self->owner))
    longjmp(*self->leave, 1);
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
  leave_if_cancelled(self);
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
  leave_if_cancelled(self);
  uint64_t word = await_counter(&other->counter, value);
  if ((int64_t)(word >> COUNTER_SHIFT) >= value)
    return;
  // It has ended, and has seen the request before that if it was cancelled.
  leave_if_cancelled(self);
  pgopt_runtime_fatal("core %lld waits for core %lld to reach %lld, but it "
                      "has ended at %lld",
                      (long long)self->core, (long long)core, (long long)value,
                      (long long)(word >> COUNTER_SHIFT));
}
