/// \file Linalg ops as vector code.
///
/// Each op is tried out in a function of its own: what upstream refuses leaves
/// no trace and prints nothing, and what it makes is moved back as it is.
#include "kernels/vectorize.h"

#include "codegen/generic.h"
#include "codegen/peel.h"
#include "codegen/vector_script.h"
#include "ir/script.h"

#include <stdlib.h>

static bool is_plain_number(MlirType type) {
  if (mlirTypeIsAF32(type) || mlirTypeIsAF64(type) || mlirTypeIsAF16(type) ||
      mlirTypeIsABF16(type) || mlirTypeIsAIndex(type))
    return true;
  if (!mlirTypeIsAInteger(type))
    return false;
  unsigned width = mlirIntegerTypeGetWidth(type);
  return width == 8 || width == 16 || width == 32 || width == 64;
}

/// Bytes hold one i1 of a buffer, but eight of a vector.
static bool has_plain_elements(const pgopt_generic *generic) {
  for (size_t i = 0; i < generic->operand_count; ++i)
    if (generic->operands[i].is_memref &&
        !is_plain_number(generic->operands[i].element))
      return false;
  return true;
}

/// True when the body computes numbers from numbers only.
static bool is_pure_body(const pgopt_generic *generic) {
  size_t count;
  MlirOperation *ops = pgopt_block_ops(generic->body, &count);
  bool pure = true;
  for (size_t i = 0; i < count && pure; ++i)
    pure = !mlirOperationGetNumRegions(ops[i]) &&
           (pgopt_op_in_dialect(ops[i], "arith") ||
            pgopt_op_in_dialect(ops[i], "math") ||
            pgopt_op_is(ops[i], "linalg.index") ||
            pgopt_op_is(ops[i], "linalg.yield"));
  free(ops);
  return pure;
}

/// A module with one function that holds a copy of an op; its arguments stand
/// for the values that the op uses.
typedef struct trial {
  MlirModule module;
  MlirOperation function;
  MlirBlock body;
  MlirValue *values; ///< outside, one an argument
  size_t value_count;
} trial;

static size_t argument_number(const trial *t, MlirValue value) {
  size_t i = 0;
  while (i < t->value_count && !mlirValueEqual(t->values[i], value))
    ++i;
  return i;
}

static MlirWalkResult use_arguments(MlirOperation op, void *data) {
  const trial *t = data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    size_t number = argument_number(t, mlirOperationGetOperand(op, i));
    if (number < t->value_count)
      mlirOperationSetOperand(op, i,
                              mlirBlockGetArgument(t->body, (intptr_t)number));
  }
  return MlirWalkResultAdvance;
}

static MlirOperation open_trial(MlirOperation op, trial *t) {
  MlirContext context = mlirOperationGetContext(op);
  MlirLocation location = mlirOperationGetLocation(op);
  size_t capacity;
  *t = (trial){.module = mlirModuleCreateEmpty(location)};
  t->values = pgopt_captured_values(op, &t->value_count);
  capacity = t->value_count;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (argument_number(t, value) == t->value_count)
      PGOPT_APPEND(t->values, t->value_count, capacity, value);
  }
  MlirType *types = pgopt_allocate(t->value_count + 1, sizeof *types);
  for (size_t i = 0; i < t->value_count; ++i)
    types[i] = mlirValueGetType(t->values[i]);
  MlirType type =
      mlirFunctionTypeGet(context, (intptr_t)t->value_count, types, 0, NULL);
  free(types);
  t->function = pgopt_build_function(mlirModuleGetOperation(t->module), "trial",
                                     type, false, location, &t->body);
  MlirOperation copy = mlirOperationClone(op);
  mlirBlockAppendOwnedOperation(t->body, copy);
  mlirOperationWalk(copy, use_arguments, t, MlirWalkPreOrder);
  pgopt_op_spec end = {.name = "func.return", .location = location};
  pgopt_build(t->body, &end);
  return copy;
}

/// Moves what the trial made in front of `op`, which is erased.
static void accept_trial(trial *t, MlirOperation op) {
  for (size_t i = 0; i < t->value_count; ++i)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(t->body, (intptr_t)i),
                                  t->values[i]);
  size_t count;
  MlirOperation *ops = pgopt_block_ops(t->body, &count);
  for (size_t i = 0; i < count; ++i)
    if (!pgopt_op_is(ops[i], "func.return"))
      mlirOperationMoveBefore(ops[i], op);
  free(ops);
  mlirOperationDestroy(op);
}

static void close_trial(trial *t) {
  free(t->values);
  mlirModuleDestroy(t->module);
}

static bool is_linalg_left(const trial *t) {
  size_t count;
  free(pgopt_collect_ops(t->function, "linalg.", &count));
  return count != 0;
}

/// Runs the script on the function that holds the op.
static int run_script(const trial *t, const pgopt_generic *generic,
                      const int64_t *lanes) {
  pgopt_text steps = {0};
  pgopt_write_vector_script(generic, lanes, &steps);
  bool done = mlirLogicalResultIsSuccess(
                  pgopt_try_script(t->function, pgopt_text_get(&steps))) &&
              !is_linalg_left(t);
  pgopt_text_free(&steps);
  return done ? PGOPT_KERNEL_VECTORIZED : PGOPT_KERNEL_LOOPS_REFUSED;
}

/// Takes the loops without lanes out of the copy and vectorizes the rest.
static int attempt(const trial *t, MlirOperation copy) {
  pgopt_generic generic;
  int outcome = PGOPT_KERNEL_LOOPS_MAP;
  pgopt_read_generic(copy, &generic);
  int64_t *lanes = pgopt_allocate(generic.loop_count + 1, sizeof *lanes);
  bool *is_kept = pgopt_allocate(generic.loop_count + 1, sizeof *is_kept);
  if (!pgopt_choose_lanes(&generic, lanes)) {
    outcome = PGOPT_KERNEL_LOOPS_SHAPE;
    goto done;
  }
  if (pgopt_is_flat(&generic)) {
    outcome = run_script(t, &generic, lanes);
    goto done;
  }
  size_t kept = 0;
  for (size_t l = 0; l < generic.loop_count; ++l)
    is_kept[l] = lanes[l] > 1;
  if (!pgopt_can_peel(&generic, is_kept))
    goto done;
  for (size_t l = 0; l < generic.loop_count; ++l)
    if (is_kept[l])
      lanes[kept++] = lanes[l];
  copy = pgopt_peel(&generic, is_kept);
  pgopt_generic_free(&generic);
  pgopt_read_generic(copy, &generic);
  outcome = run_script(t, &generic, lanes);
done:
  free(is_kept);
  free(lanes);
  pgopt_generic_free(&generic);
  return outcome;
}

int pgopt_vectorize(MlirOperation op) {
  pgopt_generic generic;
  bool readable = pgopt_read_generic(op, &generic);
  bool plain = readable && has_plain_elements(&generic);
  bool pure = readable && is_pure_body(&generic);
  pgopt_generic_free(&generic);
  if (!readable)
    return PGOPT_KERNEL_LOOPS_MAP;
  if (!plain)
    return PGOPT_KERNEL_LOOPS_TYPE;
  if (!pure)
    return PGOPT_KERNEL_LOOPS_BODY;
  trial t;
  MlirOperation copy = open_trial(op, &t);
  int outcome = attempt(&t, copy);
  if (outcome == PGOPT_KERNEL_VECTORIZED)
    accept_trial(&t, op);
  close_trial(&t);
  return outcome;
}
