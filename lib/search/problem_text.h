/// \file A search problem as text: a cost table that can be kept, read again
/// and searched by any strategy.
///
/// Lines of words between blanks; `#` and what follows is a comment.
///
///     price NAME PRICE
///     value NAME PLACE BYTES LAYOUT... [because REASON...]
///     convert VALUE FROM TO PRICE
///     kernel NAME OPERAND... -> RESULT...
///     candidate LAYOUT... -> LAYOUT... PRICE [VARIANT]
///
/// PLACE is `free`, `returned`, `fixed`, `fixed-returned` or `parameter`. The
/// declared layout ends in `*`; without one it is the first. Values stand
/// before what names them, candidates behind their kernel, kernels in program
/// order. PRICE is `1200` (measured, in ns), `?900` (estimated), `1200?900`
/// (both; without an estimate it is what was measured), or `@NAME` of a price
/// above. `inf` is what cannot be run.
#ifndef PGOPT_SEARCH_PROBLEM_TEXT_H
#define PGOPT_SEARCH_PROBLEM_TEXT_H

#include "base/text.h"
#include "search/search.h"

typedef struct pgopt_search_table {
  pgopt_search_problem problem;
  pgopt_arena memory; ///< of everything in it
} pgopt_search_table;

/// Reads a text of `size` bytes and checks the problem.
/// \param[out] table freed with `pgopt_search_table_free`, also on failure.
/// \returns PGOPT_INVALID with the line in words.
pgopt_status pgopt_search_table_read(const char *text, size_t size,
                                     pgopt_search_table *table,
                                     pgopt_error *error);
void pgopt_search_table_free(pgopt_search_table *table);

/// Appends the problem, with what was measured. Values are called NAME%INDEX;
/// in all names blanks, `#` and `*` become `_`.
void pgopt_search_table_write(const pgopt_search_problem *problem,
                              pgopt_text *text);

#endif // PGOPT_SEARCH_PROBLEM_TEXT_H
