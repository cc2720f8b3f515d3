#include "ir/timings.h"

#include "ir/ir.h"
#include "ir/machine_attribute.h"
#include "ir/measure_program.h"
#include "store/store_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/// A Timing of the store that a pass has used.
typedef struct found_timing {
  const pgopt_store_timing *timing;
  const char *foreign_key; ///< of its machine; null for this one
} found_timing;

struct pgopt_timings {
  MlirOperation module;
  const char *path;
  bool exists, any_machine;
  pgopt_store store;
  pgopt_text key;                 ///< of this machine
  const pgopt_store_profile *own; ///< null when the store does not know it
  MlirAttribute old_profile;      ///< when it was opened
  MlirAttribute shown_machine;    ///< pg.machine, when it is from the store
  found_timing *found;            ///< not kept yet
  size_t found_count, found_capacity;
  int64_t kept;             ///< signatures found in the store and kept
  int64_t foreign;          ///< of them, of other machines
  const char *foreign_key;  ///< the first of these machines
  bool has_several_foreign; ///< machines
  pgopt_store chosen;       ///< what was added: one profile, or none
  const char *variants_key; ///< another machine, when its choices were taken
};

/// The description that the module shows: this machine's, else, when any will
/// do, the first one.
static void show_machine(pgopt_timings *t) {
  const pgopt_store_profile *profile = t->own;
  if (!profile && t->any_machine && t->store.profile_count)
    profile = &t->store.profiles[0];
  if (!profile || !mlirAttributeIsNull(pgopt_get(t->module, PGOPT_MACHINE)))
    return;
  t->shown_machine = pgopt_machine_to_attribute(
      mlirOperationGetContext(t->module), &profile->machine);
  pgopt_set(t->module, PGOPT_MACHINE, t->shown_machine);
}

static void destroy(pgopt_timings *t) {
  pgopt_store_free(&t->store);
  pgopt_store_free(&t->chosen);
  pgopt_text_free(&t->key);
  free(t->found);
  free(t);
}

MlirLogicalResult pgopt_timings_open(MlirOperation module,
                                     const pgopt_store_options *options,
                                     pgopt_timings **timings) {
  const char *path = *options->store ? options->store : getenv("PGOPT_STORE");
  *timings = NULL;
  if (!path || !*path || !strcmp(path, "none"))
    return mlirLogicalResultSuccess();
  pgopt_timings *t = pgopt_allocate(1, sizeof *t);
  *t = (pgopt_timings){.module = module,
                       .path = path,
                       .any_machine = options->any_machine,
                       .old_profile = pgopt_get(module, PGOPT_PROFILE)};
  pgopt_error error = {0};
  if (pgopt_store_load(path, &t->store, &t->exists, &error)) {
    destroy(t);
    return pgopt_emit_error(module, "%s", error.message);
  }
  pgopt_machine machine;
  pgopt_machine_describe("", &machine);
  pgopt_machine_key(&machine, &t->key);
  t->own = pgopt_store_find_profile(&t->store, t->key.data);
  show_machine(t);
  *timings = t;
  return mlirLogicalResultSuccess();
}

/// The best Timing of other machines; null for none.
static found_timing find_foreign(const pgopt_timings *t,
                                 const char *signature) {
  found_timing best = {0};
  for (size_t i = 0; i < t->store.profile_count; ++i) {
    const pgopt_store_timing *one =
        pgopt_store_find_timing(&t->store.profiles[i], signature);
    if (one && (!best.timing || pgopt_store_compare(one, best.timing) > 0))
      best = (found_timing){one, t->store.profiles[i].key};
  }
  return best;
}

static pgopt_timing from_store(const pgopt_store_timing *one) {
  return (pgopt_timing){one->median_ns, one->min_ns, one->mad_ns, one->runs,
                        "store"};
}

bool pgopt_timings_find(pgopt_timings *t, MlirOperation module,
                        const char *signature, pgopt_timing *timing) {
  if (pgopt_find_timing(module, signature, timing))
    return true;
  if (!t)
    return false;
  found_timing one = {0};
  if (t->own)
    one.timing = pgopt_store_find_timing(t->own, signature);
  if (!one.timing && t->any_machine)
    one = find_foreign(t, signature);
  if (!one.timing)
    return false;
  PGOPT_APPEND(t->found, t->found_count, t->found_capacity, one);
  *timing = from_store(one.timing);
  return true;
}

const pgopt_store_choice *pgopt_timings_choice(const pgopt_timings *t,
                                               const char *signature) {
  const pgopt_store_choice *choice = NULL;
  if (t && t->chosen.profile_count)
    choice = pgopt_store_find_choice(&t->chosen.profiles[0], signature);
  if (!choice && t && t->own)
    choice = pgopt_store_find_choice(t->own, signature);
  return choice;
}

/// The best choice of other machines; null for none.
static const pgopt_store_choice *find_foreign_choice(pgopt_timings *t,
                                                     const char *signature) {
  const pgopt_store_choice *best = NULL;
  const char *key = NULL;
  for (size_t i = 0; i < t->store.profile_count; ++i) {
    const pgopt_store_choice *one =
        pgopt_store_find_choice(&t->store.profiles[i], signature);
    if (one && (!best || pgopt_store_compare_choices(one, best) > 0)) {
      best = one;
      key = t->store.profiles[i].key;
    }
  }
  if (best && !t->variants_key)
    t->variants_key = key;
  return best;
}

const char *pgopt_timings_variant(pgopt_timings *t, MlirOperation module,
                                  const char *signature, pgopt_arena *arena) {
  MlirAttribute all = pgopt_get(module, PGOPT_VARIANTS);
  if (!mlirAttributeIsNull(all) && mlirAttributeIsADictionary(all)) {
    MlirAttribute one =
        mlirDictionaryAttrGetElementByName(all, pgopt_ref(signature));
    if (!mlirAttributeIsNull(one) && mlirAttributeIsAString(one)) {
      MlirStringRef text = mlirStringAttrGetValue(one);
      return pgopt_arena_text(arena, text.data, text.length);
    }
  }
  const pgopt_store_choice *choice = pgopt_timings_choice(t, signature);
  if (!choice && t && t->any_machine)
    choice = find_foreign_choice(t, signature);
  if (!choice || !choice->chosen)
    return NULL;
  const char *variant = choice->candidates[choice->chosen].variant;
  return pgopt_arena_text(arena, variant, strlen(variant));
}

/// Adds to the module's `pg.variants`, or takes out what is the default now.
static void write_variant(MlirOperation module,
                          const pgopt_store_choice *choice) {
  MlirContext context = mlirOperationGetContext(module);
  MlirAttribute old = pgopt_get(module, PGOPT_VARIANTS);
  intptr_t known = mlirAttributeIsNull(old) || !mlirAttributeIsADictionary(old)
                       ? 0
                       : mlirDictionaryAttrGetNumElements(old);
  MlirNamedAttribute *list = NULL;
  size_t size = 0, capacity = 0;
  for (intptr_t i = 0; i < known; ++i) {
    MlirNamedAttribute member = mlirDictionaryAttrGetElement(old, i);
    if (!pgopt_ref_is(mlirIdentifierStr(member.name), choice->signature))
      PGOPT_APPEND(list, size, capacity, member);
  }
  if (choice->chosen)
    PGOPT_APPEND(
        list, size, capacity,
        pgopt_named(context, choice->signature,
                    pgopt_text_attribute(
                        context, choice->candidates[choice->chosen].variant)));
  if (size)
    pgopt_set(module, PGOPT_VARIANTS,
              mlirDictionaryAttrGet(context, (intptr_t)size, list));
  else
    pgopt_remove(module, PGOPT_VARIANTS);
  free(list);
}

void pgopt_timings_add_choice(pgopt_timings *t, MlirOperation module,
                              const pgopt_store_choice *choice) {
  write_variant(module, choice);
  pgopt_timings_remember(t, choice);
}

void pgopt_timings_remember(pgopt_timings *t,
                            const pgopt_store_choice *choice) {
  if (!t)
    return;
  pgopt_machine machine;
  pgopt_machine_describe("", &machine);
  pgopt_store_add_choice(&t->chosen,
                         pgopt_store_add_machine(&t->chosen, &machine), choice);
  pgopt_store_sort(&t->chosen);
}

MlirLogicalResult pgopt_timings_check(const pgopt_timings *t) {
  pgopt_error error = {0};
  return t && pgopt_store_check(t->path, &error)
             ? pgopt_emit_error(t->module, "%s", error.message)
             : mlirLogicalResultSuccess();
}

static int compare_found(const void *left, const void *right) {
  const found_timing *l = left, *r = right;
  return strcmp(l->timing->signature, r->timing->signature);
}

static void count_kept(pgopt_timings *t, const char *foreign_key) {
  ++t->kept;
  if (!foreign_key)
    return;
  ++t->foreign;
  t->has_several_foreign =
      t->has_several_foreign ||
      (t->foreign_key && strcmp(t->foreign_key, foreign_key));
  if (!t->foreign_key || strcmp(foreign_key, t->foreign_key) < 0)
    t->foreign_key = foreign_key;
}

void pgopt_timings_keep(pgopt_timings *t) {
  if (!t || !t->found_count)
    return;
  MlirContext context = mlirOperationGetContext(t->module);
  MlirNamedAttribute *list = NULL;
  size_t size = 0, capacity = 0;
  MlirAttribute old = pgopt_get(t->module, PGOPT_PROFILE);
  intptr_t known = mlirAttributeIsNull(old) || !mlirAttributeIsADictionary(old)
                       ? 0
                       : mlirDictionaryAttrGetNumElements(old);
  for (intptr_t i = 0; i < known; ++i)
    PGOPT_APPEND(list, size, capacity, mlirDictionaryAttrGetElement(old, i));
  qsort(t->found, t->found_count, sizeof *t->found, compare_found);
  for (size_t i = 0; i < t->found_count; ++i) {
    const char *signature = t->found[i].timing->signature;
    pgopt_timing timing;
    if ((i && !compare_found(&t->found[i - 1], &t->found[i])) ||
        pgopt_find_timing(t->module, signature, &timing))
      continue;
    timing = from_store(t->found[i].timing);
    PGOPT_APPEND(list, size, capacity,
                 pgopt_named(context, signature,
                             pgopt_timing_to_attribute(context, &timing)));
    count_kept(t, t->found[i].foreign_key);
  }
  pgopt_set(t->module, PGOPT_PROFILE,
            mlirDictionaryAttrGet(context, (intptr_t)size, list));
  t->found_count = 0;
  free(list);
}

/// True for a member that `pg.profile` did not have and that was measured.
static bool is_new(const pgopt_timings *t, MlirNamedAttribute member,
                   pgopt_timing *timing) {
  MlirStringRef name = mlirIdentifierStr(member.name);
  if (!pgopt_timing_from_attribute(member.attribute, timing) ||
      (strcmp(timing->source, "in-place") &&
       strcmp(timing->source, "isolated")))
    return false;
  return mlirAttributeIsNull(t->old_profile) ||
         !mlirAttributeIsADictionary(t->old_profile) ||
         mlirAttributeIsNull(
             mlirDictionaryAttrGetElementByName(t->old_profile, name));
}

/// What the module has measured since the store was opened. \returns how many
/// Timings and choices.
static size_t collect_new(const pgopt_timings *t, MlirOperation module,
                          pgopt_store *additions) {
  MlirAttribute profile = pgopt_get(module, PGOPT_PROFILE);
  pgopt_machine machine;
  bool has_profile = !mlirAttributeIsNull(profile) &&
                     mlirAttributeIsADictionary(profile) &&
                     pgopt_machine_of_module(module, &machine);
  size_t count = 0;
  intptr_t all = has_profile ? mlirDictionaryAttrGetNumElements(profile) : 0;
  pgopt_store_profile *target = NULL;
  for (intptr_t i = 0; i < all; ++i) {
    MlirNamedAttribute member = mlirDictionaryAttrGetElement(profile, i);
    pgopt_timing timing;
    if (!is_new(t, member, &timing))
      continue;
    if (!target)
      target = pgopt_store_add_machine(additions, &machine);
    char *signature = pgopt_ref_duplicate(mlirIdentifierStr(member.name));
    const pgopt_store_timing one = {
        signature,   timing.median_ns, timing.min_ns, timing.mad_ns,
        timing.runs, timing.source,    time(NULL),    PGOPT_VERSION};
    if (!pgopt_store_check_timing(&one, NULL)) {
      pgopt_store_add_timing(additions, target, &one);
      ++count;
    }
    free(signature);
  }
  pgopt_store_sort(additions);
  if (t->chosen.profile_count)
    count += t->chosen.profiles[0].choice_count;
  pgopt_store_merge(additions, &t->chosen);
  return count;
}

/// Tells of other machines, in one diagnostic.
static void report_machines(const pgopt_timings *t, bool has_measured) {
  if (t->variants_key)
    pgopt_emit(t->module, PGOPT_WARNING,
               "variants of kernels are those that were chosen on another "
               "machine, '%s', not on this one, '%s'",
               t->variants_key, t->key.data);
  if (t->foreign)
    pgopt_emit(t->module, PGOPT_WARNING,
               "%" PRId64 " of %" PRId64 " Timings from the store are of %s "
               "'%s', not of this one, '%s'",
               t->foreign, t->kept,
               t->has_several_foreign ? "other machines, the first"
                                      : "another machine,",
               t->foreign_key, t->key.data);
  else if (!t->exists && !has_measured)
    pgopt_emit(t->module, PGOPT_REMARK,
               "there is no store '%s' yet, nothing is looked up", t->path);
  else if (!t->own && t->store.profile_count && !has_measured)
    pgopt_emit(t->module, PGOPT_REMARK,
               "the store '%s' does not know this machine, '%s', but '%s'%s; "
               "any-machine=true takes its Timing",
               t->path, t->key.data, t->store.profiles[0].key,
               t->store.profile_count > 1 ? " and others" : "");
}

MlirLogicalResult pgopt_timings_save(pgopt_timings *t, MlirOperation module) {
  pgopt_store additions = {0};
  pgopt_error error = {0};
  if (!t)
    return mlirLogicalResultSuccess();
  bool is_kept = !collect_new(t, module, &additions) ||
                 !pgopt_store_update(t->path, &additions, &error);
  pgopt_store_free(&additions);
  return is_kept ? mlirLogicalResultSuccess()
                 : pgopt_emit_error(t->module, "%s", error.message);
}

MlirLogicalResult pgopt_timings_close(pgopt_timings *t,
                                      MlirLogicalResult status) {
  if (!t)
    return status;
  if (mlirLogicalResultIsSuccess(status)) {
    pgopt_store additions = {0};
    pgopt_error error = {0};
    pgopt_timings_keep(t);
    size_t measured = collect_new(t, t->module, &additions);
    if (measured && pgopt_store_update(t->path, &additions, &error))
      status = pgopt_emit_error(t->module, "%s", error.message);
    else
      report_machines(t, measured > 0);
    pgopt_store_free(&additions);
    MlirAttribute machine = pgopt_get(t->module, PGOPT_MACHINE);
    if (!mlirAttributeIsNull(machine) && !t->kept && !measured &&
        mlirAttributeEqual(machine, t->shown_machine))
      pgopt_remove(t->module, PGOPT_MACHINE);
  }
  destroy(t);
  return status;
}

MlirLogicalResult
pgopt_timings_look_up_calls(MlirOperation module, MlirOperation entry,
                            const pgopt_store_options *options) {
  pgopt_timings *timings;
  size_t count;
  if (mlirLogicalResultIsFailure(pgopt_timings_open(module, options, &timings)))
    return mlirLogicalResultFailure();
  if (!timings)
    return mlirLogicalResultSuccess();
  pgopt_arena arena = {0};
  MlirOperation *calls = pgopt_kernel_calls(module, entry, &count);
  for (size_t i = 0; i < count; ++i) {
    pgopt_timing timing;
    if (pgopt_get_timing(calls[i], &timing) && strcmp(timing.source, "derived"))
      continue;
    const char *signature = pgopt_call_signature(module, calls[i], &arena);
    if (signature && pgopt_timings_find(timings, module, signature, &timing))
      pgopt_set_timing(calls[i], &timing);
  }
  free(calls);
  pgopt_arena_free(&arena);
  return pgopt_timings_close(timings, mlirLogicalResultSuccess());
}
