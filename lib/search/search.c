#include "search/search.h"

#include "search/decisions.h"
#include "search/problem.h"
#include "search/strategies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct search {
  const pgopt_search_problem *problem;
  const pgopt_search_options *options;
  pgopt_search_result *result;
  double *price_ns;      ///< per price: measured, or estimated and scaled
  bool *is_conversion;   ///< per price
  bool *asked, *counted; ///< per price
  int *wanted;           ///< prices to be measured, in the order they came up
  pgopt_search_request *first_use; ///< per price
  size_t wanted_count;
  pgopt_search_state state;
  pgopt_search_effort effort;
  bool may_measure;
} search;

static void note_use(search *s, int price, pgopt_search_request request) {
  if (s->first_use[price].price < 0) {
    request.price = price;
    s->first_use[price] = request;
    s->is_conversion[price] = request.kernel < 0;
  }
}

static void find_first_uses(search *s) {
  const pgopt_search_problem *problem = s->problem;
  for (size_t i = 0; i < problem->price_count; ++i)
    s->first_use[i].price = -1;
  for (int k = 0; k < (int)problem->kernel_count; ++k)
    for (int c = 0; c < (int)problem->kernels[k].candidate_count; ++c)
      note_use(
          s, problem->kernels[k].candidates[c].price,
          (pgopt_search_request){
              .kernel = k, .candidate = c, .value = -1, .from = -1, .to = -1});
  for (int v = 0; v < (int)problem->value_count; ++v) {
    const pgopt_search_value *value = &problem->values[v];
    int layouts =
        value->place == PGOPT_SEARCH_PARAMETER ? 0 : (int)value->layout_count;
    for (int i = 0; i < layouts * layouts; ++i) {
      int from = i / layouts, to = i % layouts;
      int price = pgopt_search_conversion_price(value, from, to);
      if (from != to && price != PGOPT_SEARCH_NO_PRICE)
        note_use(s, price,
                 (pgopt_search_request){.kernel = -1,
                                        .candidate = -1,
                                        .value = v,
                                        .from = from,
                                        .to = to});
    }
  }
}

static int compare_ratios(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/// How many times longer things take than estimated: the median of what was
/// measured; 1 when nothing was.
static double estimate_scale(const search *s, bool conversions) {
  size_t count = 0;
  double *ratios = pgopt_allocate(s->problem->price_count, sizeof *ratios);
  for (size_t i = 0; i < s->problem->price_count; ++i) {
    const pgopt_search_price *price = &s->problem->prices[i];
    if (s->first_use[i].price >= 0 && s->is_conversion[i] == conversions &&
        isfinite(price->measured_ns) && isfinite(price->estimated_ns) &&
        price->measured_ns > 0 && price->estimated_ns > 0)
      ratios[count++] = price->measured_ns / price->estimated_ns;
  }
  qsort(ratios, count, sizeof *ratios, compare_ratios);
  double scale = count ? ratios[count / 2] : 1;
  free(ratios);
  return scale;
}

static void find_prices(search *s) {
  double scale[2] = {estimate_scale(s, false), estimate_scale(s, true)};
  for (size_t i = 0; i < s->problem->price_count; ++i) {
    const pgopt_search_price *price = &s->problem->prices[i];
    double ns = isnan(price->measured_ns)
                    ? price->estimated_ns * scale[s->is_conversion[i]]
                    : price->measured_ns;
    s->price_ns[i] =
        ns < PGOPT_SEARCH_IMPOSSIBLE_NS ? ns : PGOPT_SEARCH_IMPOSSIBLE_NS;
  }
}

static void want(search *s, int price) {
  if (price == PGOPT_SEARCH_NO_PRICE || s->asked[price] ||
      !isnan(s->problem->prices[price].measured_ns) ||
      s->price_ns[price] >= PGOPT_SEARCH_IMPOSSIBLE_NS)
    return;
  s->asked[price] = true;
  s->wanted[s->wanted_count++] = price;
}

static void want_kernel(search *s, int kernel) {
  want(
      s,
      s->problem->kernels[kernel].candidates[s->state.candidate[kernel]].price);
}

static void want_conversions(search *s, int value) {
  for (int to = 0; to < (int)s->problem->values[value].layout_count; ++to)
    want(s, pgopt_search_needed_price(&s->state, value, to));
}

static void want_choice(search *s) {
  for (int k = 0; k < (int)s->problem->kernel_count; ++k)
    want_kernel(s, k);
  for (int v = 0; v < (int)s->problem->value_count; ++v)
    want_conversions(s, v);
}

/// What the start costs, which the choice is compared with.
static void want_start(search *s) {
  int *chosen = pgopt_duplicate(s->state.candidate,
                                s->problem->kernel_count * sizeof *chosen);
  pgopt_search_state_restart(&s->state);
  want_choice(s);
  pgopt_search_state_assign(&s->state, chosen);
  free(chosen);
}

/// The layouts of a value that are near the best one beside the choice.
static void want_layouts(search *s, int value) {
  const pgopt_search_value *v = &s->problem->values[value];
  pgopt_search_state *state = &s->state;
  double ns[PGOPT_SEARCH_MAX_LAYOUTS], before, best = INFINITY;
  for (int pass = 0; pass < 2; ++pass)
    for (int layout = 0; layout < (int)v->layout_count; ++layout) {
      if (pass && ns[layout] > s->options->prune * best)
        continue;
      ns[layout] = pgopt_search_store(state, value, layout, &before);
      best = ns[layout] < best ? ns[layout] : best;
      for (size_t i = 0; pass && i < state->scope_kernel_count; ++i)
        want_kernel(s, state->scope_kernels[i]);
      for (size_t i = 0; pass && i < state->scope_value_count; ++i)
        want_conversions(s, state->scope_values[i]);
      pgopt_search_undo_to(state, 0);
    }
}

/// Candidates of the kernel that write as the present one does, and read what
/// is stored or what it reads.
static void want_variants(search *s, int kernel) {
  const pgopt_search_kernel *k = &s->problem->kernels[kernel];
  int present = s->state.candidate[kernel];
  const int *layouts = k->candidates[present].layouts;
  double most =
      s->options->prune * pgopt_search_candidate_ns(&s->state, kernel, present);
  for (int c = 0; c < (int)k->candidate_count; ++c) {
    bool same = pgopt_search_candidate_ns(&s->state, kernel, c) <= most;
    for (size_t i = 0; i < pgopt_search_slots(k) && same; ++i)
      same = s->problem->values[pgopt_search_slot(k, i)].place ==
                 PGOPT_SEARCH_PARAMETER ||
             k->candidates[c].layouts[i] == layouts[i];
    if (same)
      want(s, k->candidates[c].price);
  }
}

/// Measures what is wanted. \returns whether anything was learnt.
static bool measure_wanted(search *s) {
  if (!s->wanted_count)
    return false;
  size_t count = s->wanted_count, learnt = 0;
  pgopt_search_request *requests = pgopt_allocate(count, sizeof *requests);
  double *time_ns = pgopt_allocate(count, sizeof *time_ns);
  for (size_t i = 0; i < count; ++i) {
    time_ns[i] = NAN;
    requests[i] = s->first_use[s->wanted[i]];
  }
  s->wanted_count = 0;
  s->result->requested += count;
  s->may_measure =
      s->options->measure(s->options->context, requests, count, time_ns);
  for (size_t i = 0; i < count; ++i)
    if (time_ns[i] >= 0) {
      s->problem->prices[requests[i].price].measured_ns = time_ns[i];
      ++learnt;
    }
  s->result->measured += learnt;
  free(requests);
  free(time_ns);
  return learnt > 0;
}

static void run_strategy(search *s) {
  pgopt_search_greedy(&s->state, s->options, &s->effort);
  if (s->effort.interrupted)
    return;
  if (s->options->strategy == PGOPT_SEARCH_BEAM)
    pgopt_search_beam(&s->state, s->options, &s->effort);
  if (s->options->strategy == PGOPT_SEARCH_EXACT)
    pgopt_search_exact(&s->state, s->options, &s->effort);
}

/// Searches under what is known, measures what the choice rests on, then what
/// comes near it, then the start, and searches again, until nothing of that is
/// unknown.
static void run_rounds(search *s) {
  bool learnt = true;
  while (learnt) {
    find_prices(s);
    pgopt_search_state_restart(&s->state);
    s->effort.proved = false;
    s->effort.bound_ns = 0;
    run_strategy(s);
    if (!s->may_measure || s->effort.interrupted)
      return;
    want_choice(s);
    for (int v = 0; v < (int)s->problem->value_count; ++v)
      want_layouts(s, v);
    for (int k = 0; k < (int)s->problem->kernel_count; ++k)
      want_variants(s, k);
    want_start(s);
    pgopt_search_poll(s->options, &s->effort, "measure", s->result->measured,
                      s->result->measured + s->wanted_count, &s->state);
    learnt = !s->effort.interrupted && measure_wanted(s);
  }
}

/// The cost without the shares that order ties; infinity when it cannot be.
static double plain_cost(const search *s) {
  double ns = 0;
  for (int k = 0; k < (int)s->problem->kernel_count; ++k)
    ns += pgopt_search_candidate_ns(&s->state, k, s->state.candidate[k]);
  for (int v = 0; v < (int)s->problem->value_count; ++v)
    for (int to = 0; to < (int)s->problem->values[v].layout_count; ++to) {
      int price = pgopt_search_needed_price(&s->state, v, to);
      ns += price == PGOPT_SEARCH_NO_PRICE ? 0 : s->price_ns[price];
    }
  return ns < PGOPT_SEARCH_IMPOSSIBLE_NS ? ns : INFINITY;
}

static void count_estimate(search *s, int price) {
  if (price != PGOPT_SEARCH_NO_PRICE && !s->counted[price] &&
      isnan(s->problem->prices[price].measured_ns)) {
    s->counted[price] = true;
    ++s->result->estimated;
  }
}

static void list_conversions(search *s) {
  pgopt_search_result *result = s->result;
  for (int list = 0; list < 2; ++list) {
    size_t count = 0;
    for (int v = 0; v < (int)s->problem->value_count; ++v)
      for (int to = 0; to < (int)s->problem->values[v].layout_count; ++to) {
        int price = pgopt_search_needed_price(&s->state, v, to);
        if (price == PGOPT_SEARCH_NO_PRICE)
          continue;
        if (list)
          result->conversions[count] = (pgopt_search_conversion){
              v, s->state.stored[v], to, s->price_ns[price]};
        count_estimate(s, price);
        ++count;
      }
    result->conversion_count = count;
    if (!list)
      result->conversions = pgopt_arena_allocate(&result->memory, count,
                                                 sizeof *result->conversions);
  }
}

/// The choice, or the start where it costs as much: ties and rounding decide
/// nothing.
static void keep_cheaper(search *s) {
  int *chosen = pgopt_duplicate(s->state.candidate,
                                s->problem->kernel_count * sizeof *chosen);
  pgopt_search_state_restart(&s->state);
  s->result->start_ns = s->result->cost_ns = plain_cost(s);
  pgopt_search_state_assign(&s->state, chosen);
  double cost = plain_cost(s);
  if (cost < s->result->start_ns)
    s->result->cost_ns = cost;
  else
    pgopt_search_state_restart(&s->state);
  free(chosen);
}

static void fill_result(search *s) {
  pgopt_search_result *result = s->result;
  const pgopt_search_problem *problem = s->problem;
  keep_cheaper(s);
  result->candidate =
      pgopt_arena_copy(&result->memory, s->state.candidate,
                       problem->kernel_count * sizeof *result->candidate);
  result->stored =
      pgopt_arena_copy(&result->memory, s->state.stored,
                       problem->value_count * sizeof *result->stored);
  list_conversions(s);
  for (int k = 0; k < (int)problem->kernel_count; ++k)
    count_estimate(s,
                   problem->kernels[k].candidates[result->candidate[k]].price);
  pgopt_search_decide(&s->state, s->options->gain, result);
  result->bound_ns = s->effort.bound_ns < result->cost_ns ? s->effort.bound_ns
                                                          : result->cost_ns;
  result->proved = s->effort.proved;
  result->interrupted = s->effort.interrupted;
  result->sweeps = s->effort.sweeps;
  result->region_moves = s->effort.region_moves;
  result->block_moves = s->effort.block_moves;
  result->nodes = s->effort.nodes;
}

pgopt_status pgopt_search(const pgopt_search_problem *problem,
                          const pgopt_search_options *options,
                          pgopt_search_result *result, pgopt_error *error) {
  *result = (pgopt_search_result){0};
  pgopt_status status = pgopt_search_check(problem, error);
  if (status != PGOPT_OK)
    return status;
  if (options->beam_width < 1 || !(options->gain >= 0) ||
      !(options->prune >= 1))
    return pgopt_fail(error, PGOPT_INVALID,
                      "beam width %zu, gain %g, prune %g: allowed are at least "
                      "1, 0 and 1",
                      options->beam_width, options->gain, options->prune);
  size_t prices = problem->price_count;
  search s = {.problem = problem,
              .options = options,
              .result = result,
              .price_ns = pgopt_allocate(prices, sizeof(double)),
              .is_conversion = pgopt_allocate(prices, sizeof(bool)),
              .asked = pgopt_allocate(prices, sizeof(bool)),
              .counted = pgopt_allocate(prices, sizeof(bool)),
              .wanted = pgopt_allocate(prices, sizeof(int)),
              .first_use = pgopt_allocate(prices, sizeof(pgopt_search_request)),
              .may_measure = options->measure != NULL};
  find_first_uses(&s);
  find_prices(&s);
  pgopt_search_state_create(&s.state, problem, s.price_ns);
  run_rounds(&s);
  fill_result(&s);
  pgopt_search_state_free(&s.state);
  free(s.price_ns);
  free(s.is_conversion);
  free(s.asked);
  free(s.wanted);
  free(s.counted);
  free(s.first_use);
  return PGOPT_OK;
}

void pgopt_search_result_free(pgopt_search_result *result) {
  pgopt_arena_free(&result->memory);
  *result = (pgopt_search_result){0};
}
