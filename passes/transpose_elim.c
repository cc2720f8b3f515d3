/// \file Removes transposes: chooses the order that every value is stored in so
/// that as few and as small values as possible change theirs, and rewrites the
/// operations to it.
/// Requires: static ranks; what is dynamic is left alone. Preserves: every
/// result, the declared types of results and of arguments but parameters, which
/// may become packed ones.
#include "dialect_c/attributes.h"
#include "ir/adapt_callers.h"
#include "ir/change_layouts.h"
#include "ir/entry.h"
#include "ir/fill_elided.h"
#include "ir/ir.h"
#include "ir/kernel_signature.h"
#include "ir/measure_program.h"
#include "ir/normalize_entry.h"
#include "layout/blockers.h"
#include "layout/changes.h"
#include "passes/passes.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct options {
  const char *entry;
  const char *fill_elided;
  int64_t seed;
  int64_t work;
  bool pack_parameters;
} options;

static const pgopt_option option_table[] = {
    {"entry", PGOPT_OPTION_TEXT, offsetof(options, entry), "",
     "the network's function; default: the only public one with tensors"},
    {"fill-elided", PGOPT_OPTION_TEXT, offsetof(options, fill_elided), "seed",
     "elided constants: seed fills them, error refuses them"},
    {"seed", PGOPT_OPTION_I64, offsetof(options, seed), "0",
     "seed of the values that elided constants get"},
    {"work", PGOPT_OPTION_I64, offsetof(options, work), "400",
     "values looked at per value of the network before the search ends"},
    {"pack-parameters", PGOPT_OPTION_BOOL, offsetof(options, pack_parameters),
     "true",
     "let parameters be taken in another order, packed once when the program "
     "is loaded"},
};

enum {
  CHANGES_BEFORE,
  CHANGES_LEFT,
  BYTES_BEFORE,
  BYTES_LEFT,
  PARAMETER_CHANGES_LEFT,
  BYTES_PACKED,
  PARAMETER_BYTES_PACKED,
  OPS_REBUILT,
  CONSTANTS_FOLDED,
  PARAMETERS_PACKED,
  LEFT_AT_BOUNDARY,
  LEFT_AT_RESHAPE,
  LEFT_AT_OP,
  LEFT_AT_PARAMETER,
  LEFT_OTHERWISE,
  TIME_LEFT,
};

static const pgopt_statistic statistic_table[] = {
    {"changes-before", "layout changes of data before"},
    {"changes-left", "layout changes of data left"},
    {"bytes-before", "bytes they moved before"},
    {"bytes-left", "bytes they move now"},
    {"parameter-changes-left", "layout changes of parameters and constants"},
    {"bytes-packed", "bytes that kernels copy into another order"},
    {"parameter-bytes-packed", "the same of constants and parameters"},
    {"ops-rebuilt", "operations rebuilt for another order"},
    {"constants-folded", "constants given another order or shape"},
    {"parameters-packed", "parameters taken in another order than before"},
    {"left-at-boundary", "layout changes left at an argument or result"},
    {"left-at-reshape", "left because a reshape needs its groups together"},
    {"left-at-op", "left because an op takes layouts as declared"},
    {"left-at-parameter", "left of parameters and constants"},
    {"left-otherwise", "left because moving others costs more"},
    {"time-left-ns", "time of those whose Timing is known"},
};

static MlirLogicalResult count(MlirOperation entry,
                               pgopt_layout_counts *counts) {
  pgopt_ir_network ir;
  if (mlirLogicalResultIsFailure(pgopt_read_network(entry, &ir)))
    return mlirLogicalResultFailure();
  pgopt_layout_count(&ir.network, counts);
  pgopt_ir_network_free(&ir);
  return mlirLogicalResultSuccess();
}

/// What is left, and what is known about it.
typedef struct explanation {
  pgopt_pass *pass;
  MlirOperation module;
  const pgopt_ir_network *ir;
  const pgopt_assignment *assignment;
  pgopt_grouping grouping; ///< empty when the module has no profile
  pgopt_arena arena;       ///< of signatures
} explanation;

/// Time of the kernel that is about this op; -1 when it is not known.
static int64_t time_of(explanation *e, int op) {
  pgopt_timing timing;
  if (pgopt_get_timing(e->ir->ops[op], &timing))
    return timing.median_ns;
  int group = e->grouping.group_count ? e->grouping.group_of[op] : -1;
  if (group < 0 || e->grouping.groups[group].core != op)
    return -1;
  const char *signature = pgopt_kernel_signature(
      e->module, &e->ir->network, &e->grouping.groups[group], &e->arena);
  return pgopt_find_timing(e->module, signature, &timing) ? timing.median_ns
                                                          : -1;
}

/// One remark a layout change that is left: between what, and how large.
static void explain(explanation *e, const pgopt_layout_change *change) {
  const pgopt_ir_network *ir = e->ir;
  const pgopt_assignment *assignment = e->assignment;
  const pgopt_network *n = &ir->network;
  const pgopt_op *op = &n->ops[change->op];
  pgopt_blocker sides[] = {
      pgopt_find_blocker(assignment, change->value, change->op),
      pgopt_find_blocker(assignment, op->results[0], change->op)};
  char texts[2][128];
  for (int i = 0; i < 2; ++i)
    pgopt_blocker_describe(n, sides[i], texts[i], sizeof texts[i]);
  bool reshape = sides[0].kind == PGOPT_BLOCKED_BY_RESHAPE ||
                 sides[1].kind == PGOPT_BLOCKED_BY_RESHAPE;
  bool opaque = sides[0].kind == PGOPT_BLOCKED_BY_OP ||
                sides[1].kind == PGOPT_BLOCKED_BY_OP;
  bool boundary = sides[0].kind == PGOPT_BLOCKED_BY_ARGUMENT ||
                  sides[1].kind == PGOPT_BLOCKED_BY_RESULT;
  pgopt_pass_count(e->pass,
                   change->on_parameter ? LEFT_AT_PARAMETER
                   : reshape            ? LEFT_AT_RESHAPE
                   : opaque             ? LEFT_AT_OP
                   : boundary           ? LEFT_AT_BOUNDARY
                                        : LEFT_OTHERWISE,
                   1);
  int64_t median_ns = time_of(e, change->op);
  if (median_ns >= 0) {
    pgopt_pass_count(e->pass, TIME_LEFT, median_ns);
    pgopt_emit(ir->ops[change->op], PGOPT_REMARK,
               "layout change of %" PRId64 " bytes, %" PRId64
               " ns, stays between %s and %s",
               change->bytes, median_ns, texts[0], texts[1]);
  } else {
    pgopt_emit(ir->ops[change->op], PGOPT_REMARK,
               "layout change of %" PRId64 " bytes stays between %s and %s",
               change->bytes, texts[0], texts[1]);
  }
}

static MlirLogicalResult explain_all(pgopt_pass *pass, MlirOperation module,
                                     MlirOperation entry,
                                     bool packs_parameters) {
  pgopt_ir_network ir;
  pgopt_layout_counts counts;
  if (mlirLogicalResultIsFailure(pgopt_read_network(entry, &ir)))
    return mlirLogicalResultFailure();
  pgopt_layout_count(&ir.network, &counts);
  pgopt_axes axes;
  pgopt_assignment assignment;
  bool *fixed = pgopt_unmovable_values(&ir);
  pgopt_axes_build(&ir.network, fixed, packs_parameters, 0, &axes);
  pgopt_assignment_init(&axes, (pgopt_image_layout){PGOPT_IMAGE_DECLARED, 0},
                        &assignment);
  explanation e = {
      .pass = pass, .module = module, .ir = &ir, .assignment = &assignment};
  pgopt_error error = {0};
  /* Without groups there are no times, which is no reason to fail. */
  if (counts.count && !mlirAttributeIsNull(pgopt_get(module, PGOPT_PROFILE)) &&
      pgopt_group_network(&ir.network, true, &e.grouping, &error))
    e.grouping = (pgopt_grouping){0};
  for (size_t i = 0; i < counts.count; ++i)
    if (counts.changes[i].kind != PGOPT_CHANGE_PACK)
      explain(&e, &counts.changes[i]);
  pgopt_grouping_free(&e.grouping);
  pgopt_arena_free(&e.arena);
  pgopt_assignment_free(&assignment);
  pgopt_axes_free(&axes);
  free(fixed);
  pgopt_layout_counts_free(&counts);
  pgopt_ir_network_free(&ir);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult run(pgopt_pass *pass, MlirOperation module) {
  const options *o = pgopt_pass_options(pass);
  MlirOperation entry;
  pgopt_normalized normalized;
  pgopt_applied applied = {0};
  int64_t filled;
  pgopt_layout_counts before, after;
  if (o->work < 1)
    return pgopt_emit_error(module, "work must be 1 or more");
  if (mlirLogicalResultIsFailure(pgopt_find_entry(module, o->entry, &entry)) ||
      mlirLogicalResultIsFailure(pgopt_check_parameters(entry)) ||
      mlirLogicalResultIsFailure(
          pgopt_fill_elided_by(module, o->fill_elided, o->seed, &filled)) ||
      mlirLogicalResultIsFailure(count(entry, &before)))
    return mlirLogicalResultFailure();
  MlirLogicalResult result =
      pgopt_normalize_entry(pass, module, entry, &normalized);
  pgopt_layout_wishes wishes = {.work = o->work};
  wishes.packs_parameters =
      o->pack_parameters && !pgopt_is_called(module, entry);
  if (mlirLogicalResultIsSuccess(result))
    result = pgopt_change_layouts(entry, &wishes, &applied);
  if (mlirLogicalResultIsSuccess(result))
    result = explain_all(pass, module, entry, wishes.packs_parameters);
  if (mlirLogicalResultIsSuccess(result))
    result = count(entry, &after);
  if (mlirLogicalResultIsSuccess(result)) {
    pgopt_pass_count(pass, CHANGES_BEFORE, before.changes_left);
    pgopt_pass_count(pass, CHANGES_LEFT, after.changes_left);
    pgopt_pass_count(pass, BYTES_BEFORE, before.bytes_moved);
    pgopt_pass_count(pass, BYTES_LEFT, after.bytes_moved);
    pgopt_pass_count(pass, PARAMETER_CHANGES_LEFT, after.parameter_changes);
    pgopt_pass_count(pass, BYTES_PACKED, after.packed_bytes);
    pgopt_pass_count(pass, PARAMETER_BYTES_PACKED,
                     after.parameter_packed_bytes);
    pgopt_pass_count(pass, OPS_REBUILT, applied.ops_rebuilt);
    pgopt_pass_count(pass, CONSTANTS_FOLDED, applied.constants_folded);
    pgopt_pass_count(pass, PARAMETERS_PACKED, applied.parameters_packed);
    pgopt_layout_counts_free(&after);
  }
  pgopt_layout_counts_free(&before);
  return result;
}

const pgopt_pass_definition pgopt_transpose_elim = {
    .argument = "transpose-elim",
    .summary = "Choose the order every value is stored in so that transposes "
               "disappear",
    .anchor = "builtin.module",
    .options = option_table,
    .option_count = sizeof option_table / sizeof *option_table,
    .options_size = sizeof(options),
    .statistics = statistic_table,
    .statistic_count = sizeof statistic_table / sizeof *statistic_table,
    .run = run};
