/// \file The Profile graph as text: DOT for pictures, JSON for programs.
/// docs/profile-graph.md describes both. Equal graphs give equal bytes.
#ifndef PGOPT_PROFILE_PROFILE_GRAPH_EXPORT_H
#define PGOPT_PROFILE_PROFILE_GRAPH_EXPORT_H

#include "base/text.h"
#include "profile/profile_graph.h"

/// Appends the connected graph for Graphviz.
void pgopt_profile_graph_to_dot(const pgopt_profile_graph *graph,
                                pgopt_text *text);

/// Appends the connected graph as one JSON object, with a final newline.
void pgopt_profile_graph_to_json(const pgopt_profile_graph *graph,
                                 pgopt_text *text);

#endif // PGOPT_PROFILE_PROFILE_GRAPH_EXPORT_H
