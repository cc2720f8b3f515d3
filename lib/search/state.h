/// \file A choice under way: a candidate for every kernel, what follows from it
/// for every value, what it costs, and trying changes that can be undone.
///
/// Costs here are perturbed a little, so that ties fall as they should without
/// a second criterion: a conversion is 10 ps dearer than it is, a value that is
/// not stored as declared 0.1 ps. What cannot be done costs
/// PGOPT_SEARCH_IMPOSSIBLE_NS.
#ifndef PGOPT_SEARCH_STATE_H
#define PGOPT_SEARCH_STATE_H

#include "search/search.h"

/// More than any network takes; finite, so that differences stay numbers.
#define PGOPT_SEARCH_IMPOSSIBLE_NS 1e18
#define PGOPT_SEARCH_CONVERSION_TIE_NS 1e-2
#define PGOPT_SEARCH_LAYOUT_TIE_NS 1e-4

/// A candidate that a kernel had before it was changed.
typedef struct pgopt_search_undo {
  int kernel, candidate;
} pgopt_search_undo;

typedef struct pgopt_search_state {
  const pgopt_search_problem *problem;
  const double *price_ns; ///< per price, what the search takes it to be
  int *producer;          ///< per value; -1 for none
  size_t *first_user;     ///< per value and one more: into `users`
  int *users;             ///< kernels that read the value, ascending, each once
  int *candidate;         ///< per kernel
  int *stored;            ///< per value
  /// Operands that read a value in a layout, `returned` included:
  /// [value * PGOPT_SEARCH_MAX_LAYOUTS + layout].
  int *readers;
  pgopt_search_undo *journal; ///< changes, oldest first
  size_t journal_count, journal_capacity;
  /// What a change of the value looked at last affects.
  int *scope_kernels, *scope_values;
  size_t scope_kernel_count, scope_value_count;
  unsigned *kernel_mark, *value_mark, mark;
} pgopt_search_state;

/// Every value as declared, every kernel with its cheapest candidate for that.
/// \param price_ns one a price, borrowed; may change, with `_restart` after it.
void pgopt_search_state_create(pgopt_search_state *state,
                               const pgopt_search_problem *problem,
                               const double *price_ns);
void pgopt_search_state_restart(pgopt_search_state *state);
void pgopt_search_state_free(pgopt_search_state *state);

/// The value of a kernel's slot: operands, then results.
static inline int pgopt_search_slot(const pgopt_search_kernel *kernel,
                                    size_t slot) {
  return slot < kernel->operand_count
             ? kernel->operands[slot]
             : kernel->results[slot - kernel->operand_count];
}
static inline size_t pgopt_search_slots(const pgopt_search_kernel *kernel) {
  return kernel->operand_count + kernel->result_count;
}

/// The price index of a conversion, PGOPT_SEARCH_NO_PRICE for none.
int pgopt_search_conversion_price(const pgopt_search_value *value, int from,
                                  int to);

/// The price index of the conversion of the value to `to` when the choice needs
/// one, else PGOPT_SEARCH_NO_PRICE.
int pgopt_search_needed_price(const pgopt_search_state *state, int value,
                              int to);

/// A conversion's perturbed cost; 0 for none needed, and for parameters.
double pgopt_search_conversion_ns(const pgopt_search_state *state, int value,
                                  int from, int to);
double pgopt_search_candidate_ns(const pgopt_search_state *state, int kernel,
                                 int candidate);
/// The conversions of a value, and its share of ties.
double pgopt_search_value_ns(const pgopt_search_state *state, int value);
/// Of the whole choice.
double pgopt_search_total_ns(const pgopt_search_state *state);

/// Changes a kernel's candidate; what it writes is stored so.
void pgopt_search_set(pgopt_search_state *state, int kernel, int candidate);
/// Undoes changes until `count` are left in the journal.
void pgopt_search_undo_to(pgopt_search_state *state, size_t count);
/// Takes over a whole choice and empties the journal.
void pgopt_search_state_assign(pgopt_search_state *state,
                               const int *candidates);

/// Stores the value in `layout`: its producer takes the cheapest candidate that
/// writes it so, its readers their cheapest, together where a conversion pays
/// only for several of them. All other values keep their layouts.
/// \param[out] before_ns of the kernels around the value and the conversions of
///   their values, before the change.
/// \returns the same after it; at least PGOPT_SEARCH_IMPOSSIBLE_NS when it
///   cannot be. The change stays, until it is undone.
double pgopt_search_store(pgopt_search_state *state, int value, int layout,
                          double *before_ns);

#endif // PGOPT_SEARCH_STATE_H
