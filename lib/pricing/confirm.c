/// \file Two forms of a network compared, run by run.
#include "pricing/confirm.h"

#include "grouping/grouping.h"
#include "ir/entry.h"
#include "ir/fill_elided.h"
#include "ir/form_calls.h"
#include "ir/ir.h"
#include "ir/profile_layers.h"
#include "ir/read_network.h"
#include "pricing/merge_functions.h"

#include <stdlib.h>

/// A copy whose kernels are labelled as grouping finds them without labels.
static MlirLogicalResult copy_form(MlirOperation module, MlirOperation form,
                                   MlirOperation *copy) {
  pgopt_ir_network ir;
  pgopt_grouping grouping;
  pgopt_error error = {0};
  *copy = mlirOperationClone(form);
  mlirOperationSetAttributeByName(
      *copy, pgopt_ref("sym_name"),
      pgopt_text_attribute(mlirOperationGetContext(module), "pgopt_form"));
  mlirBlockAppendOwnedOperation(pgopt_module_body(module), *copy);
  size_t count;
  MlirOperation *ops = pgopt_block_ops(pgopt_function_body(*copy), &count);
  for (size_t i = 0; i < count; ++i)
    pgopt_remove(ops[i], PGOPT_KERNEL);
  free(ops);
  if (mlirLogicalResultIsFailure(pgopt_read_network(*copy, &ir)))
    return mlirLogicalResultFailure();
  MlirLogicalResult status = mlirLogicalResultSuccess();
  if (pgopt_group_network(&ir.network, true, &grouping, &error))
    status = pgopt_emit_error(form, "%s", error.message);
  for (size_t g = 0; g < grouping.group_count; ++g)
    for (size_t i = 0; i < grouping.groups[g].member_count; ++i)
      pgopt_set_text(ir.ops[grouping.groups[g].members[i]], PGOPT_KERNEL,
                     grouping.groups[g].id);
  pgopt_grouping_free(&grouping);
  pgopt_ir_network_free(&ir);
  return status;
}

/// Which of the forms a call is of, by the number in front of its layer.
static int form_of_call(MlirOperation call) {
  MlirStringRef layer;
  return pgopt_get_text(call, PGOPT_LAYER, &layer) && layer.length &&
                 layer.data[0] == '1'
             ? 1
             : 0;
}

static void compare(const pgopt_trial *trial, MlirOperation *calls,
                    pgopt_confirmation *c) {
  size_t runs = SIZE_MAX;
  for (size_t i = 0; i < trial->kernel_count; ++i) {
    if (trial->kernels[i].failure) {
      c->failure = "a kernel could not be measured";
      return;
    }
    if (trial->kernels[i].paired_count < runs)
      runs = trial->kernels[i].paired_count;
  }
  if (!trial->kernel_count || !runs)
    return;
  int64_t *sums[2];
  for (int f = 0; f < 2; ++f)
    sums[f] = pgopt_allocate(runs, sizeof *sums[f]);
  bool *is_disturbed[2];
  for (int f = 0; f < 2; ++f)
    is_disturbed[f] = pgopt_allocate(runs, sizeof *is_disturbed[f]);
  for (size_t i = 0; i < trial->kernel_count; ++i) {
    int f = form_of_call(calls[i]);
    for (size_t r = 0; r < runs; ++r) {
      int64_t sample = trial->kernels[i].paired[r];
      sums[f][r] += llabs(sample);
      is_disturbed[f][r] = is_disturbed[f][r] || sample < 0;
    }
  }
  pgopt_candidate_samples samples[2];
  for (int f = 0; f < 2; ++f) {
    for (size_t r = 0; r < runs; ++r)
      sums[f][r] = is_disturbed[f][r] ? -sums[f][r] : sums[f][r];
    samples[f] = (pgopt_candidate_samples){sums[f], false};
  }
  c->runs = (int64_t)runs;
  c->second_is_faster =
      pgopt_choose_candidate(samples, 2, runs, c->results) == 1;
  for (int f = 0; f < 2; ++f) {
    free(sums[f]);
    free(is_disturbed[f]);
  }
}

MlirLogicalResult pgopt_confirm(pgopt_pass *pass, MlirOperation module,
                                const MlirOperation forms[2],
                                const pgopt_choose_options *options,
                                pgopt_confirmation *c) {
  static const char name[] = "pgopt_forms";
  *c = (pgopt_confirmation){0};
  const pgopt_form_options form = {.fuse = true,
                                   .split = 1,
                                   .timings = options->timings,
                                   .check_variants = pgopt_check_variants};
  MlirOperation copies[2];
  for (int f = 0; f < 2; ++f)
    if (mlirLogicalResultIsFailure(copy_form(module, forms[f], &copies[f])))
      return mlirLogicalResultFailure();
  MlirOperation merged = pgopt_merge_functions(module, copies, 2, name);
  MlirOperation program = mlirOperationClone(module);
  mlirBlockAppendOwnedOperation(pgopt_module_body(module), program);
  mlirOperationDestroy(merged);
  MlirOperation entry = pgopt_module_lookup(program, pgopt_ref(name));
  pgopt_formed formed;
  if (mlirLogicalResultIsFailure(pgopt_keep_entry_only(pass, program, entry)) ||
      mlirLogicalResultIsFailure(
          pgopt_fill_elided(program, options->request.seed, false, NULL)) ||
      mlirLogicalResultIsFailure(
          pgopt_form_calls(pass, program, entry, &form, &formed))) {
    mlirOperationDestroy(program);
    return mlirLogicalResultFailure();
  }
  entry = pgopt_module_lookup(program, pgopt_ref(name));
  mlirOperationRemoveFromParent(program);
  pgopt_measure_request request = options->request;
  request.is_paired = true;
  pgopt_trial trial;
  MlirLogicalResult status =
      pgopt_measure_program(program, entry, forms[0], &request, &trial);
  if (mlirLogicalResultIsSuccess(status)) {
    size_t count;
    MlirOperation *calls = pgopt_kernel_calls(program, entry, &count);
    compare(&trial, calls, c);
    c->is_interrupted = trial.is_interrupted;
    free(calls);
    pgopt_trial_free(&trial);
  }
  mlirOperationDestroy(program);
  return status;
}
