/// \file The memory plan of a program.
#include "codegen/arena_plan.h"

#include "codegen/emit.h"
#include "dialect_c/attributes.h"
#include "ir/attempt.h"
#include "ir/ir.h"
#include "ir/read_storage.h"

#include <stdlib.h>

static MlirLogicalResult fail(MlirOperation entry, const char *what,
                              const pgopt_error *error) {
  return pgopt_emit_error(entry, "%s: %s", what, error->message);
}

static void write(const pgopt_program_storage *storage,
                  const pgopt_memory_plan *plan) {
  for (size_t i = 0; i < plan->buffer_count; ++i)
    if (!mlirOperationIsNull(storage->allocs[i]))
      pgopt_set_i64(storage->allocs[i], PGOPT_OFFSET, plan->offsets[i]);
}

static MlirLogicalResult plan_storage(const pgopt_call_program *program,
                                      const pgopt_program_storage *storage,
                                      pgopt_arena_summary *summary) {
  pgopt_memory_request request = {program->graph,           &program->lists,
                                  storage->is_kept,         storage->overwrites,
                                  storage->overwrite_count, false};
  pgopt_memory_plan plan;
  pgopt_error error = {0};
  if (pgopt_memory_plan_create(&request, &plan, &error) != PGOPT_OK)
    return fail(program->entry, "no memory plan", &error);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  if (pgopt_memory_plan_check(&request, &plan, &error) != PGOPT_OK)
    result = fail(program->entry, "the memory plan is wrong", &error);
  else
    write(storage, &plan);
  *summary = (pgopt_arena_summary){plan.arena_bytes, plan.values_bytes,
                                   plan.bound_bytes, plan.value_count,
                                   plan.in_place_count};
  pgopt_memory_plan_free(&plan);
  return result;
}

static bool has_values(MlirOperation entry) {
  size_t count;
  free(pgopt_collect_ops(entry, "memref.alloc", &count));
  return count > 0;
}

MlirLogicalResult pgopt_plan_arena(MlirOperation module, MlirOperation entry,
                                   pgopt_arena_summary *summary) {
  pgopt_call_program program;
  pgopt_attempt attempt;
  *summary = (pgopt_arena_summary){0};
  if (!has_values(entry))
    return mlirLogicalResultSuccess();
  pgopt_attempt_begin(mlirOperationGetContext(module), &attempt);
  MlirLogicalResult result = pgopt_read_calls(module, entry, &program);
  pgopt_attempt_end(&attempt);
  if (mlirLogicalResultIsFailure(result))
    pgopt_emit(entry, PGOPT_REMARK,
               "no memory plan, every value gets memory of its own: %s",
               pgopt_attempt_message(&attempt));
  pgopt_attempt_free(&attempt);
  if (mlirLogicalResultIsFailure(result))
    return mlirLogicalResultSuccess();
  pgopt_program_storage storage;
  pgopt_read_storage(module, &program, &storage);
  result = plan_storage(&program, &storage, summary);
  pgopt_program_storage_free(&storage);
  pgopt_call_program_free(&program);
  if (mlirLogicalResultIsSuccess(result))
    pgopt_emit(entry, PGOPT_REMARK,
               "memory plan: %zu value%s in %lld bytes, %lld with memory of "
               "their own, at least %lld, %zu in place",
               summary->value_count, summary->value_count == 1 ? "" : "s",
               (long long)summary->arena_bytes,
               (long long)summary->values_bytes,
               (long long)summary->bound_bytes, summary->in_place_count);
  return result;
}

void pgopt_forget_arena_plan(MlirOperation entry) {
  size_t count;
  MlirOperation *allocs = pgopt_collect_ops(entry, "memref.alloc", &count);
  for (size_t i = 0; i < count; ++i)
    pgopt_remove(allocs[i], PGOPT_OFFSET);
  free(allocs);
}
