/// \file Chooses the layouts of the values between kernels and rewrites the
/// network to them: by the measured time of kernels and layout changes, or,
/// with `strategy=fixed`, so that convolutions get their images in one layout
/// and layouts change at the network's edges only. Requires: static ranks; what
/// is dynamic is left alone. Preserves: every result, the declared types of
/// results and of arguments but parameters, which may become packed ones.
#include "ir/adapt_callers.h"
#include "ir/change_layouts.h"
#include "ir/entry.h"
#include "ir/fill_elided.h"
#include "ir/ir.h"
#include "ir/normalize_entry.h"
#include "kernels/kernel_settings.h"
#include "layout/changes.h"
#include "passes/passes.h"
#include "pricing/layout_prices.h"
#include "pricing/search_layouts.h"
#include "profile/contained.h"

#include <stdlib.h>
#include <string.h>

typedef struct options {
  const char *entry;
  const char *strategy;
  const char *layout;
  const char *fill_elided;
  int64_t seed;
  pgopt_kernel_settings settings;
  int64_t work;
  bool pack_parameters;
  const char *budget;
  const char *kernel_limit;
  const char *memory_limit;
  int64_t width, nodes;
  const char *prices;
  bool confirm, apply, print_sets;
  const char *trace, *costs;
  pgopt_store_options store;
} options;

static const pgopt_option option_table[] = {
    {"entry", PGOPT_OPTION_TEXT, offsetof(options, entry), "",
     "the network's function; default: the only public one with tensors"},
    {"strategy", PGOPT_OPTION_TEXT, offsetof(options, strategy), "greedy",
     "greedy, beam or exact search by time, fixed gives all images the layout "
     "of `layout`, none leaves everything alone"},
    {"layout", PGOPT_OPTION_TEXT, offsetof(options, layout), "nhwc",
     "layout of images with strategy=fixed: nhwc, nchw, or nchw16c, channels "
     "in blocks of any number from 2 to 64"},
    {"fill-elided", PGOPT_OPTION_TEXT, offsetof(options, fill_elided), "seed",
     "elided constants: seed fills them, error refuses them"},
    {"seed", PGOPT_OPTION_I64, offsetof(options, seed), "0",
     "seed of the values that elided constants get"},
    PGOPT_KERNEL_SETTINGS(options, settings),
    {"work", PGOPT_OPTION_I64, offsetof(options, work), "400",
     "values looked at per value of the network before the search ends"},
    {"pack-parameters", PGOPT_OPTION_BOOL, offsetof(options, pack_parameters),
     "true",
     "let parameters be taken in another order, packed once when the program "
     "is loaded"},
    {"budget", PGOPT_OPTION_TEXT, offsetof(options, budget), "30s",
     "time that measuring may take, as 30s or 500ms"},
    {"kernel-limit", PGOPT_OPTION_TEXT, offsetof(options, kernel_limit), "10s",
     "a kernel that takes longer, as 10s or 500ms, is not used"},
    {"memory-limit", PGOPT_OPTION_TEXT, offsetof(options, memory_limit), "",
     "memory for the trial runs, as 512MiB; default: what is free"},
    {"width", PGOPT_OPTION_I64, offsetof(options, width), "16",
     "strategy=beam: partial choices that are kept"},
    {"nodes", PGOPT_OPTION_I64, offsetof(options, nodes), "10000000",
     "strategy=exact: nodes that may be visited"},
    {"prices", PGOPT_OPTION_TEXT, offsetof(options, prices), "measured",
     "times of kernels and layout changes: measured where they are not on "
     "file, stored where a model's stand in for those, or, for tests, random, "
     "drawn by seed"},
    {"confirm", PGOPT_OPTION_BOOL, offsetof(options, confirm), "true",
     "run what was found against the start and against all images in nhwc and "
     "in nchw, and keep the fastest"},
    {"apply", PGOPT_OPTION_BOOL, offsetof(options, apply), "true",
     "false: only note what was found as pg.layout"},
    {"print-sets", PGOPT_OPTION_BOOL, offsetof(options, print_sets), "false",
     "list the layouts that each value can have"},
    {"trace", PGOPT_OPTION_TEXT, offsetof(options, trace), "",
     "file for candidates, costs, choices and reasons as JSON"},
    {"costs", PGOPT_OPTION_TEXT, offsetof(options, costs), "",
     "file for values, candidates and prices as a table that pgopt-runner "
     "--search-layouts reads"},
    PGOPT_STORE_OPTIONS(options, store),
};

enum {
  CONVOLUTIONS,
  CONVOLUTIONS_LEFT,
  CONVOLUTIONS_UNBLOCKED,
  CHANGES_BEFORE,
  CHANGES_LEFT,
  BYTES_BEFORE,
  BYTES_LEFT,
  PARAMETER_CHANGES_LEFT,
  OPS_REBUILT,
  CONSTANTS_FOLDED,
  PARAMETERS_PACKED,
  KERNELS,
  VALUES,
  VALUES_MOVED,
  CONVERSIONS,
  PRICES,
  PRICES_LOOKED_UP,
  PRICES_MEASURED,
};

static const pgopt_statistic statistic_table[] = {
    {"convolutions", "convolutions, those of one pixel left out"},
    {"convolutions-left", "of them with image or result in another layout"},
    {"convolutions-unblocked",
     "of them with channels that the layout's block does not divide"},
    {"changes-before", "layout changes of data before"},
    {"changes-left", "layout changes of data left"},
    {"bytes-before", "bytes they moved before"},
    {"bytes-left", "bytes they move now"},
    {"parameter-changes-left", "layout changes of parameters and constants"},
    {"ops-rebuilt", "operations rebuilt for another order"},
    {"constants-folded", "constants given another order or shape"},
    {"parameters-packed", "parameters taken in another order than before"},
    {"kernels", "kernels and views that layouts were searched for"},
    {"values", "values that can have several layouts"},
    {"values-moved", "of these, found to be stored otherwise than before"},
    {"conversions", "layout changes in what was found"},
    {"prices", "times of kernels and layout changes that tell layouts apart"},
    {"prices-looked-up", "of these, on file"},
    {"prices-measured", "of these, measured now"},
};

typedef struct census {
  int64_t changes, bytes, parameter_changes;
  int64_t convolutions, disagreeing, unblocked;
} census;

static MlirLogicalResult take_census(MlirOperation entry,
                                     pgopt_image_layout images, census *c) {
  pgopt_ir_network ir;
  if (mlirLogicalResultIsFailure(pgopt_read_network(entry, &ir)))
    return mlirLogicalResultFailure();
  pgopt_layout_counts counts;
  pgopt_layout_count(&ir.network, &counts);
  *c = (census){counts.changes_left,
                counts.bytes_moved,
                counts.parameter_changes,
                0,
                0,
                0};
  pgopt_layout_counts_free(&counts);
  pgopt_axes axes;
  pgopt_assignment assignment;
  bool *fixed = pgopt_unmovable_values(&ir);
  pgopt_axes_build(&ir.network, fixed, false, images.block, &axes);
  pgopt_assignment_init(&axes, images, &assignment);
  for (size_t i = 0; i < ir.network.op_count; ++i) {
    if (axes.ops[i].role != PGOPT_AXES_WINDOW)
      continue;
    const pgopt_op *op = &ir.network.ops[i];
    bool disagrees = false, unblocked = false;
    for (size_t s = 0; s < pgopt_slot_count(op); ++s) {
      disagrees = disagrees || pgopt_window_disagrees(&assignment, i, s);
      unblocked =
          unblocked || (images.block && !pgopt_is_filter(op, s) &&
                        !pgopt_image_is_blocked(&axes, i, s, images.block));
    }
    ++c->convolutions;
    c->disagreeing += disagrees;
    c->unblocked += unblocked;
  }
  pgopt_assignment_free(&assignment);
  pgopt_axes_free(&axes);
  free(fixed);
  pgopt_ir_network_free(&ir);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult read_layout(MlirOperation module, const options *o,
                                     pgopt_image_layout *images) {
  pgopt_search_strategy strategy;
  if (strcmp(o->strategy, "fixed") && strcmp(o->strategy, "none") &&
      !pgopt_search_find_strategy(o->strategy, &strategy))
    return pgopt_emit_error(
        module,
        "strategy is '%s'; it must be greedy, beam, exact, fixed or none",
        o->strategy);
  return pgopt_image_layout_parse(o->layout, images)
             ? mlirLogicalResultSuccess()
             : pgopt_emit_error(module,
                                "layout is '%s'; it must be nhwc, nchw or "
                                "nchw16c, with a block of 2 to %d channels",
                                o->layout, PGOPT_MAX_CHANNEL_BLOCK);
}

static MlirLogicalResult fix(pgopt_pass *pass, MlirOperation entry,
                             const pgopt_layout_wishes *wishes) {
  census before, after;
  pgopt_applied applied = {0};
  if (mlirLogicalResultIsFailure(take_census(entry, wishes->images, &before)))
    return mlirLogicalResultFailure();
  if ((before.convolutions && mlirLogicalResultIsFailure(pgopt_change_layouts(
                                  entry, wishes, &applied))) ||
      mlirLogicalResultIsFailure(take_census(entry, wishes->images, &after)))
    return mlirLogicalResultFailure();
  pgopt_pass_count(pass, CONVOLUTIONS, after.convolutions);
  pgopt_pass_count(pass, CONVOLUTIONS_LEFT, after.disagreeing);
  pgopt_pass_count(pass, CONVOLUTIONS_UNBLOCKED, after.unblocked);
  pgopt_pass_count(pass, CHANGES_BEFORE, before.changes);
  pgopt_pass_count(pass, CHANGES_LEFT, after.changes);
  pgopt_pass_count(pass, BYTES_BEFORE, before.bytes);
  pgopt_pass_count(pass, BYTES_LEFT, after.bytes);
  pgopt_pass_count(pass, PARAMETER_CHANGES_LEFT, after.parameter_changes);
  pgopt_pass_count(pass, OPS_REBUILT, applied.ops_rebuilt);
  pgopt_pass_count(pass, CONSTANTS_FOLDED, applied.constants_folded);
  pgopt_pass_count(pass, PARAMETERS_PACKED, applied.parameters_packed);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult read_search(MlirOperation module, const options *o,
                                     pgopt_layout_search_options *read) {
  pgopt_error error = {0};
  pgopt_measure_request *request = &read->choose.request;
  *read =
      (pgopt_layout_search_options){.search = pgopt_search_defaults(),
                                    .choose = {.fuse = true,
                                               .request = {.seed = o->seed,
                                                           .inputs = "",
                                                           .libraries = "",
                                                           .keep_program = ""}},
                                    .confirms = o->confirm,
                                    .work = o->work,
                                    .applies = o->apply,
                                    .prints_sets = o->print_sets,
                                    .trace = o->trace,
                                    .costs = o->costs};
  static const char *const sources[] = {[PGOPT_PRICES_MEASURED] = "measured",
                                        [PGOPT_PRICES_STORED] = "stored",
                                        [PGOPT_PRICES_RANDOM] = "random"};
  size_t source = 0, count = sizeof sources / sizeof *sources;
  while (source < count && strcmp(o->prices, sources[source]) != 0)
    ++source;
  if (source == count)
    return pgopt_emit_error(
        module, "prices is '%s'; it must be measured, stored or random",
        o->prices);
  read->source = (pgopt_price_source)source;
  pgopt_search_find_strategy(o->strategy, &read->search.strategy);
  if (o->width < 1 || o->nodes < 1)
    return pgopt_emit_error(module, "%s must be 1 or more",
                            o->width < 1 ? "width" : "nodes");
  read->search.beam_width = (size_t)o->width;
  read->search.node_budget = o->nodes;
  if (pgopt_parse_duration(o->budget, &request->budget_ms, &error))
    return pgopt_emit_error(module, "budget: %s", error.message);
  if (pgopt_parse_duration(o->kernel_limit, &request->kernel_limit_ms, &error))
    return pgopt_emit_error(module, "kernel-limit: %s", error.message);
  if (*o->memory_limit &&
      pgopt_parse_bytes(o->memory_limit, &request->memory_bytes, &error))
    return pgopt_emit_error(module, "memory-limit: %s", error.message);
  return pgopt_kernel_target(module, &read->choose.target);
}

static MlirLogicalResult search(pgopt_pass *pass, MlirOperation module,
                                MlirOperation entry, const options *o) {
  pgopt_layout_search_options read;
  pgopt_layout_search_result result = {0};
  if (mlirLogicalResultIsFailure(read_search(module, o, &read)) ||
      mlirLogicalResultIsFailure(
          pgopt_timings_open(module, &o->store, &read.choose.timings)))
    return mlirLogicalResultFailure();
  read.packs_parameters = o->pack_parameters && !pgopt_is_called(module, entry);
  bool has_store = read.choose.timings != NULL;
  MlirLogicalResult status = pgopt_timings_close(
      read.choose.timings,
      pgopt_search_layouts(pass, module, &entry, &read, &result));
  pgopt_drop_prices(module);
  pgopt_pass_count(pass, KERNELS, result.kernels);
  pgopt_pass_count(pass, VALUES, result.values);
  pgopt_pass_count(pass, VALUES_MOVED, result.moved);
  pgopt_pass_count(pass, CONVERSIONS, result.conversions);
  pgopt_pass_count(pass, PRICES, result.prices);
  pgopt_pass_count(pass, PRICES_LOOKED_UP, result.looked_up);
  pgopt_pass_count(pass, PRICES_MEASURED, result.measured);
  if (mlirLogicalResultIsSuccess(status) && result.is_interrupted)
    return pgopt_emit_error(module, "interrupted; the layouts are as given%s",
                            has_store && result.measured
                                ? ", the store has what was measured"
                                : "");
  return status;
}

static MlirLogicalResult run(pgopt_pass *pass, MlirOperation module) {
  const options *o = pgopt_pass_options(pass);
  MlirOperation entry;
  pgopt_normalized normalized;
  pgopt_layout_wishes wishes = {.work = o->work};
  int64_t filled;
  if (o->work < 1)
    return pgopt_emit_error(module, "work must be 1 or more");
  if (mlirLogicalResultIsFailure(read_layout(module, o, &wishes.images)) ||
      mlirLogicalResultIsFailure(
          pgopt_kernel_settings_keep(module, &o->settings)) ||
      mlirLogicalResultIsFailure(pgopt_find_entry(module, o->entry, &entry)))
    return mlirLogicalResultFailure();
  if (!strcmp(o->strategy, "none"))
    return mlirLogicalResultSuccess();
  if (mlirLogicalResultIsFailure(pgopt_check_parameters(entry)) ||
      mlirLogicalResultIsFailure(
          pgopt_fill_elided_by(module, o->fill_elided, o->seed, &filled)) ||
      mlirLogicalResultIsFailure(
          pgopt_normalize_entry(pass, module, entry, &normalized)))
    return mlirLogicalResultFailure();
  if (strcmp(o->strategy, "fixed") != 0)
    return search(pass, module, entry, o);
  wishes.packs_parameters =
      o->pack_parameters && !pgopt_is_called(module, entry);
  return fix(pass, entry, &wishes);
}

const pgopt_pass_definition pgopt_layout_search = {
    .argument = "layout-search",
    .summary = "Choose the layouts of the values between kernels",
    .anchor = "builtin.module",
    .options = option_table,
    .option_count = sizeof option_table / sizeof *option_table,
    .options_size = sizeof(options),
    .statistics = statistic_table,
    .statistic_count = sizeof statistic_table / sizeof *statistic_table,
    .run = run};
