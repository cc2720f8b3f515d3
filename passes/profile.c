/// \file Writes the amount of computation of every op.
/// Requires: nothing. Preserves: everything but pg attributes.
#include "dialect_c/attributes.h"
#include "ir/count_network.h"
#include "ir/entry.h"
#include "ir/ir.h"
#include "passes/passes.h"

#include <string.h>

typedef struct options {
  const char *entry;
} options;

static const pgopt_option option_table[] = {
    {"entry", PGOPT_OPTION_TEXT, offsetof(options, entry), "",
     "the network's function; default: the only public one with tensors"},
};

enum { STAT_COUNTED, STAT_UNKNOWN };
static const pgopt_statistic statistic_table[] = {
    {"counted", "operations whose amount of computation is known"},
    {"unknown", "operations whose amount of computation is not known"},
};

static void annotate(pgopt_pass *pass, MlirOperation module,
                     MlirOperation function, const pgopt_ir_network *network,
                     bool is_entry) {
  pgopt_function_counts counts;
  pgopt_count_function(module, network, &counts);
  for (size_t i = 0; i < network->network.op_count; ++i)
    if (pgopt_op_is_counted(&network->network.ops[i]))
      pgopt_write_count(network->ops[i], &counts.ops[i]);
  pgopt_write_total(function, &counts.total);
  if (is_entry)
    pgopt_write_total(module, &counts.total);
  pgopt_pass_count(pass, STAT_UNKNOWN, counts.total.unknown);
  pgopt_pass_count(pass, STAT_COUNTED,
                   counts.total.counted - counts.total.unknown);
  pgopt_function_counts_free(&counts);
}

static MlirLogicalResult run(pgopt_pass *pass, MlirOperation module) {
  const options *o = pgopt_pass_options(pass);
  MlirOperation entry;
  pgopt_ir_network network;
  if (mlirLogicalResultIsFailure(pgopt_find_entry(module, o->entry, &entry)) ||
      mlirLogicalResultIsFailure(pgopt_read_network(entry, &network)))
    return mlirLogicalResultFailure();
  annotate(pass, module, entry, &network, true);
  pgopt_ir_network_free(&network);
  return mlirLogicalResultSuccess();
}

const pgopt_pass_definition pgopt_profile = {
    .argument = "profile",
    .summary = "Counts every layer's operations and measures its time",
    .anchor = "builtin.module",
    .options = option_table,
    .option_count = sizeof option_table / sizeof *option_table,
    .options_size = sizeof(options),
    .statistics = statistic_table,
    .statistic_count = sizeof statistic_table / sizeof *statistic_table,
    .run = run,
};
