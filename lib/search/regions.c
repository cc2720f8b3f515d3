#include "search/strategies.h"

#include <stdlib.h>

/// A region grows at most this many values beyond the best it had.
enum { PATIENCE = 24 };
/// Readers of a value beyond which they do not follow one another.
enum { MOST_SHARING = 32 };

/// A value beside the region, and the cheapest of its changes.
typedef struct follower {
  int value;
  int kernel; ///< that ties it to `leader`
  int leader, leader_layout;
  int layout;       ///< -1: none that it can follow with
  double change_ns; ///< of the cost, when it follows
  bool known;       ///< layout and change are as of now
} follower;

struct pgopt_search_regions {
  pgopt_search_state *state;
  follower *followers;
  size_t count, capacity;
  /// Values in or beside the region and kernels it touches have its number.
  unsigned *value_region, *kernel_region, region;
  double affected_ns; ///< of what it touches, before it
};

pgopt_search_regions *pgopt_search_regions_create(pgopt_search_state *state) {
  pgopt_search_regions *r = pgopt_allocate(1, sizeof *r);
  r->state = state;
  r->value_region =
      pgopt_allocate(state->problem->value_count, sizeof *r->value_region);
  r->kernel_region =
      pgopt_allocate(state->problem->kernel_count, sizeof *r->kernel_region);
  return r;
}

void pgopt_search_regions_free(pgopt_search_regions *regions) {
  free(regions->followers);
  free(regions->value_region);
  free(regions->kernel_region);
  free(regions);
}

/// Some candidate of the kernel that they share has the leader in its layout
/// and the follower in `layout`.
static bool tied(const pgopt_search_state *state, const follower *f,
                 int layout) {
  const pgopt_search_kernel *k = &state->problem->kernels[f->kernel];
  for (size_t c = 0; c < k->candidate_count; ++c) {
    bool leads = false, follows = false;
    for (size_t i = 0; i < pgopt_search_slots(k); ++i) {
      int value = pgopt_search_slot(k, i);
      int has = k->candidates[c].layouts[i];
      leads |= value == f->leader && has == f->leader_layout;
      follows |= value == f->value && has == layout;
    }
    if (leads && follows)
      return true;
  }
  return false;
}

static void look_at(pgopt_search_state *state, follower *f) {
  const pgopt_search_value *v = &state->problem->values[f->value];
  f->known = true;
  f->layout = -1;
  for (int layout = 0; layout < (int)v->layout_count; ++layout) {
    if (layout == state->stored[f->value] || !tied(state, f, layout))
      continue;
    size_t mark = state->journal_count;
    double before;
    double after = pgopt_search_store(state, f->value, layout, &before);
    pgopt_search_undo_to(state, mark);
    if (after < PGOPT_SEARCH_IMPOSSIBLE_NS &&
        (f->layout < 0 || after - before < f->change_ns)) {
      f->layout = layout;
      f->change_ns = after - before;
    }
  }
}

/// Values of the kernel become followers.
static void follow(pgopt_search_regions *r, int kernel, int leader,
                   int leader_layout) {
  const pgopt_search_problem *problem = r->state->problem;
  const pgopt_search_kernel *k = &problem->kernels[kernel];
  for (size_t i = 0; i < pgopt_search_slots(k); ++i) {
    int value = pgopt_search_slot(k, i);
    const pgopt_search_value *v = &problem->values[value];
    if (r->value_region[value] == r->region || v->layout_count < 2 ||
        v->place != PGOPT_SEARCH_FREE)
      continue;
    r->value_region[value] = r->region;
    follower f = {value, kernel, leader, leader_layout, -1, 0, false};
    PGOPT_APPEND(r->followers, r->count, r->capacity, f);
  }
}

/// Those that could share a conversion which the kernel needs follow as well.
static void follow_conversions(pgopt_search_regions *r, int kernel) {
  const pgopt_search_state *state = r->state;
  const pgopt_search_kernel *k = &state->problem->kernels[kernel];
  const int *layouts = k->candidates[state->candidate[kernel]].layouts;
  for (size_t i = 0; i < k->operand_count; ++i) {
    int value = k->operands[i];
    size_t first = state->first_user[value];
    size_t end = state->first_user[value + 1];
    if (layouts[i] == state->stored[value] || end - first > MOST_SHARING ||
        state->problem->values[value].place == PGOPT_SEARCH_PARAMETER)
      continue;
    for (size_t u = first; u < end; ++u)
      follow(r, state->users[u], value, layouts[i]);
  }
}

/// What is affected counts as it was before.
static void affect(pgopt_search_regions *r, int kernel) {
  if (r->kernel_region[kernel] == r->region)
    return;
  r->kernel_region[kernel] = r->region;
  r->affected_ns +=
      pgopt_search_candidate_ns(r->state, kernel, r->state->candidate[kernel]);
}

/// Followers around what changed since `mark` are looked at anew.
static void forget(pgopt_search_regions *r, size_t mark) {
  const pgopt_search_state *state = r->state;
  for (size_t j = mark; j < state->journal_count; ++j) {
    const pgopt_search_kernel *k =
        &state->problem->kernels[state->journal[j].kernel];
    for (size_t s = 0; s < pgopt_search_slots(k); ++s)
      for (size_t i = 0; i < r->count; ++i)
        if (pgopt_search_slot(k, s) == r->followers[i].value)
          r->followers[i].known = false;
  }
}

/// The value goes into the region. \returns the change of the cost.
static double join(pgopt_search_regions *r, int value, int layout) {
  pgopt_search_state *state = r->state;
  size_t first = state->first_user[value], end = state->first_user[value + 1];
  int producer = state->producer[value];
  r->value_region[value] = r->region;
  affect(r, producer);
  for (size_t u = first; u < end; ++u)
    affect(r, state->users[u]);
  size_t mark = state->journal_count;
  double before;
  double after = pgopt_search_store(state, value, layout, &before);
  forget(r, mark);
  follow(r, producer, value, layout);
  for (size_t u = first; u < end; ++u)
    follow(r, state->users[u], value, layout);
  size_t changes = state->journal_count;
  for (size_t j = mark; j < changes; ++j)
    follow_conversions(r, state->journal[j].kernel);
  return after - before;
}

/// The follower whose change costs least, taken off the list.
/// \returns false when there is none.
static bool take_follower(pgopt_search_regions *r, follower *taken) {
  size_t best = r->count;
  for (size_t i = 0; i < r->count; ++i) {
    follower *f = &r->followers[i];
    if (!f->known)
      look_at(r->state, f);
    if (f->layout >= 0 &&
        (best == r->count || f->change_ns < r->followers[best].change_ns))
      best = i;
  }
  if (best == r->count)
    return false;
  *taken = r->followers[best];
  r->followers[best] = r->followers[--r->count];
  return true;
}

double pgopt_search_region(pgopt_search_regions *r, int value, int layout,
                           double gain) {
  pgopt_search_state *state = r->state;
  size_t start = state->journal_count, best_mark = start;
  ++r->region;
  r->count = 0;
  r->affected_ns = 0;
  double best = 0, best_affected = 0, change = join(r, value, layout);
  if (change >= PGOPT_SEARCH_IMPOSSIBLE_NS) {
    pgopt_search_undo_to(state, start);
    return 0;
  }
  follower next;
  for (int since = 0; since < PATIENCE; ++since) {
    if (change < best) {
      best = change;
      best_affected = r->affected_ns;
      best_mark = state->journal_count;
      since = 0;
    }
    if (!take_follower(r, &next))
      break;
    change += join(r, next.value, next.layout);
  }
  if (change < best) {
    best = change;
    best_affected = r->affected_ns;
    best_mark = state->journal_count;
  }
  if (-best <= gain * best_affected) {
    best = 0;
    best_mark = start;
  }
  pgopt_search_undo_to(state, best_mark);
  return -best;
}
