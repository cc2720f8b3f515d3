/// \file A search problem checked, and what the strategies need to know of its
/// structure.
#ifndef PGOPT_SEARCH_PROBLEM_H
#define PGOPT_SEARCH_PROBLEM_H

#include "search/search.h"

/// \returns PGOPT_INVALID with the first rule of search.h that is broken.
pgopt_status pgopt_search_check(const pgopt_search_problem *problem,
                                pgopt_error *error);

#endif // PGOPT_SEARCH_PROBLEM_H
