/// \file The CPU time of the layout search on generated problems of growing
/// size: a line for each shape and strategy, with the time for each kernel.
///
/// usage: search_scale [KERNELS]...  (default: 1000 3800 10000)
#include "search_graphs.h"

#include <stdio.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void measure(graph_shape shape, size_t kernels,
                    pgopt_search_strategy strategy) {
  search_graph g;
  graph_generate(&g, shape, kernels, 3, 1);
  pgopt_search_options options = pgopt_search_defaults();
  options.strategy = strategy;
  pgopt_search_result result;
  pgopt_error error = {0};
  double start = now();
  if (pgopt_search(&g.problem, &options, &result, &error) != PGOPT_OK)
    fprintf(stderr, "search_scale: %s\n", error.message);
  double seconds = now() - start;
  printf("%-9s %6zu %-6s %8.3f s %8.1f us a kernel, cost %.4f of the start",
         graph_shape_names[shape], g.problem.kernel_count,
         pgopt_search_strategy_name(strategy), seconds,
         1e6 * seconds / (double)g.problem.kernel_count,
         result.cost_ns / result.start_ns);
  if (result.bound_ns > 0)
    printf(", %.2f%% above the bound",
           100 * (result.cost_ns / result.bound_ns - 1));
  printf("%s\n", result.proved ? ", proved" : "");
  fflush(stdout);
  pgopt_search_result_free(&result);
  graph_free(&g);
}

int main(int argc, char **argv) {
  static char *defaults[] = {"1000", "3800", "10000"};
  char **sizes = argc > 1 ? argv + 1 : defaults;
  int count = argc > 1 ? argc - 1 : 3;
  for (int shape = 0; shape < GRAPH_SHAPES; ++shape)
    for (int strategy = 0; strategy <= PGOPT_SEARCH_EXACT; ++strategy)
      for (int i = 0; i < count; ++i)
        measure((graph_shape)shape, strtoull(sizes[i], NULL, 10),
                (pgopt_search_strategy)strategy);
  return 0;
}
