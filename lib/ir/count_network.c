/// \file Counts of a function, its callees included.
#include "ir/count_network.h"

#include "base/memory.h"
#include "base/pointer_map.h"
#include "dialect_c/attributes.h"
#include "ir/ir.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Callees nested deeper than this are unknown.
enum { MAX_CALL_DEPTH = 64 };

/// Functions that are counted, or being counted, on the way down.
typedef struct session {
  MlirOperation module;
  pgopt_pointer_map known; ///< function -> index into `counts`
  pgopt_count *counts;
  size_t count, capacity;
  int depth;
} session;

static void set_unknown(pgopt_count *count, const char *reason) {
  *count = (pgopt_count){.bytes = -1};
  snprintf(count->unknown, sizeof count->unknown, "%s", reason);
}

static void count_ops(session *s, const pgopt_ir_network *network,
                      pgopt_count *counts, pgopt_total *total);

/// What one execution of a function performs.
static void count_callee(session *s, MlirOperation function,
                         pgopt_count *count) {
  MlirBlock body = pgopt_function_body(function);
  if (mlirBlockIsNull(body)) {
    set_unknown(count, "call of a function without a body");
    return;
  }
  if (!mlirBlockIsNull(mlirBlockGetNextInRegion(body))) {
    set_unknown(count, "call of a function with several blocks");
    return;
  }
  pgopt_ir_network network;
  pgopt_total total = {0};
  *count = (pgopt_count){.bytes = -1};
  if (mlirLogicalResultIsFailure(pgopt_read_network(function, &network))) {
    set_unknown(count, "call of a function that cannot be read");
    return;
  }
  count_ops(s, &network, NULL, &total);
  pgopt_ir_network_free(&network);
  if (total.overflow)
    set_unknown(count, "overflow");
  else if (total.unknown)
    set_unknown(count, "call of a function with unknown operations");
  count->operations = total.operations;
  count->contraction = total.contraction;
}

/// The symbol in "callee = @name"; false when there is none.
static bool find_callee(const session *s, const pgopt_op *call,
                        MlirOperation *function) {
  const char *start = strstr(call->attributes, "callee = @");
  if (!start)
    return false;
  start += strlen("callee = @");
  size_t length;
  if (*start == '"')
    length = strcspn(++start, "\"");
  else
    length = strcspn(start, ", ");
  *function =
      pgopt_module_lookup(s->module, mlirStringRefCreate(start, length));
  return !mlirOperationIsNull(*function) && pgopt_op_is(*function, "func.func");
}

static void resolve_call(const pgopt_op *call, void *user, pgopt_count *count) {
  session *s = user;
  MlirOperation function;
  int index;
  if (!find_callee(s, call, &function)) {
    set_unknown(count, "call of an unknown function");
    return;
  }
  if (!pgopt_pointer_map_get(&s->known, function.ptr, &index)) {
    if (s->depth == MAX_CALL_DEPTH) {
      set_unknown(count, "calls too deep");
      return;
    }
    index = (int)s->count;
    pgopt_pointer_map_set(&s->known, function.ptr, index);
    pgopt_count pending;
    set_unknown(&pending, "recursion");
    PGOPT_APPEND(s->counts, s->count, s->capacity, pending);
    pgopt_count result;
    ++s->depth;
    count_callee(s, function, &result);
    --s->depth;
    s->counts[index] = result;
  }
  *count = s->counts[index];
}

/// \param counts one an op, or null when only the total is wanted.
static void count_ops(session *s, const pgopt_ir_network *network,
                      pgopt_count *counts, pgopt_total *total) {
  pgopt_counter counter = {&network->network, resolve_call, s};
  for (size_t i = 0; i < network->network.op_count; ++i) {
    const pgopt_op *op = &network->network.ops[i];
    pgopt_count count;
    if (!pgopt_op_is_counted(op))
      continue;
    pgopt_count_op(&counter, op, &count);
    pgopt_total_add(total, &count);
    if (counts)
      counts[i] = count;
  }
}

void pgopt_count_function(MlirOperation module, const pgopt_ir_network *network,
                          pgopt_function_counts *counts) {
  session s = {.module = module};
  *counts = (pgopt_function_counts){
      .ops = pgopt_allocate(network->network.op_count, sizeof *counts->ops)};
  count_ops(&s, network, counts->ops, &counts->total);
  pgopt_pointer_map_free(&s.known);
  free(s.counts);
}

void pgopt_function_counts_free(pgopt_function_counts *counts) {
  free(counts->ops);
  *counts = (pgopt_function_counts){0};
}

void pgopt_write_count(MlirOperation op, const pgopt_count *count) {
  pgopt_remove(op, *count->unknown ? PGOPT_LFLOPS : PGOPT_LFLOPS_UNKNOWN);
  if (*count->unknown)
    pgopt_set_text(op, PGOPT_LFLOPS_UNKNOWN, count->unknown);
  else
    pgopt_set_i64(op, PGOPT_LFLOPS, count->operations);
  if (count->bytes < 0)
    pgopt_remove(op, PGOPT_BYTES);
  else
    pgopt_set_i64(op, PGOPT_BYTES, count->bytes);
}

void pgopt_write_total(MlirOperation op, const pgopt_total *total) {
  pgopt_remove(op, PGOPT_LFLOPS);
  pgopt_remove(op, PGOPT_LFLOPS_CONTRACTION);
  pgopt_remove(op, PGOPT_LFLOPS_UNKNOWN);
  if (total->overflow) {
    pgopt_set_text(op, PGOPT_LFLOPS_UNKNOWN, "overflow");
    return;
  }
  pgopt_set_i64(op, PGOPT_LFLOPS, total->operations);
  pgopt_set_i64(op, PGOPT_LFLOPS_CONTRACTION, total->contraction);
  if (total->unknown) {
    char text[64];
    snprintf(text, sizeof text, "%" PRId64 " %s", total->unknown,
             total->unknown == 1 ? "operation" : "operations");
    pgopt_set_text(op, PGOPT_LFLOPS_UNKNOWN, text);
  }
}
