/// \file Forms of a network compared, run by run.
///
/// The trial run's program computes them one after the other. What decides is
/// kept as a choice whose candidates are the forms, under a hash of the kernels
/// and variants that each of them calls.
#include "pricing/confirm.h"

#include "base/hash.h"
#include "grouping/grouping.h"
#include "ir/entry.h"
#include "ir/fill_elided.h"
#include "ir/form_calls.h"
#include "ir/ir.h"
#include "ir/kernel_signature.h"
#include "ir/profile_layers.h"
#include "ir/read_network.h"
#include "kernels/form_times.h"
#include "kernels/verdict.h"
#include "pricing/merge_functions.h"
#include "profile/choose.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/// The program that is measured.
typedef struct confirmer {
  pgopt_pass *pass;
  MlirOperation module;
  const pgopt_form *forms;
  size_t count;
  const pgopt_choose_options *options;
  pgopt_confirmation *result;
  /// Of the forms whose kernels differ from those of all before them: number,
  /// what tells them apart, and a copy of their own until there is a program.
  size_t distinct[PGOPT_SEARCH_MAX_FORMS];
  pgopt_hash keys[PGOPT_SEARCH_MAX_FORMS];
  MlirOperation copies[PGOPT_SEARCH_MAX_FORMS];
  size_t distinct_count;
  MlirOperation program,
      entry; ///< the program is nested in the module at first
  MlirOperation *calls;
  size_t call_count;
  int *form_of; ///< one a call: which of the distinct ones
  pgopt_arena arena;
} confirmer;

/// Takes a kernel's signature and variant into the form's key.
static void add_kernel(confirmer *c, MlirOperation copy, const pgopt_network *n,
                       const pgopt_group *group, pgopt_hash *key) {
  const char *signature = pgopt_kernel_signature(copy, n, group, &c->arena);
  const char *variant =
      signature ? pgopt_timings_variant(c->options->timings, c->module,
                                        signature, &c->arena)
                : NULL;
  pgopt_hash_text(key, signature ? signature : "");
  pgopt_hash_text(key, variant ? variant : "");
}

/// A copy whose kernels are labelled as grouping finds them without labels.
/// \param[out] key of these kernels.
static MlirLogicalResult copy_form(confirmer *c, MlirOperation form,
                                   MlirOperation *copy, pgopt_hash *key) {
  pgopt_ir_network ir;
  pgopt_grouping grouping;
  pgopt_error error = {0};
  *copy = pgopt_add_copy(c->module, form, "pgopt_form");
  *key = pgopt_hash_begin("form");
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
    add_kernel(c, *copy, &ir.network, &grouping.groups[g], key);
  for (size_t g = 0; g < grouping.group_count; ++g)
    for (size_t i = 0; i < grouping.groups[g].member_count; ++i)
      pgopt_set_text(ir.ops[grouping.groups[g].members[i]], PGOPT_KERNEL,
                     grouping.groups[g].id);
  pgopt_grouping_free(&grouping);
  pgopt_ir_network_free(&ir);
  return status;
}

/// Copies the forms that differ from all before them.
static MlirLogicalResult find_distinct(confirmer *c) {
  for (size_t f = 0; f < c->count; ++f) {
    size_t next = c->distinct_count;
    if (mlirLogicalResultIsFailure(copy_form(c, c->forms[f].function,
                                             &c->copies[next], &c->keys[next])))
      return mlirLogicalResultFailure();
    bool is_new = true;
    for (size_t i = 0; i < next; ++i)
      is_new =
          is_new && memcmp(&c->keys[next], &c->keys[i], sizeof c->keys[i]) != 0;
    if (is_new)
      c->distinct[c->distinct_count++] = f;
    else
      mlirOperationDestroy(c->copies[next]);
  }
  return mlirLogicalResultSuccess();
}

static void destroy_copies(confirmer *c) {
  for (size_t i = 0; i < c->distinct_count; ++i)
    mlirOperationDestroy(c->copies[i]);
}

/// Which of the distinct forms a call is of, by the number in front of its
/// layer; -1 when grouping has not taken the labels over.
static int form_of_call(MlirOperation call) {
  MlirStringRef layer;
  return pgopt_get_text(call, PGOPT_LAYER, &layer) && layer.length > 1 &&
                 layer.data[0] >= '0' &&
                 layer.data[0] < '0' + PGOPT_SEARCH_MAX_FORMS &&
                 layer.data[1] == '.'
             ? layer.data[0] - '0'
             : -1;
}

/// Finds which form each call is of.
/// \returns false when some labels were not taken over.
static bool find_forms(confirmer *c) {
  bool is_labelled = true;
  c->form_of = pgopt_allocate(c->call_count, sizeof *c->form_of);
  for (size_t i = 0; i < c->call_count; ++i) {
    c->form_of[i] = form_of_call(c->calls[i]);
    is_labelled = is_labelled && c->form_of[i] >= 0;
  }
  return is_labelled;
}

static MlirLogicalResult form_program(confirmer *c) {
  static const char name[] = "pgopt_forms";
  const pgopt_form_options form = {.fuse = true,
                                   .split = 1,
                                   .timings = c->options->timings,
                                   .check_variants = pgopt_check_variants};
  pgopt_formed formed;
  MlirOperation merged =
      pgopt_merge_functions(c->module, c->copies, c->distinct_count, name);
  c->program = pgopt_nest_copy(c->module);
  mlirOperationDestroy(merged);
  c->entry = pgopt_module_lookup(c->program, pgopt_ref(name));
  if (mlirLogicalResultIsFailure(
          pgopt_keep_entry_only(c->pass, c->program, c->entry)) ||
      mlirLogicalResultIsFailure(pgopt_fill_elided(
          c->program, c->options->request.seed, false, NULL)) ||
      mlirLogicalResultIsFailure(
          pgopt_form_calls(c->pass, c->program, c->entry, &form, &formed)))
    return mlirLogicalResultFailure();
  c->entry = pgopt_module_lookup(c->program, pgopt_ref(name));
  c->calls = pgopt_kernel_calls(c->program, c->entry, &c->call_count);
  return mlirLogicalResultSuccess();
}

static const char *verdict_key(confirmer *c) {
  pgopt_hash all = pgopt_hash_begin("forms");
  for (size_t i = 0; i < c->distinct_count; ++i) {
    pgopt_hash_text(&all, c->forms[c->distinct[i]].name);
    pgopt_hash_hash(&all, &c->keys[i]);
  }
  return pgopt_arena_format(&c->arena, "layouts %016" PRIx64 "%016" PRIx64,
                            all.high, all.low);
}

/// Hands a choice out.
static void use_choice(confirmer *c, const pgopt_store_choice *choice) {
  pgopt_confirmation *result = c->result;
  for (size_t i = 0; i < choice->candidate_count; ++i) {
    const pgopt_store_candidate *one = &choice->candidates[i];
    result->times[i] =
        (pgopt_search_form_time){.name = c->forms[c->distinct[i]].name,
                                 .median_ns = one->median_ns,
                                 .ratio = (double)one->ratio_ppm / 1e6,
                                 .p_value = (double)one->chance_ppm / 1e6};
  }
  result->comparison =
      (pgopt_search_comparison){.forms = result->times,
                                .form_count = choice->candidate_count,
                                .chosen = choice->chosen,
                                .runs = choice->candidates[0].runs};
  result->chosen = c->distinct[choice->chosen];
}

/// Files what the trial run tells.
static void decide(confirmer *c, const pgopt_trial *trial, const char *key) {
  size_t runs = pgopt_form_runs(trial);
  if (!runs) {
    c->result->failure = "a kernel could not be measured";
    return;
  }
  pgopt_candidate_samples samples[PGOPT_SEARCH_MAX_FORMS];
  pgopt_candidate_result results[PGOPT_SEARCH_MAX_FORMS];
  pgopt_store_candidate candidates[PGOPT_SEARCH_MAX_FORMS];
  for (size_t i = 0; i < c->distinct_count; ++i) {
    int64_t *sums =
        pgopt_arena_allocate(&c->arena, runs, sizeof *samples->samples);
    pgopt_form_add_samples(trial, c->form_of, (int)i, runs, sums);
    samples[i] = (pgopt_candidate_samples){sums, false};
  }
  size_t best =
      pgopt_choose_candidate(samples, c->distinct_count, runs, results);
  for (size_t i = 0; i < c->distinct_count; ++i)
    candidates[i] = pgopt_measured_candidate(c->forms[c->distinct[i]].name,
                                             &results[i], runs);
  pgopt_store_choice choice = pgopt_verdict_file(
      c->options->timings, key, candidates, c->distinct_count, best);
  use_choice(c, &choice);
}

/// Makes and measures the program.
static MlirLogicalResult measure(confirmer *c, const char *key) {
  pgopt_trial trial;
  pgopt_measure_request request = c->options->request;
  request.is_paired = true;
  MlirLogicalResult status = form_program(c);
  if (mlirLogicalResultIsSuccess(status))
    status = pgopt_timings_check(c->options->timings);
  if (mlirLogicalResultIsFailure(status))
    return status;
  if (!find_forms(c)) {
    c->result->failure = "their kernels cannot be told apart";
    return status;
  }
  mlirOperationRemoveFromParent(c->program);
  status = pgopt_measure_program(c->program, c->entry, c->forms[0].function,
                                 &request, &trial);
  if (mlirLogicalResultIsFailure(status))
    return status;
  c->result->is_interrupted = trial.is_interrupted;
  if (!trial.is_interrupted)
    decide(c, &trial, key);
  pgopt_trial_free(&trial);
  return status;
}

MlirLogicalResult pgopt_confirm(pgopt_pass *pass, MlirOperation module,
                                const pgopt_form *forms, size_t count,
                                const pgopt_choose_options *options,
                                pgopt_confirmation *confirmation) {
  confirmer c = {.pass = pass,
                 .module = module,
                 .forms = forms,
                 .count = count,
                 .options = options,
                 .result = confirmation};
  *confirmation = (pgopt_confirmation){0};
  MlirLogicalResult status = find_distinct(&c);
  bool measures = false;
  if (mlirLogicalResultIsSuccess(status)) {
    const char *key = verdict_key(&c);
    const pgopt_store_choice *choice =
        pgopt_verdict_find(options->timings, key, c.distinct_count);
    confirmation->is_on_file = choice != NULL;
    measures = !choice && c.distinct_count > 1;
    if (choice)
      use_choice(&c, choice);
    else if (measures)
      status = measure(&c, key);
  }
  if (!measures)
    destroy_copies(&c);
  if (!mlirOperationIsNull(c.program))
    mlirOperationDestroy(c.program);
  free(c.calls);
  free(c.form_of);
  pgopt_arena_free(&c.arena);
  return status;
}
