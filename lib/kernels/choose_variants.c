#include "kernels/choose_variants.h"

#include "base/hash.h"
#include "base/pointer_map.h"
#include "codegen/emit.h"
#include "grouping/signature.h"
#include "ir/entry.h"
#include "ir/fill_elided.h"
#include "ir/form_calls.h"
#include "ir/ir.h"
#include "ir/profile_layers.h"
#include "ir/symbol_index.h"
#include "ir/symbol_names.h"
#include "kernels/form_times.h"
#include "kernels/kernel_copy.h"
#include "kernels/variant_list.h"
#include "kernels/verdict.h"
#include "profile/choose.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/// A kernel of the program and its candidates; one that there is nothing to
/// choose for has none.
typedef struct kernel {
  MlirOperation function;
  const char *signature;
  size_t count;
  pgopt_variant_estimate candidates[PGOPT_MAX_VARIANTS];
  char *names[PGOPT_MAX_VARIANTS]; ///< of their functions
  const char *variant;             ///< that was chosen; null for the model's
  size_t best;                     ///< of the candidates
  pgopt_store_candidate *stored;   ///< what is known of each
  pgopt_measured time; ///< of that one, when it was chosen now; 0 runs: none
} kernel;

typedef struct chooser {
  pgopt_pass *pass;
  MlirOperation module, entry; ///< of the network
  const pgopt_choose_options *options;
  pgopt_chosen *chosen;
  pgopt_arena arena;
  pgopt_layers layers;   ///< of a network on tensors
  MlirOperation program; ///< kernel calls; nested in the module until it runs
  MlirOperation calls_entry;
  MlirOperation *calls; ///< of the network once
  size_t call_count;
  int *kernel_of;          ///< one a call
  const char **signatures; ///< of layers, one a call; null: not known
  kernel *kernels;
  size_t kernel_count, kernel_capacity;
  size_t rounds; ///< how often the program computes the network
} chooser;

/// Forms the kernels of a network on tensors as the model has them.
static MlirLogicalResult form_program(chooser *c) {
  const pgopt_form_options form = {
      .fuse = c->options->fuse, .split = 1, .ignores_variants = true};
  pgopt_ir_network network;
  pgopt_formed formed;
  if (mlirLogicalResultIsFailure(pgopt_read_network(c->entry, &network)))
    return mlirLogicalResultFailure();
  MlirLogicalResult status =
      pgopt_find_layers(c->pass, c->module, c->entry, &network,
                        c->options->fuse, true, &c->layers);
  pgopt_ir_network_free(&network);
  c->program = c->layers.clone;
  if (mlirLogicalResultIsFailure(status) ||
      mlirLogicalResultIsFailure(
          pgopt_keep_entry_only(c->pass, c->program, c->layers.entry)) ||
      mlirLogicalResultIsFailure(pgopt_fill_elided(
          c->program, c->options->request.seed, false, NULL)) ||
      mlirLogicalResultIsFailure(pgopt_form_calls(
          c->pass, c->program, c->layers.entry, &form, &formed)))
    return mlirLogicalResultFailure();
  return mlirLogicalResultSuccess();
}

static kernel describe_kernel(chooser *c, MlirOperation function) {
  MlirStringRef signature;
  kernel one = {.function = function};
  // Both phases of a kernel are computed as they were formed.
  if (mlirAttributeIsNull(pgopt_get(function, PGOPT_PHASE)) &&
      pgopt_get_text(function, PGOPT_SIGNATURE, &signature))
    one.signature =
        pgopt_arena_text(&c->arena, signature.data, signature.length);
  one.names[0] = pgopt_ref_duplicate(pgopt_symbol_name(function));
  return one;
}

static void find_kernels(chooser *c) {
  c->calls_entry = pgopt_module_lookup(c->program, pgopt_symbol_name(c->entry));
  c->calls = pgopt_kernel_calls(c->program, c->calls_entry, &c->call_count);
  c->kernel_of = pgopt_allocate(c->call_count, sizeof *c->kernel_of);
  pgopt_symbol_index symbols = pgopt_symbol_index_create(c->program);
  pgopt_pointer_map numbers = {0};
  for (size_t i = 0; i < c->call_count; ++i) {
    MlirOperation function =
        pgopt_symbol_index_resolve(&symbols, c->calls[i], "callee");
    if (pgopt_pointer_map_get(&numbers, function.ptr, &c->kernel_of[i]))
      continue;
    c->kernel_of[i] = (int)c->kernel_count;
    pgopt_pointer_map_set(&numbers, function.ptr, (int)c->kernel_count);
    PGOPT_APPEND(c->kernels, c->kernel_count, c->kernel_capacity,
                 describe_kernel(c, function));
  }
  pgopt_pointer_map_free(&numbers);
  pgopt_symbol_index_free(&symbols);
}

/// The signature of the layer that each call is of.
static void find_signatures(chooser *c) {
  MlirContext context = mlirOperationGetContext(c->module);
  pgopt_pointer_map numbers = {0};
  c->signatures = pgopt_allocate(c->call_count, sizeof *c->signatures);
  // Equal names are one identifier.
  for (size_t k = c->layers.count; k-- > 0;)
    pgopt_pointer_map_set(
        &numbers,
        mlirIdentifierGet(context, pgopt_ref(c->layers.layers[k].id)).ptr,
        (int)k);
  for (size_t i = 0; i < c->call_count; ++i) {
    MlirStringRef id;
    int layer;
    if (pgopt_get_text(c->calls[i], PGOPT_LAYER, &id) &&
        pgopt_pointer_map_get(&numbers, mlirIdentifierGet(context, id).ptr,
                              &layer))
      c->signatures[i] = c->layers.layers[layer].signature;
  }
  pgopt_pointer_map_free(&numbers);
}

/// True for a choice that another trial run would not make any surer.
static bool is_final(const pgopt_store_choice *choice) {
  return choice && !strcmp(choice->version, PGOPT_VERSION) &&
         (choice->candidates[0].runs >= PGOPT_PAIRED_RUNS ||
          *choice->candidates[0].failure);
}

/// Lists the candidates of every kernel without a choice; one with a choice is
/// computed as it was chosen.
static MlirLogicalResult list_candidates(chooser *c) {
  pgopt_kernel_copy copy;
  MlirLogicalResult status =
      pgopt_kernel_copy_open(c->pass, c->program, c->calls_entry, &copy);
  for (size_t k = 0; k < c->kernel_count && mlirLogicalResultIsSuccess(status);
       ++k) {
    kernel *one = &c->kernels[k];
    if (!one->signature)
      continue;
    const pgopt_store_choice *choice =
        pgopt_timings_choice(c->options->timings, one->signature);
    pgopt_remove(one->function, PGOPT_VARIANT);
    if (is_final(choice)) {
      if (choice->chosen)
        one->variant = choice->candidates[choice->chosen].variant;
      if (one->variant)
        pgopt_set_text(one->function, PGOPT_VARIANT, one->variant);
      continue;
    }
    one->count = pgopt_variants_list(
        pgopt_kernel_copy_find(&copy, pgopt_ref(one->names[0])),
        &c->options->target, copy.constants, one->candidates);
    size_t most = c->options->most_candidates;
    if (most && one->count > most)
      one->count = most > 1 ? most : 0;
    c->rounds = one->count > c->rounds ? one->count : c->rounds;
    c->chosen->kernels += one->count > 0;
    c->chosen->candidates += (int64_t)one->count;
  }
  pgopt_kernel_copy_close(&copy);
  return status;
}

/// A function for every candidate but the first one.
static void build_candidates(chooser *c) {
  MlirContext context = mlirOperationGetContext(c->module);
  pgopt_symbol_names names = pgopt_symbol_names_create(c->program);
  for (size_t k = 0; k < c->kernel_count; ++k)
    for (size_t i = 1; i < c->kernels[k].count; ++i) {
      kernel *one = &c->kernels[k];
      char text[PGOPT_VARIANT_TEXT];
      MlirOperation copy = mlirOperationClone(one->function);
      pgopt_variant_print(&one->candidates[i].variant, text);
      pgopt_set_text(copy, PGOPT_VARIANT, text);
      one->names[i] = pgopt_symbol_names_make(&names, one->names[0]);
      mlirOperationSetAttributeByName(
          copy, pgopt_ref("sym_name"),
          pgopt_text_attribute(context, one->names[i]));
      mlirBlockInsertOwnedOperationBefore(pgopt_module_body(c->program),
                                          one->function, copy);
    }
  pgopt_symbol_names_free(&names);
}

/// Repeats the calls behind the last one, each time with the next candidates.
static void build_rounds(chooser *c) {
  MlirContext context = mlirOperationGetContext(c->module);
  MlirBlock body = pgopt_function_body(c->calls_entry);
  MlirOperation last = c->calls[c->call_count - 1];
  for (size_t round = 1; round < c->rounds; ++round)
    for (size_t i = 0; i < c->call_count; ++i) {
      const kernel *one = &c->kernels[c->kernel_of[i]];
      size_t candidate = one->count ? round % one->count : 0;
      MlirOperation copy = mlirOperationClone(c->calls[i]);
      mlirOperationSetAttributeByName(
          copy, pgopt_ref("callee"),
          mlirFlatSymbolRefAttrGet(context, pgopt_ref(one->names[candidate])));
      mlirBlockInsertOwnedOperationAfter(body, last, copy);
      last = copy;
    }
}

/// What the trial run has found out about a kernel's candidates.
typedef struct findings {
  int64_t *samples[PGOPT_MAX_VARIANTS]; ///< one a run; owned
  const char *failures[PGOPT_MAX_VARIANTS];
  size_t runs;
} findings;

/// The sum of two samples; one that something disturbed makes it disturbed, one
/// that is missing makes it missing.
static int64_t add_samples(int64_t a, int64_t b) {
  int64_t sum = llabs(a) + llabs(b);
  return !a || !b ? 0 : a < 0 || b < 0 ? -sum : sum;
}

/// A sample is the mean time of a call, over all calls of the kernel and all
/// rounds that the candidate computes.
static findings find_out(const chooser *c, const pgopt_trial *trial,
                         size_t number) {
  const kernel *one = &c->kernels[number];
  int64_t calls[PGOPT_MAX_VARIANTS] = {0};
  findings f = {.runs = SIZE_MAX};
  for (size_t i = 0; i < trial->kernel_count; ++i)
    if (!trial->kernels[i].failure && trial->kernels[i].paired_count < f.runs)
      f.runs = trial->kernels[i].paired_count;
  f.runs = f.runs == SIZE_MAX ? 0 : f.runs;
  for (size_t i = 0; i < one->count; ++i)
    f.samples[i] = pgopt_allocate(f.runs, sizeof *f.samples[i]);
  for (size_t i = 0; i < trial->kernel_count; ++i) {
    if ((size_t)c->kernel_of[i % c->call_count] != number)
      continue;
    const pgopt_trial_kernel *call = &trial->kernels[i];
    size_t candidate = i / c->call_count % one->count;
    int64_t *sums = f.samples[candidate];
    if (call->failure)
      f.failures[candidate] = call->failure;
    for (size_t r = 0; r < f.runs && !call->failure; ++r)
      sums[r] = calls[candidate] ? add_samples(sums[r], call->paired[r])
                                 : call->paired[r];
    ++calls[candidate];
  }
  for (size_t i = 0; i < one->count; ++i)
    for (size_t r = 0; r < f.runs && calls[i]; ++r)
      f.samples[i][r] /= calls[i];
  return f;
}

/// Files a choice under the kernel's signature and those of all layers that it
/// computes: of equal code one is measured.
static void file_choice(const chooser *c, size_t number,
                        pgopt_store_choice *choice) {
  const char *own = c->kernels[number].signature;
  pgopt_timings_add_choice(c->options->timings, c->module, choice);
  for (size_t i = 0; i < c->call_count; ++i) {
    const char *signature = c->signatures[i];
    if ((size_t)c->kernel_of[i] != number || !signature ||
        !strcmp(signature, own))
      continue;
    choice->signature = signature;
    pgopt_timings_add_choice(c->options->timings, c->module, choice);
  }
}

static void choose(chooser *c, const pgopt_trial *trial, size_t number) {
  kernel *one = &c->kernels[number];
  findings f = find_out(c, trial, number);
  pgopt_candidate_samples samples[PGOPT_MAX_VARIANTS];
  pgopt_candidate_result results[PGOPT_MAX_VARIANTS];
  one->stored =
      pgopt_arena_allocate(&c->arena, one->count, sizeof *one->stored);
  for (size_t i = 0; i < one->count; ++i)
    samples[i] = (pgopt_candidate_samples){f.samples[i], f.failures[i] != NULL};
  one->best = pgopt_choose_candidate(samples, one->count, f.runs, results);
  for (size_t i = 0; i < one->count; ++i) {
    char text[PGOPT_VARIANT_TEXT];
    pgopt_store_candidate *candidate = &one->stored[i];
    pgopt_variant_print(&one->candidates[i].variant, text);
    *candidate = pgopt_measured_candidate(
        pgopt_arena_text(&c->arena, text, strlen(text)), &results[i], f.runs);
    candidate->cycles = llround(one->candidates[i].cycles);
    if (f.failures[i]) {
      candidate->failure = f.failures[i];
      candidate->runs = candidate->ratio_ppm = candidate->chance_ppm = 0;
    }
  }
  c->chosen->changed += one->best > 0;
  for (size_t i = 0; i < one->count; ++i)
    free(f.samples[i]);
}

/// Files what was chosen for a kernel.
static void file_kernel(chooser *c, size_t number) {
  kernel *one = &c->kernels[number];
  const pgopt_store_candidate *best = &one->stored[one->best];
  pgopt_store_choice choice = {.signature = one->signature,
                               .candidates = one->stored,
                               .candidate_count = one->count,
                               .chosen = one->best,
                               .date_s = time(NULL),
                               .version = PGOPT_VERSION};
  one->time =
      (pgopt_measured){best->median_ns, best->min_ns, best->mad_ns, best->runs};
  one->variant = one->best ? best->variant : NULL;
  if (!pgopt_store_check_choice(&choice, NULL))
    file_choice(c, number, &choice);
}

/// Files what the layers take in their kernels' variants.
static void file_times(chooser *c, const pgopt_trial *trial) {
  pgopt_profile_entry *entries = NULL;
  size_t count = 0, capacity = 0;
  for (size_t i = 0; i < c->call_count; ++i) {
    const kernel *one = &c->kernels[c->kernel_of[i]];
    const char *signature = c->signatures[i];
    pgopt_profile_entry entry = {.time = trial->kernels[i].time};
    if (one->count)
      entry.time = one->time;
    if (!signature ||
        (one->count ? !one->time.runs : trial->kernels[i].failure != NULL))
      continue;
    if (one->variant)
      signature = pgopt_variant_signature(signature, one->variant, &c->arena);
    entry.signature = pgopt_arena_format(&c->arena, "%s%s", signature,
                                         c->options->times_suffix);
    PGOPT_APPEND(entries, count, capacity, entry);
  }
  pgopt_extend_profile(c->module, entries, count);
  free(entries);
}

static void tell_estimates(const chooser *c) {
  for (size_t i = 0; i < c->call_count; ++i) {
    const kernel *one = &c->kernels[c->kernel_of[i]];
    const char *signature = c->signatures[i];
    double least = INFINITY;
    for (size_t k = 0; k < one->count; ++k)
      least = fmin(least, one->candidates[k].cycles);
    if (signature && one->count)
      c->options->estimated(c->options->context, signature, least);
  }
}

/// The function that the form calls: of what was chosen, or of the model's
/// choice, unless that one failed.
static const char *name_in_form(const kernel *one, int form) {
  bool takes_best = one->count && (form || *one->stored[0].failure);
  return one->names[takes_best ? one->best : 0];
}

/// Leaves the network twice in the program: in the model's variants, and in
/// those that were chosen. \returns of which form each call is; to be freed.
static int *build_forms(chooser *c) {
  size_t count;
  MlirContext context = mlirOperationGetContext(c->module);
  MlirOperation *calls = pgopt_kernel_calls(c->program, c->calls_entry, &count);
  int *form_of = pgopt_allocate(2 * c->call_count, sizeof *form_of);
  for (size_t i = 0; i < count; ++i) {
    if (i >= 2 * c->call_count) {
      mlirOperationDestroy(calls[i]);
      continue;
    }
    form_of[i] = i >= c->call_count;
    const kernel *one = &c->kernels[c->kernel_of[i % c->call_count]];
    mlirOperationSetAttributeByName(
        calls[i], pgopt_ref("callee"),
        mlirFlatSymbolRefAttrGet(context,
                                 pgopt_ref(name_in_form(one, form_of[i]))));
  }
  free(calls);
  return form_of;
}

/// What the forms are, for the store: their kernels' variants.
static const char *forms_key(chooser *c) {
  pgopt_hash hash = pgopt_hash_begin("variants");
  for (size_t i = 0; i < c->call_count; ++i) {
    const kernel *one = &c->kernels[c->kernel_of[i]];
    pgopt_hash_text(&hash, one->signature ? one->signature : "");
    pgopt_hash_text(&hash, one->count ? one->stored[one->best].variant : "");
  }
  return pgopt_arena_format(&c->arena, "variants %016" PRIx64 "%016" PRIx64,
                            hash.high, hash.low);
}

/// Keeps the model's choices, where they did not fail, unless the network is
/// faster with the others.
static void judge_forms(chooser *c, const pgopt_trial *trial,
                        const int *form_of) {
  static const char *const names[] = {"model", "chosen"};
  size_t runs = pgopt_form_runs(trial);
  pgopt_candidate_samples samples[2];
  pgopt_candidate_result results[2];
  pgopt_store_candidate candidates[2];
  if (!runs)
    return;
  for (int f = 0; f < 2; ++f) {
    int64_t *sums = pgopt_arena_allocate(&c->arena, runs, sizeof *sums);
    pgopt_form_add_samples(trial, form_of, f, runs, sums);
    samples[f] = (pgopt_candidate_samples){sums, false};
  }
  size_t best = pgopt_choose_candidate(samples, 2, runs, results);
  for (int f = 0; f < 2; ++f)
    candidates[f] = pgopt_measured_candidate(names[f], &results[f], runs);
  pgopt_verdict_file(c->options->timings, forms_key(c), candidates, 2, best);
  c->chosen->is_confirmed = true;
  c->chosen->ratio = results[1].pairing.ratio;
  c->chosen->p_value = results[1].pairing.p_value;
  c->chosen->is_kept = best == 1;
  for (size_t k = 0; k < c->kernel_count && !best; ++k)
    if (c->kernels[k].best && !*c->kernels[k].stored[0].failure) {
      c->kernels[k].best = 0;
      --c->chosen->changed;
    }
}

/// Runs the whole network in the variants that were chosen now against the
/// model's.
static MlirLogicalResult confirm(chooser *c) {
  pgopt_trial trial;
  pgopt_measure_request request = c->options->request;
  request.is_paired = true;
  int *form_of = build_forms(c);
  MlirLogicalResult status = pgopt_measure_program(c->program, c->calls_entry,
                                                   c->entry, &request, &trial);
  if (mlirLogicalResultIsSuccess(status)) {
    c->chosen->is_interrupted = trial.is_interrupted;
    judge_forms(c, &trial, form_of);
    pgopt_trial_free(&trial);
  }
  free(form_of);
  return status;
}

static MlirLogicalResult measure(chooser *c) {
  pgopt_trial trial;
  pgopt_measure_request request = c->options->request;
  request.is_paired = true;
  if (mlirLogicalResultIsFailure(pgopt_timings_check(c->options->timings)))
    return mlirLogicalResultFailure();
  build_candidates(c);
  build_rounds(c);
  mlirOperationRemoveFromParent(c->program);
  if (mlirLogicalResultIsFailure(pgopt_measure_program(
          c->program, c->calls_entry, c->entry, &request, &trial)))
    return mlirLogicalResultFailure();
  MlirLogicalResult status = mlirLogicalResultSuccess();
  c->chosen->runs = trial.instrumented.time.runs;
  c->chosen->is_interrupted = trial.is_interrupted;
  bool has_measured = c->chosen->runs > 0;
  for (size_t k = 0; k < c->kernel_count && has_measured; ++k)
    if (c->kernels[k].count)
      choose(c, &trial, k);
  if (c->options->confirms && c->chosen->changed && !trial.is_interrupted)
    status = confirm(c);
  for (size_t k = 0; k < c->kernel_count && has_measured; ++k)
    if (c->kernels[k].count)
      file_kernel(c, k);
  if (c->options->times_suffix && has_measured)
    file_times(c, &trial);
  pgopt_write_machine(c->module, &trial);
  pgopt_trial_free(&trial);
  return status;
}

/// Writes the choices on the kernels of a network of kernel calls.
static void write_variants(chooser *c) {
  MlirOperation *calls =
      pgopt_kernel_calls(c->module, c->entry, &c->call_count);
  for (size_t i = 0; i < c->call_count; ++i) {
    MlirOperation function =
        pgopt_module_lookup(c->module, pgopt_callee(calls[i]));
    MlirAttribute old = pgopt_get(function, PGOPT_VARIANT);
    const kernel *one = &c->kernels[c->kernel_of[i]];
    const char *variant =
        one->signature ? pgopt_timings_variant(c->options->timings, c->module,
                                               one->signature, &c->arena)
                       : NULL;
    if (variant)
      pgopt_set_text(function, PGOPT_VARIANT, variant);
    else if (one->signature)
      pgopt_remove(function, PGOPT_VARIANT);
    if (!mlirAttributeEqual(old, pgopt_get(function, PGOPT_VARIANT)))
      pgopt_remove(calls[i], PGOPT_TIMING);
  }
  free(calls);
}

static void free_chooser(chooser *c) {
  for (size_t k = 0; k < c->kernel_count; ++k)
    for (size_t i = 0; i < PGOPT_MAX_VARIANTS; ++i)
      free(c->kernels[k].names[i]);
  free(c->kernels);
  free(c->kernel_of);
  free(c->signatures);
  free(c->calls);
  if (!mlirOperationIsNull(c->program) && mlirOperationIsNull(c->layers.clone))
    mlirOperationDestroy(c->program);
  pgopt_layers_free(&c->layers);
  pgopt_arena_free(&c->arena);
}

MlirLogicalResult pgopt_choose_variants(pgopt_pass *pass, MlirOperation module,
                                        MlirOperation entry,
                                        const pgopt_choose_options *options,
                                        pgopt_chosen *chosen) {
  chooser c = {.pass = pass,
               .module = module,
               .entry = entry,
               .options = options,
               .chosen = chosen};
  bool on_tensors = pgopt_stage_of(entry) == PGOPT_STAGE_TENSORS;
  MlirLogicalResult status = mlirLogicalResultSuccess();
  *chosen = (pgopt_chosen){0};
  if (on_tensors)
    status = form_program(&c);
  else
    c.program = pgopt_nest_copy(module);
  if (mlirLogicalResultIsSuccess(status)) {
    find_kernels(&c);
    find_signatures(&c);
    status = list_candidates(&c);
  }
  if (mlirLogicalResultIsSuccess(status) && options->estimated)
    tell_estimates(&c);
  else if (mlirLogicalResultIsSuccess(status) &&
           (chosen->kernels || (options->times_suffix && c.call_count)))
    status = measure(&c);
  if (mlirLogicalResultIsSuccess(status) && !on_tensors)
    write_variants(&c);
  free_chooser(&c);
  return status;
}

static bool applies(MlirOperation function, const char *text,
                    const pgopt_target *target,
                    pgopt_preparation *preparation) {
  pgopt_variant variant;
  return pgopt_variant_parse(text, &variant) &&
         pgopt_variant_applies(function, &variant, target, preparation);
}

/// The kernel's variant is not what its calls' Timing is of.
static void drop_variant(MlirOperation module, MlirOperation function) {
  size_t count;
  MlirOperation *calls = pgopt_collect_ops(module, "func.call", &count);
  for (size_t i = 0; i < count; ++i)
    if (mlirStringRefEqual(pgopt_callee(calls[i]), pgopt_symbol_name(function)))
      pgopt_remove(calls[i], PGOPT_TIMING);
  free(calls);
  pgopt_remove(function, PGOPT_VARIANT);
}

MlirLogicalResult pgopt_check_variants(pgopt_pass *pass, MlirOperation module,
                                       MlirOperation entry) {
  pgopt_target target;
  size_t count;
  pgopt_target_read("", "", &target);
  pgopt_target_measure_caches(&target);
  pgopt_kernel_copy copy;
  MlirLogicalResult status = pgopt_kernel_copy_open(pass, module, entry, &copy);
  MlirOperation *functions = pgopt_block_ops(pgopt_module_body(module), &count);
  for (size_t i = 0; i < count && mlirLogicalResultIsSuccess(status); ++i) {
    MlirStringRef text;
    if (!pgopt_op_is(functions[i], "func.func") ||
        !pgopt_get_text(functions[i], PGOPT_VARIANT, &text))
      continue;
    char *variant = pgopt_ref_duplicate(text);
    MlirOperation prepared =
        pgopt_kernel_copy_find(&copy, pgopt_symbol_name(functions[i]));
    if (mlirOperationIsNull(prepared) ||
        !applies(prepared, variant, &target, copy.constants)) {
      pgopt_emit(functions[i], PGOPT_WARNING,
                 "the variant '%s' that the store has for this kernel does not "
                 "apply here; the model's is taken",
                 variant);
      drop_variant(module, functions[i]);
    }
    free(variant);
  }
  free(functions);
  pgopt_kernel_copy_close(&copy);
  return status;
}
