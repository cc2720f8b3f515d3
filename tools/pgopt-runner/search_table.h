/// \file `--search-layouts`: the layout search on a cost table in a file.
#ifndef PGOPT_RUNNER_SEARCH_TABLE_H
#define PGOPT_RUNNER_SEARCH_TABLE_H

#include "tools/pgopt-runner/options.h"

/// Searches the table and prints the trace as JSON. \returns the exit code.
int search_table(const runner_options *options);

#endif // PGOPT_RUNNER_SEARCH_TABLE_H
