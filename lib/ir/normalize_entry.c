/// \file Brings a network into the form that the stages work on.
#include "ir/normalize_entry.h"

#include "base/memory.h"
#include "ir/ir.h"
#include "ir/read_structured.h"
#include "ir/sink_reshapes.h"
#include "ir/strided_slices.h"
#include "ir/tensor_ops.h"

#include <stdlib.h>

static const char tosa_pipeline[] =
    "func.func(tosa-optional-decompositions,tosa-infer-shapes,"
    "tosa-make-broadcastable,tosa-to-linalg-named,tosa-to-linalg,"
    "tosa-to-arith{include-apply-rescale=true},tosa-to-tensor,tosa-to-scf,"
    "canonicalize)";

static const char arithmetic_pipeline[] =
    "func.func(convert-elementwise-to-linalg)";

/// What of an entry normalising changes.
typedef struct survey {
  int64_t tosa_ops, calls, arithmetic;
  MlirOperation first_tosa;
  MlirOperation *empties;
  size_t empty_count, capacity;
  MlirOperation *structured;
  size_t structured_count, structured_capacity;
} survey;

static bool takes_tensors(MlirOperation call) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); ++i)
    if (mlirTypeIsATensor(mlirValueGetType(mlirOperationGetOperand(call, i))))
      return true;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(call); ++i)
    if (mlirTypeIsATensor(mlirValueGetType(mlirOperationGetResult(call, i))))
      return true;
  return false;
}

/// Arithmetic on whole tensors, but for constants.
static bool is_arithmetic(MlirOperation op) {
  return (pgopt_op_in_dialect(op, "arith") ||
          pgopt_op_in_dialect(op, "math")) &&
         !pgopt_op_is(op, "arith.constant") &&
         mlirTypeIsATensor(mlirValueGetType(pgopt_result(op)));
}

static MlirWalkResult look(MlirOperation op, void *data) {
  survey *s = data;
  if (pgopt_op_in_dialect(op, "tosa")) {
    if (!s->tosa_ops++)
      s->first_tosa = op;
  } else if (pgopt_op_is(op, "func.call")) {
    s->calls += takes_tensors(op);
  } else if (is_arithmetic(op)) {
    ++s->arithmetic;
  } else if (pgopt_op_is(op, "tensor.empty")) {
    PGOPT_APPEND(s->empties, s->empty_count, s->capacity, op);
  } else if (pgopt_is_structured(op)) {
    PGOPT_APPEND(s->structured, s->structured_count, s->structured_capacity,
                 op);
  }
  return MlirWalkResultAdvance;
}

static survey survey_of(MlirOperation entry) {
  survey s = {0};
  mlirOperationWalk(entry, look, &s, MlirWalkPreOrder);
  return s;
}

static void free_survey(survey *s) {
  free(s->empties);
  free(s->structured);
}

/// The splat constant that the value is; null for any other.
static MlirAttribute splat_of(MlirValue value) {
  MlirAttribute none = mlirAttributeGetNull();
  if (!mlirValueIsAOpResult(value) ||
      !mlirTypeIsATensor(mlirValueGetType(value)))
    return none;
  MlirOperation owner = mlirOpResultGetOwner(value);
  MlirAttribute constant = pgopt_op_attribute(owner, "value");
  return pgopt_op_is(owner, "arith.constant") &&
                 mlirAttributeIsADenseElements(constant) &&
                 mlirDenseElementsAttrIsSplat(constant)
             ? constant
             : none;
}

/// Puts fills in the place of splat constants among the op's inits.
static int64_t fill_inits(MlirOperation op) {
  intptr_t operands = mlirOperationGetNumOperands(op);
  int64_t filled = 0;
  for (intptr_t i = operands - mlirOperationGetNumResults(op); i < operands;
       ++i) {
    MlirAttribute splat = splat_of(mlirOperationGetOperand(op, i));
    if (mlirAttributeIsNull(splat))
      continue;
    mlirOperationSetOperand(op, i, pgopt_build_splat_before(op, splat));
    ++filled;
  }
  return filled;
}

/// Upstream makes an operand the init of what it turns arithmetic into, where
/// the types allow it; nothing reads it, and it would be one more use.
static void empty_inits(MlirOperation op) {
  if (!pgopt_op_is(op, "linalg.generic"))
    return;
  intptr_t operands = mlirOperationGetNumOperands(op);
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  for (intptr_t i = operands - mlirOperationGetNumResults(op); i < operands;
       ++i) {
    MlirValue init = mlirOperationGetOperand(op, i);
    bool is_input = false;
    for (intptr_t k = 0; k < operands - mlirOperationGetNumResults(op); ++k)
      is_input |= mlirValueEqual(mlirOperationGetOperand(op, k), init);
    MlirType type = mlirValueGetType(init);
    if (!is_input || !mlirShapedTypeHasStaticShape(type) ||
        !mlirOpOperandIsNull(
            mlirValueGetFirstUse(mlirBlockGetArgument(body, i))))
      continue;
    pgopt_op_spec spec = {.name = "tensor.empty",
                          .location = mlirOperationGetLocation(op),
                          .result_count = 1,
                          .results = &type};
    mlirOperationSetOperand(op, i, pgopt_result(pgopt_build_before(op, &spec)));
  }
}

/// Gives every use of the empty but the first an empty of its own.
static int64_t split_empty(MlirOperation empty) {
  MlirOpOperand *uses = NULL;
  size_t count = 0, capacity = 0;
  MlirOpOperand use = mlirValueGetFirstUse(pgopt_result(empty));
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    PGOPT_APPEND(uses, count, capacity, use);
  for (size_t i = 0; i + 1 < count; ++i) {
    MlirOperation copy = mlirOperationClone(empty);
    mlirBlockInsertOwnedOperationAfter(mlirOperationGetBlock(empty), empty,
                                       copy);
    mlirOperationSetOperand(mlirOpOperandGetOwner(uses[i]),
                            mlirOpOperandGetOperandNumber(uses[i]),
                            pgopt_result(copy));
  }
  free(uses);
  return count > 1 ? (int64_t)count - 1 : 0;
}

/// The inliner erases private functions that nothing calls: the entry, which
/// may be one, is public meanwhile.
static MlirLogicalResult inline_calls(pgopt_pass *pass, MlirOperation module,
                                      MlirOperation entry) {
  const MlirStringRef name = pgopt_ref("sym_visibility");
  bool is_private = pgopt_symbol_is_private(entry);
  MlirAttribute visibility =
      is_private ? mlirOperationGetInherentAttributeByName(entry, name)
                 : mlirAttributeGetNull();
  if (is_private)
    mlirOperationSetInherentAttributeByName(
        entry, name,
        pgopt_text_attribute(mlirOperationGetContext(module), "public"));
  MlirLogicalResult result =
      pgopt_pass_run_pipeline(pass, "builtin.module(inline)", module);
  if (is_private)
    mlirOperationSetInherentAttributeByName(entry, name, visibility);
  return result;
}

MlirLogicalResult pgopt_normalize_entry(pgopt_pass *pass, MlirOperation module,
                                        MlirOperation entry,
                                        pgopt_normalized *result) {
  *result = (pgopt_normalized){0};
  survey s = survey_of(entry);
  free_survey(&s);
  result->calls_inlined = s.calls;
  if (s.calls && mlirLogicalResultIsFailure(inline_calls(pass, module, entry)))
    return mlirLogicalResultFailure();
  if (s.calls) {
    s = survey_of(entry);
    free_survey(&s);
  }
  result->tosa_ops = s.tosa_ops;
  if (s.tosa_ops && mlirLogicalResultIsFailure(
                        pgopt_pass_run_pipeline(pass, tosa_pipeline, entry)))
    return mlirLogicalResultFailure();
  s = survey_of(entry);
  result->arithmetic = s.arithmetic;
  if (s.arithmetic) {
    free_survey(&s);
    if (mlirLogicalResultIsFailure(
            pgopt_pass_run_pipeline(pass, arithmetic_pipeline, entry)))
      return mlirLogicalResultFailure();
    s = survey_of(entry);
    for (size_t i = 0; i < s.structured_count; ++i)
      empty_inits(s.structured[i]);
    free_survey(&s);
    s = survey_of(entry);
  }
  if (s.tosa_ops) {
    free_survey(&s);
    MlirStringRef name = pgopt_op_name(s.first_tosa);
    return pgopt_emit_error(s.first_tosa,
                            "'%.*s' has no lowering to linalg for these types",
                            (int)name.length, name.data);
  }
  result->slices = pgopt_keep_strided_dimensions(entry);
  result->reshapes = pgopt_sink_reshapes(entry);
  if (result->reshapes) {
    free_survey(&s);
    s = survey_of(entry);
  }
  for (size_t i = 0; i < s.structured_count; ++i)
    result->inits_filled += fill_inits(s.structured[i]);
  for (size_t i = 0; i < s.empty_count; ++i)
    result->empties_split += split_empty(s.empties[i]);
  free_survey(&s);
  return mlirLogicalResultSuccess();
}

/// Any use but one of an empty, and splats under accumulations.
static bool has_inits_to_change(const survey *s) {
  for (size_t i = 0; i < s->structured_count; ++i) {
    MlirOperation op = s->structured[i];
    intptr_t operands = mlirOperationGetNumOperands(op);
    for (intptr_t k = operands - mlirOperationGetNumResults(op); k < operands;
         ++k)
      if (!mlirAttributeIsNull(splat_of(mlirOperationGetOperand(op, k))))
        return true;
  }
  for (size_t i = 0; i < s->empty_count; ++i) {
    MlirOpOperand use = mlirValueGetFirstUse(pgopt_result(s->empties[i]));
    if (!mlirOpOperandIsNull(use) &&
        !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)))
      return true;
  }
  return false;
}

bool pgopt_entry_is_normal(MlirOperation entry) {
  survey s = survey_of(entry);
  bool normal = !s.tosa_ops && !s.calls && !s.arithmetic &&
                !has_inits_to_change(&s) && !pgopt_has_strided_slices(entry) &&
                !pgopt_has_reshapes_to_sink(entry);
  free_survey(&s);
  return normal;
}
