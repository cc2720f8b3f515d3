/// \file Calls of the runtime's timers around kernel calls.
#include "codegen/trace.h"

#include "codegen/emit.h"
#include "dialect_c/attributes.h"

#include <stdlib.h>

static bool is_kernel_call(MlirOperation module, MlirOperation call) {
  MlirOperation callee = pgopt_module_lookup(module, pgopt_callee(call));
  return !mlirOperationIsNull(callee) &&
         !mlirAttributeIsNull(pgopt_get(callee, PGOPT_KERNEL));
}

static void emit_call(pgopt_emitter emitter, MlirOperation module,
                      const char *name, size_t count, const int64_t *numbers) {
  MlirValue arguments[3];
  for (size_t i = 0; i < count; ++i)
    arguments[i] = pgopt_emit_i64(emitter, numbers[i]);
  pgopt_emit_runtime_call(emitter, module, name, count, arguments,
                          (MlirType){NULL});
}

static pgopt_emitter emitter_after(MlirOperation op) {
  pgopt_emitter emitter = pgopt_emitter_before(op);
  emitter.before = mlirOperationGetNextInBlock(op);
  return emitter;
}

void pgopt_instrument(MlirOperation module, MlirOperation entry) {
  size_t count;
  MlirOperation *calls = pgopt_collect_ops(entry, "func.call", &count);
  int64_t kernel = -1;
  emit_call(pgopt_emitter_at_start(pgopt_function_body(entry), entry), module,
            "pgopt_rt_mark", 1, &kernel);
  for (size_t i = 0; i < count; ++i) {
    if (!is_kernel_call(module, calls[i]))
      continue;
    ++kernel;
    emit_call(emitter_after(calls[i]), module, "pgopt_rt_mark", 1, &kernel);
  }
  free(calls);
}

static void trace_function(MlirOperation module, MlirOperation function) {
  size_t count;
  MlirOperation *calls = pgopt_collect_ops(function, "func.call", &count);
  int64_t position = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!is_kernel_call(module, calls[i]))
      continue;
    int64_t span[] = {0, position++, 1};
    pgopt_get_i64(calls[i], PGOPT_CORE, &span[0]);
    pgopt_get_i64(calls[i], PGOPT_SLOT, &span[1]);
    emit_call(pgopt_emitter_before(calls[i]), module, "pgopt_rt_span", 3, span);
    span[2] = 0;
    emit_call(emitter_after(calls[i]), module, "pgopt_rt_span", 3, span);
  }
  free(calls);
}

void pgopt_trace(MlirOperation module) {
  size_t count;
  MlirOperation *functions = pgopt_collect_ops(module, "func.func", &count);
  for (size_t i = 0; i < count; ++i)
    trace_function(module, functions[i]);
  free(functions);
}
