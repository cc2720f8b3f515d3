/// \file Chooses the layouts of the values between kernels and rewrites the
/// network to them. With `strategy=fixed` convolutions get their images in one
/// layout, so that the network changes layouts at its edges only.
/// Requires: static ranks; what is dynamic is left alone. Preserves: every
/// result, the declared types of results and of arguments but parameters, which
/// may become packed ones.
#include "ir/adapt_callers.h"
#include "ir/change_layouts.h"
#include "ir/entry.h"
#include "ir/fill_elided.h"
#include "ir/ir.h"
#include "ir/normalize_entry.h"
#include "kernels/kernel_settings.h"
#include "layout/changes.h"
#include "passes/passes.h"

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
} options;

static const pgopt_option option_table[] = {
    {"entry", PGOPT_OPTION_TEXT, offsetof(options, entry), "",
     "the network's function; default: the only public one with tensors"},
    {"strategy", PGOPT_OPTION_TEXT, offsetof(options, strategy), "fixed",
     "fixed gives all images the layout of `layout`, none leaves everything "
     "alone"},
    {"layout", PGOPT_OPTION_TEXT, offsetof(options, layout), "nhwc",
     "layout of images with strategy=fixed: nhwc or nchw"},
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
};

enum {
  CONVOLUTIONS,
  CONVOLUTIONS_LEFT,
  CHANGES_BEFORE,
  CHANGES_LEFT,
  BYTES_BEFORE,
  BYTES_LEFT,
  PARAMETER_CHANGES_LEFT,
  OPS_REBUILT,
  CONSTANTS_FOLDED,
  PARAMETERS_PACKED,
};

static const pgopt_statistic statistic_table[] = {
    {"convolutions", "convolutions, those of one pixel left out"},
    {"convolutions-left", "of them with image or result in another layout"},
    {"changes-before", "layout changes of data before"},
    {"changes-left", "layout changes of data left"},
    {"bytes-before", "bytes they moved before"},
    {"bytes-left", "bytes they move now"},
    {"parameter-changes-left", "layout changes of parameters and constants"},
    {"ops-rebuilt", "operations rebuilt for another order"},
    {"constants-folded", "constants given another order or shape"},
    {"parameters-packed", "parameters taken in another order than before"},
};

typedef struct census {
  int64_t changes, bytes, parameter_changes;
  int64_t convolutions, disagreeing;
} census;

static MlirLogicalResult take_census(MlirOperation entry,
                                     pgopt_image_layout images, census *c) {
  pgopt_ir_network ir;
  if (mlirLogicalResultIsFailure(pgopt_read_network(entry, &ir)))
    return mlirLogicalResultFailure();
  pgopt_layout_counts counts;
  pgopt_layout_count(&ir.network, &counts);
  *c = (census){counts.changes_left, counts.bytes_moved,
                counts.parameter_changes, 0, 0};
  pgopt_layout_counts_free(&counts);
  pgopt_axes axes;
  pgopt_assignment assignment;
  bool *fixed = pgopt_unmovable_values(&ir);
  pgopt_axes_build(&ir.network, fixed, false, &axes);
  pgopt_assignment_init(&axes, images, &assignment);
  for (size_t i = 0; i < ir.network.op_count; ++i) {
    if (axes.ops[i].role != PGOPT_AXES_WINDOW)
      continue;
    bool disagrees = false;
    for (size_t s = 0; s < pgopt_slot_count(&ir.network.ops[i]); ++s)
      disagrees = disagrees || pgopt_window_disagrees(&assignment, i, s);
    ++c->convolutions;
    c->disagreeing += disagrees;
  }
  pgopt_assignment_free(&assignment);
  pgopt_axes_free(&axes);
  free(fixed);
  pgopt_ir_network_free(&ir);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult read_layout(MlirOperation module, const options *o,
                                     pgopt_image_layout *images) {
  static const struct {
    const char *name;
    pgopt_image_layout images;
  } layouts[] = {{"nhwc", PGOPT_IMAGE_NHWC}, {"nchw", PGOPT_IMAGE_NCHW}};
  *images = PGOPT_IMAGE_DECLARED;
  if (strcmp(o->strategy, "fixed") && strcmp(o->strategy, "none"))
    return pgopt_emit_error(
        module, "strategy is '%s'; it must be fixed or none", o->strategy);
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; ++i)
    if (!strcmp(o->layout, layouts[i].name))
      *images = layouts[i].images;
  return *images ? mlirLogicalResultSuccess()
                 : pgopt_emit_error(module,
                                    "layout is '%s'; it must be nhwc or nchw",
                                    o->layout);
}

static MlirLogicalResult search(pgopt_pass *pass, MlirOperation entry,
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
  wishes.packs_parameters =
      o->pack_parameters && !pgopt_is_called(module, entry);
  return search(pass, entry, &wishes);
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
