#include "search/buckets.h"

#include "search/domains.h"

#include <stdlib.h>
#include <string.h>

/// Variables between two looks at interrupts.
enum { POLL_EVERY = 64 };

/// A table over variables, given by their positions, latest first: row-major,
/// the last one innermost.
typedef struct cost_table {
  int *scope;
  int count;
  double *ns;
} cost_table;

typedef struct bucket {
  cost_table **tables;
  size_t count, capacity;
} bucket;

struct pgopt_buckets {
  pgopt_domains domains;
  int count;
  int *variable;    ///< per position: index in domains
  int *position;    ///< per variable; -1 for what is none
  bucket *received; ///< per position: tables to be added
  bucket *sent;     ///< per position: messages that it made of them
  cost_table **owned;
  size_t owned_count, owned_capacity;
  double constant_ns; ///< messages without variables
  int64_t limit;
  bool exact;
};

static int domain_of(const pgopt_buckets *b, int position) {
  return (int)b->domains.variables[b->variable[position]].count;
}

/// Neighbours of a variable that is not eliminated yet, ascending.
typedef struct neighbours {
  int *items;
  size_t count, capacity;
} neighbours;

static void connect(neighbours *n, int other) {
  size_t at = 0;
  while (at < n->count && n->items[at] < other)
    ++at;
  if (at < n->count && n->items[at] == other)
    return;
  pgopt_reserve((void **)&n->items, &n->capacity, n->count + 1,
                sizeof *n->items);
  memmove(n->items + at + 1, n->items + at, (n->count - at) * sizeof *n->items);
  n->items[at] = other;
  ++n->count;
}

static void disconnect(neighbours *n, int other) {
  size_t kept = 0;
  for (size_t i = 0; i < n->count; ++i)
    if (n->items[i] != other)
      n->items[kept++] = n->items[i];
  n->count = kept;
}

/// Kernels and the values around them.
static neighbours *connect_all(const pgopt_domains *domains) {
  const pgopt_search_problem *problem = domains->state->problem;
  neighbours *all = pgopt_allocate(domains->count, sizeof *all);
  for (int k = 0; k < (int)problem->kernel_count; ++k) {
    const pgopt_search_kernel *kernel = &problem->kernels[k];
    for (size_t i = 0; i < pgopt_search_slots(kernel); ++i) {
      int value = (int)problem->kernel_count + pgopt_search_slot(kernel, i);
      if (domains->variables[value].count) {
        connect(&all[k], value);
        connect(&all[value], k);
      }
    }
  }
  return all;
}

/// Entries of the table of a variable and its neighbours.
static double table_entries(const pgopt_domains *domains, const neighbours *all,
                            int variable) {
  double entries = (double)domains->variables[variable].count;
  for (size_t i = 0; i < all[variable].count; ++i)
    entries *= (double)domains->variables[all[variable].items[i]].count;
  return entries;
}

/// Finds an order of elimination: always the variable whose table is smallest.
/// \param[out] order variables in it, `domains->count` places.
/// \param[out] entries of all tables.
/// \returns the number of variables.
static int find_order(const pgopt_domains *domains, int *order,
                      double *entries) {
  neighbours *all = connect_all(domains);
  double *size = pgopt_allocate(domains->count, sizeof *size);
  int *open = pgopt_allocate(domains->count, sizeof *open);
  size_t open_count = 0;
  int count = 0;
  *entries = 0;
  for (int i = 0; i < (int)domains->count; ++i)
    if (domains->variables[i].count) {
      size[i] = table_entries(domains, all, i);
      open[open_count++] = i;
    }
  while (open_count) {
    size_t best = 0;
    for (size_t i = 1; i < open_count; ++i)
      if (size[open[i]] < size[open[best]] ||
          (size[open[i]] == size[open[best]] && open[i] < open[best]))
        best = i;
    int variable = open[best];
    open[best] = open[--open_count];
    order[count++] = variable;
    *entries += size[variable];
    const neighbours *n = &all[variable];
    for (size_t i = 0; i < n->count; ++i) {
      disconnect(&all[n->items[i]], variable);
      for (size_t j = 0; j < n->count; ++j)
        if (i != j)
          connect(&all[n->items[i]], n->items[j]);
    }
    for (size_t i = 0; i < n->count; ++i)
      size[n->items[i]] = table_entries(domains, all, n->items[i]);
  }
  for (size_t i = 0; i < domains->count; ++i)
    free(all[i].items);
  free(all);
  free(size);
  free(open);
  return count;
}

double pgopt_buckets_exact_entries(const pgopt_search_state *state) {
  pgopt_domains domains;
  pgopt_domains_create(&domains, state);
  int *order = pgopt_allocate(domains.count, sizeof *order);
  double entries;
  find_order(&domains, order, &entries);
  free(order);
  pgopt_domains_free(&domains);
  return entries;
}

static cost_table *new_table(pgopt_buckets *b, const int *scope, int count) {
  cost_table *table = pgopt_allocate(1, sizeof *table);
  table->scope = pgopt_duplicate(scope, (size_t)count * sizeof *scope);
  table->count = count;
  size_t entries = 1;
  for (int i = 0; i < count; ++i)
    entries *= (size_t)domain_of(b, scope[i]);
  table->ns = pgopt_allocate(entries, sizeof *table->ns);
  PGOPT_APPEND(b->owned, b->owned_count, b->owned_capacity, table);
  return table;
}

/// Puts a table into the bucket of its variable that is eliminated first, the
/// one with the largest position.
static void receive(pgopt_buckets *b, cost_table *table) {
  bucket *to = &b->received[table->scope[0]];
  PGOPT_APPEND(to->tables, to->count, to->capacity, table);
}

/// What each item costs alone, and what does not go together.
static void add_functions(pgopt_buckets *b) {
  const pgopt_search_problem *problem = b->domains.state->problem;
  int kernels = (int)problem->kernel_count;
  for (int p = 0; p < b->count; ++p) {
    const pgopt_domain *domain = &b->domains.variables[b->variable[p]];
    cost_table *table = new_table(b, &p, 1);
    for (size_t i = 0; i < domain->count; ++i)
      table->ns[i] = domain->items[i].cost_ns;
    receive(b, table);
  }
  for (int k = 0; k < kernels; ++k) {
    const pgopt_search_kernel *kernel = &problem->kernels[k];
    for (size_t i = 0; i < pgopt_search_slots(kernel); ++i) {
      int value = pgopt_search_slot(kernel, i);
      bool seen = b->position[kernels + value] < 0;
      for (size_t j = 0; j < i && !seen; ++j)
        seen = pgopt_search_slot(kernel, j) == value;
      if (seen)
        continue;
      int here = b->position[k], there = b->position[kernels + value];
      bool first = here > there;
      cost_table *table =
          new_table(b, first ? (int[]){here, there} : (int[]){there, here}, 2);
      const pgopt_domain *ours = &b->domains.variables[k];
      const pgopt_domain *its = &b->domains.variables[kernels + value];
      for (size_t x = 0; x < ours->count; ++x)
        for (size_t y = 0; y < its->count; ++y)
          if (!pgopt_domains_agree(&b->domains, k, &ours->items[x], value,
                                   &its->items[y]))
            table->ns[first ? x * its->count + y : y * ours->count + x] =
                PGOPT_SEARCH_IMPOSSIBLE_NS;
      receive(b, table);
    }
  }
}

/// Tables that are minimised together.
typedef struct mini_bucket {
  cost_table **tables;
  size_t count;
  int *scope; ///< of all of them, latest position first
  int scope_count;
} mini_bucket;

/// The union of two scopes, latest first. \returns its entries.
static double join_scopes(const pgopt_buckets *b, const int *x, int x_count,
                          const int *y, int y_count, int *joined, int *count) {
  double entries = 1;
  int i = 0, j = 0;
  *count = 0;
  while (i < x_count || j < y_count) {
    int next = j == y_count || (i < x_count && x[i] > y[j]) ? x[i] : y[j];
    i += i < x_count && x[i] == next;
    j += j < y_count && y[j] == next;
    joined[(*count)++] = next;
    entries *= domain_of(b, next);
  }
  return entries;
}

/// Steps of a table's index when a variable of `scope` rises by one; 0 for
/// variables that it does not have.
static void find_steps(const pgopt_buckets *b, const cost_table *table,
                       const int *scope, int count, size_t *steps) {
  size_t step = 1;
  memset(steps, 0, (size_t)count * sizeof *steps);
  for (int i = table->count - 1; i >= 0; --i) {
    for (int j = 0; j < count; ++j)
      if (scope[j] == table->scope[i])
        steps[j] = step;
    step *= (size_t)domain_of(b, table->scope[i]);
  }
}

/// Adds the tables and minimises over the first variable of the scope.
static cost_table *minimise(pgopt_buckets *b, const mini_bucket *m) {
  int count = m->scope_count;
  cost_table *message = new_table(b, m->scope + 1, count - 1);
  size_t *steps = pgopt_allocate(m->count * (size_t)count, sizeof *steps);
  size_t *at = pgopt_allocate(m->count, sizeof *at);
  int *digits = pgopt_allocate((size_t)count, sizeof *digits);
  for (size_t t = 0; t < m->count; ++t)
    find_steps(b, m->tables[t], m->scope, count, steps + t * (size_t)count);
  int domain = domain_of(b, m->scope[0]);
  for (size_t entry = 0;; ++entry) {
    double best = 0;
    for (int x = 0; x < domain; ++x) {
      double ns = 0;
      for (size_t t = 0; t < m->count; ++t)
        ns += m->tables[t]->ns[at[t] + (size_t)x * steps[t * (size_t)count]];
      best = x == 0 || ns < best ? ns : best;
    }
    message->ns[entry] = best;
    int i = count - 1;
    for (; i > 0; --i) {
      size_t last = (size_t)domain_of(b, m->scope[i]) - 1;
      bool wraps = (size_t)++digits[i] > last;
      for (size_t t = 0; t < m->count; ++t) {
        size_t step = steps[t * (size_t)count + (size_t)i];
        at[t] = wraps ? at[t] - last * step : at[t] + step;
      }
      if (!wraps)
        break;
      digits[i] = 0;
    }
    if (i == 0)
      break;
  }
  free(steps);
  free(at);
  free(digits);
  return message;
}

static int compare_tables(const void *a, const void *b) {
  const cost_table *x = *(cost_table *const *)a;
  const cost_table *y = *(cost_table *const *)b;
  if (x->count != y->count)
    return x->count < y->count ? 1 : -1;
  for (int i = 0; i < x->count; ++i)
    if (x->scope[i] != y->scope[i])
      return x->scope[i] < y->scope[i] ? 1 : -1;
  return 0;
}

/// Splits what a bucket received into mini-buckets, larger tables first, each
/// to the first mini-bucket that it fits into. Scopes have room in `scopes`,
/// `room` places each. \returns how many there are.
static size_t split(const pgopt_buckets *b, const bucket *from,
                    mini_bucket *minis, int *scopes, size_t room) {
  size_t count = 0;
  int *joined = scopes + from->count * room;
  for (size_t t = 0; t < from->count; ++t) {
    cost_table *table = from->tables[t];
    int joined_count = 0;
    size_t to = 0;
    for (; to < count; ++to)
      if (join_scopes(b, minis[to].scope, minis[to].scope_count, table->scope,
                      table->count, joined, &joined_count) <= (double)b->limit)
        break;
    mini_bucket *m = &minis[to];
    if (to == count) {
      minis[count++] =
          (mini_bucket){pgopt_allocate(from->count, sizeof *m->tables), 0,
                        scopes + to * room, 0};
      joined_count = table->count;
      memcpy(joined, table->scope, (size_t)joined_count * sizeof *joined);
    }
    m->tables[m->count++] = table;
    m->scope_count = joined_count;
    memcpy(m->scope, joined, (size_t)joined_count * sizeof *joined);
  }
  return count;
}

static void eliminate(pgopt_buckets *b, int position) {
  bucket *from = &b->received[position];
  size_t room = 0;
  for (size_t t = 0; t < from->count; ++t)
    room += (size_t)from->tables[t]->count;
  // The same tables in the same order, whatever the order they came in.
  qsort(from->tables, from->count, sizeof *from->tables, compare_tables);
  mini_bucket *minis = pgopt_allocate(from->count, sizeof *minis);
  int *scopes = pgopt_allocate((from->count + 1) * room, sizeof *scopes);
  size_t count = split(b, from, minis, scopes, room);
  b->exact &= count == 1;
  for (size_t m = 0; m < count; ++m) {
    cost_table *message = minimise(b, &minis[m]);
    bucket *sent = &b->sent[position];
    PGOPT_APPEND(sent->tables, sent->count, sent->capacity, message);
    if (message->count)
      receive(b, message);
    else
      b->constant_ns += message->ns[0];
    free(minis[m].tables);
  }
  free(scopes);
  free(minis);
}

pgopt_buckets *pgopt_buckets_create(const pgopt_search_state *state,
                                    int64_t limit,
                                    bool (*interrupted)(void *context),
                                    void *context) {
  pgopt_buckets *b = pgopt_allocate(1, sizeof *b);
  pgopt_domains_create(&b->domains, state);
  b->limit = limit;
  b->exact = b->domains.complete;
  int *order = pgopt_allocate(b->domains.count, sizeof *order);
  double entries;
  b->count = find_order(&b->domains, order, &entries);
  b->variable = pgopt_allocate((size_t)b->count, sizeof *b->variable);
  b->position = pgopt_allocate(b->domains.count, sizeof *b->position);
  b->received = pgopt_allocate((size_t)b->count, sizeof *b->received);
  b->sent = pgopt_allocate((size_t)b->count, sizeof *b->sent);
  for (size_t i = 0; i < b->domains.count; ++i)
    b->position[i] = -1;
  for (int i = 0; i < b->count; ++i) {
    b->variable[b->count - 1 - i] = order[i];
    b->position[order[i]] = b->count - 1 - i;
  }
  free(order);
  add_functions(b);
  for (int p = b->count - 1; p >= 0; --p) {
    if (p % POLL_EVERY == 0 && interrupted && interrupted(context)) {
      pgopt_buckets_free(b);
      return NULL;
    }
    eliminate(b, p);
  }
  return b;
}

void pgopt_buckets_free(pgopt_buckets *b) {
  for (size_t i = 0; i < b->owned_count; ++i) {
    free(b->owned[i]->scope);
    free(b->owned[i]->ns);
    free(b->owned[i]);
  }
  free(b->owned);
  for (int i = 0; i < b->count; ++i) {
    free(b->received[i].tables);
    free(b->sent[i].tables);
  }
  free(b->received);
  free(b->sent);
  free(b->variable);
  free(b->position);
  pgopt_domains_free(&b->domains);
  free(b);
}

bool pgopt_buckets_are_exact(const pgopt_buckets *b) { return b->exact; }

bool pgopt_buckets_are_complete(const pgopt_buckets *b) {
  return b->domains.complete;
}

double pgopt_buckets_bound(const pgopt_buckets *b) { return b->constant_ns; }

int pgopt_buckets_count(const pgopt_buckets *b) { return b->count; }

int pgopt_buckets_domain(const pgopt_buckets *b, int position) {
  return domain_of(b, position);
}

static double sum_at(const pgopt_buckets *b, const bucket *tables,
                     const int *assigned) {
  double ns = 0;
  for (size_t t = 0; t < tables->count; ++t) {
    const cost_table *table = tables->tables[t];
    size_t at = 0;
    for (int i = 0; i < table->count; ++i)
      at = at * (size_t)domain_of(b, table->scope[i]) +
           (size_t)assigned[table->scope[i]];
    ns += table->ns[at];
  }
  return ns;
}

double pgopt_buckets_rise(const pgopt_buckets *b, int position,
                          const int *assigned) {
  double rise = sum_at(b, &b->received[position], assigned) -
                sum_at(b, &b->sent[position], assigned);
  return rise > 0 ? rise : 0;
}

void pgopt_buckets_candidates(const pgopt_buckets *b, const int *assigned,
                              int *candidates) {
  size_t kernels = b->domains.state->problem->kernel_count;
  for (size_t k = 0; k < kernels; ++k) {
    // A kernel has an item: everything as declared.
    const pgopt_domain *domain = &b->domains.variables[k];
    candidates[k] = domain->items[assigned[b->position[k]]].candidate;
  }
}
