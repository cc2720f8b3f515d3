/// \file How far greedy and beam are from the optimum, on generated graphs like
/// networks. Prints a line for every shape.
///
/// Arguments: graphs of each shape (default 200), the first seed (1).
#include "check.h"
#include "search_graphs.h"

enum { STRATEGIES = PGOPT_SEARCH_EXACT };
static const double BAR = 0.03;

/// Of one shape: excess over the optimum, as a share of it.
typedef struct gaps {
  int graphs, proved, beyond_bar;
  double sum, worst;
} gaps;

static double cost_of(search_graph *g, pgopt_search_strategy strategy,
                      bool *proved) {
  pgopt_search_options options = pgopt_search_defaults();
  options.strategy = strategy;
  pgopt_search_result result;
  pgopt_error error = {0};
  CHECK(pgopt_search(&g->problem, &options, &result, &error) == PGOPT_OK);
  double cost = result.cost_ns;
  *proved = result.proved;
  pgopt_search_result_free(&result);
  return cost;
}

static void add_gap(gaps *to, double cost, double optimum) {
  double gap = cost / optimum - 1;
  CHECK(gap > -1e-9);
  CHECK(gap <= BAR);
  ++to->graphs;
  to->sum += gap;
  to->worst = gap > to->worst ? gap : to->worst;
  to->beyond_bar += gap > BAR;
}

static void measure_shape(graph_shape shape, int graphs, uint64_t seed) {
  gaps strategy[STRATEGIES] = {0};
  int unproved = 0;
  for (int i = 0; i < graphs; ++i) {
    search_graph g;
    graph_generate(&g, shape, 5 + (size_t)i % 60, 2 + (size_t)i % 3,
                   seed + (uint64_t)i);
    bool proved, ignored;
    double optimum = cost_of(&g, PGOPT_SEARCH_EXACT, &proved);
    if (proved)
      for (int s = 0; s < STRATEGIES; ++s)
        add_gap(&strategy[s], cost_of(&g, (pgopt_search_strategy)s, &ignored),
                optimum);
    unproved += !proved;
    graph_free(&g);
  }
  printf("%-9s %4d graphs, %d not proved;", graph_shape_names[shape], graphs,
         unproved);
  for (int s = 0; s < STRATEGIES; ++s) {
    const gaps *gap = &strategy[s];
    printf(" %s: mean %.3f%%, worst %.2f%%, %d beyond 3%%;",
           pgopt_search_strategy_name((pgopt_search_strategy)s),
           100 * gap->sum / gap->graphs, 100 * gap->worst, gap->beyond_bar);
  }
  printf("\n");
}

int main(int argc, char **argv) {
  int graphs = argc > 1 ? atoi(argv[1]) : 200;
  uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  for (int shape = 0; shape < GRAPH_SHAPES; ++shape)
    measure_shape((graph_shape)shape, graphs, seed);
  return check_result();
}
