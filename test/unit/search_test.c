/// \file The layout search: strategies against trying everything, ties, fixed
/// and returned values, unknown prices, interrupts.
#include "check.h"
#include "search/decisions.h"
#include "search_graphs.h"

static pgopt_search_result run(search_graph *g, pgopt_search_options options) {
  pgopt_search_result result;
  pgopt_error error = {0};
  CHECK(pgopt_search(&g->problem, &options, &result, &error) == PGOPT_OK);
  return result;
}

static pgopt_search_options with(pgopt_search_strategy strategy) {
  pgopt_search_options options = pgopt_search_defaults();
  options.strategy = strategy;
  return options;
}

/// The result is a choice, costs what it says, and lists its conversions.
static void check_found(const search_graph *g,
                        const pgopt_search_result *result) {
  const pgopt_search_problem *problem = &g->problem;
  double cost = graph_cost(problem, result->candidate);
  CHECK_NEAR(cost, result->cost_ns, 1e-9 * cost);
  CHECK(result->cost_ns <= result->start_ns);
  CHECK(result->bound_ns <= result->cost_ns);
  double conversions = 0, kernels = 0;
  for (size_t i = 0; i < result->conversion_count; ++i) {
    CHECK(result->conversions[i].from ==
          result->stored[result->conversions[i].value]);
    conversions += result->conversions[i].time_ns;
  }
  for (size_t k = 0; k < problem->kernel_count; ++k)
    kernels +=
        problem
            ->prices[problem->kernels[k].candidates[result->candidate[k]].price]
            .measured_ns;
  CHECK_NEAR(kernels + conversions, cost, 1e-9 * cost);
}

static void exact_is_the_optimum(void) {
  int proved = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    search_graph g;
    graph_generate(&g, (graph_shape)(seed % GRAPH_SHAPES), 3 + seed % 4,
                   2 + seed % 2, seed);
    double optimum = graph_optimum(&g.problem);
    pgopt_search_result exact = run(&g, with(PGOPT_SEARCH_EXACT));
    check_found(&g, &exact);
    CHECK(exact.proved);
    CHECK_NEAR(exact.cost_ns, optimum, 1e-9 * optimum + 1);
    pgopt_search_result_free(&exact);
    // Tables too small for that: branch and bound has to finish it.
    pgopt_search_options options = with(PGOPT_SEARCH_EXACT);
    options.node_budget = 600;
    exact = run(&g, options);
    check_found(&g, &exact);
    proved += exact.proved;
    if (exact.proved)
      CHECK_NEAR(exact.cost_ns, optimum, 1e-9 * optimum + 1);
    CHECK(exact.bound_ns <= optimum * (1 + 1e-9) + 1);
    pgopt_search_result_free(&exact);
    graph_free(&g);
  }
  CHECK(proved > 200 && proved < 300);
}

/// Whatever the contract allows: every strategy's result is a choice, exact's
/// the best one.
static void wild_problems_are_solved(void) {
  for (uint64_t seed = 1; seed <= 600; ++seed) {
    search_graph g;
    graph_generate_wild(&g, 1 + seed % 6, seed);
    double optimum = graph_optimum(&g.problem);
    for (int strategy = 0; strategy <= PGOPT_SEARCH_EXACT; ++strategy) {
      pgopt_search_result result =
          run(&g, with((pgopt_search_strategy)strategy));
      check_found(&g, &result);
      CHECK(result.cost_ns >= optimum - 1e-6);
      CHECK(result.bound_ns <= optimum + 1);
      if (strategy == PGOPT_SEARCH_EXACT) {
        CHECK(result.proved);
        CHECK_NEAR(result.cost_ns, optimum, 1);
      }
      pgopt_search_result_free(&result);
    }
    graph_free(&g);
  }
}

static void results_repeat(void) {
  for (int strategy = 0; strategy <= PGOPT_SEARCH_EXACT; ++strategy) {
    search_graph g;
    graph_generate(&g, GRAPH_INCEPTION, 60, 3, 7);
    pgopt_search_result a = run(&g, with((pgopt_search_strategy)strategy));
    pgopt_search_result b = run(&g, with((pgopt_search_strategy)strategy));
    CHECK(!memcmp(a.candidate, b.candidate,
                  g.problem.kernel_count * sizeof *a.candidate));
    CHECK(a.cost_ns == b.cost_ns && a.nodes == b.nodes);
    pgopt_search_result_free(&a);
    pgopt_search_result_free(&b);
    graph_free(&g);
  }
}

/// argument -> k0 -> v1 -> k1 -> v2, returned: two convolutions in a row, with
/// the times of k0 and k1 in each layout.
static search_graph two_in_a_row(const double first[2], const double second[2],
                                 double copy) {
  search_graph g = {0};
  int v0 = graph_value(&g, 2, PGOPT_SEARCH_FIXED, copy);
  int v1 = graph_value(&g, 2, PGOPT_SEARCH_FREE, copy);
  int v2 = graph_value(&g, 2, PGOPT_SEARCH_FREE, copy);
  g.values[v2].returned = true;
  pgopt_search_kernel *k = graph_kernel(&g, &v0, 1, v1);
  for (int layout = 0; layout < 2; ++layout)
    graph_candidate(&g, k, layout, layout, first[layout], first[layout]);
  k = graph_kernel(&g, &v1, 1, v2);
  for (int layout = 0; layout < 2; ++layout)
    graph_candidate(&g, k, layout, layout, second[layout], second[layout]);
  return g;
}

static void ties_keep_what_is_declared(void) {
  for (int strategy = 0; strategy <= PGOPT_SEARCH_EXACT; ++strategy) {
    // Two conversions, 200 ns, save 200 ns.
    search_graph g =
        two_in_a_row((double[]){1000, 900}, (double[]){1000, 900}, 100);
    pgopt_search_result result = run(&g, with((pgopt_search_strategy)strategy));
    CHECK_EQ_I64(result.stored[1], 0);
    CHECK_EQ_I64(result.conversion_count, 0);
    CHECK_EQ_TEXT(result.decisions[1].reason,
                  "declared layout is faster: nhwc costs 100 ns more");
    CHECK_EQ_TEXT(result.decisions[0].reason, "fixed");
    pgopt_search_result_free(&result);
    graph_free(&g);
    // As fast in both layouts, with free conversions.
    g = two_in_a_row((double[]){1000, 1000}, (double[]){1000, 1000}, 0);
    result = run(&g, with((pgopt_search_strategy)strategy));
    CHECK_EQ_I64(result.stored[1], 0);
    CHECK_EQ_TEXT(result.decisions[1].reason, "declared layout is as fast");
    pgopt_search_result_free(&result);
    graph_free(&g);
  }
}

static void neighbours_change_together(void) {
  // Each alone: 1000 + 700 + two copies are 1900. Both: 700 + 700 + 200.
  search_graph g =
      two_in_a_row((double[]){1000, 700}, (double[]){1000, 700}, 100);
  pgopt_search_result result = run(&g, with(PGOPT_SEARCH_GREEDY));
  CHECK_NEAR(result.start_ns, 2000, 1e-6);
  CHECK_NEAR(result.cost_ns, 1600, 1e-6);
  CHECK_EQ_I64(result.stored[1], 1);
  CHECK_EQ_I64(result.stored[2], 1);
  CHECK_EQ_I64(result.conversion_count, 2);
  CHECK_EQ_TEXT(result.decisions[2].reason,
                "saves 300 ns against nchw, the caller disagrees, a copy to "
                "nchw costs 100 ns");
  CHECK_EQ_TEXT(result.decisions[0].reason,
                "fixed, its user disagrees, a copy to nhwc costs 100 ns");
  pgopt_search_result_free(&result);
  graph_free(&g);
}

static void small_gains_are_left_to_exact(void) {
  // 1970 against 2000: not beyond 2%.
  search_graph g =
      two_in_a_row((double[]){1000, 980}, (double[]){1000, 980}, 5);
  pgopt_search_result result = run(&g, with(PGOPT_SEARCH_GREEDY));
  CHECK_NEAR(result.cost_ns, 2000, 1e-6);
  CHECK_EQ_TEXT(result.decisions[1].reason, "declared layout is as fast");
  pgopt_search_result_free(&result);
  result = run(&g, with(PGOPT_SEARCH_EXACT));
  CHECK_NEAR(result.cost_ns, 1970, 1e-6);
  pgopt_search_result_free(&result);
  graph_free(&g);
}

/// A value read by three kernels, of which two are faster with nhwc.
static void one_copy_serves_all(void) {
  for (int strategy = 0; strategy <= PGOPT_SEARCH_EXACT; ++strategy) {
    search_graph g = {0};
    int v = graph_value(&g, 2, PGOPT_SEARCH_FIXED, 100);
    for (int i = 0; i < 3; ++i) {
      int result = graph_value(&g, 1, PGOPT_SEARCH_FREE, 100);
      pgopt_search_kernel *k = graph_kernel(&g, &v, 1, result);
      graph_candidate(&g, k, 0, 0, 1000, 1000);
      graph_candidate(&g, k, 1, 0, i < 2 ? 900 : 1200, 1000);
    }
    g.values[v].fixed_reason = "argument";
    // Alone it saves the 100 that the copy costs, two pay.
    pgopt_search_result result = run(&g, with((pgopt_search_strategy)strategy));
    CHECK_NEAR(result.cost_ns, 900 + 900 + 1000 + 100, 1e-6);
    CHECK_EQ_I64(result.conversion_count, 1);
    CHECK_EQ_TEXT(result.decisions[v].reason,
                  "argument, 3 users disagree, a copy to nhwc costs 100 ns");
    pgopt_search_result_free(&result);
    graph_free(&g);
  }
}

static void parameters_are_free(void) {
  search_graph g = {0};
  int v = graph_value(&g, 1, PGOPT_SEARCH_FIXED, 100);
  int weights = graph_value(&g, 3, PGOPT_SEARCH_PARAMETER, 1e9);
  int result = graph_value(&g, 1, PGOPT_SEARCH_FREE, 100);
  pgopt_search_kernel *k = graph_kernel(&g, (int[]){v, weights}, 2, result);
  for (int layout = 0; layout < 3; ++layout)
    graph_candidate(&g, k, layout, 0, 1000 - 100 * layout, 1000);
  pgopt_search_result found = run(&g, with(PGOPT_SEARCH_GREEDY));
  CHECK_EQ_I64(found.candidate[0], 2);
  CHECK_NEAR(found.cost_ns, 800, 1e-6);
  CHECK_EQ_I64(found.conversion_count, 0);
  pgopt_search_result_free(&found);
  graph_free(&g);
}

/// Times that are told when asked for.
typedef struct teller {
  const search_graph *graph;
  const double *times;
  bool *told;
  size_t calls, most_calls, requests;
  size_t most; ///< times that are told in a call; 0: all
} teller;

static bool tell(void *context, const pgopt_search_request *requests,
                 size_t count, double *time_ns) {
  teller *t = context;
  ++t->calls;
  for (size_t i = 0; i < count; ++i) {
    int price = requests[i].price;
    CHECK(isnan(time_ns[i]));
    CHECK(!t->told[price]);
    CHECK((requests[i].kernel < 0) != (requests[i].value < 0));
    if (requests[i].kernel >= 0)
      CHECK_EQ_I64(t->graph->problem.kernels[requests[i].kernel]
                       .candidates[requests[i].candidate]
                       .price,
                   price);
    t->told[price] = true;
    if (!t->most || i < t->most)
      time_ns[i] = t->times[price];
  }
  t->requests += count;
  return t->calls < t->most_calls;
}

/// Forgets the times; the caller frees what is returned.
static double *forget_times(search_graph *g) {
  double *times = pgopt_allocate(g->problem.price_count, sizeof *times);
  for (size_t i = 0; i < g->problem.price_count; ++i) {
    times[i] = g->problem.prices[i].measured_ns;
    g->problem.prices[i].measured_ns = NAN;
  }
  return times;
}

static void unknown_prices_are_measured(void) {
  size_t asked = 0, prices = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    search_graph g;
    graph_generate(&g, (graph_shape)(seed % GRAPH_SHAPES), 30, 3, seed);
    pgopt_search_result known = run(&g, with(PGOPT_SEARCH_GREEDY));
    double *times = forget_times(&g);
    teller t = {&g, times, pgopt_allocate(g.problem.price_count, sizeof(bool)),
                0,  1000,  0,
                0};
    pgopt_search_options options = with(PGOPT_SEARCH_GREEDY);
    options.context = &t;
    options.measure = tell;
    pgopt_search_result found = run(&g, options);
    // All that the choice rests on was measured, and it is about as good.
    CHECK_EQ_I64(found.estimated, 0);
    CHECK_EQ_I64(found.requested, t.requests);
    CHECK_EQ_I64(found.measured, t.requests);
    CHECK_NEAR(found.start_ns, known.start_ns, 1e-6 * known.start_ns);
    for (size_t i = 0; i < g.problem.price_count; ++i)
      g.problem.prices[i].measured_ns = times[i];
    check_found(&g, &found);
    CHECK(found.cost_ns < 1.06 * known.cost_ns);
    asked += t.requests;
    prices += g.problem.price_count;
    pgopt_search_result_free(&found);
    pgopt_search_result_free(&known);
    free(t.told);
    free(times);
    graph_free(&g);
  }
  CHECK(asked < prices * 9 / 10);
}

static void estimates_hold_without_measurements(void) {
  search_graph g =
      two_in_a_row((double[]){1000, 700}, (double[]){1000, 700}, 100);
  double *times = forget_times(&g);
  pgopt_search_result result = run(&g, with(PGOPT_SEARCH_GREEDY));
  CHECK_NEAR(result.cost_ns, 1600, 1e-6);
  CHECK_EQ_I64(result.estimated, 4);
  CHECK(!result.decisions[1].options[0].measured);
  pgopt_search_result_free(&result);
  // The budget ends within the first batch, which begins with the choice. That
  // takes ten times as long as estimated: so will the rest, the start among it.
  teller t = {&g, times, pgopt_allocate(g.problem.price_count, sizeof(bool)),
              0,  1,     0,
              2};
  for (size_t i = 0; i < g.problem.price_count; ++i)
    times[i] *= 10;
  pgopt_search_options options = with(PGOPT_SEARCH_GREEDY);
  options.context = &t;
  options.measure = tell;
  result = run(&g, options);
  CHECK_EQ_I64(t.calls, 1);
  CHECK_EQ_I64(result.measured, 2);
  for (size_t k = 0; k < 2; ++k) {
    const pgopt_search_candidate *c = g.problem.kernels[k].candidates;
    CHECK(isnan(g.problem.prices[c[0].price].measured_ns));
    CHECK_NEAR(g.problem.prices[c[1].price].measured_ns, 7000, 1e-6);
  }
  CHECK_NEAR(result.start_ns, 20000, 1e-6);
  CHECK_NEAR(result.cost_ns, 14200, 1e-6);
  CHECK(result.estimated > 0);
  pgopt_search_result_free(&result);
  free(t.told);
  free(times);
  graph_free(&g);
}

static void what_cannot_run_is_not_taken(void) {
  for (int strategy = 0; strategy <= PGOPT_SEARCH_EXACT; ++strategy) {
    search_graph g =
        two_in_a_row((double[]){1000, INFINITY}, (double[]){1000, 100}, 100);
    pgopt_search_result result = run(&g, with((pgopt_search_strategy)strategy));
    CHECK_NEAR(result.cost_ns, 1000 + 100 + 100 + 100, 1e-6);
    CHECK_EQ_I64(result.stored[1], 0);
    pgopt_search_result_free(&result);
    graph_free(&g);
  }
  // Nothing can be run as declared, and nothing else.
  search_graph g =
      two_in_a_row((double[]){INFINITY, INFINITY}, (double[]){1000, 100}, 100);
  pgopt_search_result result = run(&g, with(PGOPT_SEARCH_EXACT));
  CHECK(isinf(result.cost_ns) && isinf(result.start_ns));
  pgopt_search_result_free(&result);
  graph_free(&g);
}

static bool count_down(void *context) { return --*(int *)context < 0; }

static void note_progress(void *context,
                          const pgopt_search_progress *progress) {
  (void)context;
  CHECK(progress->stage && progress->cost_ns > 0);
  CHECK(!progress->total || progress->done <= progress->total);
}

static void interrupts_keep_the_best(void) {
  for (int strategy = 0; strategy <= PGOPT_SEARCH_EXACT; ++strategy)
    for (int looks = 0; looks < 8; ++looks) {
      search_graph g;
      graph_generate(&g, GRAPH_DENSE, 300, 3, 5);
      int left = looks;
      pgopt_search_options options = with((pgopt_search_strategy)strategy);
      options.context = &left;
      options.interrupted = count_down;
      options.progress = note_progress;
      pgopt_search_result result = run(&g, options);
      check_found(&g, &result);
      CHECK(result.interrupted && !result.proved);
      pgopt_search_result_free(&result);
      graph_free(&g);
    }
}

static void trace_is_json(void) {
  search_graph g =
      two_in_a_row((double[]){1000, 700}, (double[]){1000, 700}, 100);
  pgopt_search_result result = run(&g, with(PGOPT_SEARCH_GREEDY));
  pgopt_text text = {0};
  pgopt_search_trace_json(&g.problem, &result, NULL, &text);
  CHECK_CONTAINS(pgopt_text_get(&text),
                 "{\"start_ns\": 2000.0, \"cost_ns\": 1600.0");
  CHECK_CONTAINS(
      pgopt_text_get(&text),
      "{\"name\": \"v1\", \"bytes\": 1000, \"declared\": \"nchw\", \"layout\": "
      "\"nhwc\", \"options\": [{\"layout\": \"nchw\", \"cost_ns\": 1900.0, "
      "\"measured\": true}, {\"layout\": \"nhwc\"");
  CHECK_CONTAINS(pgopt_text_get(&text),
                 "\"conversions\": [{\"to\": \"nchw\", \"time_ns\": 100.0}]");
  CHECK_CONTAINS(pgopt_text_get(&text),
                 "{\"name\": \"k0\", \"candidate\": 1, \"time_ns\": 700.0}");
  pgopt_text_free(&text);
  pgopt_search_result_free(&result);
  graph_free(&g);
}

static void check_refused(search_graph *g, const char *message) {
  pgopt_search_options options = pgopt_search_defaults();
  pgopt_search_result result;
  pgopt_error error = {0};
  CHECK(pgopt_search(&g->problem, &options, &result, &error) == PGOPT_INVALID);
  CHECK_CONTAINS(error.message, message);
  pgopt_search_result_free(&result);
  graph_free(g);
}

static search_graph valid(void) {
  return two_in_a_row((double[]){1, 1}, (double[]){1, 1}, 1);
}

static void broken_problems_are_refused(void) {
  search_graph g = valid();
  g.values[1].layout_count = 0;
  check_refused(&g, "value 'v1' has 0 layouts, allowed are 1 to 16");
  g = valid();
  g.values[1].declared = 2;
  check_refused(&g, "value 'v1' is declared in layout 2, it has 2");
  g = valid();
  g.values[2].bytes = -1;
  check_refused(&g, "value 'v2' has -1 bytes");
  g = valid();
  ((int *)g.values[2].conversions)[1] = 1000;
  check_refused(&g, "the conversion from 'nchw' to 'nhwc' has price 1000");
  g = valid();
  g.problem.prices[0].estimated_ns = NAN;
  check_refused(&g, "neither may be negative, the estimate must be known");
  g = valid();
  ((int *)g.kernels[1].operands)[0] = 2;
  check_refused(&g, "kernel 'k1' reads 'v2', which no kernel before it");
  g = valid();
  ((int *)g.kernels[1].operands)[0] = 7;
  check_refused(&g, "kernel 'k1': slot 0 is value 7, there are 3");
  g = valid();
  ((int *)g.kernels[1].results)[0] = 1;
  check_refused(&g, "'v1' is produced by 'k0' and by 'k1'");
  g = valid();
  g.values[1].place = PGOPT_SEARCH_PARAMETER;
  check_refused(&g, "kernel 'k0' produces the parameter 'v1'");
  g = valid();
  ((int *)g.kernels[0].candidates[0].layouts)[1] = 5;
  check_refused(&g, "candidate 0 has 'v1' in layout 5, it has 2");
  g = valid();
  ((pgopt_search_candidate *)g.kernels[0].candidates)[1].price = -1;
  check_refused(&g, "kernel 'k0': candidate 1 has price -1");
  g = valid();
  ((int *)g.kernels[0].candidates[0].layouts)[1] = 1;
  check_refused(&g, "kernel 'k0' has no candidate with every value in its");
  g = valid();
  g.values[0].place = PGOPT_SEARCH_FREE;
  check_refused(&g, "kernel 'k0' reads 'v0', which no kernel before it");
  g = valid();
  g.problem.kernel_count = 1;
  check_refused(&g, "nothing produces 'v2', and it is not fixed");
}

static void empty_problems_have_results(void) {
  for (int strategy = 0; strategy <= PGOPT_SEARCH_EXACT; ++strategy) {
    search_graph g = {0};
    pgopt_search_result result = run(&g, with((pgopt_search_strategy)strategy));
    CHECK(result.cost_ns == 0 && result.start_ns == 0);
    pgopt_search_result_free(&result);
    graph_free(&g);
  }
}

static void strategies_have_names(void) {
  pgopt_search_strategy strategy;
  CHECK(pgopt_search_find_strategy("beam", &strategy) &&
        strategy == PGOPT_SEARCH_BEAM);
  CHECK(!pgopt_search_find_strategy("best", &strategy));
  CHECK_EQ_TEXT(pgopt_search_strategy_name(PGOPT_SEARCH_EXACT), "exact");
}

int main(void) {
  exact_is_the_optimum();
  wild_problems_are_solved();
  results_repeat();
  ties_keep_what_is_declared();
  neighbours_change_together();
  small_gains_are_left_to_exact();
  one_copy_serves_all();
  parameters_are_free();
  unknown_prices_are_measured();
  estimates_hold_without_measurements();
  what_cannot_run_is_not_taken();
  interrupts_keep_the_best();
  trace_is_json();
  broken_problems_are_refused();
  empty_problems_have_results();
  strategies_have_names();
  return check_result();
}
