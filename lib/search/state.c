#include "search/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Differences below this share are rounding.
static const double ROUNDING = 1e-12;

int pgopt_search_conversion_price(const pgopt_search_value *value, int from,
                                  int to) {
  return value->conversions
             ? value->conversions[(size_t)from * value->layout_count +
                                  (size_t)to]
             : PGOPT_SEARCH_NO_PRICE;
}

double pgopt_search_conversion_ns(const pgopt_search_state *state, int value,
                                  int from, int to) {
  const pgopt_search_value *v = &state->problem->values[value];
  if (from == to || v->place == PGOPT_SEARCH_PARAMETER)
    return 0;
  int price = pgopt_search_conversion_price(v, from, to);
  return price == PGOPT_SEARCH_NO_PRICE
             ? PGOPT_SEARCH_IMPOSSIBLE_NS
             : state->price_ns[price] + PGOPT_SEARCH_CONVERSION_TIE_NS;
}

double pgopt_search_candidate_ns(const pgopt_search_state *state, int kernel,
                                 int candidate) {
  const pgopt_search_kernel *k = &state->problem->kernels[kernel];
  return state->price_ns[k->candidates[candidate].price];
}

static int *readers_of(const pgopt_search_state *state, int value) {
  return state->readers + (size_t)value * PGOPT_SEARCH_MAX_LAYOUTS;
}

int pgopt_search_needed_price(const pgopt_search_state *state, int value,
                              int to) {
  const pgopt_search_value *v = &state->problem->values[value];
  int stored = state->stored[value];
  return stored == to || v->place == PGOPT_SEARCH_PARAMETER ||
                 !readers_of(state, value)[to]
             ? PGOPT_SEARCH_NO_PRICE
             : pgopt_search_conversion_price(v, stored, to);
}

double pgopt_search_value_ns(const pgopt_search_state *state, int value) {
  const pgopt_search_value *v = &state->problem->values[value];
  if (v->place == PGOPT_SEARCH_PARAMETER)
    return 0;
  int stored = state->stored[value];
  double ns = stored == v->declared ? 0 : PGOPT_SEARCH_LAYOUT_TIE_NS;
  for (int to = 0; to < (int)v->layout_count; ++to)
    if (readers_of(state, value)[to])
      ns += pgopt_search_conversion_ns(state, value, stored, to);
  return ns;
}

double pgopt_search_total_ns(const pgopt_search_state *state) {
  double ns = 0;
  for (size_t i = 0; i < state->problem->kernel_count; ++i)
    ns += pgopt_search_candidate_ns(state, (int)i, state->candidate[i]);
  for (size_t i = 0; i < state->problem->value_count; ++i)
    ns += pgopt_search_value_ns(state, (int)i);
  return ns;
}

/// Adds `change` to the readers that a candidate of the kernel means.
static void count_reads(pgopt_search_state *state, int kernel, int candidate,
                        int change) {
  const pgopt_search_kernel *k = &state->problem->kernels[kernel];
  const int *layouts = k->candidates[candidate].layouts;
  for (size_t i = 0; i < k->operand_count; ++i)
    readers_of(state, k->operands[i])[layouts[i]] += change;
}

static void change_candidate(pgopt_search_state *state, int kernel,
                             int candidate) {
  const pgopt_search_kernel *k = &state->problem->kernels[kernel];
  count_reads(state, kernel, state->candidate[kernel], -1);
  count_reads(state, kernel, candidate, 1);
  state->candidate[kernel] = candidate;
  const int *layouts = k->candidates[candidate].layouts + k->operand_count;
  for (size_t i = 0; i < k->result_count; ++i)
    state->stored[k->results[i]] = layouts[i];
}

void pgopt_search_set(pgopt_search_state *state, int kernel, int candidate) {
  if (candidate == state->candidate[kernel])
    return;
  pgopt_search_undo undo = {kernel, state->candidate[kernel]};
  PGOPT_APPEND(state->journal, state->journal_count, state->journal_capacity,
               undo);
  change_candidate(state, kernel, candidate);
}

void pgopt_search_undo_to(pgopt_search_state *state, size_t count) {
  while (state->journal_count > count) {
    pgopt_search_undo undo = state->journal[--state->journal_count];
    change_candidate(state, undo.kernel, undo.candidate);
  }
}

void pgopt_search_state_assign(pgopt_search_state *state,
                               const int *candidates) {
  for (size_t i = 0; i < state->problem->kernel_count; ++i)
    change_candidate(state, (int)i, candidates[i]);
  state->journal_count = 0;
}

/// The kernel's cheapest candidate with everything as declared; the first when
/// there is none, which is so in parts of problems only.
static int declared_candidate(const pgopt_search_state *state, int kernel) {
  const pgopt_search_kernel *k = &state->problem->kernels[kernel];
  int best = -1;
  for (int c = 0; c < (int)k->candidate_count; ++c) {
    bool declared = true;
    for (size_t i = 0; i < pgopt_search_slots(k) && declared; ++i) {
      const pgopt_search_value *value =
          &state->problem->values[pgopt_search_slot(k, i)];
      declared = value->place == PGOPT_SEARCH_PARAMETER ||
                 k->candidates[c].layouts[i] == value->declared;
    }
    if (declared &&
        (best < 0 || pgopt_search_candidate_ns(state, kernel, c) <
                         pgopt_search_candidate_ns(state, kernel, best)))
      best = c;
  }
  return best < 0 ? 0 : best;
}

void pgopt_search_state_restart(pgopt_search_state *state) {
  for (size_t i = 0; i < state->problem->kernel_count; ++i)
    change_candidate(state, (int)i, declared_candidate(state, (int)i));
  state->journal_count = 0;
}

/// Lists the kernels that read each value.
static void find_users(pgopt_search_state *state) {
  const pgopt_search_problem *problem = state->problem;
  size_t *first = state->first_user;
  size_t *last = pgopt_allocate(problem->value_count, sizeof *last);
  for (int fill = 0; fill < 2; ++fill) {
    memset(last, 0, problem->value_count * sizeof *last);
    for (size_t k = 0; k < problem->kernel_count; ++k)
      for (size_t i = 0; i < problem->kernels[k].operand_count; ++i) {
        int value = problem->kernels[k].operands[i];
        // Reads of one kernel come one after another: `last` is it, plus one.
        if (last[value] == k + 1)
          continue;
        last[value] = k + 1;
        if (fill)
          state->users[first[value]++] = (int)k;
        else
          ++first[value + 1];
      }
    for (size_t v = 0; v < problem->value_count && !fill; ++v)
      first[v + 1] += first[v];
    if (!fill)
      state->users =
          pgopt_allocate(first[problem->value_count], sizeof *state->users);
  }
  // Filling moved every first user to the next value's.
  memmove(first + 1, first, problem->value_count * sizeof *first);
  first[0] = 0;
  free(last);
}

void pgopt_search_state_create(pgopt_search_state *state,
                               const pgopt_search_problem *problem,
                               const double *price_ns) {
  size_t values = problem->value_count, kernels = problem->kernel_count;
  *state = (pgopt_search_state){
      .problem = problem,
      .price_ns = price_ns,
      .producer = pgopt_allocate(values, sizeof(int)),
      .first_user = pgopt_allocate(values + 1, sizeof(size_t)),
      .candidate = pgopt_allocate(kernels, sizeof(int)),
      .stored = pgopt_allocate(values, sizeof(int)),
      .readers = pgopt_allocate(values, PGOPT_SEARCH_MAX_LAYOUTS * sizeof(int)),
      .scope_kernels = pgopt_allocate(kernels, sizeof(int)),
      .scope_values = pgopt_allocate(values, sizeof(int)),
      .kernel_mark = pgopt_allocate(kernels, sizeof(unsigned)),
      .value_mark = pgopt_allocate(values, sizeof(unsigned))};
  for (size_t i = 0; i < values; ++i) {
    state->producer[i] = -1;
    state->stored[i] = problem->values[i].declared;
    if (problem->values[i].returned)
      ++readers_of(state, (int)i)[problem->values[i].declared];
  }
  for (size_t i = 0; i < kernels; ++i) {
    for (size_t j = 0; j < problem->kernels[i].result_count; ++j)
      state->producer[problem->kernels[i].results[j]] = (int)i;
    count_reads(state, (int)i, 0, 1);
  }
  find_users(state);
  pgopt_search_state_restart(state);
}

void pgopt_search_state_free(pgopt_search_state *state) {
  free(state->producer);
  free(state->first_user);
  free(state->users);
  free(state->candidate);
  free(state->stored);
  free(state->readers);
  free(state->journal);
  free(state->scope_kernels);
  free(state->scope_values);
  free(state->kernel_mark);
  free(state->value_mark);
  *state = (pgopt_search_state){0};
}

static void add_to_scope(pgopt_search_state *state, int kernel) {
  if (state->kernel_mark[kernel] == state->mark)
    return;
  state->kernel_mark[kernel] = state->mark;
  state->scope_kernels[state->scope_kernel_count++] = kernel;
  const pgopt_search_kernel *k = &state->problem->kernels[kernel];
  for (size_t i = 0; i < pgopt_search_slots(k); ++i) {
    int value = pgopt_search_slot(k, i);
    if (state->value_mark[value] == state->mark)
      continue;
    state->value_mark[value] = state->mark;
    state->scope_values[state->scope_value_count++] = value;
  }
}

/// Finds what a change of the value affects: its producer first, then its
/// users, and all their values.
static void find_scope(pgopt_search_state *state, int value) {
  ++state->mark;
  state->scope_kernel_count = state->scope_value_count = 0;
  if (state->producer[value] >= 0)
    add_to_scope(state, state->producer[value]);
  for (size_t i = state->first_user[value]; i < state->first_user[value + 1];
       ++i)
    add_to_scope(state, state->users[i]);
}

static double scope_ns(const pgopt_search_state *state) {
  double ns = 0;
  for (size_t i = 0; i < state->scope_kernel_count; ++i) {
    int kernel = state->scope_kernels[i];
    ns += pgopt_search_candidate_ns(state, kernel, state->candidate[kernel]);
  }
  for (size_t i = 0; i < state->scope_value_count; ++i)
    ns += pgopt_search_value_ns(state, state->scope_values[i]);
  return ns;
}

/// What a candidate adds: its time and the conversions that nobody else needs.
/// The kernel's own reads are not counted among the readers.
static double added_ns(const pgopt_search_state *state, int kernel,
                       int candidate) {
  const pgopt_search_kernel *k = &state->problem->kernels[kernel];
  const int *layouts = k->candidates[candidate].layouts;
  double ns = pgopt_search_candidate_ns(state, kernel, candidate);
  for (size_t i = 0; i < k->operand_count; ++i) {
    int value = k->operands[i];
    bool paid = readers_of(state, value)[layouts[i]] > 0;
    for (size_t j = 0; j < i && !paid; ++j)
      paid = k->operands[j] == value && layouts[j] == layouts[i];
    if (!paid)
      ns += pgopt_search_conversion_ns(state, value, state->stored[value],
                                       layouts[i]);
  }
  return ns;
}

/// The kernel's cheapest candidate that writes `value` in `layout` and other
/// results as they are stored; the present one when none is cheaper, -1 when
/// there is none.
static int best_candidate(pgopt_search_state *state, int kernel, int value,
                          int layout) {
  const pgopt_search_kernel *k = &state->problem->kernels[kernel];
  int present = state->candidate[kernel], best = -1;
  double best_ns = 0;
  count_reads(state, kernel, present, -1);
  for (int c = 0; c < (int)k->candidate_count; ++c) {
    const int *writes = k->candidates[c].layouts + k->operand_count;
    bool fits = true;
    for (size_t i = 0; i < k->result_count && fits; ++i) {
      int result = k->results[i];
      fits = writes[i] == (result == value ? layout : state->stored[result]);
    }
    if (!fits)
      continue;
    double ns = added_ns(state, kernel, c);
    double less = best_ns - ns, rounding = ROUNDING * fabs(best_ns);
    if (best < 0 || less > rounding || (c == present && less >= -rounding)) {
      best = c;
      best_ns = ns;
    }
  }
  count_reads(state, kernel, present, 1);
  return best;
}

/// The value's users take their cheapest candidates, one after the other, until
/// nobody changes; twice at most.
static void settle_users(pgopt_search_state *state, int value) {
  bool changed = true;
  for (int round = 0; round < 2 && changed; ++round) {
    changed = false;
    for (size_t i = state->first_user[value]; i < state->first_user[value + 1];
         ++i) {
      int user = state->users[i];
      int best = best_candidate(state, user, -1, 0);
      changed |= best != state->candidate[user];
      pgopt_search_set(state, user, best);
    }
  }
}

/// Users settle as if the value were converted to `layout` already.
static void settle_with(pgopt_search_state *state, int value, int layout) {
  int *readers = readers_of(state, value) + layout;
  ++*readers;
  settle_users(state, value);
  --*readers;
}

/// Converts the value for several users together where that pays: the layout
/// that saves most, then again. \returns the cost of the scope.
static double open_conversions(pgopt_search_state *state, int value) {
  const pgopt_search_value *v = &state->problem->values[value];
  double best_ns = scope_ns(state);
  int best;
  do {
    best = -1;
    for (int to = 0; to < (int)v->layout_count; ++to) {
      if (readers_of(state, value)[to] ||
          pgopt_search_conversion_ns(state, value, state->stored[value], to) >=
              PGOPT_SEARCH_IMPOSSIBLE_NS)
        continue;
      size_t mark = state->journal_count;
      settle_with(state, value, to);
      double ns = scope_ns(state);
      if (best_ns - ns > ROUNDING * best_ns) {
        best_ns = ns;
        best = to;
      }
      pgopt_search_undo_to(state, mark);
    }
    if (best >= 0)
      settle_with(state, value, best);
  } while (best >= 0);
  return best_ns;
}

double pgopt_search_store(pgopt_search_state *state, int value, int layout,
                          double *before_ns) {
  int producer = state->producer[value];
  find_scope(state, value);
  *before_ns = scope_ns(state);
  bool is_free = state->problem->values[value].place == PGOPT_SEARCH_FREE;
  if (!is_free && layout != state->stored[value])
    return 2 * PGOPT_SEARCH_IMPOSSIBLE_NS;
  if (producer >= 0) {
    int best = best_candidate(state, producer, value, layout);
    if (best < 0)
      return 2 * PGOPT_SEARCH_IMPOSSIBLE_NS;
    pgopt_search_set(state, producer, best);
  }
  settle_users(state, value);
  if (state->first_user[value + 1] - state->first_user[value] > 1)
    return open_conversions(state, value);
  return scope_ns(state);
}
