/// \file The Einsum graph: a network in which every multiply-accumulate is an
/// Einsum with its equation.
#ifndef PGOPT_EINSUM_EINSUM_GRAPH_H
#define PGOPT_EINSUM_EINSUM_GRAPH_H

#include "base/text.h"
#include "network/network.h"

typedef struct pgopt_einsum_counts {
  int64_t einsums, others, edges;
} pgopt_einsum_counts;

/// Constants, empty storage, scalars and fills are no nodes; reshapes are
/// looked through. Edges carry the value's type.
void pgopt_einsum_graph_to_dot(const pgopt_network *network, pgopt_text *text,
                               pgopt_einsum_counts *counts);
/// {"format": 1, "name", "nodes": [{"id", "op", "equation"?, "location",
/// "type"}], "edges": [{"from", "to", "operand", "type", "bytes"}]}; `from` is
/// {"argument": i} or {"node": i}.
void pgopt_einsum_graph_to_json(const pgopt_network *network, pgopt_text *text,
                                pgopt_einsum_counts *counts);
/// A line a multiply-accumulate: its equation, result type and location.
void pgopt_einsum_graph_to_equations(const pgopt_network *network,
                                     pgopt_text *text,
                                     pgopt_einsum_counts *counts);

#endif // PGOPT_EINSUM_EINSUM_GRAPH_H
