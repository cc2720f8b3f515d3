/// \file Reductions that are computed in parts.
///
/// Candidates are found by what the parts must take: equal shares of the
/// reduction's Timing. They are rewritten in a copy of the entry first, where
/// the new kernels' own Timing is looked up; what does not pay by that stays as
/// it was.
#include "ir/split_reductions.h"

#include "grouping/partial_reduction.h"
#include "ir/build_partials.h"
#include "ir/ir.h"
#include "ir/kernel_ranges.h"
#include "ir/symbol_names.h"

#include <stdlib.h>
#include <string.h>

typedef struct candidate {
  pgopt_partial_reduction reduction;
  const char *kernel; ///< `pg.kernel` of the parts
  int64_t cores;
  double best_ns; ///< what the reduction takes otherwise
  bool is_timed;
  pgopt_timing whole;    ///< of the reduction, when timed
  double combine_share;  ///< what the combine step takes of that, estimated
  int64_t partial_bytes; ///< of all partial results
  bool is_taken;
  pgopt_partials made;
} candidate;

typedef struct splitter {
  MlirOperation module;
  const pgopt_form_options *options;
  int64_t resources;
  const pgopt_sync_costs *costs;
  pgopt_planned_network planned; ///< the entry
  candidate *candidates;
  size_t count, capacity;
} splitter;

static int64_t bytes_of(const pgopt_network *network, int value) {
  int64_t bytes;
  return pgopt_type_bytes(&network->values[value].type, &bytes) ? bytes : 0;
}

/// Bytes that go into the kernel and out of it.
static double kernel_bytes(const pgopt_network *network,
                           const pgopt_kernel_plan *plan) {
  double bytes = 0;
  for (size_t i = 0; i < plan->input_count; ++i)
    bytes += (double)bytes_of(network, plan->inputs[i]);
  for (size_t i = 0; i < plan->output_count; ++i)
    bytes += (double)bytes_of(network, plan->outputs[i]);
  return bytes;
}

/// Time until the combine step is done. It waits once more than ranges do: for
/// the parts, before what follows waits for it.
static double parts_ns(const splitter *s, const candidate *c, double longest_ns,
                       int64_t shared_bytes, double combine_ns) {
  return pgopt_ranges_cost(s->costs, longest_ns,
                           shared_bytes + c->partial_bytes, c->cores) +
         s->costs->latency_ns + (double)c->cores * s->costs->hop_ns +
         combine_ns;
}

/// A name that no kernel has.
static const char *name_parts(splitter *s, size_t group) {
  const pgopt_grouping *grouping = &s->planned.grouping;
  const char *name = pgopt_arena_format(&s->planned.arena, "%s_partial",
                                        grouping->groups[group].id);
  for (size_t g = 0; g < grouping->group_count; ++g)
    if (!strcmp(grouping->groups[g].id, name)) {
      name = pgopt_arena_format(&s->planned.arena, "%s_", name);
      g = 0;
    }
  return name;
}

static bool find_reduction(splitter *s, size_t group, int64_t cores,
                           pgopt_partial_reduction *reduction) {
  return pgopt_find_partials(&s->planned.ir.network, &s->planned.grouping,
                             group, cores, &s->planned.arena, reduction);
}

static int64_t result_bytes(const splitter *s, size_t group) {
  const pgopt_network *network = &s->planned.ir.network;
  int core = s->planned.grouping.groups[group].core;
  return bytes_of(network, network->ops[core].results[0]);
}

/// What parts for so many cores are estimated to take.
static double estimate(const splitter *s, const pgopt_timed_kernel *kernel,
                       size_t group, candidate *c) {
  int64_t partials = c->reduction.partials, bytes = result_bytes(s, group);
  int64_t rounds = (partials + c->cores - 1) / c->cores;
  c->partial_bytes = partials * bytes;
  // As long for a byte as the reduction takes.
  c->combine_share = (double)(partials + 2) * (double)bytes /
                     kernel_bytes(&s->planned.ir.network, kernel->plan);
  double ns = (double)kernel->whole->median_ns;
  return parts_ns(s, c, ns * (double)rounds / (double)partials, 0,
                  ns * c->combine_share);
}

/// The number of parts that is estimated to be best, when it pays.
static bool choose_by_timing(splitter *s, const pgopt_timed_kernel *kernel,
                             size_t group, candidate *best) {
  pgopt_ranges ranges =
      pgopt_choose_ranges(kernel, s->resources, s->costs, &s->planned.arena);
  double uncut_ns = pgopt_cut_ns(kernel, &ranges, s->costs, &s->planned.arena);
  double best_ns = uncut_ns;
  bool found = false;
  for (int64_t cores = 2; cores <= s->resources && cores <= PGOPT_MAX_PARTIALS;
       ++cores) {
    candidate c = {.cores = cores,
                   .best_ns = uncut_ns,
                   .is_timed = true,
                   .whole = *kernel->whole};
    // What no parts can be faster than: waits alone take longer from here on.
    if (!pgopt_ranges_pay(pgopt_ranges_cost(s->costs, 0, 0, cores), best_ns))
      break;
    if (!find_reduction(s, group, cores, &c.reduction))
      continue;
    double ns = estimate(s, kernel, group, &c);
    if (pgopt_ranges_pay(ns, best_ns)) {
      *best = c;
      best_ns = ns;
      found = true;
    }
  }
  return found;
}

/// With a number of ranges: where the parallel loop has fewer iterations.
static bool choose_by_number(splitter *s, const pgopt_timed_kernel *kernel,
                             size_t group, candidate *c) {
  int64_t split = s->options->split;
  *c = (candidate){.cores = split, .is_taken = true};
  if (split < 2 ||
      (kernel->plan->can_cut && kernel->plan->range_extent >= split) ||
      !find_reduction(s, group, split, &c->reduction))
    return false;
  if (kernel->whole) {
    c->is_timed = true;
    c->whole = *kernel->whole;
    estimate(s, kernel, group, c);
  }
  return true;
}

static void find_candidates(splitter *s) {
  for (size_t g = 0; g < s->planned.grouping.group_count; ++g) {
    const pgopt_op *core =
        &s->planned.ir.network.ops[s->planned.grouping.groups[g].core];
    if (!pgopt_op_is_reduction(core))
      continue;
    pgopt_timed_kernel kernel =
        pgopt_time_kernel(s->module, &s->planned, g, s->options->timings,
                          s->options->ignores_variants);
    candidate c;
    if (s->options->split
            ? choose_by_number(s, &kernel, g, &c)
            : kernel.whole && choose_by_timing(s, &kernel, g, &c)) {
      c.kernel = name_parts(s, g);
      PGOPT_APPEND(s->candidates, s->count, s->capacity, c);
    }
  }
}

/// Rewrites the candidates, or those of them that are taken.
static void build(splitter *s, const pgopt_ir_network *ir, bool all) {
  for (size_t i = 0; i < s->count; ++i) {
    candidate *c = &s->candidates[i];
    if (all || c->is_taken)
      c->made = pgopt_build_partials(ir, &c->reduction, c->kernel);
  }
}

/// What is known of the kernel that an operation is in.
static pgopt_timed_kernel time_kernel_of(const splitter *s,
                                         pgopt_planned_network *planned,
                                         MlirOperation op) {
  int value = pgopt_ir_network_value(&planned->ir, pgopt_result(op));
  int number = planned->ir.network.values[value].producer;
  return pgopt_time_kernel(s->module, planned,
                           (size_t)planned->grouping.group_of[number],
                           s->options->timings, s->options->ignores_variants);
}

static pgopt_timing derived(const pgopt_timing *whole, double share) {
  pgopt_timing timing = *whole;
  timing.median_ns = (int64_t)((double)whole->median_ns * share);
  timing.min_ns = (int64_t)((double)whole->min_ns * share);
  timing.mad_ns = (int64_t)((double)whole->mad_ns * share);
  strcpy(timing.source, "derived");
  return timing;
}

/// The candidate by its own Timing, where that is on file.
static bool pays(const splitter *s, pgopt_planned_network *planned,
                 const candidate *c) {
  pgopt_timed_kernel partial = time_kernel_of(s, planned, c->made.partial);
  pgopt_timed_kernel combine = time_kernel_of(s, planned, c->made.combine);
  pgopt_timing timing = derived(&c->whole, 1);
  if (!partial.whole)
    partial.whole = &timing;
  pgopt_ranges ranges = pgopt_make_ranges(&partial, c->cores);
  double longest_ns =
      pgopt_longest_range_ns(&partial, &ranges, &planned->arena);
  double combine_ns = combine.whole
                          ? (double)combine.whole->median_ns
                          : (double)c->whole.median_ns * c->combine_share;
  return pgopt_ranges_pay(
      parts_ns(s, c, longest_ns, partial.plan->shared_bytes, combine_ns),
      c->best_ns);
}

/// Takes the candidates that pay in a copy of the entry.
static MlirLogicalResult judge(splitter *s, MlirOperation entry) {
  pgopt_symbol_names names = pgopt_symbol_names_create(s->module);
  char *name = pgopt_symbol_names_make(&names, "pgopt_parts");
  MlirOperation copy = pgopt_add_copy(s->module, entry, name);
  pgopt_planned_network planned;
  MlirLogicalResult result =
      pgopt_plan_network(copy, s->options->fuse, &planned);
  if (mlirLogicalResultIsSuccess(result)) {
    build(s, &planned.ir, true);
    pgopt_planned_network_free(&planned);
    result = pgopt_plan_network(copy, s->options->fuse, &planned);
  }
  if (mlirLogicalResultIsSuccess(result)) {
    for (size_t i = 0; i < s->count; ++i)
      s->candidates[i].is_taken = pays(s, &planned, &s->candidates[i]);
    pgopt_planned_network_free(&planned);
  }
  mlirOperationDestroy(copy);
  free(name);
  pgopt_symbol_names_free(&names);
  return result;
}

/// Gives a kernel that no Timing is known of the estimate.
static void derive(const splitter *s, pgopt_planned_network *planned,
                   MlirOperation op, const pgopt_timing *timing) {
  pgopt_timed_kernel kernel = time_kernel_of(s, planned, op);
  if (kernel.whole)
    return;
  int value = pgopt_ir_network_value(&planned->ir, pgopt_result(op));
  int group =
      planned->grouping.group_of[planned->ir.network.values[value].producer];
  pgopt_set_timing(planned->ir.ops[planned->grouping.groups[group].core],
                   timing);
}

static MlirLogicalResult derive_all(const splitter *s, MlirOperation entry) {
  pgopt_planned_network planned;
  if (mlirLogicalResultIsFailure(
          pgopt_plan_network(entry, s->options->fuse, &planned)))
    return mlirLogicalResultFailure();
  for (size_t i = 0; i < s->count; ++i) {
    const candidate *c = &s->candidates[i];
    if (!c->is_taken || !c->is_timed)
      continue;
    pgopt_timing partial = derived(&c->whole, 1);
    pgopt_timing combine = derived(&c->whole, c->combine_share);
    derive(s, &planned, c->made.partial, &partial);
    derive(s, &planned, c->made.combine, &combine);
  }
  pgopt_planned_network_free(&planned);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult
pgopt_split_reductions(MlirOperation module, MlirOperation entry,
                       const pgopt_form_options *options, int64_t resources,
                       const pgopt_sync_costs *costs, int64_t *split) {
  splitter s = {.module = module,
                .options = options,
                .resources = resources,
                .costs = costs};
  *split = 0;
  if (mlirLogicalResultIsFailure(
          pgopt_plan_network(entry, options->fuse, &s.planned)))
    return mlirLogicalResultFailure();
  find_candidates(&s);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  if (s.count && !options->split)
    result = judge(&s, entry);
  if (s.count && mlirLogicalResultIsSuccess(result)) {
    for (size_t i = 0; i < s.count; ++i)
      *split += s.candidates[i].is_taken;
    build(&s, &s.planned.ir, false);
    result = derive_all(&s, entry);
  }
  free(s.candidates);
  pgopt_planned_network_free(&s.planned);
  return result;
}
