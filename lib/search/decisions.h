/// \file The decision trace: for every value what it could have been, what it
/// is, and why.
#ifndef PGOPT_SEARCH_DECISIONS_H
#define PGOPT_SEARCH_DECISIONS_H

#include "base/text.h"
#include "search/state.h"

enum { PGOPT_SEARCH_MAX_FORMS = 4 };

/// What one form of the whole network takes.
typedef struct pgopt_search_form_time {
  const char *name;
  int64_t median_ns;
  double ratio;   ///< median of paired ratios to the first form
  double p_value; ///< of the sign test of these
} pgopt_search_form_time;

/// Forms of the whole network that were compared in the end.
typedef struct pgopt_search_comparison {
  const pgopt_search_form_time *forms;
  size_t form_count; ///< 0: none were
  size_t chosen;
  int64_t runs;
} pgopt_search_comparison;

/// Prices every layout of every value beside the choice, with all other values
/// held, and says why it is stored as it is.
/// \param state the choice; left as it is.
/// \param gain what a change has to save, as a share, to be one.
/// \param[out] result its `decisions` and their memory.
void pgopt_search_decide(pgopt_search_state *state, double gain,
                         pgopt_search_result *result);

/// Appends the trace as one JSON object: costs, then values with their options,
/// conversions and reasons, kernels with their candidates, and what was
/// compared. Times are in ns; null where something cannot be done.
/// \param comparison may be null.
void pgopt_search_trace_json(const pgopt_search_problem *problem,
                             const pgopt_search_result *result,
                             const pgopt_search_comparison *comparison,
                             pgopt_text *text);

#endif // PGOPT_SEARCH_DECISIONS_H
