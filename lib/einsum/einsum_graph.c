/// \file The Einsum graph as DOT, JSON and a list of equations.
#include "einsum/einsum_graph.h"

#include "einsum/canonical.h"
#include "einsum/equation.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct graph {
  const pgopt_network *n;
  pgopt_text *text;
  pgopt_einsum_counts *counts;
  int *node; ///< of each op, -1 for none
} graph;

static bool is_node(const pgopt_network *n, const pgopt_op *op) {
  switch (op->kind) {
  case PGOPT_OP_CONSTANT:
  case PGOPT_OP_EMPTY:
  case PGOPT_OP_SCALAR:
  case PGOPT_OP_VIEW:
    return false;
  case PGOPT_OP_STRUCTURED: /* a fill has no tensor to wait for */
    for (size_t i = 0; i < op->input_count; ++i)
      if (op->operands[i] >= 0 && n->values[op->operands[i]].type.is_shaped)
        return true;
    return op->capture_count > 0;
  default:
    return true;
  }
}

static bool has_equation(const pgopt_op *op) {
  return op->kind == PGOPT_OP_STRUCTURED && pgopt_op_is_contraction(op);
}

static void append_equation(const pgopt_op *op, pgopt_text *text) {
  pgopt_canonical form;
  pgopt_canonical_make(op, &form);
  pgopt_equation(op, &form, text);
  pgopt_canonical_free(&form);
}

static const char *result_type(const pgopt_network *n, const pgopt_op *op) {
  return op->result_count ? n->values[op->results[0]].type.text : "";
}

/// Where a value comes from behind views: a node's op, or an argument (then
/// `*argument` is set); -1 and no argument for constants and the like.
static int source(const graph *g, int value, int *argument) {
  *argument = -1;
  while (value >= 0) {
    int producer = g->n->values[value].producer;
    if (producer < 0) {
      *argument = value < (int)g->n->argument_count ? value : -1;
      return -1;
    }
    if (g->node[producer] >= 0)
      return producer;
    const pgopt_op *op = &g->n->ops[producer];
    if (op->kind != PGOPT_OP_VIEW)
      return -1;
    value = op->operands[0];
  }
  return -1;
}

typedef void edge_writer(graph *g, int from, int argument, size_t to, int value,
                         size_t operand, bool first);

static void for_edges(graph *g, edge_writer *write) {
  bool first = true;
  for (size_t i = 0; i < g->n->op_count; ++i) {
    const pgopt_op *op = &g->n->ops[i];
    if (g->node[i] < 0)
      continue;
    for (size_t k = 0; k < op->operand_count + op->capture_count; ++k) {
      int value = k < op->operand_count ? op->operands[k]
                                        : op->captures[k - op->operand_count];
      int argument, from = value < 0 ? -1 : source(g, value, &argument);
      if (value < 0 || (from < 0 && argument < 0))
        continue;
      write(g, from, argument, i, value, k, first);
      ++g->counts->edges;
      first = false;
    }
  }
}

static graph begin(const pgopt_network *n, pgopt_text *text,
                   pgopt_einsum_counts *counts) {
  *counts = (pgopt_einsum_counts){0};
  graph g = {.n = n, .text = text, .counts = counts};
  g.node = pgopt_allocate(n->op_count, sizeof *g.node);
  int next = 0;
  for (size_t i = 0; i < n->op_count; ++i) {
    g.node[i] = is_node(n, &n->ops[i]) ? next++ : -1;
    if (g.node[i] >= 0)
      ++*(has_equation(&n->ops[i]) ? &counts->einsums : &counts->others);
  }
  return g;
}

static void dot_edge(graph *g, int from, int argument, size_t to, int value,
                     size_t operand, bool first) {
  (void)operand;
  (void)first;
  if (from >= 0)
    pgopt_text_append(g->text, "  n%d", g->node[from]);
  else
    pgopt_text_append(g->text, "  a%d", argument);
  pgopt_text_append(g->text, " -> n%d [label=\"%s\"];\n", g->node[to],
                    g->n->values[value].type.text);
}

void pgopt_einsum_graph_to_dot(const pgopt_network *n, pgopt_text *text,
                               pgopt_einsum_counts *counts) {
  graph g = begin(n, text, counts);
  pgopt_text_append(text, "digraph ");
  pgopt_text_append_json(text, n->name);
  pgopt_text_append(text, " {\n  node [shape=box];\n");
  for (size_t v = 0; v < n->argument_count; ++v)
    pgopt_text_append(text,
                      "  a%zu [shape=ellipse, label=\"%%arg%zu\\n%s\"];\n", v,
                      v, n->values[v].type.text);
  for (size_t i = 0; i < n->op_count; ++i) {
    const pgopt_op *op = &n->ops[i];
    if (g.node[i] < 0)
      continue;
    pgopt_text label = {0};
    if (has_equation(op))
      append_equation(op, &label);
    else
      pgopt_text_append(&label, "%s", op->name);
    pgopt_text_append(text, "  n%d [label=\"%s\\n%s\"%s];\n", g.node[i],
                      pgopt_text_get(&label), result_type(n, op),
                      has_equation(op) ? ", style=filled" : "");
    pgopt_text_free(&label);
  }
  for_edges(&g, dot_edge);
  pgopt_text_append(text, "}\n");
  free(g.node);
}

static void json_edge(graph *g, int from, int argument, size_t to, int value,
                      size_t operand, bool first) {
  const pgopt_type *type = &g->n->values[value].type;
  int64_t bytes;
  pgopt_text_append(g->text, "%s\n    {\"from\": {\"%s\": %d}, \"to\": %d, ",
                    first ? "" : ",", from >= 0 ? "node" : "argument",
                    from >= 0 ? g->node[from] : argument, g->node[to]);
  pgopt_text_append(g->text, "\"operand\": %zu, \"type\": ", operand);
  pgopt_text_append_json(g->text, type->text);
  if (pgopt_type_bytes(type, &bytes))
    pgopt_text_append(g->text, ", \"bytes\": %" PRId64, bytes);
  pgopt_text_append(g->text, "}");
}

void pgopt_einsum_graph_to_json(const pgopt_network *n, pgopt_text *text,
                                pgopt_einsum_counts *counts) {
  graph g = begin(n, text, counts);
  pgopt_text_append(text, "{\n  \"format\": 1,\n  \"name\": ");
  pgopt_text_append_json(text, n->name);
  pgopt_text_append(text, ",\n  \"nodes\": [");
  bool first = true;
  for (size_t i = 0; i < n->op_count; ++i) {
    const pgopt_op *op = &n->ops[i];
    if (g.node[i] < 0)
      continue;
    pgopt_text_append(text, "%s\n    {\"id\": %d, \"op\": ", first ? "" : ",",
                      g.node[i]);
    pgopt_text_append_json(text, op->name);
    if (has_equation(op)) {
      pgopt_text equation = {0};
      append_equation(op, &equation);
      pgopt_text_append(text, ", \"equation\": ");
      pgopt_text_append_json(text, pgopt_text_get(&equation));
      pgopt_text_free(&equation);
    }
    pgopt_text_append(text, ", \"location\": ");
    pgopt_text_append_json(text, op->location);
    pgopt_text_append(text, ", \"type\": ");
    pgopt_text_append_json(text, result_type(n, op));
    pgopt_text_append(text, "}");
    first = false;
  }
  pgopt_text_append(text, "\n  ],\n  \"edges\": [");
  for_edges(&g, json_edge);
  pgopt_text_append(text, "\n  ]\n}\n");
  free(g.node);
}

void pgopt_einsum_graph_to_equations(const pgopt_network *n, pgopt_text *text,
                                     pgopt_einsum_counts *counts) {
  graph g = begin(n, text, counts);
  for (size_t i = 0; i < n->op_count; ++i) {
    const pgopt_op *op = &n->ops[i];
    if (!has_equation(op))
      continue;
    append_equation(op, text);
    pgopt_text_append(text, "  %s%s%s\n", result_type(n, op),
                      op->location[0] ? "  " : "", op->location);
  }
  free(g.node);
}
