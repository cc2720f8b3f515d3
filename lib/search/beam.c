#include "search/buckets.h"
#include "search/strategies.h"

#include <stdlib.h>
#include <string.h>

/// Most entries of a table of the bound that guides the beam.
enum { TABLE_LIMIT = 4096 };
/// Positions between two looks at interrupts.
enum { POLL_EVERY = 64 };

/// A partial assignment.
typedef struct ray {
  double bound_ns;
  int *assigned; ///< one a position
} ray;

/// A partial assignment and one item more.
typedef struct step {
  double bound_ns;
  int from, item;
} step;

static int compare_steps(const void *a, const void *b) {
  const step *x = a, *y = b;
  if (x->bound_ns != y->bound_ns)
    return x->bound_ns < y->bound_ns ? -1 : 1;
  if (x->from != y->from)
    return x->from - y->from;
  return x->item - y->item;
}

typedef struct beam {
  const pgopt_buckets *buckets;
  ray *rays, *next;
  size_t count, width;
  step *steps;
  size_t step_count, step_capacity;
} beam;

/// All rays take the variable at `position`; the best are kept.
static void advance(beam *b, int position) {
  int domain = pgopt_buckets_domain(b->buckets, position);
  b->step_count = 0;
  for (size_t r = 0; r < b->count; ++r)
    for (int i = 0; i < domain; ++i) {
      ray *from = &b->rays[r];
      from->assigned[position] = i;
      step taken = {from->bound_ns + pgopt_buckets_rise(b->buckets, position,
                                                        from->assigned),
                    (int)r, i};
      PGOPT_APPEND(b->steps, b->step_count, b->step_capacity, taken);
    }
  if (b->step_count > 1)
    qsort(b->steps, b->step_count, sizeof *b->steps, compare_steps);
  size_t count = b->step_count < b->width ? b->step_count : b->width;
  for (size_t s = 0; s < count; ++s) {
    ray *to = &b->next[s];
    to->bound_ns = b->steps[s].bound_ns;
    memcpy(to->assigned, b->rays[b->steps[s].from].assigned,
           (size_t)position * sizeof *to->assigned);
    to->assigned[position] = b->steps[s].item;
  }
  ray *rays = b->rays;
  b->rays = b->next;
  b->next = rays;
  b->count = count;
}

/// \returns false when it was interrupted.
static bool run(beam *b, const pgopt_search_options *options,
                pgopt_search_effort *effort, const pgopt_search_state *state) {
  int count = pgopt_buckets_count(b->buckets);
  for (int p = 0; p < count; ++p) {
    if (p % POLL_EVERY == 0 &&
        !pgopt_search_poll(options, effort, "beam", (size_t)p, (size_t)count,
                           state))
      return false;
    advance(b, p);
    effort->nodes += (int64_t)b->step_count;
  }
  return true;
}

/// Takes the best of the whole assignments and the present choice.
static void take_best(pgopt_search_state *state, const beam *b) {
  size_t kernels = state->problem->kernel_count;
  int *best = pgopt_duplicate(state->candidate, kernels * sizeof *best);
  int *candidates = pgopt_allocate(kernels, sizeof *candidates);
  double best_ns = pgopt_search_total_ns(state);
  for (size_t r = 0; r < b->count; ++r) {
    pgopt_buckets_candidates(b->buckets, b->rays[r].assigned, candidates);
    pgopt_search_state_assign(state, candidates);
    double ns = pgopt_search_total_ns(state);
    if (ns < best_ns) {
      best_ns = ns;
      memcpy(best, candidates, kernels * sizeof *best);
    }
  }
  pgopt_search_state_assign(state, best);
  free(best);
  free(candidates);
}

void pgopt_search_beam(pgopt_search_state *state,
                       const pgopt_search_options *options,
                       pgopt_search_effort *effort) {
  pgopt_buckets *buckets = pgopt_buckets_create(
      state, TABLE_LIMIT, options->interrupted, options->context);
  if (!buckets) {
    effort->interrupted = true;
    return;
  }
  size_t places = (size_t)pgopt_buckets_count(buckets);
  beam b = {.buckets = buckets,
            .rays = pgopt_allocate(options->beam_width, sizeof(ray)),
            .next = pgopt_allocate(options->beam_width, sizeof(ray)),
            .count = 1,
            .width = options->beam_width};
  for (size_t i = 0; i < b.width; ++i) {
    b.rays[i].assigned = pgopt_allocate(places, sizeof(int));
    b.next[i].assigned = pgopt_allocate(places, sizeof(int));
  }
  b.rays[0].bound_ns = pgopt_buckets_bound(buckets);
  if (run(&b, options, effort, state))
    take_best(state, &b);
  effort->bound_ns =
      pgopt_buckets_are_complete(buckets) ? pgopt_buckets_bound(buckets) : 0;
  for (size_t i = 0; i < b.width; ++i) {
    free(b.rays[i].assigned);
    free(b.next[i].assigned);
  }
  free(b.rays);
  free(b.next);
  free(b.steps);
  pgopt_buckets_free(buckets);
}
