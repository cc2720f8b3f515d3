#include "tools/pgopt-runner/search_table.h"

#include "base/file.h"
#include "search/decisions.h"
#include "search/problem_text.h"
#include "tools/pgopt-runner/terminal.h"

#include <stdio.h>
#include <stdlib.h>

static int search(const runner_options *options,
                  const pgopt_search_problem *problem) {
  pgopt_search_options settings = pgopt_search_defaults();
  settings.strategy = options->strategy;
  pgopt_search_result result;
  pgopt_error error = {0};
  if (pgopt_search(problem, &settings, &result, &error)) {
    complain("%s: %s", options->file, error.message);
    return EXIT_ERROR;
  }
  pgopt_text text = {0};
  pgopt_search_trace_json(problem, &result, NULL, &text);
  // Whether it could be written is seen when the output is flushed.
  fputs(pgopt_text_get(&text), stdout);
  pgopt_text_free(&text);
  pgopt_search_result_free(&result);
  return 0;
}

int search_table(const runner_options *options) {
  void *data;
  size_t size;
  pgopt_error error = {0};
  if (pgopt_file_read(options->file, &data, &size, &error)) {
    complain("%s", error.message);
    return EXIT_ERROR;
  }
  pgopt_search_table table;
  int code = EXIT_ERROR;
  if (pgopt_search_table_read(data, size, &table, &error))
    complain("%s: %s", options->file, error.message);
  else
    code = search(options, &table.problem);
  pgopt_search_table_free(&table);
  free(data);
  return code;
}
