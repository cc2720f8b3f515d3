/// \file Writes a program to a file, has it run, and keeps what was measured.
#include "ir/measure_program.h"

#include "base/file.h"
#include "grouping/signature.h"
#include "ir/ir.h"
#include "ir/machine_attribute.h"
#include "ir/symbol_index.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/// A trial run may take this long beyond four times its budget and what kernels
/// that never end take until they are left out: it compiles first, and at least
/// one run of each kind is measured whatever it takes.
enum { TIMEOUT_EXTRA_MS = 300000 };

static bool is_kernel_call(MlirOperation module, MlirOperation op,
                           MlirOperation *function) {
  if (!pgopt_op_is(op, "func.call"))
    return false;
  *function = pgopt_module_lookup(module, pgopt_callee(op));
  return !mlirOperationIsNull(*function) &&
         !mlirAttributeIsNull(pgopt_get(*function, PGOPT_KERNEL));
}

MlirOperation *pgopt_kernel_calls(MlirOperation module, MlirOperation entry,
                                  size_t *count) {
  size_t all, kept = 0;
  MlirOperation *ops = pgopt_block_ops(pgopt_function_body(entry), &all);
  pgopt_symbol_index symbols = pgopt_symbol_index_create(module);
  for (size_t i = 0; i < all; ++i) {
    if (!pgopt_op_is(ops[i], "func.call"))
      continue;
    MlirOperation function =
        pgopt_symbol_index_resolve(&symbols, ops[i], "callee");
    if (!mlirOperationIsNull(function) &&
        !mlirAttributeIsNull(pgopt_get(function, PGOPT_KERNEL)))
      ops[kept++] = ops[i];
  }
  pgopt_symbol_index_free(&symbols);
  *count = kept;
  return ops;
}

/// The value of the call's operand number `position` from the end.
static bool constant_operand(MlirOperation call, intptr_t position,
                             int64_t *value) {
  intptr_t count = mlirOperationGetNumOperands(call);
  if (count <= position)
    return false;
  MlirValue operand = mlirOperationGetOperand(call, count - 1 - position);
  if (!mlirValueIsAOpResult(operand))
    return false;
  MlirOperation owner = mlirOpResultGetOwner(operand);
  MlirAttribute attribute = pgopt_op_attribute(owner, "value");
  if (!pgopt_op_is(owner, "arith.constant") || mlirAttributeIsNull(attribute) ||
      !mlirAttributeIsAInteger(attribute))
    return false;
  *value = mlirIntegerAttrGetValueInt(attribute);
  return true;
}

const char *pgopt_call_signature(MlirOperation module, MlirOperation call,
                                 pgopt_arena *arena) {
  MlirOperation function;
  MlirStringRef text;
  int64_t parts = 1, low, high;
  if (!is_kernel_call(module, call, &function) ||
      !pgopt_get_text(function, PGOPT_SIGNATURE, &text))
    return NULL;
  const char *signature = pgopt_arena_text(arena, text.data, text.length);
  if (pgopt_get_text(function, PGOPT_VARIANT, &text))
    signature = pgopt_variant_signature(
        signature, pgopt_arena_text(arena, text.data, text.length), arena);
  if (!pgopt_get_i64(call, PGOPT_PARTS, &parts) || parts == 1)
    return signature;
  return constant_operand(call, 1, &low) && constant_operand(call, 0, &high)
             ? pgopt_part_signature(signature, low, high, arena)
             : NULL;
}

MlirLogicalResult pgopt_keep_entry_only(pgopt_pass *pass, MlirOperation program,
                                        MlirOperation entry) {
  size_t count;
  MlirOperation *ops = pgopt_block_ops(pgopt_module_body(program), &count);
  for (size_t i = 0; i < count; ++i) {
    bool is_entry = mlirOperationEqual(ops[i], entry);
    if (pgopt_symbol_name(ops[i]).length &&
        pgopt_symbol_is_private(ops[i]) == is_entry)
      mlirOperationSetInherentAttributeByName(
          ops[i], pgopt_ref("sym_visibility"),
          pgopt_text_attribute(mlirOperationGetContext(program),
                               is_entry ? "public" : "private"));
  }
  free(ops);
  return pgopt_pass_run_pipeline(pass, "builtin.module(symbol-dce)", program);
}

static void append_bytes(MlirStringRef part, void *text) {
  pgopt_text_append_bytes(text, part.data, part.length);
}

/// Writes the program's bytecode to a new file in the folder for temporary
/// files. \param[out] path freed with `free`; null on failure.
static pgopt_status write_program(MlirOperation program, char **path,
                                  pgopt_error *error) {
  const char *folder = getenv("TMPDIR");
  pgopt_text name = {0}, bytes = {0};
  *path = NULL;
  pgopt_text_append(&name, "%s/pgopt-trial-XXXXXX.mlirbc",
                    folder && *folder ? folder : "/tmp");
  int file = mkstemps(name.data, (int)strlen(".mlirbc"));
  if (file < 0) {
    pgopt_status status = pgopt_fail(error, PGOPT_IO,
                                     "cannot make the trial run's file '%s': "
                                     "%s; TMPDIR names another folder",
                                     name.data, strerror(errno));
    pgopt_text_free(&name);
    return status;
  }
  close(file);
  mlirOperationWriteBytecode(program, append_bytes, &bytes);
  pgopt_status status =
      pgopt_file_write(name.data, bytes.data, bytes.size, error);
  pgopt_text_free(&bytes);
  if (status) {
    unlink(name.data);
    pgopt_text_free(&name);
    return status;
  }
  *path = name.data;
  return PGOPT_OK;
}

static pgopt_status keep_program(MlirOperation program, const char *path,
                                 pgopt_error *error) {
  if (!*path)
    return PGOPT_OK;
  pgopt_text text = {0};
  pgopt_print_operation(program, &text);
  pgopt_text_append(&text, "\n");
  pgopt_status status = pgopt_file_write(path, text.data, text.size, error);
  pgopt_text_free(&text);
  return status;
}

/// A child to run; `runner` and `program` are to be set.
static pgopt_trial_request make_request(const char *entry,
                                        const pgopt_measure_request *request) {
  return (pgopt_trial_request){.entry = entry,
                               .budget_ms = request->budget_ms,
                               .seed = request->seed,
                               .inputs = request->inputs,
                               .libraries = request->libraries,
                               .kernel_limit_ms = request->kernel_limit_ms,
                               .memory_bytes = request->memory_bytes,
                               .is_paired = request->is_paired,
                               .timeout_ms = 4 * request->budget_ms +
                                             64 * request->kernel_limit_ms +
                                             TIMEOUT_EXTRA_MS};
}

/// Removes a file that was written, if it was.
static void remove_program(char *path) {
  if (path)
    unlink(path);
  free(path);
}

static pgopt_status run_program(MlirOperation program, const char *entry,
                                const pgopt_measure_request *request,
                                pgopt_trial *trial, pgopt_error *error) {
  char *runner = NULL, *path = NULL;
  pgopt_trial_request child = make_request(entry, request);
  pgopt_status status = keep_program(program, request->keep_program, error);
  if (!status)
    status = pgopt_trial_find_runner(&runner, error);
  if (!status)
    status = write_program(program, &path, error);
  if (!status) {
    child.runner = runner;
    child.program = path;
    status = pgopt_trial_run(&child, trial, error);
  }
  remove_program(path);
  free(runner);
  return status;
}

static pgopt_status run_pair(const MlirOperation programs[2], const char *entry,
                             const pgopt_measure_request *request,
                             pgopt_trial_pair *pair, pgopt_error *error) {
  char *runner = NULL, *paths[2] = {NULL, NULL};
  pgopt_trial_request child = make_request(entry, request);
  pgopt_status status = pgopt_trial_find_runner(&runner, error);
  for (int i = 0; i < 2 && !status; ++i)
    status = write_program(programs[i], &paths[i], error);
  if (!status) {
    child.runner = runner;
    child.program = paths[0];
    child.other = paths[1];
    status = pgopt_trial_pair_run(&child, pair, error);
  }
  for (int i = 0; i < 2; ++i)
    remove_program(paths[i]);
  free(runner);
  return status;
}

MlirLogicalResult pgopt_measure_pair(const MlirOperation programs[2],
                                     MlirOperation at,
                                     const pgopt_measure_request *request,
                                     pgopt_trial_pair *pair) {
  pgopt_error error = {0};
  char *name = pgopt_ref_duplicate(pgopt_symbol_name(at));
  *pair = (pgopt_trial_pair){0};
  pgopt_status status = run_pair(programs, name, request, pair, &error);
  free(name);
  return status ? pgopt_emit_error(at, "%s", error.message)
                : mlirLogicalResultSuccess();
}

MlirLogicalResult pgopt_measure_program(MlirOperation program,
                                        MlirOperation entry, MlirOperation at,
                                        const pgopt_measure_request *request,
                                        pgopt_trial *trial) {
  size_t calls;
  pgopt_error error = {0};
  char *name = pgopt_ref_duplicate(pgopt_symbol_name(entry));
  free(pgopt_kernel_calls(program, entry, &calls));
  *trial = (pgopt_trial){0};
  pgopt_status status = run_program(program, name, request, trial, &error);
  if (!status && trial->kernel_count != calls) {
    status = pgopt_fail(&error, PGOPT_INVALID,
                        "the trial run measured %zu kernels of %zu; runner and "
                        "library differ in version",
                        trial->kernel_count, calls);
    pgopt_trial_free(trial);
  }
  free(name);
  return status ? pgopt_emit_error(at, "%s", error.message)
                : mlirLogicalResultSuccess();
}

bool pgopt_find_timing(MlirOperation module, const char *signature,
                       pgopt_timing *timing) {
  MlirAttribute profile = pgopt_get(module, PGOPT_PROFILE);
  return !mlirAttributeIsNull(profile) && mlirAttributeIsADictionary(profile) &&
         pgopt_timing_from_attribute(
             mlirDictionaryAttrGetElementByName(profile, pgopt_ref(signature)),
             timing);
}

static int compare_entries(const void *left, const void *right) {
  const pgopt_profile_entry *l = left, *r = right;
  int order = strcmp(l->signature, r->signature);
  if (order)
    return order;
  return (l->time.median_ns > r->time.median_ns) -
         (l->time.median_ns < r->time.median_ns);
}

static int compare_i64(const void *left, const void *right) {
  int64_t l = *(const int64_t *)left, r = *(const int64_t *)right;
  return (l > r) - (l < r);
}

static int64_t middle(int64_t *values, size_t count) {
  qsort(values, count, sizeof *values, compare_i64);
  int64_t low = values[(count - 1) / 2], high = values[count / 2];
  return low + (high - low) / 2;
}

/// One Timing of the measurements of one signature.
static pgopt_timing merge(const pgopt_profile_entry *entries, size_t count) {
  int64_t *medians = pgopt_allocate(count, sizeof *medians);
  int64_t *deviations = pgopt_allocate(count, sizeof *deviations);
  pgopt_timing timing = {.min_ns = INT64_MAX, .runs = INT64_MAX};
  for (size_t i = 0; i < count; ++i) {
    const pgopt_measured *m = &entries[i].time;
    medians[i] = m->median_ns;
    deviations[i] = m->mad_ns;
    timing.min_ns = m->min_ns < timing.min_ns ? m->min_ns : timing.min_ns;
    timing.runs = m->runs < timing.runs ? m->runs : timing.runs;
  }
  timing.median_ns = middle(medians, count);
  timing.mad_ns = middle(deviations, count);
  snprintf(timing.source, sizeof timing.source, "in-place");
  free(medians);
  free(deviations);
  return timing;
}

void pgopt_extend_profile(MlirOperation module,
                          const pgopt_profile_entry *entries, size_t count) {
  MlirContext context = mlirOperationGetContext(module);
  MlirNamedAttribute *list = NULL;
  size_t size = 0, capacity = 0;
  MlirAttribute old = pgopt_get(module, PGOPT_PROFILE);
  intptr_t known = mlirAttributeIsNull(old) || !mlirAttributeIsADictionary(old)
                       ? 0
                       : mlirDictionaryAttrGetNumElements(old);
  for (intptr_t i = 0; i < known; ++i)
    PGOPT_APPEND(list, size, capacity, mlirDictionaryAttrGetElement(old, i));
  pgopt_profile_entry *sorted =
      pgopt_duplicate(entries, count * sizeof *entries);
  if (count)
    qsort(sorted, count, sizeof *sorted, compare_entries);
  for (size_t first = 0, end; first < count; first = end) {
    const char *signature = sorted[first].signature;
    pgopt_timing timing;
    for (end = first + 1;
         end < count && !strcmp(sorted[end].signature, signature);)
      ++end;
    if (pgopt_find_timing(module, signature, &timing))
      continue;
    timing = merge(sorted + first, end - first);
    PGOPT_APPEND(list, size, capacity,
                 pgopt_named(context, signature,
                             pgopt_timing_to_attribute(context, &timing)));
  }
  if (size)
    pgopt_set(module, PGOPT_PROFILE,
              mlirDictionaryAttrGet(context, (intptr_t)size, list));
  free(sorted);
  free(list);
}

void pgopt_write_machine(MlirOperation module, const pgopt_trial *trial) {
  pgopt_machine machine, known;
  pgopt_text key = {0}, known_key = {0};
  pgopt_machine_describe("", &machine);
  machine.peak_mflops = llround(trial->peak_gflops * 1e3);
  machine.latency_min_ns = llround(trial->latency_min_ns);
  machine.latency_max_ns = llround(trial->latency_max_ns);
  machine.date_s = time(NULL);
  pgopt_machine_key(&machine, &key);
  if (pgopt_machine_of_module(module, &known)) {
    pgopt_machine_key(&known, &known_key);
    if (!strcmp(key.data, known_key.data))
      pgopt_machine_merge(&machine, &known);
  }
  if (!machine.rate_count)
    pgopt_machine_measure_rates(&machine);
  if (pgopt_sharing_is_unknown(&machine.sharing))
    pgopt_machine_measure_sharing(&machine);
  pgopt_set(
      module, PGOPT_MACHINE,
      pgopt_machine_to_attribute(mlirOperationGetContext(module), &machine));
  pgopt_text_free(&key);
  pgopt_text_free(&known_key);
}

char *pgopt_read_machine(MlirOperation module, double *peak_gflops) {
  *peak_gflops = 0;
  MlirAttribute machine = pgopt_get(module, PGOPT_MACHINE);
  if (mlirAttributeIsNull(machine) || !mlirAttributeIsADictionary(machine))
    return pgopt_duplicate_text("");
  MlirAttribute cpu =
      mlirDictionaryAttrGetElementByName(machine, pgopt_ref("cpu"));
  MlirAttribute peak =
      mlirDictionaryAttrGetElementByName(machine, pgopt_ref("peak_gflops"));
  if (!mlirAttributeIsNull(peak) && mlirAttributeIsAFloat(peak))
    *peak_gflops = mlirFloatAttrGetValueDouble(peak);
  return !mlirAttributeIsNull(cpu) && mlirAttributeIsAString(cpu)
             ? pgopt_ref_duplicate(mlirStringAttrGetValue(cpu))
             : pgopt_duplicate_text("");
}
