/// \file One lock for the runtime's rare operations: an arena's first use, the
/// opening of a parameter file, preparing parameters, the set-up of timers and
/// traces. It survives forks.
#ifndef PGOPT_RUNTIME_GUARD_H
#define PGOPT_RUNTIME_GUARD_H

void pgopt_guard_lock(void);
void pgopt_guard_unlock(void);

/// Waits, with the lock held, for a wake from another thread.
void pgopt_guard_wait(void);
/// Wakes all that wait; the lock is held.
void pgopt_guard_wake(void);

#endif // PGOPT_RUNTIME_GUARD_H
