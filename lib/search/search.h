/// \file The search for layouts: which layout every value between kernels is
/// stored in and which candidate every kernel runs, so that the network takes
/// the least time.
///
/// A problem is plain data. Values have a few layouts each, kernels have
/// candidates: a layout for each operand and result, and a price. The price of
/// a whole choice is
///   the time of every kernel's candidate, and
///   one conversion for every value and every layout, other than the one that
///   it is stored in, that somebody reads it in (however many read it so).
/// Conversions start from the layout the value is stored in: the one that its
/// producer writes, or the declared one when nothing here produces it.
///
/// Times are measured when the search needs them, in batches, and a model's
/// estimate stands in until then. Equal problems with equal prices have equal
/// results, bit for bit.
#ifndef PGOPT_SEARCH_SEARCH_H
#define PGOPT_SEARCH_SEARCH_H

#include "base/memory.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/// Most layouts a value may have.
#define PGOPT_SEARCH_MAX_LAYOUTS 16
/// No price: a conversion that cannot be done.
#define PGOPT_SEARCH_NO_PRICE (-1)

/// What something takes. Kernels that are equal, and conversions that are, name
/// the same price, so one measurement serves all of them.
typedef struct pgopt_search_price {
  double measured_ns;  ///< >= 0; NaN: unknown; infinity: it cannot be run
  double estimated_ns; ///< by a model, >= 0, never NaN; infinity: impossible
} pgopt_search_price;

typedef enum pgopt_search_place {
  /// Stored in the layout that its producer writes; it has a producer.
  PGOPT_SEARCH_FREE,
  /// Stored as declared: an argument of the network, or what cannot be changed
  /// for another reason. Readers may still read a conversion of it.
  PGOPT_SEARCH_FIXED,
  /// Packed once before the first run in every layout that is read: converting
  /// it costs nothing. It has no producer.
  PGOPT_SEARCH_PARAMETER,
} pgopt_search_place;

typedef struct pgopt_search_value {
  const char *name;
  const char *const *layouts; ///< their names, `layout_count` of them
  size_t layout_count;        ///< 1 .. PGOPT_SEARCH_MAX_LAYOUTS
  int declared;               ///< 0 .. layout_count-1
  int64_t bytes;              ///< >= 0; larger values are visited first
  pgopt_search_place place;
  /// Something outside of the problem reads it as declared as well: the
  /// network's caller, an operation that is not understood.
  bool returned;
  /// Why the place is PGOPT_SEARCH_FIXED, for the trace ("blocked by reshape",
  /// "argument"); null: "fixed".
  const char *fixed_reason;
  /// Prices of conversions, [from * layout_count + to]; PGOPT_SEARCH_NO_PRICE
  /// where there is none. Null: no conversion is possible. The diagonal is not
  /// read, nor are those of parameters.
  const int *conversions;
} pgopt_search_value;

typedef struct pgopt_search_candidate {
  /// Per slot (operands, then results): index of a layout of the slot's value.
  const int *layouts;
  int price;
  const char *name; ///< for the trace, the variant for instance; may be null
} pgopt_search_candidate;

/// Kernels stand in program order. At least one candidate has every operand and
/// result that is no parameter in its declared layout.
typedef struct pgopt_search_kernel {
  const char *name;
  const int *operands; ///< values; one may be there several times
  size_t operand_count;
  const int *results; ///< values; each has one producer
  size_t result_count;
  const pgopt_search_candidate *candidates;
  size_t candidate_count; ///< >= 1
} pgopt_search_kernel;

/// Everything is borrowed and outlives the search. `prices` are written by it:
/// what was measured stays there.
typedef struct pgopt_search_problem {
  const pgopt_search_value *values;
  size_t value_count;
  const pgopt_search_kernel *kernels;
  size_t kernel_count;
  pgopt_search_price *prices;
  size_t price_count;
} pgopt_search_problem;

/// One price to be measured, and the first thing that has it.
typedef struct pgopt_search_request {
  int price;
  int kernel, candidate; ///< both -1 for a conversion
  int value, from, to;   ///< all -1 for a kernel's candidate
} pgopt_search_request;

typedef enum pgopt_search_strategy {
  PGOPT_SEARCH_GREEDY, ///< local greedy with region moves
  PGOPT_SEARCH_BEAM,   ///< the `beam_width` best partial choices
  PGOPT_SEARCH_EXACT,  ///< dynamic programming, then branch and bound
} pgopt_search_strategy;

typedef struct pgopt_search_progress {
  const char
      *stage; ///< "greedy", "regions", "blocks", "beam", "exact", "measure"
  size_t done, total; ///< of the stage; total 0: unknown
  double cost_ns;     ///< of the best choice so far
} pgopt_search_progress;

typedef struct pgopt_search_options {
  pgopt_search_strategy strategy;
  size_t beam_width;   ///< >= 1
  int64_t node_budget; ///< of branch and bound, and of table entries
  /// A change is taken when it saves more than this share of the time that it
  /// affects. Greedy only: beam and exact take every saving.
  double gain;
  /// An unknown price is measured when, by what is known, its use would cost at
  /// most this many times the best alternative. >= 1.
  double prune;
  void *context; ///< of all callbacks
  /// Measures, what the start takes first, then what comes near the best choice
  /// by what is known. \param[out] time_ns NaN at first, one a request: the
  /// time, infinity for what cannot be run, NaN for what was not measured (it
  /// is not asked for again). \returns false when nothing more shall be
  /// measured (the budget is spent, or somebody interrupted); times already set
  /// are used. Null: estimates hold.
  bool (*measure)(void *context, const pgopt_search_request *requests,
                  size_t count, double *time_ns);
  /// Null: none.
  void (*progress)(void *context, const pgopt_search_progress *progress);
  /// True: stop searching and keep the best so far. Null: never.
  bool (*interrupted)(void *context);
} pgopt_search_options;

/// Greedy; width 16; 10 million nodes; 2% gain; pruned beyond 1.5; no
/// callbacks.
pgopt_search_options pgopt_search_defaults(void);

/// "greedy", "beam", "exact"; false for any other name.
bool pgopt_search_find_strategy(const char *name,
                                pgopt_search_strategy *strategy);
const char *pgopt_search_strategy_name(pgopt_search_strategy strategy);

/// A conversion that the choice needs, once.
typedef struct pgopt_search_conversion {
  int value, from, to;
  double time_ns;
} pgopt_search_conversion;

/// A layout that a value could be stored in, all other values held.
typedef struct pgopt_search_option {
  int layout;
  /// Of the kernels around the value and the conversions of their operands and
  /// results; infinity when the value cannot be stored so.
  double cost_ns;
  bool measured; ///< every price in it was measured
} pgopt_search_option;

/// Why a value is stored as it is.
typedef struct pgopt_search_decision {
  int value;
  int layout; ///< the one it is stored in
  const pgopt_search_option *options;
  size_t option_count; ///< 0 for parameters and fixed values
  const char *reason;
} pgopt_search_decision;

typedef struct pgopt_search_result {
  double start_ns; ///< every value as declared
  double cost_ns;  ///< of the choice, <= start_ns
  /// No choice costs less than this; 0 when the strategy knows no bound.
  double bound_ns;
  /// Exact: the choice is proved to be the best under its prices.
  bool proved;
  bool interrupted;
  int *candidate; ///< per kernel
  int *stored;    ///< per value; the declared layout of parameters
  pgopt_search_conversion *conversions; ///< by value, then layout
  size_t conversion_count;
  pgopt_search_decision *decisions; ///< one a value, in their order
  size_t requested, measured;       ///< prices asked for, prices got
  size_t estimated; ///< prices of the choice that are estimates still
  size_t sweeps, region_moves, block_moves; ///< greedy
  int64_t nodes;                            ///< beam and exact
  pgopt_arena memory;                       ///< of everything above
} pgopt_search_result;

/// Searches.
/// \param[out] result freed with `pgopt_search_result_free`, also on failure.
/// \returns PGOPT_INVALID when the problem breaks a rule above, in words.
pgopt_status pgopt_search(const pgopt_search_problem *problem,
                          const pgopt_search_options *options,
                          pgopt_search_result *result, pgopt_error *error);
void pgopt_search_result_free(pgopt_search_result *result);

#endif // PGOPT_SEARCH_SEARCH_H
