/// \file Prepared parameters: one block of memory a program and set of
/// addresses, filled once, shared by all threads.
///
/// All blocks are in one list under the guard; a thread finds the one it used
/// last without it. A block that is the last one of no thread may be freed when
/// its program has newer ones.
#include "runtime/prepared.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "pgopt/runtime.h"
#include "runtime/fatal.h"
#include "runtime/guard.h"
#include "runtime/pages.h"

/// Blocks of one program that are kept although no thread used them last.
enum { IDLE_BLOCKS = 4 };

typedef struct block {
  struct block *next;
  uint64_t number; ///< never used again
  const void *program;
  const void **parameters;
  int64_t count, bytes;
  void *memory;
  int64_t threads; ///< whose last one it is
  pid_t filled_by; ///< the process that fills it; 0: it is full
} block;

/// The block that the thread used last, valid as long as none was released
/// since.
typedef struct last_block {
  const void *program;
  block *block;
  uint64_t number, releases;
} last_block;

static _Thread_local last_block mine;
static block *blocks;             ///< under the guard, newest first
static uint64_t numbers;          ///< under the guard
static _Atomic uint64_t releases; ///< of any program so far
static pthread_key_t thread_end_key;

static bool has_parameters(const block *item, const void *const *parameters,
                           int64_t count, int64_t bytes) {
  if (item->count != count || item->bytes != bytes)
    return false;
  for (int64_t i = 0; i < count; ++i)
    if (item->parameters[i] != parameters[i])
      return false;
  return true;
}

static void free_block(block *item) {
  free(item->parameters);
  free(item->memory);
  free(item);
}

/// Takes a thread off the block that was its last. The guard is held.
static void leave(const last_block *last) {
  for (block *item = blocks; item; item = item->next)
    if (item->number == last->number)
      --item->threads;
}

static void thread_end(void *data) {
  last_block *ending = data;
  pgopt_guard_lock();
  leave(ending);
  pgopt_guard_unlock();
  *ending = (last_block){0};
}

/// Frees the oldest idle blocks of the program. The guard is held.
static void free_idle(const void *program) {
  int idle = 0;
  for (block **link = &blocks; *link;) {
    block *item = *link;
    if (item->program == program && !item->threads && !item->filled_by &&
        ++idle > IDLE_BLOCKS) {
      *link = item->next;
      free_block(item);
    } else {
      link = &item->next;
    }
  }
}

void pgopt_prepared_release(const void *program) {
  for (block **link = &blocks; *link;) {
    block *item = *link;
    if (item->program == program) {
      *link = item->next;
      free_block(item);
    } else {
      link = &item->next;
    }
  }
  atomic_fetch_add_explicit(&releases, 1, memory_order_release);
}

void pgopt_rt_prepare_again(const void *program) {
  pgopt_guard_lock();
  pgopt_prepared_release(program);
  pgopt_guard_unlock();
}

/// The guard is held.
static block *add_block(const void *program, const void *const *parameters,
                        int64_t count, int64_t bytes) {
  block *item = pgopt_allocate(1, sizeof *item);
  *item = (block){.next = blocks,
                  .number = ++numbers,
                  .program = program,
                  .count = count,
                  .bytes = bytes};
  item->parameters = pgopt_allocate((size_t)count, sizeof *item->parameters);
  if (count)
    memcpy(item->parameters, parameters,
           (size_t)count * sizeof *item->parameters);
  item->memory = pgopt_pages_allocate("program's prepared parameters", bytes);
  item->filled_by = -1;
  blocks = item;
  return item;
}

const void *pgopt_rt_prepared(const void *program,
                              pgopt_rt_prepare_function prepare,
                              const void *const *parameters, int64_t count,
                              int64_t bytes) {
  uint64_t seen = atomic_load_explicit(&releases, memory_order_acquire);
  if (mine.program == program && mine.block && mine.releases == seen &&
      has_parameters(mine.block, parameters, count, bytes))
    return mine.block->memory;
  if (!program)
    pgopt_runtime_fatal("prepared parameters of a null program");
  if (pthread_setspecific(thread_end_key, &mine))
    pgopt_runtime_fatal("out of memory for a thread's storage");
  pgopt_guard_lock();
  block *found = blocks;
  while (found && (found->program != program ||
                   !has_parameters(found, parameters, count, bytes)))
    found = found->next;
  if (!found)
    found = add_block(program, parameters, count, bytes);
  leave(&mine);
  ++found->threads;
  mine = (last_block){program, found, found->number, seen};
  // Another thread fills it, unless that was in the process this one is a fork
  // of.
  while (found->filled_by == getpid())
    pgopt_guard_wait();
  if (found->filled_by) {
    found->filled_by = getpid();
    pgopt_guard_unlock();
    prepare(parameters, found->memory);
    pgopt_guard_lock();
    found->filled_by = 0;
    pgopt_guard_wake();
  }
  free_idle(program);
  pgopt_guard_unlock();
  return found->memory;
}

__attribute__((constructor)) static void prepared_begin(void) {
  if (pthread_key_create(&thread_end_key, thread_end))
    pgopt_runtime_fatal("no thread-specific key is left");
}
