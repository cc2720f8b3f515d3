/// \file What the cores know of one another.
#include "schedule/core_clocks.h"

#include <stdlib.h>

pgopt_core_clocks pgopt_core_clocks_create(const pgopt_core_lists *lists) {
  pgopt_core_clocks clocks = {
      .lists = lists,
      .known = pgopt_allocate(lists->count, sizeof *clocks.known),
      .snapshot = pgopt_allocate(lists->count, sizeof *clocks.snapshot)};
  for (size_t i = 0; i < lists->count; ++i) {
    clocks.known[i] = pgopt_allocate(lists->count, sizeof **clocks.known);
    clocks.snapshot[i] =
        pgopt_allocate(lists->cores[i].count, sizeof **clocks.snapshot);
  }
  return clocks;
}

void pgopt_core_clocks_free(pgopt_core_clocks *clocks) {
  for (size_t i = 0; i < clocks->lists->count; ++i) {
    free(clocks->known[i]);
    for (size_t k = 0; k < clocks->lists->cores[i].count; ++k)
      free(clocks->snapshot[i][k]);
    free(clocks->snapshot[i]);
  }
  free(clocks->known);
  free(clocks->snapshot);
  *clocks = (pgopt_core_clocks){0};
}

static void learn(uint32_t *clock, const uint32_t *other, size_t cores) {
  for (size_t i = 0; i < cores; ++i)
    clock[i] = other[i] > clock[i] ? other[i] : clock[i];
}

void pgopt_core_clocks_step(pgopt_core_clocks *clocks,
                            const pgopt_walk_step *step) {
  size_t cores = clocks->lists->count;
  uint32_t *clock = clocks->known[step->core];
  switch (step->event->kind) {
  case PGOPT_EVENT_RUN:
    ++clock[step->core];
    break;
  case PGOPT_EVENT_SIGNAL:
    clocks->snapshot[step->core][step->signal] =
        pgopt_duplicate(clock, cores * sizeof *clock);
    break;
  case PGOPT_EVENT_WAIT:
    if (step->event->value > 0)
      learn(clock, clocks->snapshot[step->event->core][step->signal], cores);
    break;
  }
}
