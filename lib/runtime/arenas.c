/// \file Storage of programs and scratch of threads.
///
/// An arena belongs to one program and one thread. All arenas are in one list
/// under a lock; a thread finds the one it used last without it.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"
#include "pgopt/runtime.h"
#include "runtime/fatal.h"
#include "runtime/guard.h"
#include "runtime/pages.h"
#include "runtime/prepared.h"

typedef struct arena {
  struct arena *next;
  const void *program, *thread;
  void *memory;
  int64_t bytes;
} arena;

/// The arena that the thread used last, and its scratch. The last arena is
/// valid as long as no program has been released since.
typedef struct thread_storage {
  const void *program;
  void *memory;
  int64_t bytes;
  uint64_t releases;
  void *scratch;
  int64_t scratch_bytes;
  int registered;
} thread_storage;

static _Thread_local thread_storage mine;
static arena *arenas;             ///< under the guard
static _Atomic uint64_t releases; ///< programs released so far
static pthread_key_t thread_end_key;

/// Frees the arenas of a program or, when `program` is null, of a thread. The
/// guard is held.
static void free_arenas(const void *program, const void *thread) {
  for (arena **link = &arenas; *link;) {
    arena *item = *link;
    if (program ? item->program != program : item->thread != thread) {
      link = &item->next;
      continue;
    }
    *link = item->next;
    free(item->memory);
    free(item);
  }
}

static void thread_end(void *storage) {
  thread_storage *ending = storage;
  pgopt_guard_lock();
  free_arenas(NULL, ending);
  pgopt_guard_unlock();
  free(ending->scratch);
  *ending = (thread_storage){0};
}

/// Has `thread_end` called at the end of the calling thread.
static void register_thread(void) {
  if (mine.registered)
    return;
  mine.registered = 1;
  int failure = pthread_setspecific(thread_end_key, &mine);
  if (failure)
    pgopt_runtime_fatal("out of memory for a thread's storage");
}

void *pgopt_rt_arena(const void *program, int64_t bytes) {
  uint64_t seen = atomic_load_explicit(&releases, memory_order_acquire);
  if (mine.memory && mine.program == program && mine.bytes == bytes &&
      mine.releases == seen)
    return mine.memory;
  if (!program)
    pgopt_runtime_fatal("arena of a null program");
  register_thread();
  pgopt_guard_lock();
  arena *found = arenas;
  while (found && (found->program != program || found->thread != &mine))
    found = found->next;
  if (!found) {
    found = pgopt_allocate(1, sizeof *found);
    *found = (arena){arenas, program, &mine, NULL, 0};
    arenas = found;
  }
  // A program never changes its size: this is a new one at the address of one
  // that is gone, and so is the use of the old memory.
  if (!found->memory || found->bytes != bytes) {
    free(found->memory);
    found->memory = pgopt_pages_allocate("program's arena", bytes);
    found->bytes = bytes;
  }
  mine.program = program;
  mine.memory = found->memory;
  mine.bytes = bytes;
  mine.releases = seen;
  pgopt_guard_unlock();
  return mine.memory;
}

void pgopt_rt_program_release(const void *program) {
  if (!program)
    return;
  pgopt_guard_lock();
  free_arenas(program, NULL);
  pgopt_prepared_release(program);
  atomic_fetch_add_explicit(&releases, 1, memory_order_release);
  pgopt_guard_unlock();
}

void *pgopt_rt_scratch(int64_t bytes) {
  if (mine.scratch && bytes <= mine.scratch_bytes && bytes >= 0)
    return mine.scratch;
  register_thread();
  free(mine.scratch);
  mine.scratch = NULL;
  mine.scratch = pgopt_pages_allocate("scratch", bytes);
  mine.scratch_bytes = bytes;
  return mine.scratch;
}

__attribute__((constructor)) static void arenas_begin(void) {
  if (pthread_key_create(&thread_end_key, thread_end))
    pgopt_runtime_fatal("no thread-specific key is left");
}
