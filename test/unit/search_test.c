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
    graph_free(&g);
  }
}

int main(void) {
  exact_is_the_optimum();
  return check_result();
}
