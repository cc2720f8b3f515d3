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

/// Runs that a comparison is supposed to have.
enum { COMPARED_RUNS = 12 };

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

/// What the network takes with every value as declared, and how many kernels
/// that are different, as far as is known.
static int64_t start_ns(const pgopt_layout_prices *p, int64_t *kernels) {
  const pgopt_search_problem *problem = &p->problem;
  bool *counted = pgopt_allocate(problem->price_count, sizeof *counted);
  double sum = 0;
  *kernels = 0;
  for (size_t k = 0; k < problem->kernel_count; ++k) {
    int number = problem->kernels[k].candidates[0].price;
    const pgopt_search_price *price = &problem->prices[number];
    double ns =
        isnan(price->measured_ns) ? price->estimated_ns : price->measured_ns;
    sum += isfinite(ns) ? ns : 0;
    *kernels += !counted[number] && p->signatures[number];
    counted[number] = true;
  }
  free(counted);
  return sum < 1e15 ? (int64_t)sum : (int64_t)1e15;
}

void pgopt_layout_prices_reserve(pgopt_layout_prices *p) {
  int64_t kernels, ns = start_ns(p, &kernels),
                   forms = (int64_t)p->compared_forms;
  p->budget.compared_kernels = forms * kernels;
  p->budget.compared_ms =
      forms ? COMPARED_RUNS * (forms + 1) * (ns / ns_per_ms) : 0;
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
         timing.median_ns / ns_per_ms >= p->budget.budget_ms;
}

void pgopt_layout_prices_note_search(pgopt_layout_prices *p) {
  int64_t budget_ns = p->budget.budget_ms * ns_per_ms;
  const pgopt_profile_entry entry = {search_key(p),
                                     {budget_ns, budget_ns, 0, 1}};
  pgopt_extend_profile(p->module, &entry, 1);
}

static void take_estimate(void *context, const char *signature, double cycles) {
  pgopt_layout_prices *p = context;
  int number = pgopt_layout_prices_find(p, signature);
  if (number < 0)
    return;
  pgopt_search_price *price = &p->problem.prices[number];
  price->estimated_ns = fmax(price->estimated_ns, cycles / cycles_per_ns);
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

/// What this version expects of the kernel is on file under this key.
static const char *estimate_key(pgopt_layout_prices *p, int price) {
  return pgopt_arena_format(&p->arena, "%s estimated by %s%s",
                            p->signatures[price], PGOPT_VERSION,
                            PGOPT_PRICE_SUFFIX);
}

/// Takes the estimates that are on file, and leaves the other requests.
static size_t find_estimates(pgopt_layout_prices *p,
                             pgopt_search_request *requests, size_t count) {
  size_t left = 0;
  for (size_t i = 0; i < count; ++i) {
    pgopt_timing timing;
    int price = requests[i].price;
    if (pgopt_timings_find(p->choose.timings, p->module, estimate_key(p, price),
                           &timing))
      p->problem.prices[price].estimated_ns = (double)timing.median_ns;
    else
      requests[left++] = requests[i];
  }
  return left;
}

/// Files estimates, in nanoseconds: another search goes by the same numbers.
static void file_estimates(pgopt_layout_prices *p,
                           const pgopt_search_request *requests, size_t count) {
  pgopt_profile_entry *entries = pgopt_allocate(count, sizeof *entries);
  for (size_t i = 0; i < count; ++i) {
    pgopt_search_price *price = &p->problem.prices[requests[i].price];
    int64_t ns = llround(price->estimated_ns);
    price->estimated_ns = (double)ns;
    entries[i] = (pgopt_profile_entry){estimate_key(p, requests[i].price),
                                       {ns, ns, 0, 1}};
  }
  pgopt_extend_profile(p->module, entries, count);
  free(entries);
}

MlirLogicalResult pgopt_layout_prices_estimate(pgopt_layout_prices *p) {
  size_t count;
  MlirLogicalResult status = mlirLogicalResultSuccess();
  pgopt_search_request *requests = list_unknown(p, &count);
  count = find_estimates(p, requests, count);
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
    if (mlirLogicalResultIsSuccess(status))
      file_estimates(p, requests, count);
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
  options.most_candidates = p->budget.variants;
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

/// How many of the prices to measure next.
static size_t choose_count(const pgopt_layout_prices *p, size_t wanted,
                           int64_t *runs_ms) {
  return p->is_interrupted || mlirLogicalResultIsFailure(p->status)
             ? 0
             : pgopt_price_budget_next(&p->budget, pgopt_price_budget_now_ms(),
                                       wanted, runs_ms);
}

bool pgopt_layout_prices_measure(void *context,
                                 const pgopt_search_request *requests,
                                 size_t count, double *time_ns) {
  pgopt_layout_prices *p = context;
  int64_t runs_ms;
  size_t done = 0, size;
  pgopt_layout_prices_reserve(p);
  if (!p->budget.variants)
    p->budget.variants = pgopt_price_budget_variants(&p->budget, count);
  while (done < count && (size = choose_count(p, count - done, &runs_ms))) {
    int64_t start_ms = pgopt_price_budget_now_ms();
    pgopt_show_progress("layout search: %lld prices measured, %zu wanted",
                        (long long)p->measured, count - done);
    p->status = measure(p, requests + done, size, runs_ms);
    p->budget.spent_ms += pgopt_price_budget_now_ms() - start_ms;
    p->budget.prices += (int64_t)size;
    ++p->budget.batches;
    if (mlirLogicalResultIsSuccess(p->status))
      read_times(p, requests + done, size, time_ns + done);
    done += size;
  }
  pgopt_show_progress(NULL);
  return choose_count(p, 1, &runs_ms) > 0;
}
