/// \file The layouts of a network chosen by measured time.
#ifndef PGOPT_PRICING_SEARCH_LAYOUTS_H
#define PGOPT_PRICING_SEARCH_LAYOUTS_H

#include "pricing/layout_prices.h"
#include "search/search.h"

typedef struct pgopt_layout_search_options {
  pgopt_search_options search; ///< callbacks are set by the search
  pgopt_choose_options choose; ///< its budget is for everything measured
  bool packs_parameters;
  pgopt_price_source source;
  bool applies; ///< false: `pg.layout` on what would be stored otherwise
  /// Measured prices: run what was found against the start and the network with
  /// images in one layout, and keep the fastest.
  bool confirms;
  int64_t work;      ///< for these (`pgopt_layout_wishes`)
  bool prints_sets;  ///< remarks
  const char *trace; ///< file for the decisions as JSON, or ""
  const char *costs; ///< file for the problem (`search/problem_text.h`), or ""
} pgopt_layout_search_options;

typedef struct pgopt_layout_search_result {
  int64_t kernels, values; ///< with more than one layout
  int64_t moved;           ///< stored otherwise than before
  int64_t conversions;     ///< layout changes that are left or made
  int64_t prices, looked_up, measured;
  bool is_interrupted; ///< measuring was; nothing is rewritten then
} pgopt_layout_search_result;

/// Searches the layouts of a normalised entry and rewrites it. Numbers do not
/// change. The module gets `pg.variants` of the kernels, and all that was
/// measured in `pg.profile`.
/// \returns failure after one error.
MlirLogicalResult
pgopt_search_layouts(pgopt_pass *pass, MlirOperation module,
                     MlirOperation *entry,
                     const pgopt_layout_search_options *options,
                     pgopt_layout_search_result *result);

#endif // PGOPT_PRICING_SEARCH_LAYOUTS_H
