/// \file What follows what under the lists of a schedule, by a closure over
/// their events: the oracle of tests, slow and without cleverness.
#ifndef PGOPT_TEST_EVENT_ORACLE_H
#define PGOPT_TEST_EVENT_ORACLE_H

#include "schedule/schedule.h"

#include <stdlib.h>

/// All events numbered, core after core. An event follows the one before it on
/// its core, a wait follows the first signal that can end it.
typedef struct oracle {
  size_t count;
  bool *follows;    ///< [a * count + b]: b follows a
  size_t *first;    ///< per core: its first event
  size_t *event_of; ///< per node: the event that runs it
} oracle;

static inline void add_event_order(oracle *o, size_t before, size_t after) {
  o->follows[before * o->count + after] = true;
}

static inline bool link_waits(oracle *o, const pgopt_core_lists *lists) {
  for (size_t core = 0; core < lists->count; ++core)
    for (size_t i = 0; i < lists->cores[core].count; ++i) {
      const pgopt_event *event = &lists->cores[core].events[i];
      if (i)
        add_event_order(o, o->first[core] + i - 1, o->first[core] + i);
      if (event->kind != PGOPT_EVENT_WAIT)
        continue;
      const pgopt_core_list *other = &lists->cores[event->core];
      size_t k = 0;
      while (k < other->count &&
             !(other->events[k].kind == PGOPT_EVENT_SIGNAL &&
               other->events[k].value >= event->value))
        ++k;
      if (k == other->count)
        return false;
      add_event_order(o, o->first[event->core] + k, o->first[core] + i);
    }
  return true;
}

static inline void close_events(oracle *o) {
  size_t n = o->count;
  for (size_t k = 0; k < n; ++k)
    for (size_t a = 0; a < n; ++a)
      if (o->follows[a * n + k])
        for (size_t b = 0; b < n; ++b)
          o->follows[a * n + b] |= o->follows[k * n + b];
}

/// \returns false when a wait has no signal, or an event follows itself. To be
/// freed in either case.
static inline bool oracle_create(const pgopt_core_lists *lists, size_t nodes,
                                 oracle *o) {
  *o = (oracle){.first = calloc(lists->count + 1, sizeof *o->first),
                .event_of = calloc(nodes + 1, sizeof *o->event_of)};
  for (size_t core = 0; core < lists->count; ++core) {
    o->first[core] = o->count;
    for (size_t i = 0; i < lists->cores[core].count; ++i)
      if (lists->cores[core].events[i].kind == PGOPT_EVENT_RUN)
        o->event_of[lists->cores[core].events[i].node] = o->count + i;
    o->count += lists->cores[core].count;
  }
  o->follows = calloc(o->count * o->count + 1, 1);
  bool good = link_waits(o, lists);
  close_events(o);
  for (size_t i = 0; i < o->count; ++i)
    good = good && !o->follows[i * o->count + i];
  return good;
}

static inline void oracle_free(oracle *o) {
  free(o->follows);
  free(o->first);
  free(o->event_of);
}

static inline bool node_follows(const oracle *o, size_t first, size_t second) {
  return o->follows[o->event_of[first] * o->count + o->event_of[second]];
}

#endif // PGOPT_TEST_EVENT_ORACLE_H
