#include "runtime/guard.h"

#include <pthread.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

void pgopt_guard_lock(void) { pthread_mutex_lock(&guard); }

void pgopt_guard_unlock(void) { pthread_mutex_unlock(&guard); }

__attribute__((constructor)) static void guard_begin(void) {
  pthread_atfork(pgopt_guard_lock, pgopt_guard_unlock, pgopt_guard_unlock);
}
