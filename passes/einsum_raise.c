/// \file Turns every multiply-accumulate into an Einsum: linalg.contract, or a
/// linalg.generic where windows, casts or diagonals need one, with canonical
/// loops and operands.
/// Requires: nothing; TOSA is lowered first. Preserves: results up to the order
/// of sums in products of more than two operands; pg attributes.
#include "ir/entry.h"
#include "ir/fill_elided.h"
#include "ir/ir.h"
#include "ir/normalize_entry.h"
#include "ir/raise_einsum.h"
#include "passes/passes.h"

typedef struct options {
  const char *entry;
  const char *fill_elided;
  int64_t seed;
  int64_t max_elements;
} options;

static const pgopt_option option_table[] = {
    {"entry", PGOPT_OPTION_TEXT, offsetof(options, entry), "",
     "the network's function; default: the only public one with tensors"},
    {"fill-elided", PGOPT_OPTION_TEXT, offsetof(options, fill_elided), "seed",
     "elided constants: seed fills them, error refuses them"},
    {"seed", PGOPT_OPTION_I64, offsetof(options, seed), "0",
     "seed of the values that elided constants get"},
    {"max-elements", PGOPT_OPTION_I64, offsetof(options, max_elements),
     "67108864",
     "intermediate results of products of several operands stay below it where "
     "they can; 0 for no limit"},
};

enum { CONTRACTS, GENERICS, SPLITS, CANONICAL };

static const pgopt_statistic statistic_table[] = {
    {"contracts", "operations replaced by linalg.contract"},
    {"generics", "operations replaced by a canonical linalg.generic"},
    {"splits", "products of more than two operands taken in steps"},
    {"canonical", "operations that had their form already"},
};

static MlirLogicalResult run(pgopt_pass *pass, MlirOperation module) {
  const options *o = pgopt_pass_options(pass);
  MlirOperation entry;
  pgopt_normalized normalized;
  pgopt_raised raised;
  int64_t filled;
  if (o->max_elements < 0)
    return pgopt_emit_error(module, "max-elements must be 0 or more");
  if (mlirLogicalResultIsFailure(pgopt_find_entry(module, o->entry, &entry)) ||
      mlirLogicalResultIsFailure(
          pgopt_fill_elided_by(module, o->fill_elided, o->seed, &filled)) ||
      mlirLogicalResultIsFailure(
          pgopt_normalize_entry(pass, module, entry, &normalized)) ||
      mlirLogicalResultIsFailure(
          pgopt_raise_einsum(entry, o->max_elements, &raised)))
    return mlirLogicalResultFailure();
  pgopt_pass_count(pass, CONTRACTS, raised.contracts);
  pgopt_pass_count(pass, GENERICS, raised.generics);
  pgopt_pass_count(pass, SPLITS, raised.splits);
  pgopt_pass_count(pass, CANONICAL, raised.canonical);
  return mlirLogicalResultSuccess();
}

const pgopt_pass_definition pgopt_einsum_raise = {
    .argument = "einsum-raise",
    .summary = "Turn every multiply-accumulate into an Einsum with canonical "
               "maps",
    .anchor = "builtin.module",
    .options = option_table,
    .option_count = sizeof option_table / sizeof *option_table,
    .options_size = sizeof(options),
    .statistics = statistic_table,
    .statistic_count = sizeof statistic_table / sizeof *statistic_table,
    .run = run};
