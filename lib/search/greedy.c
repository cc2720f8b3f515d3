#include "search/strategies.h"

#include <stdlib.h>

/// Values between two looks at the clock and at interrupts.
enum { POLL_EVERY = 256 };
/// A change saves at least this share: less is rounding, and could go in
/// circles.
static const double LEAST_GAIN = 1e-9;
/// What looks at a value after something near it has changed.
enum { DUE_VISIT = 1, DUE_REGION = 2, DUE_BLOCK = 4, DUE_ALL = 7 };

bool pgopt_search_poll(const pgopt_search_options *options,
                       pgopt_search_effort *effort, const char *stage,
                       size_t done, size_t total,
                       const pgopt_search_state *state) {
  if (options->progress) {
    pgopt_search_progress progress = {stage, done, total,
                                      pgopt_search_total_ns(state)};
    options->progress(options->context, &progress);
  }
  if (options->interrupted && options->interrupted(options->context))
    effort->interrupted = true;
  return !effort->interrupted;
}

typedef struct greedy {
  pgopt_search_state *state;
  const pgopt_search_options *options;
  pgopt_search_effort *effort;
  double gain;
  int *order; ///< values that can matter, in the order they are visited
  size_t count;
  /// Per value: what changed near it has still to be looked at.
  unsigned char *due;
  pgopt_search_regions *regions;
  pgopt_search_blocks *blocks;
} greedy;

typedef struct sized_value {
  int64_t bytes;
  int value;
} sized_value;

static int compare_sizes(const void *a, const void *b) {
  const sized_value *x = a, *y = b;
  if (x->bytes != y->bytes)
    return x->bytes < y->bytes ? 1 : -1;
  return (x->value > y->value) - (x->value < y->value);
}

static void find_order(greedy *g) {
  const pgopt_search_problem *problem = g->state->problem;
  sized_value *sized = pgopt_allocate(problem->value_count, sizeof *sized);
  for (int i = 0; i < (int)problem->value_count; ++i)
    if (problem->values[i].place != PGOPT_SEARCH_PARAMETER)
      sized[g->count++] = (sized_value){problem->values[i].bytes, i};
  qsort(sized, g->count, sizeof *sized, compare_sizes);
  for (size_t i = 0; i < g->count; ++i)
    g->order[i] = sized[i].value;
  free(sized);
}

/// Values whose price may be another after the kernel changed: its own, and
/// those that share a reader with one of its operands or results.
static void mark_near(greedy *g, int kernel) {
  const pgopt_search_state *state = g->state;
  const pgopt_search_kernel *k = &state->problem->kernels[kernel];
  for (size_t i = 0; i < pgopt_search_slots(k); ++i) {
    int value = pgopt_search_slot(k, i);
    g->due[value] = DUE_ALL;
    if (state->problem->values[value].place == PGOPT_SEARCH_PARAMETER)
      continue;
    size_t end = state->first_user[value + 1];
    for (size_t u = state->first_user[value]; u < end; ++u) {
      const pgopt_search_kernel *user =
          &state->problem->kernels[state->users[u]];
      for (size_t j = 0; j < pgopt_search_slots(user); ++j)
        g->due[pgopt_search_slot(user, j)] = DUE_ALL;
    }
  }
}

/// Keeps the changes since the journal was empty.
static void commit(greedy *g) {
  for (size_t i = 0; i < g->state->journal_count; ++i)
    mark_near(g, g->state->journal[i].kernel);
  g->state->journal_count = 0;
}

/// Whether the value is due for `what`; it no longer is.
static bool take_due(greedy *g, int value, unsigned char what) {
  bool due = g->due[value] & what;
  g->due[value] &= (unsigned char)~what;
  return due;
}

static bool visit(greedy *g, int value) {
  pgopt_search_state *state = g->state;
  const pgopt_search_value *v = &state->problem->values[value];
  bool is_free = v->place == PGOPT_SEARCH_FREE;
  double before, best_ns = 0;
  int best = -1;
  for (int layout = 0; layout < (int)v->layout_count; ++layout) {
    if (!is_free && layout != v->declared)
      continue;
    double ns = pgopt_search_store(state, value, layout, &before);
    pgopt_search_undo_to(state, 0);
    if (best < 0 || ns < best_ns) {
      best = layout;
      best_ns = ns;
    }
  }
  if (before - best_ns <= g->gain * before)
    return false;
  pgopt_search_store(state, value, best, &before);
  commit(g);
  return true;
}

/// \returns whether anything gained.
static bool sweep(greedy *g) {
  bool gained = false;
  ++g->effort->sweeps;
  for (size_t i = 0; i < g->count; ++i) {
    if (i % POLL_EVERY == 0 &&
        !pgopt_search_poll(g->options, g->effort, "greedy", i, g->count,
                           g->state))
      return false;
    if (take_due(g, g->order[i], DUE_VISIT))
      gained |= visit(g, g->order[i]);
  }
  return gained;
}

/// The value is converted to `layout`, or some kernel at it is faster with it
/// in `layout` than it is now, if nothing else counted: else no region begins
/// here.
static bool is_seed(const pgopt_search_state *state, int value, int layout) {
  if (pgopt_search_needed_price(state, value, layout) != PGOPT_SEARCH_NO_PRICE)
    return true;
  size_t users = state->first_user[value + 1] - state->first_user[value];
  for (size_t u = 0; u <= users; ++u) {
    int kernel = u < users ? state->users[state->first_user[value] + u]
                           : state->producer[value];
    const pgopt_search_kernel *k = &state->problem->kernels[kernel];
    double now =
        pgopt_search_candidate_ns(state, kernel, state->candidate[kernel]);
    for (int c = 0; c < (int)k->candidate_count; ++c) {
      if (pgopt_search_candidate_ns(state, kernel, c) >= now)
        continue;
      for (size_t i = 0; i < pgopt_search_slots(k); ++i)
        if (pgopt_search_slot(k, i) == value &&
            k->candidates[c].layouts[i] == layout)
          return true;
    }
  }
  return false;
}

static bool try_regions(greedy *g) {
  pgopt_search_state *state = g->state;
  bool gained = false;
  for (size_t i = 0; i < g->count; ++i) {
    int value = g->order[i];
    const pgopt_search_value *v = &state->problem->values[value];
    if (i % POLL_EVERY == 0 &&
        !pgopt_search_poll(g->options, g->effort, "regions", i, g->count,
                           state))
      return false;
    bool due = take_due(g, value, DUE_REGION);
    for (int layout = 0; due && layout < (int)v->layout_count; ++layout) {
      if (v->place != PGOPT_SEARCH_FREE || layout == state->stored[value] ||
          !is_seed(state, value, layout) ||
          pgopt_search_region(g->regions, value, layout, g->gain) <= 0)
        continue;
      ++g->effort->region_moves;
      commit(g);
      gained = true;
    }
  }
  return gained;
}

static bool try_blocks(greedy *g) {
  bool gained = false;
  for (size_t i = 0; i < g->count; ++i) {
    int value = g->order[i];
    if (i % POLL_EVERY == 0 &&
        !pgopt_search_poll(g->options, g->effort, "blocks", i, g->count,
                           g->state))
      return false;
    if (!take_due(g, value, DUE_BLOCK) ||
        pgopt_search_block(g->blocks, value, g->gain) <= 0)
      continue;
    ++g->effort->block_moves;
    commit(g);
    gained = true;
  }
  return gained;
}

void pgopt_search_greedy(pgopt_search_state *state,
                         const pgopt_search_options *options,
                         pgopt_search_effort *effort) {
  size_t values = state->problem->value_count;
  greedy g = {.state = state,
              .options = options,
              .effort = effort,
              .gain = options->gain > LEAST_GAIN ? options->gain : LEAST_GAIN,
              .order = pgopt_allocate(values, sizeof *g.order),
              .due = pgopt_allocate(values, sizeof *g.due),
              .regions = pgopt_search_regions_create(state),
              .blocks = pgopt_search_blocks_create(state)};
  find_order(&g);
  for (size_t i = 0; i < values; ++i)
    g.due[i] = DUE_ALL;
  state->journal_count = 0;
  do
    while (sweep(&g))
      ;
  while (!effort->interrupted && (try_regions(&g) || try_blocks(&g)));
  free(g.order);
  free(g.due);
  pgopt_search_regions_free(g.regions);
  pgopt_search_blocks_free(g.blocks);
}
