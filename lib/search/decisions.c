#include "search/decisions.h"

#include <math.h>

/// A time in the unit that reads best, in the result's memory.
static const char *time_text(pgopt_search_result *result, double ns) {
  const char *unit = ns < 1e3 ? "ns" : ns < 1e6 ? "us" : "ms";
  double scale = ns < 1e3 ? 1 : ns < 1e6 ? 1e3 : 1e6;
  return pgopt_arena_format(&result->memory, "%.3g %s", ns / scale, unit);
}

/// Every price of the kernels and conversions looked at last was measured.
static bool scope_measured(const pgopt_search_state *state) {
  const pgopt_search_problem *problem = state->problem;
  for (size_t i = 0; i < state->scope_kernel_count; ++i) {
    int k = state->scope_kernels[i];
    int price = problem->kernels[k].candidates[state->candidate[k]].price;
    if (isnan(problem->prices[price].measured_ns))
      return false;
  }
  for (size_t i = 0; i < state->scope_value_count; ++i) {
    int v = state->scope_values[i];
    const pgopt_search_value *value = &problem->values[v];
    for (int to = 0; to < (int)value->layout_count; ++to) {
      int price = pgopt_search_needed_price(state, v, to);
      if (price != PGOPT_SEARCH_NO_PRICE &&
          isnan(problem->prices[price].measured_ns))
        return false;
    }
  }
  return true;
}

static pgopt_search_option *price_options(pgopt_search_state *state, int value,
                                          pgopt_search_result *result) {
  size_t count = state->problem->values[value].layout_count;
  pgopt_search_option *options =
      pgopt_arena_allocate(&result->memory, count, sizeof *options);
  for (int layout = 0; layout < (int)count; ++layout) {
    size_t mark = state->journal_count;
    double before;
    double ns = pgopt_search_store(state, value, layout, &before);
    if (layout == result->stored[value]) {
      // What was chosen counts as it is, not as it could still become.
      pgopt_search_undo_to(state, mark);
      ns = before;
    }
    bool possible = ns < PGOPT_SEARCH_IMPOSSIBLE_NS;
    options[layout] = (pgopt_search_option){layout, possible ? ns : INFINITY,
                                            possible && scope_measured(state)};
    pgopt_search_undo_to(state, mark);
  }
  return options;
}

/// ", 2 users disagree, a copy to nchw costs 41 us" or "".
static const char *conversions_text(const pgopt_search_state *state, int value,
                                    pgopt_search_result *result) {
  const pgopt_search_value *v = &state->problem->values[value];
  const char *text = "";
  size_t users = state->first_user[value + 1] - state->first_user[value] +
                 (v->returned ? 1 : 0);
  for (int to = 0; to < (int)v->layout_count; ++to) {
    int price = pgopt_search_needed_price(state, value, to);
    if (price == PGOPT_SEARCH_NO_PRICE)
      continue;
    const char *cost = time_text(result, state->price_ns[price]);
    const char *who =
        *text ? ""
        : users > 1
            ? pgopt_arena_format(&result->memory, "%zu users disagree, ", users)
        : v->returned ? "the caller disagrees, "
                      : "its user disagrees, ";
    text = pgopt_arena_format(&result->memory, "%s, %sa copy to %s costs %s",
                              text, who, v->layouts[to], cost);
  }
  return text;
}

/// The cheapest option beside the one that was taken; null for none.
static const pgopt_search_option *best_other(const pgopt_search_option *options,
                                             size_t count, int taken) {
  const pgopt_search_option *best = NULL;
  for (size_t i = 0; i < count; ++i)
    if (options[i].layout != taken && isfinite(options[i].cost_ns) &&
        (!best || options[i].cost_ns < best->cost_ns))
      best = &options[i];
  return best;
}

static const char *reason_as_declared(const pgopt_search_value *v,
                                      const pgopt_search_option *taken,
                                      const pgopt_search_option *other,
                                      double gain,
                                      pgopt_search_result *result) {
  if (!other)
    return "no kernel can store it in another layout";
  double more = other->cost_ns - taken->cost_ns;
  const char *layout = v->layouts[other->layout];
  if (more > gain * taken->cost_ns)
    return pgopt_arena_format(&result->memory,
                              "declared layout is faster: %s costs %s more",
                              layout, time_text(result, more));
  if (-more > gain * taken->cost_ns)
    return pgopt_arena_format(&result->memory,
                              "%s would save %s, the search ended before",
                              layout, time_text(result, -more));
  return "declared layout is as fast";
}

static const char *reason_changed(const pgopt_search_value *v,
                                  const pgopt_search_option *taken,
                                  const pgopt_search_option *declared,
                                  pgopt_search_result *result) {
  double saved = declared->cost_ns - taken->cost_ns;
  if (!isfinite(saved))
    return "its neighbours are stored so";
  if (saved <= 0)
    return pgopt_arena_format(
        &result->memory, "pays together with its neighbours, not against %s",
        v->layouts[v->declared]);
  return pgopt_arena_format(&result->memory, "saves %s against %s",
                            time_text(result, saved), v->layouts[v->declared]);
}

static const char *reason_of(const pgopt_search_state *state, int value,
                             const pgopt_search_option *options, double gain,
                             pgopt_search_result *result) {
  const pgopt_search_value *v = &state->problem->values[value];
  if (v->place == PGOPT_SEARCH_PARAMETER)
    return "a parameter, packed once as it is read";
  int stored = state->stored[value];
  const char *reason;
  if (v->place == PGOPT_SEARCH_FIXED)
    reason = v->fixed_reason ? v->fixed_reason : "fixed";
  else if (v->layout_count == 1)
    reason = "it has one layout";
  else if (stored == v->declared)
    reason = reason_as_declared(v, &options[stored],
                                best_other(options, v->layout_count, stored),
                                gain, result);
  else
    reason = reason_changed(v, &options[stored], &options[v->declared], result);
  return pgopt_arena_format(&result->memory, "%s%s", reason,
                            conversions_text(state, value, result));
}

void pgopt_search_decide(pgopt_search_state *state, double gain,
                         pgopt_search_result *result) {
  size_t count = state->problem->value_count;
  result->decisions =
      pgopt_arena_allocate(&result->memory, count, sizeof *result->decisions);
  for (int i = 0; i < (int)count; ++i) {
    const pgopt_search_value *v = &state->problem->values[i];
    pgopt_search_decision *decision = &result->decisions[i];
    decision->value = i;
    decision->layout = state->stored[i];
    if (v->place == PGOPT_SEARCH_FREE && v->layout_count > 1) {
      decision->options = price_options(state, i, result);
      decision->option_count = v->layout_count;
    }
    decision->reason = reason_of(state, i, decision->options, gain, result);
  }
}

static void append_ns(pgopt_text *text, double ns) {
  if (isfinite(ns))
    pgopt_text_append(text, "%.1f", ns);
  else
    pgopt_text_append(text, "null");
}

static void append_options(const pgopt_search_value *v,
                           const pgopt_search_decision *decision,
                           pgopt_text *text) {
  pgopt_text_append(text, ", \"options\": [");
  for (size_t i = 0; i < decision->option_count; ++i) {
    const pgopt_search_option *option = &decision->options[i];
    pgopt_text_append(text, "%s{\"layout\": ", i ? ", " : "");
    pgopt_text_append_json(text, v->layouts[option->layout]);
    pgopt_text_append(text, ", \"cost_ns\": ");
    append_ns(text, option->cost_ns);
    pgopt_text_append(text, ", \"measured\": %s}",
                      option->measured ? "true" : "false");
  }
  pgopt_text_append(text, "]");
}

static void append_value(const pgopt_search_problem *problem,
                         const pgopt_search_result *result, int value,
                         pgopt_text *text) {
  const pgopt_search_value *v = &problem->values[value];
  const pgopt_search_decision *decision = &result->decisions[value];
  pgopt_text_append(text, "{\"name\": ");
  pgopt_text_append_json(text, v->name);
  pgopt_text_append(text,
                    ", \"bytes\": %lld, \"declared\": ", (long long)v->bytes);
  pgopt_text_append_json(text, v->layouts[v->declared]);
  pgopt_text_append(text, ", \"layout\": ");
  pgopt_text_append_json(text, v->layouts[decision->layout]);
  append_options(v, decision, text);
  pgopt_text_append(text, ", \"conversions\": [");
  const char *separator = "";
  for (size_t i = 0; i < result->conversion_count; ++i) {
    const pgopt_search_conversion *conversion = &result->conversions[i];
    if (conversion->value != value)
      continue;
    pgopt_text_append(text, "%s{\"to\": ", separator);
    pgopt_text_append_json(text, v->layouts[conversion->to]);
    pgopt_text_append(text, ", \"time_ns\": ");
    append_ns(text, conversion->time_ns);
    pgopt_text_append(text, "}");
    separator = ", ";
  }
  pgopt_text_append(text, "], \"reason\": ");
  pgopt_text_append_json(text, decision->reason);
  pgopt_text_append(text, "}");
}

static void append_kernel(const pgopt_search_problem *problem,
                          const pgopt_search_result *result, size_t kernel,
                          pgopt_text *text) {
  const pgopt_search_kernel *k = &problem->kernels[kernel];
  const pgopt_search_candidate *candidate =
      &k->candidates[result->candidate[kernel]];
  pgopt_text_append(text, "{\"name\": ");
  pgopt_text_append_json(text, k->name);
  pgopt_text_append(text, ", \"candidate\": %d", result->candidate[kernel]);
  if (candidate->name) {
    pgopt_text_append(text, ", \"variant\": ");
    pgopt_text_append_json(text, candidate->name);
  }
  const pgopt_search_price *price = &problem->prices[candidate->price];
  bool measured = !isnan(price->measured_ns);
  pgopt_text_append(text, ", \"%s\": ", measured ? "time_ns" : "estimated_ns");
  append_ns(text, measured ? price->measured_ns : price->estimated_ns);
  pgopt_text_append(text, "}");
}

static void append_comparison(const pgopt_search_comparison *comparison,
                              pgopt_text *text) {
  pgopt_text_append(text, ",\n \"compared\": {\"runs\": %lld, \"kept\": ",
                    (long long)comparison->runs);
  pgopt_text_append_json(text, comparison->forms[comparison->chosen].name);
  pgopt_text_append(text, ", \"forms\": [");
  for (size_t i = 0; i < comparison->form_count; ++i) {
    const pgopt_search_form_time *form = &comparison->forms[i];
    pgopt_text_append(text, "%s{\"name\": ", i ? ", " : "");
    pgopt_text_append_json(text, form->name);
    pgopt_text_append(text,
                      ", \"median_ns\": %lld, \"ratio\": %.4f, \"p\": %g}",
                      (long long)form->median_ns, form->ratio, form->p_value);
  }
  pgopt_text_append(text, "]}");
}

void pgopt_search_trace_json(const pgopt_search_problem *problem,
                             const pgopt_search_result *result,
                             const pgopt_search_comparison *comparison,
                             pgopt_text *text) {
  pgopt_text_append(text, "{\"start_ns\": ");
  append_ns(text, result->start_ns);
  pgopt_text_append(text, ", \"cost_ns\": ");
  append_ns(text, result->cost_ns);
  pgopt_text_append(text, ", \"bound_ns\": ");
  append_ns(text, result->bound_ns);
  pgopt_text_append(text,
                    ", \"proved\": %s, \"interrupted\": %s,\n \"values\": [",
                    result->proved ? "true" : "false",
                    result->interrupted ? "true" : "false");
  for (size_t i = 0; i < problem->value_count; ++i) {
    pgopt_text_append(text, i ? ",\n  " : "\n  ");
    append_value(problem, result, (int)i, text);
  }
  pgopt_text_append(text, "],\n \"kernels\": [");
  for (size_t i = 0; i < problem->kernel_count; ++i) {
    pgopt_text_append(text, i ? ",\n  " : "\n  ");
    append_kernel(problem, result, i, text);
  }
  pgopt_text_append(text, "]");
  if (comparison && comparison->form_count)
    append_comparison(comparison, text);
  pgopt_text_append(text, "}\n");
}
