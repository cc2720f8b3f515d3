#include "runtime/guard.h"

#include <pthread.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

void pgopt_guard_lock(void) { pthread_mutex_lock(&guard); }

void pgopt_guard_unlock(void) { pthread_mutex_unlock(&guard); }

void pgopt_guard_wait(void) { pthread_cond_wait(&changed, &guard); }

void pgopt_guard_wake(void) { pthread_cond_broadcast(&changed); }

/// Threads that waited are not in the child.
static void begin_in_child(void) {
  changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
  pgopt_guard_unlock();
}

__attribute__((constructor)) static void guard_begin(void) {
  pthread_atfork(pgopt_guard_lock, pgopt_guard_unlock, begin_in_child);
}
