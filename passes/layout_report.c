/// \file Lists the layout changes of a network: a remark at every operation
/// that makes one, and the totals at the function.
/// Requires: nothing; linalg and TOSA are counted as they stand. Preserves:
/// everything.
#include "ir/entry.h"
#include "ir/ir.h"
#include "ir/read_network.h"
#include "layout/changes.h"
#include "passes/passes.h"

#include <inttypes.h>

typedef struct options {
  const char *entry;
  bool list;
} options;

static const pgopt_option option_table[] = {
    {"entry", PGOPT_OPTION_TEXT, offsetof(options, entry), "",
     "the network's function; default: the only public one with tensors"},
    {"list", PGOPT_OPTION_BOOL, offsetof(options, list), "true",
     "also list every change, not only the totals"},
};

enum {
  CHANGES,
  BYTES,
  PARAMETER_CHANGES,
  PARAMETER_BYTES,
  PACKED,
  PARAMETER_PACKED,
  RENAMINGS
};

static const pgopt_statistic statistic_table[] = {
    {"changes", "layout changes of data"},
    {"bytes-moved", "bytes of the values that they move"},
    {"parameter-changes", "layout changes of constants and parameters"},
    {"parameter-bytes", "bytes of the constants and parameters they move"},
    {"bytes-packed", "bytes that kernels copy into another order"},
    {"parameter-bytes-packed", "the same of constants and parameters"},
    {"renamings", "transposes that move dimensions of extent 1 only"},
};

static void list_change(const pgopt_ir_network *network,
                        const pgopt_layout_change *change) {
  const pgopt_op *op = &network->network.ops[change->op];
  pgopt_emit(network->ops[change->op], PGOPT_REMARK,
             "'%s' %s: %s, %" PRId64 " bytes%s", op->name,
             pgopt_change_kind_text(change->kind),
             network->network.values[change->value].type.text, change->bytes,
             change->on_parameter ? ", of constants and parameters alone" : "");
}

static MlirLogicalResult run(pgopt_pass *pass, MlirOperation module) {
  const options *o = pgopt_pass_options(pass);
  MlirOperation entry;
  pgopt_ir_network network;
  if (mlirLogicalResultIsFailure(pgopt_find_entry(module, o->entry, &entry)) ||
      mlirLogicalResultIsFailure(pgopt_read_network(entry, &network)))
    return mlirLogicalResultFailure();
  pgopt_layout_counts report;
  pgopt_layout_count(&network.network, &report);
  for (size_t i = 0; o->list && i < report.count; ++i)
    list_change(&network, &report.changes[i]);
  pgopt_emit(entry, PGOPT_REMARK,
             "%" PRId64 " layout changes move %" PRId64 " bytes; %" PRId64
             " of parameters and constants move %" PRId64 "; kernels pack "
             "%" PRId64 " bytes; %" PRId64 " transposes move nothing",
             report.changes_left, report.bytes_moved, report.parameter_changes,
             report.parameter_bytes, report.packed_bytes, report.renamings);
  pgopt_pass_count(pass, CHANGES, report.changes_left);
  pgopt_pass_count(pass, BYTES, report.bytes_moved);
  pgopt_pass_count(pass, PARAMETER_CHANGES, report.parameter_changes);
  pgopt_pass_count(pass, PARAMETER_BYTES, report.parameter_bytes);
  pgopt_pass_count(pass, PACKED, report.packed_bytes);
  pgopt_pass_count(pass, PARAMETER_PACKED, report.parameter_packed_bytes);
  pgopt_pass_count(pass, RENAMINGS, report.renamings);
  pgopt_layout_counts_free(&report);
  pgopt_ir_network_free(&network);
  return mlirLogicalResultSuccess();
}

const pgopt_pass_definition pgopt_layout_report = {
    .argument = "layout-report",
    .summary = "List the layout changes of a network, counted by what "
               "operations do",
    .anchor = "builtin.module",
    .options = option_table,
    .option_count = sizeof option_table / sizeof *option_table,
    .options_size = sizeof(options),
    .statistics = statistic_table,
    .statistic_count = sizeof statistic_table / sizeof *statistic_table,
    .run = run};
