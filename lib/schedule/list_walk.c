/// \file Going through the lists of all cores.
#include "schedule/list_walk.h"

#include <stdlib.h>

static pgopt_status check_core(const pgopt_core_lists *lists, size_t core,
                               pgopt_walk_core *state, pgopt_error *error) {
  const pgopt_core_list *list = &lists->cores[core];
  state->values = pgopt_allocate(list->count, sizeof *state->values);
  int64_t last = 0;
  for (size_t i = 0; i < list->count; ++i) {
    const pgopt_event *event = &list->events[i];
    if (event->kind == PGOPT_EVENT_WAIT &&
        (event->core < 0 || (uint64_t)event->core >= lists->count))
      return pgopt_fail(error, PGOPT_INVALID,
                        "core %zu waits for core %lld, but there are only "
                        "cores 0 to %zu",
                        core, (long long)event->core, lists->count - 1);
    if (event->kind != PGOPT_EVENT_SIGNAL)
      continue;
    if (event->value <= last)
      return pgopt_fail(error, PGOPT_INVALID,
                        "core %zu signals %lld after %lld; its values must "
                        "grow from 1",
                        core, (long long)event->value, (long long)last);
    last = state->values[state->value_count++] = event->value;
  }
  return PGOPT_OK;
}

pgopt_status pgopt_list_walk_begin(pgopt_list_walk *walk,
                                   const pgopt_core_lists *lists,
                                   pgopt_error *error) {
  *walk = (pgopt_list_walk){
      .lists = lists,
      .cores = pgopt_allocate(lists->count, sizeof(pgopt_walk_core)),
  };
  pgopt_status status = PGOPT_OK;
  for (size_t i = 0; i < lists->count && status == PGOPT_OK; ++i)
    status = check_core(lists, i, &walk->cores[i], error);
  return status;
}

/// Number of the core's first signal of at least `value`; `value_count` when
/// there is none.
static size_t find_signal(const pgopt_walk_core *core, int64_t value) {
  size_t low = 0, high = core->value_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (core->values[middle] < value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool can_go_on(const pgopt_list_walk *walk, size_t core) {
  const pgopt_walk_core *state = &walk->cores[core];
  const pgopt_core_list *list = &walk->lists->cores[core];
  if (state->next == list->count)
    return false;
  const pgopt_event *event = &list->events[state->next];
  if (event->kind != PGOPT_EVENT_WAIT || event->value <= 0)
    return true;
  const pgopt_walk_core *other = &walk->cores[event->core];
  return find_signal(other, event->value) < other->signals;
}

/// Waits and signals around a node do not count as progress: the core that is
/// in the middle of them goes on.
static bool stays(const pgopt_list_walk *walk) {
  const pgopt_walk_core *state = &walk->cores[walk->current];
  const pgopt_core_list *list = &walk->lists->cores[walk->current];
  if (!state->next || !can_go_on(walk, walk->current))
    return false;
  return list->events[state->next - 1].kind == PGOPT_EVENT_WAIT ||
         list->events[state->next].kind == PGOPT_EVENT_SIGNAL;
}

bool pgopt_list_walk_next(pgopt_list_walk *walk, pgopt_walk_step *step) {
  size_t best = walk->lists->count;
  if (best && stays(walk))
    best = walk->current;
  else
    for (size_t i = 0; i < walk->lists->count; ++i)
      if (can_go_on(walk, i) && (best == walk->lists->count ||
                                 walk->cores[i].runs < walk->cores[best].runs))
        best = i;
  if (best == walk->lists->count)
    return false;
  pgopt_walk_core *state = &walk->cores[best];
  const pgopt_event *event = &walk->lists->cores[best].events[state->next++];
  *step = (pgopt_walk_step){.core = best, .event = event, .slot = state->runs};
  walk->current = best;
  if (event->kind == PGOPT_EVENT_RUN)
    ++state->runs;
  else if (event->kind == PGOPT_EVENT_SIGNAL)
    step->signal = state->signals++;
  else
    step->signal = find_signal(&walk->cores[event->core], event->value);
  return true;
}

pgopt_status pgopt_list_walk_end(pgopt_list_walk *walk, pgopt_error *error) {
  pgopt_status status = PGOPT_OK;
  for (size_t i = 0; i < walk->lists->count; ++i) {
    const pgopt_walk_core *state = &walk->cores[i];
    const pgopt_core_list *list = &walk->lists->cores[i];
    if (status == PGOPT_OK && state->next < list->count) {
      const pgopt_event *event = &list->events[state->next];
      status = pgopt_fail(error, PGOPT_INVALID,
                          "core %zu waits for ever before its slot %zu: core "
                          "%lld does not get to signal %lld",
                          i, state->runs, (long long)event->core,
                          (long long)event->value);
    }
    free(state->values);
  }
  free(walk->cores);
  *walk = (pgopt_list_walk){0};
  return status;
}
