/// \file The trace: begins and ends of calls, recorded from all threads into
/// one buffer of fixed size.
///
/// `next` is the place of the next event and the switch at once: while nothing
/// is recorded it is beyond any capacity. A thread that took a place before the
/// trace stopped still fills it; stopping waits for those.
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "pgopt/runtime.h"
#include "runtime/fatal.h"
#include "runtime/guard.h"

#define CLOSED (INT64_MAX / 2)

static struct {
  _Alignas(128) _Atomic int64_t next;
  _Alignas(128) _Atomic int64_t written; ///< places filled
  _Alignas(128) pgopt_rt_event *events;  ///< set while `next` is closed
  int64_t capacity;
} trace = {.next = CLOSED};

void pgopt_rt_span(int64_t core, int64_t slot, int64_t is_begin) {
  if (atomic_load_explicit(&trace.next, memory_order_relaxed) >= CLOSED)
    return;
  int64_t now = pgopt_rt_now_ns();
  int64_t place =
      atomic_fetch_add_explicit(&trace.next, 1, memory_order_acquire);
  if (place >= CLOSED || place >= trace.capacity)
    return;
  trace.events[place] = (pgopt_rt_event){core, slot, is_begin, now};
  atomic_fetch_add_explicit(&trace.written, 1, memory_order_release);
}

/// Returns how many places were asked for. The guard is held.
static int64_t stop_recording(void) {
  int64_t asked =
      atomic_exchange_explicit(&trace.next, CLOSED, memory_order_acq_rel);
  if (asked >= CLOSED)
    return 0;
  int64_t stored = asked < trace.capacity ? asked : trace.capacity;
  while (atomic_load_explicit(&trace.written, memory_order_acquire) < stored)
    sched_yield();
  return asked;
}

void pgopt_rt_trace_start(int64_t capacity) {
  if (capacity < 0)
    pgopt_runtime_fatal("trace of %lld events", (long long)capacity);
  pgopt_guard_lock();
  stop_recording();
  free(trace.events);
  trace.events = pgopt_allocate((size_t)capacity, sizeof *trace.events);
  // Touches every page now, so that none is mapped while events are recorded.
  memset(trace.events, 0xff, (size_t)capacity * sizeof *trace.events);
  trace.capacity = capacity;
  atomic_store_explicit(&trace.written, 0, memory_order_relaxed);
  atomic_store_explicit(&trace.next, 0, memory_order_release);
  pgopt_guard_unlock();
}

int64_t pgopt_rt_trace_stop(const pgopt_rt_event **events) {
  pgopt_guard_lock();
  int64_t asked = stop_recording();
  *events = trace.events;
  pgopt_guard_unlock();
  return asked;
}
