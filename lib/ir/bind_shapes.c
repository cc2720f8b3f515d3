#include "ir/bind_shapes.h"

#include "ir/entry.h"
#include "ir/ir.h"
#include "network/shapes.h"

#include <inttypes.h>
#include <stdlib.h>

/// Shapes spread through TOSA and through the rest in turn, this often at most.
enum { MAX_ROUNDS = 16 };

static bool is_dynamic(MlirType type) {
  return mlirTypeIsATensor(type) &&
         (!mlirShapedTypeHasRank(type) || !mlirShapedTypeHasStaticShape(type));
}

MlirLogicalResult pgopt_check_bound(MlirOperation entry) {
  MlirBlock body = pgopt_function_body(entry);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i) {
    MlirType type = mlirValueGetType(mlirBlockGetArgument(body, i));
    if (!is_dynamic(type))
      continue;
    pgopt_text text = {0};
    pgopt_print_type(type, &text);
    intptr_t d = 0;
    if (mlirShapedTypeHasRank(type))
      while (!mlirShapedTypeIsDynamicDim(type, d))
        ++d;
    MlirLogicalResult result =
        mlirShapedTypeHasRank(type)
            ? pgopt_emit_error(entry,
                               "dimension %lld of argument %lld (%s) is "
                               "dynamic; bind it with "
                               "--profile=shapes=arg%lld:...",
                               (long long)d, (long long)i, text.data,
                               (long long)i)
            : pgopt_emit_error(entry,
                               "argument %lld (%s) has no rank; only ranked "
                               "tensors can be bound",
                               (long long)i, text.data);
    pgopt_text_free(&text);
    return result;
  }
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult check_shape(MlirOperation entry,
                                     const pgopt_argument_shape *shape) {
  MlirBlock body = pgopt_function_body(entry);
  long long number = (long long)shape->argument;
  intptr_t arguments = mlirBlockGetNumArguments(body);
  if (number >= arguments)
    return pgopt_emit_error(entry,
                            "shapes names argument %lld, but the network has "
                            "%lld arguments",
                            number, (long long)arguments);
  MlirType type =
      mlirValueGetType(mlirBlockGetArgument(body, (intptr_t)number));
  if (!mlirTypeIsARankedTensor(type))
    return pgopt_emit_error(entry,
                            "shapes names argument %lld, which is no ranked "
                            "tensor",
                            number);
  if ((size_t)mlirShapedTypeGetRank(type) != shape->rank)
    return pgopt_emit_error(entry,
                            "shapes gives argument %lld %zu dimensions, it has "
                            "%lld",
                            number, shape->rank,
                            (long long)mlirShapedTypeGetRank(type));
  for (size_t d = 0; d < shape->rank; ++d)
    if (!mlirShapedTypeIsDynamicDim(type, (intptr_t)d) &&
        mlirShapedTypeGetDimSize(type, (intptr_t)d) != shape->extents[d])
      return pgopt_emit_error(
          entry,
          "shapes gives dimension %zu of argument %lld the extent %" PRId64
          ", it is %" PRId64,
          d, number, shape->extents[d],
          mlirShapedTypeGetDimSize(type, (intptr_t)d));
  return mlirLogicalResultSuccess();
}

typedef struct caller_search {
  MlirOperation entry;
  MlirOperation caller; ///< null when there is none
} caller_search;

static MlirWalkResult find_caller(MlirOperation op, void *data) {
  caller_search *search = data;
  if (!pgopt_op_is(op, "func.call") ||
      !mlirStringRefEqual(pgopt_callee(op), pgopt_symbol_name(search->entry)))
    return MlirWalkResultAdvance;
  search->caller = op;
  return MlirWalkResultInterrupt;
}

static MlirValue build_cast(MlirOperation before, MlirValue value,
                            MlirType type) {
  pgopt_op_spec spec = {.name = "tensor.cast",
                        .location = mlirOperationGetLocation(before),
                        .operand_count = 1,
                        .operands = &value,
                        .result_count = 1,
                        .results = &type};
  return pgopt_result(pgopt_build_before(before, &spec));
}

/// Changes the argument's type. TOSA infers from it; all else sees the old type
/// behind a cast, which folds into what can take the new one.
static void set_argument(MlirValue argument, MlirType type,
                         MlirOperation first) {
  MlirOperation *kept = NULL;
  size_t count = 0, capacity = 0;
  MlirOpOperand use = mlirValueGetFirstUse(argument);
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (pgopt_op_in_dialect(mlirOpOperandGetOwner(use), "tosa"))
      PGOPT_APPEND(kept, count, capacity, mlirOpOperandGetOwner(use));
  MlirType old = mlirValueGetType(argument);
  mlirValueSetType(argument, type);
  MlirValue cast = build_cast(first, argument, old);
  PGOPT_APPEND(kept, count, capacity, mlirOpResultGetOwner(cast));
  mlirValueReplaceAllUsesExcept(argument, cast, (intptr_t)count, kept);
  free(kept);
}

static void set_function_type(MlirOperation entry) {
  MlirBlock body = pgopt_function_body(entry);
  MlirOperation end = mlirBlockGetTerminator(body);
  size_t inputs = (size_t)mlirBlockGetNumArguments(body);
  size_t results = (size_t)mlirOperationGetNumOperands(end);
  MlirType *types = pgopt_allocate(inputs + results, sizeof *types);
  for (size_t i = 0; i < inputs; ++i)
    types[i] = mlirValueGetType(mlirBlockGetArgument(body, (intptr_t)i));
  for (size_t i = 0; i < results; ++i)
    types[inputs + i] =
        mlirValueGetType(mlirOperationGetOperand(end, (intptr_t)i));
  MlirType type =
      mlirFunctionTypeGet(mlirOperationGetContext(entry), (intptr_t)inputs,
                          types, (intptr_t)results, types + inputs);
  mlirOperationSetAttributeByName(entry, pgopt_ref("function_type"),
                                  mlirTypeAttrGet(type));
  free(types);
}

/// What is left to be inferred.
typedef struct survey {
  int64_t dynamic;     ///< results
  MlirOperation first; ///< op with one
  int64_t tosa;        ///< operations
} survey;

/// Lets the op read what a cast made less static.
static void bypass_casts(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (!mlirValueIsAOpResult(value) || !is_dynamic(mlirValueGetType(value)) ||
        !pgopt_op_is(mlirOpResultGetOwner(value), "tensor.cast"))
      continue;
    mlirOperationSetOperand(
        op, i, mlirOperationGetOperand(mlirOpResultGetOwner(value), 0));
  }
}

static MlirWalkResult look(MlirOperation op, void *data) {
  survey *s = data;
  if (pgopt_op_in_dialect(op, "tosa")) {
    ++s->tosa;
    bypass_casts(op);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (is_dynamic(mlirValueGetType(mlirOperationGetResult(op, i))) &&
        !s->dynamic++)
      s->first = op;
  return MlirWalkResultAdvance;
}

static MlirLogicalResult infer(pgopt_pass *pass, MlirOperation entry) {
  survey s;
  int64_t before = INT64_MAX;
  for (int round = 0; round < MAX_ROUNDS; ++round) {
    if (mlirLogicalResultIsFailure(pgopt_pass_run_pipeline(
            pass, "func.func(tosa-infer-shapes,canonicalize)", entry)))
      return mlirLogicalResultFailure();
    bypass_casts(mlirBlockGetTerminator(pgopt_function_body(entry)));
    set_function_type(entry);
    s = (survey){0};
    mlirOperationWalk(entry, look, &s, MlirWalkPreOrder);
    if (s.dynamic >= before)
      break;
    before = s.dynamic;
  }
  /* Casts that nothing reads any more. */
  if (mlirLogicalResultIsFailure(
          pgopt_pass_run_pipeline(pass, "func.func(canonicalize)", entry)))
    return mlirLogicalResultFailure();
  s = (survey){0};
  mlirOperationWalk(entry, look, &s, MlirWalkPreOrder);
  if (!s.dynamic)
    return mlirLogicalResultSuccess();
  MlirStringRef name = pgopt_op_name(s.first);
  return pgopt_emit_error(s.first,
                          "the shape of what '%.*s' makes does not follow from "
                          "the shapes of the arguments",
                          (int)name.length, name.data);
}

static MlirLogicalResult bind(pgopt_pass *pass, MlirOperation module,
                              MlirOperation entry, const pgopt_shapes *shapes) {
  for (size_t i = 0; i < shapes->count; ++i)
    if (mlirLogicalResultIsFailure(check_shape(entry, &shapes->shapes[i])))
      return mlirLogicalResultFailure();
  caller_search search = {.entry = entry};
  mlirOperationWalk(module, find_caller, &search, MlirWalkPreOrder);
  if (!mlirOperationIsNull(search.caller))
    return pgopt_emit_error(search.caller, "calls the network: with shapes= "
                                           "its type would change");
  MlirBlock body = pgopt_function_body(entry);
  if (!mlirBlockIsNull(mlirBlockGetNextInRegion(body)))
    return pgopt_emit_error(entry, "the network's function has more than one "
                                   "block; its shapes cannot be bound");
  MlirOperation first = mlirBlockGetFirstOperation(body);
  for (size_t i = 0; i < shapes->count; ++i) {
    const pgopt_argument_shape *shape = &shapes->shapes[i];
    MlirValue argument = mlirBlockGetArgument(body, (intptr_t)shape->argument);
    MlirType old = mlirValueGetType(argument);
    MlirType type =
        mlirRankedTensorTypeGet((intptr_t)shape->rank, shape->extents,
                                mlirShapedTypeGetElementType(old),
                                mlirRankedTensorTypeGetEncoding(old));
    if (!mlirTypeEqual(type, old))
      set_argument(argument, type, first);
  }
  set_function_type(entry);
  if (mlirLogicalResultIsFailure(pgopt_check_bound(entry)))
    return mlirLogicalResultFailure();
  return infer(pass, entry);
}

MlirLogicalResult pgopt_bind_shapes(pgopt_pass *pass, MlirOperation module,
                                    MlirOperation entry, const char *text) {
  pgopt_arena arena = {0};
  pgopt_shapes shapes;
  pgopt_error error = {0};
  if (!*text)
    return mlirLogicalResultSuccess();
  MlirLogicalResult result =
      pgopt_shapes_parse(text, &arena, &shapes, &error)
          ? pgopt_emit_error(entry, "shapes: %s", error.message)
      : pgopt_stage_of(entry) != PGOPT_STAGE_TENSORS
          ? pgopt_emit_error(entry, "shapes are bound on tensors; this network "
                                    "has kernels or buffers already")
          : bind(pass, module, entry, &shapes);
  pgopt_arena_free(&arena);
  return result;
}
