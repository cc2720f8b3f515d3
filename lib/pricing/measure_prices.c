/// \file Prices measured by trial runs.
///
/// Kernels are cut out of the worlds that they are found in, each with
/// arguments of its own, and merged into one program together with the layout
/// changes. A program is lowered and compiled before it runs, which takes
/// longer than the runs: so many prices are measured in one as half of the time
/// that is left will do for, judged by those before.
#include "base/hash.h"
#include "base/progress.h"
#include "pricing/cut_kernels.h"
#include "pricing/layout_prices.h"
#include "pricing/merge_functions.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  FIRST_PRICES = 32,   ///< measured before it is known what one takes
  LEAST_PRICES = 4,    ///< in one program
  RUN_SHARE = 4,       ///< runs may take one part of so many of the time left
  MOST_CANDIDATES = 3, ///< variants of a kernel that are measured for its price
};

static const int64_t ns_per_ms = 1000000;
/// What a core is supposed to do in a nanosecond.
static const double cycles_per_ns = 4;

/// The kernels of one world that are asked for; a null operation for none.
static MlirLogicalResult build_kernels(const pgopt_layout_prices *p,
                                       const pgopt_search_request *requests,
                                       size_t count, size_t number,
                                       MlirOperation *function) {
  bool *keep = pgopt_allocate(p->network->kernel_count, sizeof *keep);
  bool any = false;
  for (size_t i = 0; i < count; ++i)
    if (requests[i].kernel >= 0 && (size_t)requests[i].candidate == number)
      any = keep[requests[i].kernel] = true;
  MlirLogicalResult status = mlirLogicalResultSuccess();
  *function = (MlirOperation){NULL};
  if (any)
    status = pgopt_build_world(p, number, function);
  if (any && mlirLogicalResultIsSuccess(status))
    status = pgopt_cut_kernels(*function, keep, p->network->kernel_count);
  free(keep);
  return status;
}

/// The layout changes that are asked for; a null operation for none.
static MlirOperation build_conversions(const pgopt_layout_prices *p,
                                       const pgopt_search_request *requests,
                                       size_t count) {
  pgopt_conversion *list = pgopt_allocate(count, sizeof *list);
  size_t wanted = 0;
  for (size_t i = 0; i < count; ++i) {
    if (requests[i].value < 0)
      continue;
    int value = p->value_of[requests[i].value];
    const pgopt_layout_set *set = &p->network->sets.sets[value];
    list[wanted++] = (pgopt_conversion){value, set->orders[requests[i].from],
                                        set->orders[requests[i].to]};
  }
  MlirOperation function =
      wanted ? pgopt_build_conversions(p->module, &p->network->ir,
                                       &p->network->axes, list, wanted)
             : (MlirOperation){NULL};
  free(list);
  return function;
}

/// The program that has what is asked for as its kernels.
static MlirLogicalResult build_program(const pgopt_layout_prices *p,
                                       const pgopt_search_request *requests,
                                       size_t count, MlirOperation *program) {
  MlirOperation functions[PGOPT_MAX_LAYOUT_CANDIDATES + 1];
  size_t function_count = 0;
  MlirLogicalResult status = mlirLogicalResultSuccess();
  for (size_t c = 0;
       c < PGOPT_MAX_LAYOUT_CANDIDATES && mlirLogicalResultIsSuccess(status);
       ++c) {
    MlirOperation *next = &functions[function_count];
    status = build_kernels(p, requests, count, c, next);
    function_count += !mlirOperationIsNull(*next);
  }
  MlirOperation changes = mlirLogicalResultIsSuccess(status)
                              ? build_conversions(p, requests, count)
                              : (MlirOperation){NULL};
  if (!mlirOperationIsNull(changes))
    functions[function_count++] = changes;
  *program = pgopt_merge_functions(p->module, functions, function_count,
                                   "pgopt_prices");
  return status;
}

static int64_t now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void pgopt_layout_prices_start(pgopt_layout_prices *p) {
  p->started_ms = now_ms();
}

int64_t pgopt_layout_prices_left_ms(const pgopt_layout_prices *p) {
  return p->started_ms + p->budget_ms - now_ms();
}

/// The key of a Timing that is the search's own: what its budget was.
static const char *search_key(pgopt_layout_prices *p) {
  pgopt_hash hash = pgopt_hash_begin("search");
  for (size_t i = 0; i < p->problem.price_count; ++i)
    pgopt_hash_text(&hash, p->signatures[i] ? p->signatures[i] : "");
  return pgopt_arena_format(&p->arena,
                            "layout search %016" PRIx64 "%016" PRIx64 "%s",
                            hash.high, hash.low, PGOPT_PRICE_SUFFIX);
}

bool pgopt_layout_prices_are_searched(pgopt_layout_prices *p) {
  pgopt_timing timing;
  return pgopt_timings_find(p->choose.timings, p->module, search_key(p),
                            &timing) &&
         timing.median_ns / ns_per_ms >= p->budget_ms;
}

void pgopt_layout_prices_note_search(pgopt_layout_prices *p) {
  int64_t budget_ns = p->budget_ms * ns_per_ms;
  const pgopt_profile_entry entry = {search_key(p),
                                     {budget_ns, budget_ns, 0, 1}};
  pgopt_extend_profile(p->module, &entry, 1);
}

static void take_estimate(void *context, const char *signature, double cycles) {
  pgopt_layout_prices *p = context;
  for (size_t i = 0; i < p->problem.price_count; ++i)
    if (p->signatures[i] && !strcmp(p->signatures[i], signature)) {
      pgopt_search_price *price = &p->problem.prices[i];
      price->estimated_ns = fmax(price->estimated_ns, cycles / cycles_per_ns);
    }
}

/// Requests for kernels whose price is not known, each price once.
static pgopt_search_request *list_unknown(const pgopt_layout_prices *p,
                                          size_t *count) {
  const pgopt_search_problem *problem = &p->problem;
  bool *listed = pgopt_allocate(problem->price_count, sizeof *listed);
  pgopt_search_request *list = NULL;
  size_t capacity = 0;
  *count = 0;
  for (size_t k = 0; k < problem->kernel_count; ++k)
    for (size_t c = 0; c < problem->kernels[k].candidate_count; ++c) {
      int price = problem->kernels[k].candidates[c].price;
      if (listed[price] || !isnan(problem->prices[price].measured_ns))
        continue;
      listed[price] = true;
      pgopt_search_request one = {price, (int)k, (int)c, -1, -1, -1};
      PGOPT_APPEND(list, *count, capacity, one);
    }
  free(listed);
  return list;
}

MlirLogicalResult pgopt_layout_prices_estimate(pgopt_layout_prices *p) {
  size_t count;
  MlirLogicalResult status = mlirLogicalResultSuccess();
  pgopt_search_request *requests = list_unknown(p, &count);
  if (count) {
    MlirOperation program;
    pgopt_chosen chosen;
    pgopt_choose_options options = p->choose;
    options.estimated = take_estimate;
    options.context = p;
    status = build_program(p, requests, count, &program);
    if (mlirLogicalResultIsSuccess(status))
      status =
          pgopt_choose_variants(p->pass, p->module, program, &options, &chosen);
    mlirOperationDestroy(program);
  }
  free(requests);
  return status;
}

/// Measures all that is asked for in one trial run, and files it.
static MlirLogicalResult measure(pgopt_layout_prices *p,
                                 const pgopt_search_request *requests,
                                 size_t count, int64_t runs_ms) {
  MlirOperation program;
  pgopt_chosen chosen = {0};
  pgopt_choose_options options = p->choose;
  options.request.budget_ms = runs_ms;
  options.most_candidates = MOST_CANDIDATES;
  MlirLogicalResult status = build_program(p, requests, count, &program);
  if (mlirLogicalResultIsSuccess(status))
    status =
        pgopt_choose_variants(p->pass, p->module, program, &options, &chosen);
  mlirOperationDestroy(program);
  p->is_interrupted = p->is_interrupted || chosen.is_interrupted;
  return mlirLogicalResultIsSuccess(status)
             ? pgopt_timings_save(p->choose.timings, p->module)
             : status;
}

static void read_times(pgopt_layout_prices *p,
                       const pgopt_search_request *requests, size_t count,
                       double *time_ns) {
  for (size_t i = 0; i < count; ++i) {
    if (pgopt_find_price(p, p->signatures[requests[i].price], &time_ns[i])) {
      ++p->measured;
    } else if (!p->is_interrupted) {
      time_ns[i] = INFINITY;
      ++p->failed;
    }
  }
}

/// How many of `count` prices to measure next.
static size_t choose_count(const pgopt_layout_prices *p, size_t count,
                           int64_t left_ms) {
  int64_t known = p->measured + p->failed, size = FIRST_PRICES;
  if (known)
    size = left_ms * known / (2 * p->measuring_ms + 1);
  if (size < LEAST_PRICES)
    size = LEAST_PRICES;
  return (size_t)size < count ? (size_t)size : count;
}

/// A last quarter of the time is for what follows the search.
static int64_t search_left_ms(const pgopt_layout_prices *p) {
  return pgopt_layout_prices_left_ms(p) - p->budget_ms / 4;
}

static bool may_go_on(const pgopt_layout_prices *p) {
  return search_left_ms(p) > 0 && !p->is_interrupted &&
         mlirLogicalResultIsSuccess(p->status);
}

bool pgopt_layout_prices_measure(void *context,
                                 const pgopt_search_request *requests,
                                 size_t count, double *time_ns) {
  pgopt_layout_prices *p = context;
  for (size_t done = 0, size; done < count && may_go_on(p); done += size) {
    int64_t left_ms = search_left_ms(p), start_ms = now_ms();
    size = choose_count(p, count - done, left_ms);
    pgopt_show_progress("layout search: %lld prices measured, %zu wanted",
                        (long long)p->measured, count - done);
    int64_t runs_ms =
        left_ms * (int64_t)size / (int64_t)(count - done) / RUN_SHARE;
    p->status = measure(p, requests + done, size, runs_ms + 1);
    p->measuring_ms += now_ms() - start_ms;
    if (mlirLogicalResultIsSuccess(p->status))
      read_times(p, requests + done, size, time_ns + done);
  }
  pgopt_show_progress(NULL);
  return may_go_on(p);
}
