#include "interleave.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

model_state model = {.running = NO_THREAD};

static _Alignas(128) char model_stacks[INTERLEAVE_THREADS][INTERLEAVE_STACK];

/// Never in the function that sets `place`: compilers do not allow it.
__attribute__((noinline)) static void model_jump(void **place) {
  __builtin_longjmp(place, 1);
}

/// Gives the turn back to the explorer. Values in registers go to the stack:
/// they are part of the state.
static void model_leave(void) {
  if (!__builtin_setjmp(model.world.threads[model.running].resume))
    model_jump(model.explorer);
}

void (*volatile model_pause)(void) = model_leave;

void model_fail(const char *text) {
  if (!model.failure)
    snprintf(model.failure_text, sizeof model.failure_text, "%s", text);
  model.failure = model.failure_text;
  if (model.running != NO_THREAD)
    model_pause();
}

void model_step(const volatile void *address) {
  if (model.running == NO_THREAD)
    return;
  model_pause();
  for (int i = 0; i < INTERLEAVE_THREADS; ++i) {
    const char *at = (const char *)address;
    if (i != model.running && at >= model_stacks[i] &&
        at < model_stacks[i] + INTERLEAVE_STACK &&
        (model.world.threads[i].status == THREAD_ENDED ||
         at < model.world.threads[i].stack_from))
      model_fail("uses memory that is gone");
  }
}

uint64_t model_exchange(_Atomic uint64_t *word, uint64_t value) {
  model_step(word);
  uint64_t old = *word;
  if (model.fault == FAULT_TORN_EXCHANGE)
    model_step(word);
  *word = value;
  if (model.fault == FAULT_LATE_LOOK)
    model_step(word);
  return old;
}

bool model_compare_exchange(_Atomic uint64_t *word, uint64_t *expected,
                            uint64_t desired) {
  model_step(word);
  uint64_t old = *word;
  bool equal = old == *expected;
  if (equal)
    *word = desired;
  *expected = old;
  return equal;
}

void model_futex_wait(_Atomic uint64_t *word, uint64_t seen) {
  model_step(word);
  if ((uint32_t)*word != (uint32_t)seen && model.fault != FAULT_BLIND_SLEEP)
    return;
  model_thread *self = &model.world.threads[model.running];
  self->status = THREAD_ASLEEP;
  self->address = word;
  model_pause();
}

void model_futex_wake(const _Atomic uint64_t *word) {
  model_step(NULL);
  for (int i = 0; i < INTERLEAVE_THREADS; ++i) {
    model_thread *thread = &model.world.threads[i];
    if (thread->status == THREAD_ASLEEP && thread->address == word) {
      thread->status = THREAD_READY;
      thread->address = NULL;
    }
  }
}

void model_lock(void) {
  if (model.running == NO_THREAD)
    return;
  model.world.threads[model.running].status = THREAD_LOCKED;
  model_pause(); // goes on when the mutex is free
  model.world.threads[model.running].status = THREAD_READY;
  model.world.mutex_owner = model.running;
}

void model_unlock(void) { model.world.mutex_owner = NO_THREAD; }

void model_join(int thread) {
  if (model.running == NO_THREAD)
    return;
  model.world.threads[model.running].joined = thread;
  model.world.threads[model.running].status = THREAD_JOINS;
  model_pause();
  model.world.threads[model.running].status = THREAD_READY;
}

void *model_allocate(size_t bytes) {
  model_world *world = &model.world;
  size_t at = (world->heap_used + 127) / 128 * 128;
  if (at + bytes > INTERLEAVE_HEAP)
    abort();
  world->heap_used = at + bytes;
  return world->heap + at;
}

static int model_started;
static ucontext_t starter;

/// Ends `model_start`; returns when the explorer lets the thread go on, with
/// the registers it was called with.
static void model_begin_thread(void) {
  if (!__builtin_setjmp(model.world.threads[model_started].resume))
    setcontext(&starter);
}

static void (*volatile model_first_pause)(void) = model_begin_thread;

static void model_thread_main(void) {
  model_first_pause();
  model_thread *self = &model.world.threads[model.running];
  self->main(self->argument);
  self->status = THREAD_ENDED;
  model_pause();
}

int model_start(void *(*start)(void *), void *argument) {
  int i = 0;
  while (model.world.threads[i].status != THREAD_FREE)
    if (++i == INTERLEAVE_THREADS)
      abort();
  model_thread *self = &model.world.threads[i];
  *self = (model_thread){
      .status = THREAD_READY, .main = start, .argument = argument};
  ucontext_t context;
  getcontext(&context);
  context.uc_stack.ss_sp = model_stacks[i];
  context.uc_stack.ss_size = INTERLEAVE_STACK;
  context.uc_link = NULL;
  makecontext(&context, model_thread_main, 0);
  model_started = i;
  swapcontext(&starter, &context);
  self->stack_from = self->resume[2];
  return i;
}

static bool model_can_go_on(const model_thread *thread) {
  switch (thread->status) {
  case THREAD_READY:
    return true;
  case THREAD_LOCKED:
    return model.world.mutex_owner == NO_THREAD;
  case THREAD_ASLEEP:
    return model.world.sudden_wakes > 0;
  case THREAD_JOINS:
    return model.world.threads[thread->joined].status == THREAD_ENDED;
  default:
    return false;
  }
}

static void model_enter(int thread) {
  model_thread *self = &model.world.threads[thread];
  if (self->status == THREAD_ASLEEP) {
    --model.world.sudden_wakes;
    self->status = THREAD_READY;
    self->address = NULL;
  }
  for (size_t i = 0; i < INTERLEAVE_LOCALS; ++i)
    memcpy(model.locals[i].data, &self->local[i], model.locals[i].bytes);
  model.running = thread;
  if (!__builtin_setjmp(model.explorer))
    model_jump(model.world.threads[thread].resume);
  self = &model.world.threads[model.running];
  model.running = NO_THREAD;
  for (size_t i = 0; i < INTERLEAVE_LOCALS; ++i)
    memcpy(&self->local[i], model.locals[i].data, model.locals[i].bytes);
  self->stack_from = self->resume[2];
}

static void (*volatile model_go_on)(int thread) = model_enter;

/// Calls `visit` for every piece of the state.
static void model_pieces(void (*visit)(void *data, size_t bytes, char **at),
                         char **at) {
  visit(&model.world, offsetof(model_world, heap), at);
  visit(model.world.heap, model.world.heap_used, at);
  for (size_t i = 0; i < sizeof model.watched / sizeof *model.watched; ++i)
    if (model.watched[i].bytes)
      visit(model.watched[i].data, model.watched[i].bytes, at);
  for (int i = 0; i < INTERLEAVE_THREADS; ++i)
    if (model.world.threads[i].stack_from)
      visit(model.world.threads[i].stack_from,
            (size_t)(model_stacks[i] + INTERLEAVE_STACK -
                     model.world.threads[i].stack_from),
            at);
}

static void model_count_piece(void *data, size_t bytes, char **at) {
  (void)data;
  *at += bytes;
}

static void model_save_piece(void *data, size_t bytes, char **at) {
  memcpy(*at, data, bytes);
  *at += bytes;
}

static void model_restore_piece(void *data, size_t bytes, char **at) {
  memcpy(data, *at, bytes);
  *at += bytes;
}

/// `*at` is the hash so far.
static void model_hash_piece(void *data, size_t bytes, char **at) {
  uint64_t hash = (uint64_t)(uintptr_t)*at, word;
  for (size_t i = 0; i + sizeof word <= bytes; i += sizeof word) {
    memcpy(&word, (char *)data + i, sizeof word);
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 29;
  }
  *at = (char *)(uintptr_t)hash;
}

/// The state's place in the table. \param[out] is_new it was not there.
static size_t model_find(bool *is_new) {
  char *at = (char *)1;
  model_pieces(model_hash_piece, &at);
  uint64_t hash = (uint64_t)(uintptr_t)at | 1; // 0 is an empty place
  size_t place = hash / 2 % model.seen_capacity;
  while (model.seen[place] && model.seen[place] != hash)
    place = (place + 1) % model.seen_capacity;
  *is_new = !model.seen[place];
  if (*is_new && ++model.seen_count > model.seen_capacity / 4 * 3)
    model_fail("too many states for this test");
  model.seen[place] = hash;
  return place;
}

static void model_explore(void) {
  bool is_new;
  size_t place = model_find(&is_new);
  if (!is_new && model.is_open[place])
    model_fail("goes round in circles");
  if (!is_new || model.failure)
    return;
  model.is_open[place] = true;
  char *size = NULL;
  model_pieces(model_count_piece, &size);
  char *saved = malloc((size_t)(uintptr_t)size), *at = saved;
  if (!saved)
    abort();
  model_pieces(model_save_piece, &at);
  // A thread that nobody wakes need not wake.
  bool is_end = true, is_changed = false;
  for (int i = 0; i < INTERLEAVE_THREADS; ++i)
    is_end = is_end && (model.world.threads[i].status == THREAD_ASLEEP ||
                        !model_can_go_on(&model.world.threads[i]));
  model.ends += is_end;
  if (is_end && !model.is_good_end())
    model_fail("nobody goes on");
  for (int i = 0; i < INTERLEAVE_THREADS && !model.failure; ++i) {
    if (is_changed) { // the sizes of the pieces come first
      at = saved;
      model_restore_piece(&model.world, offsetof(model_world, heap), &at);
      at = saved;
      model_pieces(model_restore_piece, &at);
    }
    is_changed = model_can_go_on(&model.world.threads[i]);
    if (!is_changed)
      continue;
    model_go_on(i);
    if (!model.failure)
      model_explore();
  }
  model.is_open[place] = false;
  free(saved);
}

void model_begin(size_t states) {
  memset(&model, 0, sizeof model);
  memset(model_stacks, 0, sizeof model_stacks);
  model.running = model.world.mutex_owner = NO_THREAD;
  model.seen_capacity = states;
  model.seen = calloc(states, sizeof *model.seen);
  model.is_open = calloc(states, sizeof *model.is_open);
  if (!model.seen || !model.is_open)
    abort();
}

const char *model_run(bool (*is_good_end)(void)) {
  model.is_good_end = is_good_end;
  model_explore();
  free(model.seen);
  free(model.is_open);
  return model.failure;
}
