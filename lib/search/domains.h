/// \file The variables of a search problem: what each can be, and what it
/// costs alone.
#ifndef PGOPT_SEARCH_DOMAINS_H
#define PGOPT_SEARCH_DOMAINS_H

#include "search/state.h"

/// A kernel's candidate, or where a value is stored and in which other layouts
/// there are conversions of it, as a set of bits.
typedef struct pgopt_domain_item {
  int candidate;
  int stored;
  unsigned layouts; ///< stored and converted
  double cost_ns;
} pgopt_domain_item;

typedef struct pgopt_domain {
  pgopt_domain_item *items;
  size_t count, capacity; ///< count 0: a value that is no variable
} pgopt_domain;

typedef struct pgopt_domains {
  const pgopt_search_state *state;
  /// Kernels first, values behind them.
  pgopt_domain *variables;
  size_t count;
  bool complete; ///< nothing was left out that could be better
} pgopt_domains;

/// Candidates that another one with the same layouts beats are left out. A
/// value is a variable when more than one layout of it can be written or read.
void pgopt_domains_create(pgopt_domains *domains,
                          const pgopt_search_state *state);
void pgopt_domains_free(pgopt_domains *domains);

/// Whether a kernel's item and an item of one of its values agree: it writes
/// what is stored and reads what there is.
bool pgopt_domains_agree(const pgopt_domains *domains, int kernel,
                         const pgopt_domain_item *kernel_item, int value,
                         const pgopt_domain_item *value_item);

#endif // PGOPT_SEARCH_DOMAINS_H
