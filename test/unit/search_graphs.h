/// \file Problems of the layout search for tests: built by hand or generated,
/// and their cost by definition.
#ifndef PGOPT_TEST_SEARCH_GRAPHS_H
#define PGOPT_TEST_SEARCH_GRAPHS_H

#include "search/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const graph_layouts[] = {"nchw", "nhwc", "nchw8c",
                                            "nchw16c"};

/// A problem that grows; everything is in its arena.
typedef struct search_graph {
  pgopt_search_problem problem;
  size_t value_capacity, kernel_capacity, price_capacity;
  pgopt_search_value *values;
  pgopt_search_kernel *kernels;
  pgopt_arena memory;
  uint64_t random; ///< state of the generator, not 0
} search_graph;

static inline void graph_free(search_graph *g) {
  free(g->values);
  free(g->kernels);
  free(g->problem.prices);
  pgopt_arena_free(&g->memory);
}

static inline uint32_t graph_random(search_graph *g, uint32_t below) {
  g->random ^= g->random << 13;
  g->random ^= g->random >> 7;
  g->random ^= g->random << 17;
  return (uint32_t)(g->random >> 32) % below;
}

/// In [low, high).
static inline double graph_uniform(search_graph *g, double low, double high) {
  return low + (high - low) * graph_random(g, 1 << 20) / (1 << 20);
}

static inline int graph_price(search_graph *g, double measured_ns,
                              double estimated_ns) {
  pgopt_search_price price = {measured_ns, estimated_ns};
  PGOPT_APPEND(g->problem.prices, g->problem.price_count, g->price_capacity,
               price);
  return (int)g->problem.price_count - 1;
}

/// A value in the first `layouts` layouts, declared in the first, with
/// conversions between all of them that take about `conversion_ns`.
static inline int graph_value(search_graph *g, size_t layouts,
                              pgopt_search_place place, double conversion_ns) {
  int *conversions =
      pgopt_arena_allocate(&g->memory, layouts * layouts, sizeof *conversions);
  for (size_t i = 0; i < layouts * layouts; ++i)
    conversions[i] = PGOPT_SEARCH_NO_PRICE;
  for (size_t i = 0; i < layouts * layouts; ++i)
    if (i / layouts != i % layouts && place != PGOPT_SEARCH_PARAMETER) {
      double ns = conversion_ns * (g->random ? graph_uniform(g, 0.8, 1.25) : 1);
      conversions[i] = graph_price(g, ns, ns);
    }
  pgopt_search_value value = {
      .name = pgopt_arena_format(&g->memory, "v%zu", g->problem.value_count),
      .layouts = graph_layouts,
      .layout_count = layouts,
      .bytes = (int64_t)(conversion_ns * 10),
      .place = place,
      .conversions = conversions};
  PGOPT_APPEND(g->values, g->problem.value_count, g->value_capacity, value);
  g->problem.values = g->values;
  return (int)g->problem.value_count - 1;
}

/// A kernel without candidates; at most 8 operands and one result.
static inline pgopt_search_kernel *graph_kernel(search_graph *g,
                                                const int *operands,
                                                size_t operand_count,
                                                int result) {
  pgopt_search_kernel kernel = {
      .name = pgopt_arena_format(&g->memory, "k%zu", g->problem.kernel_count),
      .operands = pgopt_arena_copy(&g->memory, operands,
                                   operand_count * sizeof *operands),
      .operand_count = operand_count,
      .results = pgopt_arena_copy(&g->memory, &result, sizeof result),
      .result_count = 1,
      .candidates =
          pgopt_arena_allocate(&g->memory, 32, sizeof(pgopt_search_candidate))};
  PGOPT_APPEND(g->kernels, g->problem.kernel_count, g->kernel_capacity, kernel);
  g->problem.kernels = g->kernels;
  return &g->kernels[g->problem.kernel_count - 1];
}

/// Adds a candidate with all operands in layout `reads`, the result in
/// `writes`; layouts that a value does not have are its last. At most 32.
static inline void graph_candidate(search_graph *g, pgopt_search_kernel *kernel,
                                   int reads, int writes, double measured_ns,
                                   double estimated_ns) {
  size_t slots = kernel->operand_count + kernel->result_count;
  int *layouts = pgopt_arena_allocate(&g->memory, slots, sizeof *layouts);
  for (size_t i = 0; i < slots; ++i) {
    bool is_result = i >= kernel->operand_count;
    int value = is_result ? kernel->results[0] : kernel->operands[i];
    int last = (int)g->values[value].layout_count - 1;
    int layout = is_result ? writes : reads;
    layouts[i] = layout < last ? layout : last;
  }
  pgopt_search_candidate *candidates =
      (pgopt_search_candidate *)kernel->candidates;
  candidates[kernel->candidate_count++] = (pgopt_search_candidate){
      layouts, graph_price(g, measured_ns, estimated_ns), NULL};
}

/// What a choice costs by the definition in search.h; infinity when it is none.
static inline double graph_cost(const pgopt_search_problem *problem,
                                const int *candidates) {
  double ns = 0;
  int *stored = calloc(problem->value_count, sizeof *stored);
  unsigned *read = calloc(problem->value_count, sizeof *read);
  for (size_t v = 0; v < problem->value_count; ++v) {
    stored[v] = problem->values[v].declared;
    if (problem->values[v].returned)
      read[v] |= 1U << stored[v];
  }
  for (size_t k = 0; k < problem->kernel_count; ++k) {
    const pgopt_search_kernel *kernel = &problem->kernels[k];
    const pgopt_search_candidate *c = &kernel->candidates[candidates[k]];
    ns += problem->prices[c->price].measured_ns;
    for (size_t i = 0; i < kernel->operand_count; ++i)
      read[kernel->operands[i]] |= 1U << c->layouts[i];
    for (size_t i = 0; i < kernel->result_count; ++i) {
      int value = kernel->results[i],
          layout = c->layouts[kernel->operand_count + i];
      if (problem->values[value].place == PGOPT_SEARCH_FIXED &&
          layout != stored[value])
        ns = INFINITY;
      stored[value] = layout;
    }
  }
  for (size_t v = 0; v < problem->value_count; ++v) {
    const pgopt_search_value *value = &problem->values[v];
    int layouts = (int)value->layout_count;
    for (int to = 0; to < layouts; ++to) {
      if (to == stored[v] || !(read[v] >> to & 1) ||
          value->place == PGOPT_SEARCH_PARAMETER)
        continue;
      int price = value->conversions
                      ? value->conversions[stored[v] * layouts + to]
                      : PGOPT_SEARCH_NO_PRICE;
      ns += price < 0 ? INFINITY : problem->prices[price].measured_ns;
    }
  }
  free(stored);
  free(read);
  return ns;
}

/// The least cost of all choices, by trying each.
static inline double graph_optimum(const pgopt_search_problem *problem) {
  int *candidates = calloc(problem->kernel_count, sizeof *candidates);
  double best = INFINITY;
  size_t k;
  do {
    double ns = graph_cost(problem, candidates);
    best = ns < best ? ns : best;
    for (k = 0; k < problem->kernel_count; ++k) {
      if (++candidates[k] < (int)problem->kernels[k].candidate_count)
        break;
      candidates[k] = 0;
    }
  } while (k < problem->kernel_count);
  free(candidates);
  return best;
}

typedef enum graph_shape {
  GRAPH_CHAIN,
  GRAPH_TREE,      ///< values with several readers, no joins
  GRAPH_DIAMOND,   ///< residual blocks
  GRAPH_INCEPTION, ///< four branches and a concatenation
  GRAPH_DENSE,     ///< every kernel also reads results further back
  GRAPH_SHAPES,
} graph_shape;

static const char *const graph_shape_names[] = {"chain", "tree", "diamond",
                                                "inception", "dense"};

/// A kernel like those of networks. A convolution (one operand) has a candidate
/// a layout, faster or slower, and some that read one and write another;
/// everything else has one candidate a layout, of about equal time; some cannot
/// do but as declared.
static inline int graph_layer(search_graph *g, const int *operands,
                              size_t operand_count, size_t layouts,
                              double bytes_ns, bool convolution) {
  int result = graph_value(g, layouts, PGOPT_SEARCH_FREE, bytes_ns);
  pgopt_search_kernel *k = graph_kernel(g, operands, operand_count, result);
  double base = convolution ? bytes_ns * graph_uniform(g, 0.5, 20)
                            : bytes_ns * (double)(operand_count + 1) / 3;
  bool rigid = graph_random(g, 20) == 0;
  for (int in = 0; in < (int)layouts; ++in)
    for (int out = 0; out < (int)layouts; ++out) {
      if ((rigid && (in || out)) ||
          (in != out && (!convolution || graph_random(g, 4))))
        continue;
      double ns = base * (convolution ? graph_uniform(g, 0.6, 1.4)
                                      : graph_uniform(g, 0.95, 1.05));
      graph_candidate(g, k, in, out, ns, ns * graph_uniform(g, 0.7, 1.4));
    }
  return result;
}

/// A network-like problem of about `kernels` kernels; values become smaller on
/// the way. The last value is returned, the first is an argument.
static inline void graph_generate(search_graph *g, graph_shape shape,
                                  size_t kernels, size_t layouts,
                                  uint64_t seed) {
  *g = (search_graph){.random = seed * 0x9e3779b97f4a7c15U | 1};
  for (int i = 0; i < 8; ++i)
    graph_random(g, 2);
  double ns = 1e5;
  int *values = calloc(kernels + 16, sizeof *values);
  size_t count = 0;
  values[count++] = graph_value(g, layouts, PGOPT_SEARCH_FIXED, ns);
  int last = values[0];
  while (g->problem.kernel_count < kernels) {
    if (graph_random(g, 8) == 0)
      ns = ns > 2e3 ? ns / 2 : 1e5;
    switch (shape) {
    case GRAPH_CHAIN:
      last = graph_layer(g, &last, 1, layouts, ns, graph_random(g, 2));
      break;
    case GRAPH_TREE: {
      int from = values[count > 6 ? count - 6 + graph_random(g, 6)
                                  : graph_random(g, (uint32_t)count)];
      last = graph_layer(g, &from, 1, layouts, ns, graph_random(g, 2));
      break;
    }
    case GRAPH_DIAMOND: {
      int inner = graph_layer(g, &last, 1, layouts, ns, true);
      if (graph_random(g, 2))
        inner = graph_layer(g, &inner, 1, layouts, ns, true);
      int skip = last;
      if (graph_random(g, 3) == 0)
        skip = graph_layer(g, &last, 1, layouts, ns, true);
      last = graph_layer(g, (int[]){inner, skip}, 2, layouts, ns, false);
      break;
    }
    case GRAPH_INCEPTION: {
      int branch[4];
      for (int i = 0; i < 4; ++i) {
        branch[i] = graph_layer(g, &last, 1, layouts, ns / 4, i < 3);
        if (i)
          branch[i] = graph_layer(g, &branch[i], 1, layouts, ns / 4, true);
      }
      last = graph_layer(g, branch, 4, layouts, ns, false);
      break;
    }
    default: {
      int from[4] = {last};
      size_t reads = 1;
      for (size_t i = 2; i <= 4 && i <= count; ++i)
        if (graph_random(g, 2))
          from[reads++] = values[count - i];
      last = graph_layer(g, from, reads, layouts, ns, reads == 1);
      break;
    }
    }
    values[count++] = last;
  }
  g->values[last].returned = true;
  free(values);
}

/// Anything that the contract allows: several results, values read twice or by
/// nobody, fixed ones with a producer, parameters, layouts that cannot be
/// converted, candidates that mix layouts, equal and impossible prices.
static inline void graph_generate_wild(search_graph *g, size_t kernels,
                                       uint64_t seed) {
  *g = (search_graph){.random = seed * 0x9e3779b97f4a7c15U | 1};
  graph_random(g, 2);
  for (int i = 0; i < 2; ++i)
    graph_value(g, 1 + graph_random(g, 3),
                i ? PGOPT_SEARCH_PARAMETER : PGOPT_SEARCH_FIXED, 100);
  for (size_t k = 0; k < kernels; ++k) {
    int values[5], value_count = (int)g->problem.value_count;
    size_t operands = graph_random(g, 4), results = 1 + graph_random(g, 2);
    for (size_t i = 0; i < operands; ++i)
      values[i] = (int)graph_random(g, (uint32_t)value_count);
    for (size_t i = 0; i < results; ++i) {
      int v = graph_value(g, 1 + graph_random(g, 3),
                          graph_random(g, 6) ? PGOPT_SEARCH_FREE
                                             : PGOPT_SEARCH_FIXED,
                          graph_uniform(g, 1, 200));
      values[operands + i] = v;
      g->values[v].returned = graph_random(g, 3) == 0;
      g->values[v].declared =
          (int)graph_random(g, (uint32_t)g->values[v].layout_count);
      int *conversions = (int *)g->values[v].conversions;
      for (size_t c = 0;
           c < g->values[v].layout_count * g->values[v].layout_count; ++c)
        if (graph_random(g, 4) == 0)
          conversions[c] = PGOPT_SEARCH_NO_PRICE;
    }
    pgopt_search_kernel *kernel =
        graph_kernel(g, values, operands, values[operands]);
    kernel->results = pgopt_arena_copy(&g->memory, values + operands,
                                       results * sizeof *values);
    kernel->result_count = results;
    size_t count = 1 + graph_random(g, 5);
    for (size_t c = 0; c < count; ++c) {
      double ns = graph_random(g, 10) ? graph_uniform(g, 1, 500)
                  : c                 ? INFINITY
                                      : 0;
      graph_candidate(g, kernel, 0, 0, ns, ns);
      int *layouts = (int *)kernel->candidates[c].layouts;
      for (size_t i = 0; i < operands + results; ++i) {
        const pgopt_search_value *v = &g->values[values[i]];
        layouts[i] =
            c ? (int)graph_random(g, (uint32_t)v->layout_count) : v->declared;
      }
    }
  }
}

#endif // PGOPT_TEST_SEARCH_GRAPHS_H
