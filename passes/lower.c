/// \file `--pgopt-lower`: kernel calls, or one function a core, into LLVM.
///
/// Requires: nothing; a network on tensors has its kernels formed first.
/// Preserves: every result value; the names of all functions that it keeps.
/// Afterwards the entry carries `pg.entry`, its type with memrefs.
#include "codegen/arena_plan.h"
#include "codegen/finish.h"
#include "codegen/launch.h"
#include "codegen/naive.h"
#include "codegen/storage.h"
#include "codegen/trace.h"
#include "ir/entry.h"
#include "ir/fill_elided.h"
#include "ir/ir.h"
#include "ir/schedule_choice.h"
#include "kernels/kernel_settings.h"
#include "kernels/kernels.h"
#include "passes/passes.h"

#include <stdlib.h>
#include <string.h>

typedef struct options {
  const char *entry;
  const char *kernels;
  pgopt_kernel_settings settings;
  bool plan_memory;
  bool instrument;
  bool trace;
  const char *fill_elided;
  int64_t seed;
} options;

static const pgopt_option option_table[] = {
    {"entry", PGOPT_OPTION_TEXT, offsetof(options, entry), "",
     "name of the network's function; default: the only public one with "
     "tensors"},
    {"kernels", PGOPT_OPTION_TEXT, offsetof(options, kernels), "auto",
     "auto: generated kernels, BLAS where it is better; blas: contractions "
     "through BLAS alone; naive: upstream's plain lowering of a network on "
     "tensors, the oracle"},
    PGOPT_KERNEL_SETTINGS(options, settings),
    {"plan-memory", PGOPT_OPTION_BOOL, offsetof(options, plan_memory), "true",
     "let values share memory where the schedule allows it; false: memory of "
     "its own for every value"},
    {"instrument", PGOPT_OPTION_BOOL, offsetof(options, instrument), "false",
     "record the time of every kernel call of a sequential program"},
    {"trace", PGOPT_OPTION_BOOL, offsetof(options, trace), "false",
     "record a span around every kernel call while the runtime traces"},
    {"fill-elided", PGOPT_OPTION_TEXT, offsetof(options, fill_elided), "seed",
     "elided constants: seed gives them made-up values, error refuses them"},
    {"seed", PGOPT_OPTION_I64, offsetof(options, seed), "0",
     "seed of the values of elided constants"},
};

enum {
  COUNT_PARAMETERS = PGOPT_KERNEL_COUNTERS,
  COUNT_ARENA_BYTES,
  COUNT_VALUES_BYTES,
  COUNT_BOUND_BYTES,
  COUNT_IN_PLACE,
  COUNT_SCRATCH_BYTES,
  COUNT_PREPARED_BYTES,
  COUNT_ELIDED,
};

static const pgopt_statistic statistic_table[] = {
#define PGOPT_KERNEL_COUNTER(name, spelling, help) {spelling, help},
#include "kernels/counters.def"
#undef PGOPT_KERNEL_COUNTER
    {"parameters", "parameters bound to the parameter file"},
    {"arena-bytes", "bytes of storage for the values between kernels"},
    {"values-bytes", "bytes that these values have together"},
    {"bound-bytes", "bytes of them that are in use at the same time, so that "
                    "no plan needs less"},
    {"in-place", "values that lie on the one they are computed from"},
    {"scratch-bytes", "bytes of the largest block that a kernel works in, as "
                      "far as it is known"},
    {"prepared-bytes", "bytes of constants in other forms, made before the "
                       "first run"},
    {"elided", "elided constants that got made-up values"},
};

static MlirLogicalResult check_options(const options *o, MlirOperation module) {
  if (strcmp(o->kernels, "auto") && strcmp(o->kernels, "blas") &&
      strcmp(o->kernels, "naive"))
    return pgopt_emit_error(
        module, "kernels is '%s'; it must be 'auto', 'blas' or 'naive'",
        o->kernels);
  if (strcmp(o->fill_elided, "seed") && strcmp(o->fill_elided, "error"))
    return pgopt_emit_error(module,
                            "fill-elided is '%s'; it must be 'seed' or 'error'",
                            o->fill_elided);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult finish(pgopt_pass *pass, MlirOperation module,
                                MlirOperation entry) {
  if (mlirLogicalResultIsFailure(pgopt_finish_lowering(pass, module, entry)))
    return mlirLogicalResultFailure();
  pgopt_kernel_target_apply(module);
  return mlirLogicalResultSuccess();
}

/// Runs form-kernels on a network that is still on tensors.
static MlirLogicalResult form_kernels(pgopt_pass *pass, MlirOperation module,
                                      MlirOperation *entry,
                                      pgopt_stage *stage) {
  char *name = pgopt_ref_duplicate(pgopt_symbol_name(*entry));
  pgopt_text pipeline = {0};
  pgopt_text_append(&pipeline, "builtin.module(form-kernels{entry=%s})", name);
  MlirLogicalResult result =
      pgopt_pass_run_pipeline(pass, pipeline.data, module);
  if (mlirLogicalResultIsSuccess(result))
    result = pgopt_find_entry(module, name, entry);
  if (mlirLogicalResultIsSuccess(result))
    *stage = pgopt_stage_of(*entry);
  pgopt_text_free(&pipeline);
  free(name);
  return result;
}

static MlirLogicalResult lower_naive(pgopt_pass *pass, MlirOperation module,
                                     MlirOperation entry, pgopt_stage stage) {
  if (stage != PGOPT_STAGE_TENSORS)
    return pgopt_emit_error(entry, "kernels=naive lowers a network on tensors; "
                                   "this one has kernels already");
  char *name = pgopt_ref_duplicate(pgopt_symbol_name(entry));
  MlirLogicalResult result = pgopt_lower_naive(pass, module);
  if (mlirLogicalResultIsSuccess(result))
    result = pgopt_find_entry(module, name, &entry);
  free(name);
  if (mlirLogicalResultIsFailure(result))
    return result;
  return finish(pass, module, entry);
}

static MlirLogicalResult plan_memory(pgopt_pass *pass, MlirOperation module,
                                     MlirOperation entry) {
  pgopt_arena_summary summary;
  pgopt_forget_arena_plan(entry);
  if (!((const options *)pgopt_pass_options(pass))->plan_memory)
    return mlirLogicalResultSuccess();
  if (mlirLogicalResultIsFailure(pgopt_plan_arena(module, entry, &summary)))
    return mlirLogicalResultFailure();
  pgopt_pass_count(pass, COUNT_VALUES_BYTES, summary.values_bytes);
  pgopt_pass_count(pass, COUNT_BOUND_BYTES, summary.bound_bytes);
  pgopt_pass_count(pass, COUNT_IN_PLACE, (int64_t)summary.in_place_count);
  return mlirLogicalResultSuccess();
}

/// Plans the memory of each schedule of the entry. Two schedules are planned
/// for the same arena, since one of them runs; then the entry gets both bodies.
static MlirLogicalResult plan_schedules(pgopt_pass *pass, MlirOperation module,
                                        MlirOperation entry,
                                        pgopt_stage stage) {
  pgopt_schedule_choice choice;
  if (stage == PGOPT_STAGE_CALLS || stage == PGOPT_STAGE_CORES)
    return plan_memory(pass, module, entry);
  if (stage != PGOPT_STAGE_CHOICE) {
    pgopt_forget_arena_plan(entry);
    return mlirLogicalResultSuccess();
  }
  if (mlirLogicalResultIsFailure(pgopt_read_choice(module, entry, &choice)))
    return mlirLogicalResultFailure();
  for (int i = 0; i < 2; ++i)
    if (mlirLogicalResultIsFailure(
            plan_memory(pass, module, choice.functions[i])))
      return mlirLogicalResultFailure();
  return pgopt_inline_choice(module, entry);
}

static MlirLogicalResult run(pgopt_pass *pass, MlirOperation module) {
  const options *o = pgopt_pass_options(pass);
  MlirOperation entry;
  int64_t filled = 0, parameters = 0, arena_bytes = 0, scratch_bytes = 0,
          prepared_bytes = 0;
  pgopt_kernel_options kernels = {.use_generated = !strcmp(o->kernels, "auto")};
  if (mlirLogicalResultIsFailure(check_options(o, module)) ||
      mlirLogicalResultIsFailure(
          pgopt_kernel_settings_keep(module, &o->settings)) ||
      mlirLogicalResultIsFailure(
          pgopt_kernel_target(module, &kernels.target)) ||
      mlirLogicalResultIsFailure(pgopt_find_entry(module, o->entry, &entry)))
    return mlirLogicalResultFailure();
  pgopt_stage stage = pgopt_stage_of(entry);
  if (stage == PGOPT_STAGE_LOWERED)
    return mlirLogicalResultSuccess();
  // The entry is called from outside, whatever it was before.
  mlirOperationRemoveAttributeByName(entry, pgopt_ref("sym_visibility"));
  if (mlirLogicalResultIsFailure(pgopt_fill_elided(
          module, o->seed, !strcmp(o->fill_elided, "error"), &filled)))
    return mlirLogicalResultFailure();
  pgopt_pass_count(pass, COUNT_ELIDED, filled);
  if (!strcmp(o->kernels, "naive"))
    return lower_naive(pass, module, entry, stage);

  if (stage == PGOPT_STAGE_TENSORS &&
      mlirLogicalResultIsFailure(form_kernels(pass, module, &entry, &stage)))
    return mlirLogicalResultFailure();
  if (o->instrument &&
      (stage == PGOPT_STAGE_CORES || stage == PGOPT_STAGE_CHOICE))
    return pgopt_emit_error(entry, "instrument times a sequential program; "
                                   "this one is scheduled, use trace");
  if (mlirLogicalResultIsFailure(plan_schedules(pass, module, entry, stage)))
    return mlirLogicalResultFailure();
  if (o->instrument)
    pgopt_instrument(module, entry);
  if (o->trace)
    pgopt_trace(module);
  if (kernels.use_generated)
    kernels.preparation = pgopt_preparation_begin(module, entry);
  // First: rewrites of upstream's would unroll a launch of one core.
  MlirLogicalResult result = pgopt_lower_launch(entry);
  if (mlirLogicalResultIsSuccess(result))
    result =
        pgopt_lower_kernels(pass, &kernels, module, &entry, &scratch_bytes);
  if (mlirLogicalResultIsFailure(pgopt_preparation_end(
          kernels.preparation, o->trace, &prepared_bytes)) ||
      mlirLogicalResultIsFailure(result) ||
      mlirLogicalResultIsFailure(pgopt_bind_parameters(module, &parameters)) ||
      mlirLogicalResultIsFailure(
          pgopt_place_entry_buffers(entry, &arena_bytes)))
    return mlirLogicalResultFailure();
  pgopt_pass_count(pass, COUNT_PARAMETERS, parameters);
  pgopt_pass_count(pass, COUNT_ARENA_BYTES, arena_bytes);
  pgopt_pass_count(pass, COUNT_SCRATCH_BYTES, scratch_bytes);
  pgopt_pass_count(pass, COUNT_PREPARED_BYTES, prepared_bytes);
  return finish(pass, module, entry);
}

const pgopt_pass_definition pgopt_lower = {
    .argument = "pgopt-lower",
    .summary = "lowers kernel calls, or one function a core, to LLVM",
    .anchor = "builtin.module",
    .options = option_table,
    .option_count = sizeof option_table / sizeof *option_table,
    .options_size = sizeof(options),
    .statistics = statistic_table,
    .statistic_count = sizeof statistic_table / sizeof *statistic_table,
    .run = run,
};
