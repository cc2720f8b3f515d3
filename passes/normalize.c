/// \file Brings a network into the form that the stages work on: linalg on
/// tensors, one `tensor.empty` an operation, no calls, no elided constants.
/// Requires: nothing. Preserves: results; attributes of what it leaves alone.
#include "ir/entry.h"
#include "ir/fill_elided.h"
#include "ir/normalize_entry.h"
#include "passes/passes.h"

typedef struct options {
  const char *entry;
  const char *fill_elided;
  int64_t seed;
} options;

static const pgopt_option option_table[] = {
    {"entry", PGOPT_OPTION_TEXT, offsetof(options, entry), "",
     "the network's function; default: the only public one with tensors"},
    {"fill-elided", PGOPT_OPTION_TEXT, offsetof(options, fill_elided), "seed",
     "elided constants: seed fills them, error refuses them"},
    {"seed", PGOPT_OPTION_I64, offsetof(options, seed), "0",
     "seed of the values that elided constants get"},
};

enum {
  TOSA_OPS,
  EMPTIES_SPLIT,
  CALLS_INLINED,
  CONSTANTS_FILLED,
  INITS,
  ARITHMETIC,
  SLICES,
  RESHAPES
};

static const pgopt_statistic statistic_table[] = {
    {"tosa-ops", "TOSA operations lowered to linalg"},
    {"empties-split", "tensor.empty operations added"},
    {"calls-inlined", "calls of functions on tensors inlined"},
    {"constants-filled", "elided constants filled"},
    {"inits-filled", "splat constants under accumulations made fills"},
    {"arithmetic", "arith and math operations on tensors made linalg"},
    {"slices", "strided slices that keep the dimensions they dropped"},
    {"reshapes", "operations moved in front of a reshape of what they read"},
};

static MlirLogicalResult run(pgopt_pass *pass, MlirOperation module) {
  const options *o = pgopt_pass_options(pass);
  MlirOperation entry;
  pgopt_normalized done;
  int64_t filled = 0;
  if (mlirLogicalResultIsFailure(pgopt_find_entry(module, o->entry, &entry)) ||
      mlirLogicalResultIsFailure(
          pgopt_fill_elided_by(module, o->fill_elided, o->seed, &filled)) ||
      mlirLogicalResultIsFailure(
          pgopt_normalize_entry(pass, module, entry, &done)))
    return mlirLogicalResultFailure();
  pgopt_pass_count(pass, TOSA_OPS, done.tosa_ops);
  pgopt_pass_count(pass, EMPTIES_SPLIT, done.empties_split);
  pgopt_pass_count(pass, CALLS_INLINED, done.calls_inlined);
  pgopt_pass_count(pass, CONSTANTS_FILLED, filled);
  pgopt_pass_count(pass, INITS, done.inits_filled);
  pgopt_pass_count(pass, ARITHMETIC, done.arithmetic);
  pgopt_pass_count(pass, SLICES, done.slices);
  pgopt_pass_count(pass, RESHAPES, done.reshapes);
  return mlirLogicalResultSuccess();
}

const pgopt_pass_definition pgopt_normalize = {
    .argument = "pgopt-normalize",
    .summary = "Lower TOSA to linalg on tensors and give every operation its "
               "own tensor.empty",
    .anchor = "builtin.module",
    .options = option_table,
    .option_count = sizeof option_table / sizeof *option_table,
    .options_size = sizeof(options),
    .statistics = statistic_table,
    .statistic_count = sizeof statistic_table / sizeof *statistic_table,
    .run = run};
