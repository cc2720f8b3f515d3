/// \file The decision trace: for every value what it could have been, what it
/// is, and why.
#ifndef PGOPT_SEARCH_DECISIONS_H
#define PGOPT_SEARCH_DECISIONS_H

#include "base/text.h"
#include "search/state.h"

/// Prices every layout of every value beside the choice, with all other values
/// held, and says why it is stored as it is.
/// \param state the choice; left as it is.
/// \param gain what a change has to save, as a share, to be one.
/// \param[out] result its `decisions` and their memory.
void pgopt_search_decide(pgopt_search_state *state, double gain,
                         pgopt_search_result *result);

/// Appends the trace as one JSON object: costs, then values with their options,
/// conversions and reasons, then kernels with their candidates. Times are in
/// ns; null where something cannot be done.
void pgopt_search_trace_json(const pgopt_search_problem *problem,
                             const pgopt_search_result *result,
                             pgopt_text *text);

#endif // PGOPT_SEARCH_DECISIONS_H
