#include "search/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const strategy_names[] = {"greedy", "beam", "exact"};

pgopt_search_options pgopt_search_defaults(void) {
  return (pgopt_search_options){.strategy = PGOPT_SEARCH_GREEDY,
                                .beam_width = 16,
                                .node_budget = 10000000,
                                .gain = 0.02,
                                .prune = 1.5};
}

bool pgopt_search_find_strategy(const char *name,
                                pgopt_search_strategy *strategy) {
  for (int i = 0; i < (int)(sizeof strategy_names / sizeof *strategy_names);
       ++i)
    if (!strcmp(strategy_names[i], name)) {
      *strategy = (pgopt_search_strategy)i;
      return true;
    }
  return false;
}

const char *pgopt_search_strategy_name(pgopt_search_strategy strategy) {
  return strategy_names[strategy];
}

static bool valid_price(const pgopt_search_price *price) {
  return price->estimated_ns >= 0 &&
         (isnan(price->measured_ns) || price->measured_ns >= 0);
}

static pgopt_status check_value(const pgopt_search_problem *problem, int index,
                                pgopt_error *error) {
  const pgopt_search_value *value = &problem->values[index];
  if (value->layout_count < 1 || value->layout_count > PGOPT_SEARCH_MAX_LAYOUTS)
    return pgopt_fail(
        error, PGOPT_INVALID, "value '%s' has %zu layouts, allowed are 1 to %d",
        value->name, value->layout_count, PGOPT_SEARCH_MAX_LAYOUTS);
  if (value->declared < 0 || (size_t)value->declared >= value->layout_count)
    return pgopt_fail(error, PGOPT_INVALID,
                      "value '%s' is declared in layout %d, it has %zu",
                      value->name, value->declared, value->layout_count);
  if (value->bytes < 0)
    return pgopt_fail(error, PGOPT_INVALID, "value '%s' has %lld bytes",
                      value->name, (long long)value->bytes);
  if (!value->conversions || value->place == PGOPT_SEARCH_PARAMETER)
    return PGOPT_OK;
  size_t count = value->layout_count;
  for (size_t i = 0; i < count * count; ++i) {
    int price = value->conversions[i];
    if (i / count == i % count || price == PGOPT_SEARCH_NO_PRICE)
      continue;
    if (price < 0 || (size_t)price >= problem->price_count)
      return pgopt_fail(
          error, PGOPT_INVALID,
          "value '%s': the conversion from '%s' to '%s' has price %d, there "
          "are %zu",
          value->name, value->layouts[i / count], value->layouts[i % count],
          price, problem->price_count);
  }
  return PGOPT_OK;
}

/// The value of a slot, counted through operands and results.
static int slot_value(const pgopt_search_kernel *kernel, size_t slot) {
  return slot < kernel->operand_count
             ? kernel->operands[slot]
             : kernel->results[slot - kernel->operand_count];
}

static pgopt_status check_slots(const pgopt_search_problem *problem, int index,
                                int *producers, pgopt_error *error) {
  const pgopt_search_kernel *kernel = &problem->kernels[index];
  size_t slots = kernel->operand_count + kernel->result_count;
  for (size_t i = 0; i < slots; ++i) {
    int value = slot_value(kernel, i);
    if (value < 0 || (size_t)value >= problem->value_count)
      return pgopt_fail(error, PGOPT_INVALID,
                        "kernel '%s': slot %zu is value %d, there are %zu",
                        kernel->name, i, value, problem->value_count);
    if (i < kernel->operand_count) {
      if (problem->values[value].place == PGOPT_SEARCH_FREE &&
          producers[value] < 0)
        return pgopt_fail(error, PGOPT_INVALID,
                          "kernel '%s' reads '%s', which no kernel before it "
                          "produces",
                          kernel->name, problem->values[value].name);
      continue;
    }
    if (producers[value] >= 0)
      return pgopt_fail(error, PGOPT_INVALID,
                        "'%s' is produced by '%s' and by '%s'",
                        problem->values[value].name,
                        problem->kernels[producers[value]].name, kernel->name);
    if (problem->values[value].place == PGOPT_SEARCH_PARAMETER)
      return pgopt_fail(error, PGOPT_INVALID,
                        "kernel '%s' produces the parameter '%s'", kernel->name,
                        problem->values[value].name);
    producers[value] = index;
  }
  return PGOPT_OK;
}

static pgopt_status check_candidates(const pgopt_search_problem *problem,
                                     const pgopt_search_kernel *kernel,
                                     pgopt_error *error) {
  size_t slots = kernel->operand_count + kernel->result_count;
  bool declared = false;
  for (size_t c = 0; c < kernel->candidate_count; ++c) {
    const pgopt_search_candidate *candidate = &kernel->candidates[c];
    if (candidate->price < 0 ||
        (size_t)candidate->price >= problem->price_count)
      return pgopt_fail(error, PGOPT_INVALID,
                        "kernel '%s': candidate %zu has price %d, there are "
                        "%zu",
                        kernel->name, c, candidate->price,
                        problem->price_count);
    bool as_declared = true;
    for (size_t i = 0; i < slots; ++i) {
      const pgopt_search_value *value = &problem->values[slot_value(kernel, i)];
      if (candidate->layouts[i] < 0 ||
          (size_t)candidate->layouts[i] >= value->layout_count)
        return pgopt_fail(error, PGOPT_INVALID,
                          "kernel '%s': candidate %zu has '%s' in layout %d, "
                          "it has %zu",
                          kernel->name, c, value->name, candidate->layouts[i],
                          value->layout_count);
      as_declared &= value->place == PGOPT_SEARCH_PARAMETER ||
                     candidate->layouts[i] == value->declared;
    }
    declared |= as_declared;
  }
  if (!declared)
    return pgopt_fail(error, PGOPT_INVALID,
                      "kernel '%s' has no candidate with every value in its "
                      "declared layout",
                      kernel->name);
  return PGOPT_OK;
}

pgopt_status pgopt_search_check(const pgopt_search_problem *problem,
                                pgopt_error *error) {
  for (size_t i = 0; i < problem->price_count; ++i)
    if (!valid_price(&problem->prices[i]))
      return pgopt_fail(error, PGOPT_INVALID,
                        "price %zu is %g ns, estimated %g ns: neither may be "
                        "negative, the estimate must be known",
                        i, problem->prices[i].measured_ns,
                        problem->prices[i].estimated_ns);
  pgopt_status status = PGOPT_OK;
  for (size_t i = 0; i < problem->value_count && status == PGOPT_OK; ++i)
    status = check_value(problem, (int)i, error);
  int *producers = pgopt_allocate(problem->value_count, sizeof *producers);
  for (size_t i = 0; i < problem->value_count; ++i)
    producers[i] = -1;
  for (size_t i = 0; i < problem->kernel_count && status == PGOPT_OK; ++i) {
    status = check_slots(problem, (int)i, producers, error);
    if (status == PGOPT_OK)
      status = check_candidates(problem, &problem->kernels[i], error);
  }
  for (size_t i = 0; i < problem->value_count && status == PGOPT_OK; ++i)
    if (problem->values[i].place == PGOPT_SEARCH_FREE && producers[i] < 0)
      status = pgopt_fail(error, PGOPT_INVALID,
                          "nothing produces '%s', and it is not fixed",
                          problem->values[i].name);
  free(producers);
  return status;
}
