/// \file What kernels and layout changes take in the layouts that the search
/// may choose: from the store, else measured.
#ifndef PGOPT_PRICING_LAYOUT_PRICES_H
#define PGOPT_PRICING_LAYOUT_PRICES_H

#include "kernels/choose_variants.h"
#include "pricing/conversions.h"
#include "pricing/layout_network.h"
#include "search/search.h"

/// Behind the signature of a Timing that was measured for a price: of a kernel
/// whose operands were not made just before, as they are in a network.
#define PGOPT_PRICE_SUFFIX " apart"

typedef enum pgopt_price_source {
  PGOPT_PRICES_MEASURED, ///< where they are not on file
  PGOPT_PRICES_STORED,   ///< a model's stand in for those that are not
  PGOPT_PRICES_RANDOM,   ///< to test what no measurement would choose
} pgopt_price_source;

typedef struct pgopt_layout_prices {
  pgopt_pass *pass;
  MlirOperation module; ///< nested in the pass's; holds the network's entry,
                        ///< and gets `pg.profile` and `pg.variants`
  const pgopt_layout_network *network;
  pgopt_choose_options choose;
  int64_t time_left_ms; ///< to measure
  pgopt_search_problem problem;
  const int *value_of;     ///< per value of the problem, that of the network
  const char **signatures; ///< per price; null for what is free
  pgopt_conversion *conversions; ///< those that a price is of, first ones
  int *conversion_prices;
  size_t conversion_count;
  size_t price_capacity, signature_capacity, conversion_capacity,
      conversion_price_capacity;
  int64_t looked_up, measured, failed;
  bool is_interrupted;
  MlirLogicalResult status; ///< of measuring
  pgopt_arena arena;
} pgopt_layout_prices;

/// Makes the search's problem of a network: prices that are on file are known,
/// others estimated from operations and bytes.
/// \param module nested in the pass's module; the network's entry is in it.
/// \param choose how to measure; the budget is for everything.
/// \param[out] prices freed with `pgopt_layout_prices_close`, also after a
///   failure.
MlirLogicalResult pgopt_layout_prices_open(pgopt_pass *pass,
                                           MlirOperation module,
                                           const pgopt_layout_network *network,
                                           const pgopt_choose_options *choose,
                                           pgopt_layout_prices *prices);
void pgopt_layout_prices_close(pgopt_layout_prices *prices);

/// Measures all prices that are not known and may matter, in one trial run: a
/// search that asks for few at a time would start and compile as often.
/// \returns failure after one error.
MlirLogicalResult pgopt_layout_prices_measure_all(pgopt_layout_prices *prices);

/// Draws all prices by their signatures: 1 to 100 us, of layout changes a tenth
/// of it.
void pgopt_layout_prices_draw(pgopt_layout_prices *prices, int64_t seed);

/// The search's callback: measures in one trial run; `context` are the prices.
/// Kernels are measured in the variants that are fastest in it.
bool pgopt_layout_prices_measure(void *context,
                                 const pgopt_search_request *requests,
                                 size_t count, double *time_ns);

/// Takes prices out of the module's `pg.profile`: they tell nothing about the
/// network.
void pgopt_drop_prices(MlirOperation module);

#endif // PGOPT_PRICING_LAYOUT_PRICES_H
