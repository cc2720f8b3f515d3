/// \file Outlines every group as a function in destination-passing style and
/// bufferizes it; the network's function becomes buffers, views and kernel
/// calls. Requires: a network on tensors with static shapes. Preserves:
/// results, the entry's name, arguments and results (tensors become memrefs),
/// annotations, the order of side effects.
#include "ir/entry.h"
#include "ir/fill_elided.h"
#include "ir/form_calls.h"
#include "ir/ir.h"
#include "ir/move_constants.h"
#include "ir/normalize_entry.h"
#include "kernels/choose_variants.h"
#include "kernels/form_phases.h"
#include "kernels/kernel_settings.h"
#include "passes/passes.h"

#include <stdlib.h>
#include <string.h>

typedef struct options {
  const char *entry;
  const char *fuse;
  const char *split;
  const char *reductions;
  const char *distance;
  bool phases;
  const char *parameters;
  const char *fill_elided;
  int64_t seed;
  pgopt_kernel_settings settings;
  pgopt_store_options store;
} options;

static const pgopt_option option_table[] = {
    {"entry", PGOPT_OPTION_TEXT, offsetof(options, entry), "",
     "the network's function; default: the only public one with tensors"},
    {"fuse", PGOPT_OPTION_TEXT, offsetof(options, fuse), "auto",
     "auto groups operations into kernels, none makes each its own"},
    {"split", PGOPT_OPTION_TEXT, offsetof(options, split), "auto",
     "ranges a layer is cut into: a number, or auto for as many, up to the "
     "count in pg.resources, as its Timing pays for"},
    {"reductions", PGOPT_OPTION_TEXT, offsetof(options, reductions), "auto",
     "auto also computes reductions in parts, with a step that combines them: "
     "where their Timing pays for that, or, with a number in split, where no "
     "parallel loop has so many iterations; off does not"},
    {"distance", PGOPT_OPTION_TEXT, offsetof(options, distance), "far",
     "what split=auto takes a signal between cores to cost: far, the longest "
     "that was ever seen on the machine, or near, the shortest"},
    {"phases", PGOPT_OPTION_BOOL, offsetof(options, phases), "false",
     "kernels that pack an operand while they run, or transform an image, "
     "become "
     "one kernel that does so and one that computes, each cut into ranges"},
    {"parameters", PGOPT_OPTION_TEXT, offsetof(options, parameters), "",
     "safetensors file that constants above 64 KiB are moved into; without it "
     "they stay in the module"},
    {"fill-elided", PGOPT_OPTION_TEXT, offsetof(options, fill_elided), "seed",
     "elided constants: seed fills them, error refuses them"},
    {"seed", PGOPT_OPTION_I64, offsetof(options, seed), "0",
     "seed of the values that elided constants get"},
    PGOPT_KERNEL_SETTINGS(options, settings),
    PGOPT_STORE_OPTIONS(options, store),
};

enum { KERNELS, SHARED, CALLS, LAYERS_SPLIT, REDUCTIONS, DEAD, MOVED, PHASES };

static const pgopt_statistic statistic_table[] = {
    {"kernels", "kernel functions formed"},
    {"kernels-shared", "layers that use a kernel of another layer"},
    {"calls", "kernel calls"},
    {"layers-split", "layers cut into several ranges"},
    {"reductions-split",
     "reductions computed in parts that another kernel combines"},
    {"layers-dead", "layers dropped because nothing uses their results"},
    {"constants-moved", "constants moved into the parameter file"},
    {"kernels-in-phases",
     "kernels that pack or transform an operand in a phase of its own"},
};

/// Parses fuse, split and reductions; one error at the module.
static MlirLogicalResult read_options(MlirOperation module, const options *o,
                                      pgopt_form_options *form) {
  *form = (pgopt_form_options){.fuse = !strcmp(o->fuse, "auto"),
                               .reductions = !strcmp(o->reductions, "auto"),
                               .any_length = o->phases,
                               .distance = o->distance,
                               .check_variants = pgopt_check_variants};
  if (!form->fuse && strcmp(o->fuse, "none"))
    return pgopt_emit_error(module, "fuse is '%s'; it must be auto or none",
                            o->fuse);
  if (!form->reductions && strcmp(o->reductions, "off"))
    return pgopt_emit_error(
        module, "reductions is '%s'; it must be auto or off", o->reductions);
  if (!strcmp(o->split, "auto"))
    return mlirLogicalResultSuccess();
  char *end;
  form->split = strtoll(o->split, &end, 10);
  if (*end || form->split < 1 || form->split > 4096)
    return pgopt_emit_error(
        module, "split is '%s'; it must be auto or a number from 1 to 4096",
        o->split);
  return mlirLogicalResultSuccess();
}

/// Forms the kernels of the entry and, if wanted, their phases.
static MlirLogicalResult form_calls(pgopt_pass *pass, MlirOperation module,
                                    MlirOperation entry, const options *o,
                                    const pgopt_form_options *form,
                                    pgopt_formed *formed) {
  char *name = pgopt_ref_duplicate(pgopt_symbol_name(entry)); // it is rebuilt
  int64_t phases = 0;
  MlirLogicalResult result =
      pgopt_form_calls(pass, module, entry, form, formed);
  if (o->phases && mlirLogicalResultIsSuccess(result))
    result = pgopt_form_phases(pass, module,
                               pgopt_module_lookup(module, pgopt_ref(name)),
                               form->timings, &phases);
  pgopt_pass_count(pass, PHASES, phases);
  free(name);
  return result;
}

static MlirLogicalResult run(pgopt_pass *pass, MlirOperation module) {
  const options *o = pgopt_pass_options(pass);
  pgopt_form_options form;
  MlirOperation entry;
  if (mlirLogicalResultIsFailure(read_options(module, o, &form)) ||
      mlirLogicalResultIsFailure(
          pgopt_kernel_settings_keep(module, &o->settings)) ||
      mlirLogicalResultIsFailure(pgopt_find_entry(module, o->entry, &entry)))
    return mlirLogicalResultFailure();
  pgopt_stage stage = pgopt_stage_of(entry);
  if (stage == PGOPT_STAGE_BUFFERS)
    return pgopt_emit_error(entry, "the network computes on memrefs; kernels "
                                   "are formed from tensors");
  if (stage != PGOPT_STAGE_TENSORS)
    return mlirLogicalResultSuccess();
  pgopt_normalized normalized;
  pgopt_formed formed;
  if (mlirLogicalResultIsFailure(
          pgopt_fill_elided_by(module, o->fill_elided, o->seed, NULL)) ||
      mlirLogicalResultIsFailure(
          pgopt_normalize_entry(pass, module, entry, &normalized)) ||
      mlirLogicalResultIsFailure(
          pgopt_timings_open(module, &o->store, &form.timings)) ||
      mlirLogicalResultIsFailure(pgopt_timings_close(
          form.timings, form_calls(pass, module, entry, o, &form, &formed))))
    return mlirLogicalResultFailure();
  pgopt_pass_count(pass, KERNELS, formed.kernels);
  pgopt_pass_count(pass, SHARED, formed.shared);
  pgopt_pass_count(pass, CALLS, formed.calls);
  pgopt_pass_count(pass, LAYERS_SPLIT, formed.layers_split);
  pgopt_pass_count(pass, REDUCTIONS, formed.reductions_split);
  pgopt_pass_count(pass, DEAD, formed.layers_dead);
  int64_t moved = 0;
  if (*o->parameters && mlirLogicalResultIsFailure(pgopt_move_constants(
                            module, o->parameters, &moved)))
    return mlirLogicalResultFailure();
  pgopt_pass_count(pass, MOVED, moved);
  return mlirLogicalResultSuccess();
}

const pgopt_pass_definition pgopt_form_kernels = {
    .argument = "form-kernels",
    .summary = "Outline every group of operations as a kernel function on "
               "memrefs and call it",
    .anchor = "builtin.module",
    .options = option_table,
    .option_count = sizeof option_table / sizeof *option_table,
    .options_size = sizeof(options),
    .statistics = statistic_table,
    .statistic_count = sizeof statistic_table / sizeof *statistic_table,
    .run = run};
