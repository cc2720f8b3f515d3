/// \file What kernels and layout changes take in the layouts that the search
/// may choose: from the store, else measured.
#ifndef PGOPT_PRICING_LAYOUT_PRICES_H
#define PGOPT_PRICING_LAYOUT_PRICES_H

#include "base/pointer_map.h"
#include "kernels/choose_variants.h"
#include "pricing/conversions.h"
#include "pricing/layout_network.h"
#include "pricing/price_budget.h"
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
  pgopt_price_budget budget;
  size_t compared_forms; ///< for `pgopt_layout_prices_reserve`; 0: none
  pgopt_search_problem problem;
  const int *value_of;        ///< per value of the problem, that of the network
  const char **signatures;    ///< per price; null for what is free
  pgopt_pointer_map price_of; ///< for pgopt_layout_prices_find
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

/// The network with candidate `number` of every kernel that has so many.
/// \param[out] world a function of the module; null on failure.
MlirLogicalResult pgopt_build_world(const pgopt_layout_prices *prices,
                                    size_t number, MlirOperation *world);

/// The price of the kernels of that signature, or -1; layout changes are found
/// by their keys (`pgopt_conversion_key`).
int pgopt_layout_prices_find(const pgopt_layout_prices *prices,
                             const char *signature);

/// The Timing that is on file for a price's signature, in the variant that is
/// chosen for it, else in the model's.
bool pgopt_find_price(pgopt_layout_prices *prices, const char *signature,
                      double *time_ns);

/// Estimates kernels whose price is not known by what the generators' models
/// expect of their best variants, where that is more than operations and bytes
/// ask for. Estimates that are on file are taken from there, others are filed.
/// \returns failure after one error.
MlirLogicalResult pgopt_layout_prices_estimate(pgopt_layout_prices *prices);

/// True when a search of the same prices has ended with at least this budget:
/// what it left unknown would not be measured now either.
bool pgopt_layout_prices_are_searched(pgopt_layout_prices *prices);

/// Files that the search has ended.
void pgopt_layout_prices_note_search(pgopt_layout_prices *prices);

/// Keeps time for the comparison of the start with `compared_forms` others, by
/// what is known now.
void pgopt_layout_prices_reserve(pgopt_layout_prices *prices);

/// Draws all prices by their signatures: 1 to 100 us, of layout changes a tenth
/// of it.
void pgopt_layout_prices_draw(pgopt_layout_prices *prices, int64_t seed);

/// The search's callback: measures in trial runs until what is left of the time
/// is for the comparison; `context` are the prices. Kernels are measured in the
/// variant that is on file for them, else in so many as there is time for, of
/// which the fastest is filed. What a trial run has told is in the store before
/// the next one begins.
bool pgopt_layout_prices_measure(void *context,
                                 const pgopt_search_request *requests,
                                 size_t count, double *time_ns);

/// Takes prices out of the module's `pg.profile`: they tell nothing about the
/// network.
void pgopt_drop_prices(MlirOperation module);

#endif // PGOPT_PRICING_LAYOUT_PRICES_H
