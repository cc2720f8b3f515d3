/// \file Any bytes as a cost table of the layout search.
#include "fuzz.h"

#include "search/problem_text.h"

#include <string.h>

/// What was read is written as text that is read as the same.
static void check_round_trip(const pgopt_search_problem *problem) {
  pgopt_text first = {0}, text = {0}, again = {0};
  pgopt_search_table table;
  pgopt_error error = {0};
  // The first text gives values their index and shared prices their names.
  pgopt_search_table_write(problem, &first);
  FUZZ_CHECK(!pgopt_search_table_read(pgopt_text_get(&first), first.size,
                                      &table, &error));
  pgopt_search_table_write(&table.problem, &text);
  pgopt_search_table_free(&table);
  FUZZ_CHECK(!pgopt_search_table_read(pgopt_text_get(&text), text.size, &table,
                                      &error));
  pgopt_search_table_write(&table.problem, &again);
  FUZZ_CHECK(again.size == text.size &&
             !memcmp(pgopt_text_get(&again), pgopt_text_get(&text), text.size));
  pgopt_search_table_free(&table);
  pgopt_text_free(&first);
  pgopt_text_free(&text);
  pgopt_text_free(&again);
}

/// Small enough that any strategy ends at once.
static void check_search(const pgopt_search_problem *problem) {
  for (int strategy = 0; strategy <= PGOPT_SEARCH_EXACT; ++strategy) {
    pgopt_search_options options = pgopt_search_defaults();
    options.strategy = (pgopt_search_strategy)strategy;
    options.node_budget = 10000;
    pgopt_search_result result;
    pgopt_error error = {0};
    FUZZ_CHECK(!pgopt_search(problem, &options, &result, &error));
    FUZZ_CHECK(result.cost_ns <= result.start_ns);
    pgopt_search_result_free(&result);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  pgopt_search_table table;
  pgopt_error error = {0};
  if (!pgopt_search_table_read((const char *)data, size, &table, &error)) {
    check_round_trip(&table.problem);
    if (table.problem.value_count < 32 && table.problem.kernel_count < 32)
      check_search(&table.problem);
  } else {
    FUZZ_CHECK(*error.message);
  }
  pgopt_search_table_free(&table);
  return 0;
}
