#include "search/buckets.h"
#include "search/strategies.h"

#include <stdlib.h>

/// Nodes between two looks at interrupts.
enum { POLL_EVERY = 1 << 16 };
/// A choice that is better by less than this share is not looked for: rounding.
static const double ROUNDING = 1e-12;

/// An item of a variable, and the bound with it.
typedef struct branch {
  double bound_ns;
  int item;
} branch;

/// The search through all assignments, deepest first.
typedef struct descent {
  pgopt_search_state *state;
  const pgopt_buckets *buckets;
  int count;
  int *assigned;
  branch **branches; ///< per position: its items that may pay, best first
  int *branch_count, *next;
  int *candidates;
  double best_ns;
} descent;

static int compare_branches(const void *a, const void *b) {
  const branch *x = a, *y = b;
  if (x->bound_ns != y->bound_ns)
    return x->bound_ns < y->bound_ns ? -1 : 1;
  return x->item - y->item;
}

static bool may_pay(const descent *d, double bound_ns) {
  return bound_ns < d->best_ns - ROUNDING * d->best_ns;
}

static void expand(descent *d, int position, double bound_ns,
                   pgopt_search_effort *effort) {
  int count = pgopt_buckets_domain(d->buckets, position), kept = 0;
  for (int i = 0; i < count; ++i) {
    d->assigned[position] = i;
    double with =
        bound_ns + pgopt_buckets_rise(d->buckets, position, d->assigned);
    if (may_pay(d, with))
      d->branches[position][kept++] = (branch){with, i};
  }
  effort->nodes += count;
  qsort(d->branches[position], (size_t)kept, sizeof(branch), compare_branches);
  d->branch_count[position] = kept;
  d->next[position] = 0;
}

/// A whole assignment: kept when it is better than the best so far.
static void arrive(descent *d) {
  pgopt_buckets_candidates(d->buckets, d->assigned, d->candidates);
  int *before = pgopt_duplicate(d->state->candidate,
                                d->state->problem->kernel_count * sizeof(int));
  pgopt_search_state_assign(d->state, d->candidates);
  double ns = pgopt_search_total_ns(d->state);
  if (ns < d->best_ns)
    d->best_ns = ns;
  else
    pgopt_search_state_assign(d->state, before);
  free(before);
}

/// \returns whether everything was searched through.
static bool descend(descent *d, const pgopt_search_options *options,
                    pgopt_search_effort *effort) {
  int64_t first = effort->nodes, polled = first;
  int depth = 0;
  expand(d, 0, pgopt_buckets_bound(d->buckets), effort);
  while (depth >= 0) {
    if (effort->nodes - first > options->node_budget)
      return false;
    if (effort->nodes - polled >= POLL_EVERY) {
      polled = effort->nodes;
      if (!pgopt_search_poll(options, effort, "exact",
                             (size_t)(effort->nodes - first),
                             (size_t)options->node_budget, d->state))
        return false;
    }
    if (d->next[depth] == d->branch_count[depth]) {
      --depth;
      continue;
    }
    branch taken = d->branches[depth][d->next[depth]++];
    if (!may_pay(d, taken.bound_ns)) {
      // Branches are sorted: none behind it pays either.
      --depth;
      continue;
    }
    d->assigned[depth] = taken.item;
    if (depth + 1 == d->count)
      arrive(d);
    else
      expand(d, ++depth, taken.bound_ns, effort);
  }
  return true;
}

static bool search_all(pgopt_search_state *state, const pgopt_buckets *buckets,
                       const pgopt_search_options *options,
                       pgopt_search_effort *effort) {
  int count = pgopt_buckets_count(buckets);
  size_t places = (size_t)count;
  descent d = {state,
               buckets,
               count,
               pgopt_allocate(places, sizeof(int)),
               pgopt_allocate(places, sizeof(branch *)),
               pgopt_allocate(places, sizeof(int)),
               pgopt_allocate(places, sizeof(int)),
               pgopt_allocate(state->problem->kernel_count, sizeof(int)),
               pgopt_search_total_ns(state)};
  for (int i = 0; i < count; ++i)
    d.branches[i] = pgopt_allocate((size_t)pgopt_buckets_domain(buckets, i),
                                   sizeof(branch));
  bool done = !count || descend(&d, options, effort);
  for (int i = 0; i < count; ++i)
    free(d.branches[i]);
  free(d.assigned);
  free(d.branches);
  free(d.branch_count);
  free(d.next);
  free(d.candidates);
  return done;
}

void pgopt_search_exact(pgopt_search_state *state,
                        const pgopt_search_options *options,
                        pgopt_search_effort *effort) {
  size_t variables = state->problem->kernel_count + state->problem->value_count;
  // All tables in one piece where the budget allows it, else in pieces that
  // keep their sum near it.
  int64_t limit = options->node_budget;
  if (pgopt_buckets_exact_entries(state) > (double)options->node_budget)
    limit = options->node_budget / (int64_t)(variables ? variables : 1);
  if (limit < 1)
    limit = 1;
  effort->proved = false;
  if (!pgopt_search_poll(options, effort, "exact", 0, 0, state))
    return;
  pgopt_buckets *buckets = pgopt_buckets_create(
      state, limit, options->interrupted, options->context);
  if (!buckets) {
    effort->interrupted = true;
    return;
  }
  bool done = search_all(state, buckets, options, effort);
  effort->proved = done && pgopt_buckets_are_complete(buckets);
  effort->bound_ns = effort->proved ? pgopt_search_total_ns(state)
                     : pgopt_buckets_are_complete(buckets)
                         ? pgopt_buckets_bound(buckets)
                         : 0;
  pgopt_buckets_free(buckets);
}
