#include "search/domains.h"

#include <stdlib.h>

/// Most items of a value. Beyond it, conversions at the same time are limited.
enum { MOST_ITEMS = 4096 };

static bool same_layouts(const pgopt_search_problem *problem,
                         const pgopt_search_kernel *kernel, int a, int b) {
  for (size_t i = 0; i < pgopt_search_slots(kernel); ++i)
    if (problem->values[pgopt_search_slot(kernel, i)].place !=
            PGOPT_SEARCH_PARAMETER &&
        kernel->candidates[a].layouts[i] != kernel->candidates[b].layouts[i])
      return false;
  return true;
}

/// The candidate writes everything fixed as declared.
static bool can_be_used(const pgopt_search_problem *problem,
                        const pgopt_search_kernel *kernel, int candidate) {
  const int *writes =
      kernel->candidates[candidate].layouts + kernel->operand_count;
  for (size_t i = 0; i < kernel->result_count; ++i) {
    const pgopt_search_value *value = &problem->values[kernel->results[i]];
    if (value->place == PGOPT_SEARCH_FIXED && writes[i] != value->declared)
      return false;
  }
  return true;
}

static void add_candidates(pgopt_domains *domains, int kernel) {
  const pgopt_search_problem *problem = domains->state->problem;
  const pgopt_search_kernel *k = &problem->kernels[kernel];
  pgopt_domain *domain = &domains->variables[kernel];
  for (int c = 0; c < (int)k->candidate_count; ++c) {
    if (!can_be_used(problem, k, c))
      continue;
    double cost = pgopt_search_candidate_ns(domains->state, kernel, c);
    size_t same = 0;
    while (same < domain->count &&
           !same_layouts(problem, k, domain->items[same].candidate, c))
      ++same;
    pgopt_domain_item item = {c, 0, 0, cost};
    if (same == domain->count)
      PGOPT_APPEND(domain->items, domain->count, domain->capacity, item);
    else if (cost < domain->items[same].cost_ns)
      domain->items[same] = item;
  }
}

/// The layouts that kernels of the value can write it in, or read it in.
static unsigned layouts_in(const pgopt_domains *domains, int kernel, int value,
                           bool written) {
  const pgopt_search_kernel *k = &domains->state->problem->kernels[kernel];
  const pgopt_domain *domain = &domains->variables[kernel];
  unsigned layouts = 0;
  for (size_t i = 0; i < pgopt_search_slots(k); ++i)
    for (size_t c = 0; c < domain->count && pgopt_search_slot(k, i) == value &&
                       (i >= k->operand_count) == written;
         ++c)
      layouts |= 1U << k->candidates[domain->items[c].candidate].layouts[i];
  return layouts;
}

/// Operands that read the value, and the caller where it does.
static int count_reads(const pgopt_search_state *state, int value) {
  int reads = state->problem->values[value].returned;
  for (size_t u = state->first_user[value]; u < state->first_user[value + 1];
       ++u) {
    const pgopt_search_kernel *k = &state->problem->kernels[state->users[u]];
    for (size_t i = 0; i < k->operand_count; ++i)
      reads += k->operands[i] == value;
  }
  return reads;
}

/// Sets of at most `most` out of `count`.
static int64_t count_sets(int count, int most) {
  int64_t sets = 1, of_size = 1;
  for (int size = 1; size <= most && size <= count; ++size) {
    of_size = of_size * (count - size + 1) / size;
    sets += of_size;
  }
  return sets;
}

/// Adds every set of at most `most` conversions from `stored`.
static void add_sets(pgopt_domains *domains, int value, int stored,
                     unsigned read, int most) {
  const pgopt_search_problem *problem = domains->state->problem;
  const pgopt_search_value *v = &problem->values[value];
  pgopt_domain *domain =
      &domains->variables[problem->kernel_count + (size_t)value];
  unsigned needed = v->returned ? 1U << v->declared : 0, possible = 0;
  double cost[PGOPT_SEARCH_MAX_LAYOUTS] = {0};
  for (int to = 0; to < (int)v->layout_count; ++to) {
    cost[to] = pgopt_search_conversion_ns(domains->state, value, stored, to);
    if (to != stored && read >> to & 1 && cost[to] < PGOPT_SEARCH_IMPOSSIBLE_NS)
      possible |= 1U << to;
  }
  unsigned converted = 0;
  do {
    if (__builtin_popcount(converted) <= most &&
        !(needed & ~(converted | 1U << stored))) {
      double ns = stored == v->declared ? 0 : PGOPT_SEARCH_LAYOUT_TIE_NS;
      for (int to = 0; to < (int)v->layout_count; ++to)
        if (converted >> to & 1)
          ns += cost[to];
      pgopt_domain_item item = {-1, stored, converted | 1U << stored, ns};
      PGOPT_APPEND(domain->items, domain->count, domain->capacity, item);
    }
    converted = (converted - possible) & possible;
  } while (converted);
}

static void add_value(pgopt_domains *domains, int value) {
  const pgopt_search_state *state = domains->state;
  const pgopt_search_value *v = &state->problem->values[value];
  if (v->place == PGOPT_SEARCH_PARAMETER)
    return;
  unsigned written = 1U << v->declared;
  unsigned read = v->returned ? 1U << v->declared : 0;
  if (v->place == PGOPT_SEARCH_FREE)
    written = layouts_in(domains, state->producer[value], value, true);
  size_t first = state->first_user[value], end = state->first_user[value + 1];
  for (size_t u = first; u < end; ++u)
    read |= layouts_in(domains, state->users[u], value, false);
  if (__builtin_popcount(written | read) <= 1)
    return;
  int most = count_reads(state, value), layouts = __builtin_popcount(read);
  most = most < layouts ? most : layouts;
  while (most > 2 &&
         count_sets(layouts, most) * __builtin_popcount(written) > MOST_ITEMS) {
    --most;
    domains->complete = false;
  }
  for (int stored = 0; stored < (int)v->layout_count; ++stored)
    if (written >> stored & 1)
      add_sets(domains, value, stored, read, most);
}

void pgopt_domains_create(pgopt_domains *domains,
                          const pgopt_search_state *state) {
  const pgopt_search_problem *problem = state->problem;
  *domains = (pgopt_domains){
      state, NULL, problem->kernel_count + problem->value_count, true};
  domains->variables =
      pgopt_allocate(domains->count, sizeof *domains->variables);
  for (int i = 0; i < (int)problem->kernel_count; ++i)
    add_candidates(domains, i);
  for (int i = 0; i < (int)problem->value_count; ++i)
    add_value(domains, i);
}

void pgopt_domains_free(pgopt_domains *domains) {
  for (size_t i = 0; i < domains->count; ++i)
    free(domains->variables[i].items);
  free(domains->variables);
  *domains = (pgopt_domains){0};
}

bool pgopt_domains_agree(const pgopt_domains *domains, int kernel,
                         const pgopt_domain_item *kernel_item, int value,
                         const pgopt_domain_item *value_item) {
  const pgopt_search_kernel *k = &domains->state->problem->kernels[kernel];
  const int *layouts = k->candidates[kernel_item->candidate].layouts;
  for (size_t i = 0; i < pgopt_search_slots(k); ++i) {
    if (pgopt_search_slot(k, i) != value)
      continue;
    if (i < k->operand_count ? !(value_item->layouts >> layouts[i] & 1)
                             : layouts[i] != value_item->stored)
      return false;
  }
  return true;
}
