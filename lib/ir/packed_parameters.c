/// \file Packed parameters: from `pg.layout`, `index / step % extent` of one
/// declared dimension for each dimension of the packed form, and back.
#include "ir/packed_parameters.h"

#include "base/memory.h"
#include "ir/ir.h"
#include "mlir-c/AffineExpr.h"

#include <stdlib.h>
#include <string.h>

static bool constant_operand(MlirAffineExpr e, int64_t *value) {
  MlirAffineExpr right = mlirAffineBinaryOpExprGetRHS(e);
  if (!mlirAffineExprIsAConstant(right))
    return false;
  *value = mlirAffineConstantExprGetValue(right);
  return *value > 0;
}

/// d, d floordiv step, d mod extent, or (d floordiv step) mod extent.
/// \param[in,out] axis its extent is that of the packed form's dimension.
static bool read_axis(MlirAffineExpr e, pgopt_packed_axis *axis) {
  int64_t modulus;
  axis->step = 1;
  if (mlirAffineExprIsAMod(e)) {
    if (!constant_operand(e, &modulus) || modulus != axis->extent)
      return false;
    e = mlirAffineBinaryOpExprGetLHS(e);
  }
  if (mlirAffineExprIsAFloorDiv(e)) {
    if (!constant_operand(e, &axis->step))
      return false;
    e = mlirAffineBinaryOpExprGetLHS(e);
  }
  if (!mlirAffineExprIsADim(e))
    return false;
  axis->dim = (int)mlirAffineDimExprGetPosition(e);
  return true;
}

/// The declared extents are the products of their factors.
static bool read_packing(MlirAttribute layout, MlirType type,
                         pgopt_packing *p) {
  *p = (pgopt_packing){0};
  if (!mlirAttributeIsAArray(layout) ||
      mlirArrayAttrGetNumElements(layout) != 1 ||
      !mlirAttributeIsAAffineMap(mlirArrayAttrGetElement(layout, 0)) ||
      !mlirTypeIsAShaped(type) || !mlirShapedTypeHasStaticShape(type))
    return false;
  MlirAffineMap map =
      mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(layout, 0));
  intptr_t rank = mlirAffineMapGetNumDims(map);
  intptr_t count = mlirAffineMapGetNumResults(map);
  if (mlirAffineMapGetNumSymbols(map) || rank > PGOPT_MAX_PACKED_RANK ||
      count > PGOPT_MAX_PACKED_RANK || count != mlirShapedTypeGetRank(type))
    return false;
  p->rank = (size_t)rank;
  p->axis_count = (size_t)count;
  for (size_t d = 0; d < p->rank; ++d)
    p->extents[d] = 1;
  for (size_t i = 0; i < p->axis_count; ++i) {
    pgopt_packed_axis *axis = &p->axes[i];
    axis->extent = mlirShapedTypeGetDimSize(type, (intptr_t)i);
    if (!read_axis(mlirAffineMapGetResult(map, (intptr_t)i), axis) ||
        axis->extent < 1 || axis->extent > INT64_MAX / p->extents[axis->dim])
      return false;
    p->extents[axis->dim] *= axis->extent;
  }
  return pgopt_packing_is_valid(p);
}

char *pgopt_packed_name(const char *name, const pgopt_packing *packing) {
  pgopt_text text = {0};
  pgopt_text_append(&text, "%s@", name);
  pgopt_packing_append_name(packing, &text);
  return text.data;
}

/// Cuts "@b.a" off; false when the name does not end so.
static bool cut_name(char *name, const pgopt_packing *packing) {
  char *suffix = pgopt_packed_name("", packing);
  size_t length = strlen(name), cut = strlen(suffix);
  bool found = length > cut && !strcmp(name + length - cut, suffix);
  if (found)
    name[length - cut] = 0;
  free(suffix);
  return found;
}

MlirLogicalResult pgopt_read_parameter(MlirOperation function, intptr_t number,
                                       pgopt_parameter *parameter) {
  *parameter = (pgopt_parameter){0};
  MlirAttribute name =
      pgopt_argument_attribute(function, number, PGOPT_PARAMETER);
  MlirAttribute layout =
      pgopt_argument_attribute(function, number, PGOPT_LAYOUT);
  if (mlirAttributeIsNull(name) || !mlirAttributeIsAString(name))
    return mlirLogicalResultSuccess();
  parameter->name = pgopt_ref_duplicate(mlirStringAttrGetValue(name));
  if (mlirAttributeIsNull(layout))
    return mlirLogicalResultSuccess();
  parameter->is_packed = true;
  MlirType type =
      mlirFunctionTypeGetInput(pgopt_function_type(function), number);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  if (!read_packing(layout, type, &parameter->packing)) {
    pgopt_text text = {0};
    pgopt_print_attribute(layout, &text);
    result = pgopt_emit_error(
        function,
        "pg.layout of argument %lld is %s; that of a parameter must give every "
        "element of the argument one place, by one index, its floordiv or its "
        "mod for each dimension",
        (long long)number, text.data);
    pgopt_text_free(&text);
  } else if (!cut_name(parameter->name, &parameter->packing)) {
    char *expected = pgopt_packed_name("name", &parameter->packing);
    result = pgopt_emit_error(function,
                              "pg.parameter of argument %lld is '%s'; with its "
                              "pg.layout it must be as '%s'",
                              (long long)number, parameter->name, expected);
    free(expected);
  }
  if (mlirLogicalResultIsFailure(result))
    pgopt_parameter_free(parameter);
  return result;
}

void pgopt_parameter_free(pgopt_parameter *parameter) {
  free(parameter->name);
  *parameter = (pgopt_parameter){0};
}

static MlirAttribute layout_attribute(MlirContext c, const pgopt_packing *p) {
  MlirAffineExpr results[PGOPT_MAX_PACKED_RANK];
  for (size_t i = 0; i < p->axis_count; ++i) {
    const pgopt_packed_axis *axis = &p->axes[i];
    MlirAffineExpr e = mlirAffineDimExprGet(c, axis->dim);
    if (axis->step > 1)
      e = mlirAffineFloorDivExprGet(e,
                                    mlirAffineConstantExprGet(c, axis->step));
    if (axis->step * axis->extent < p->extents[axis->dim])
      e = mlirAffineModExprGet(e, mlirAffineConstantExprGet(c, axis->extent));
    results[i] = e;
  }
  MlirAttribute map = mlirAffineMapAttrGet(mlirAffineMapGet(
      c, (intptr_t)p->rank, 0, (intptr_t)p->axis_count, results));
  return mlirArrayAttrGet(c, 1, &map);
}

/// Argument `number` and the block's argument get the type.
static void set_argument_type(MlirOperation function, intptr_t number,
                              MlirType type) {
  MlirContext c = mlirOperationGetContext(function);
  MlirType old = pgopt_function_type(function);
  size_t inputs = (size_t)mlirFunctionTypeGetNumInputs(old);
  size_t results = (size_t)mlirFunctionTypeGetNumResults(old);
  MlirType *types = pgopt_allocate(inputs + results, sizeof *types);
  for (size_t i = 0; i < inputs; ++i)
    types[i] = mlirFunctionTypeGetInput(old, (intptr_t)i);
  for (size_t i = 0; i < results; ++i)
    types[inputs + i] = mlirFunctionTypeGetResult(old, (intptr_t)i);
  types[number] = type;
  MlirType changed = mlirFunctionTypeGet(c, (intptr_t)inputs, types,
                                         (intptr_t)results, types + inputs);
  free(types);
  mlirOperationSetInherentAttributeByName(function, pgopt_ref("function_type"),
                                          mlirTypeAttrGet(changed));
  mlirValueSetType(mlirBlockGetArgument(pgopt_function_body(function), number),
                   type);
}

void pgopt_pack_parameter(MlirOperation function, intptr_t number,
                          const pgopt_packing *packing) {
  MlirContext c = mlirOperationGetContext(function);
  pgopt_parameter p;
  if (mlirLogicalResultIsFailure(pgopt_read_parameter(function, number, &p)) ||
      !p.name)
    return;
  pgopt_packing packed = *packing;
  if (p.is_packed)
    pgopt_packing_compose(&p.packing, packing, &packed);
  int64_t extents[PGOPT_MAX_PACKED_RANK];
  for (size_t i = 0; i < packed.axis_count; ++i)
    extents[i] = packed.axes[i].extent;
  MlirType old =
      mlirFunctionTypeGetInput(pgopt_function_type(function), number);
  set_argument_type(function, number,
                    mlirRankedTensorTypeGet((intptr_t)packed.axis_count,
                                            extents,
                                            mlirShapedTypeGetElementType(old),
                                            mlirAttributeGetNull()));
  char *name = pgopt_packed_name(p.name, &packed);
  pgopt_set_argument_attribute(function, number, PGOPT_PARAMETER,
                               pgopt_text_attribute(c, name));
  pgopt_set_argument_attribute(function, number, PGOPT_LAYOUT,
                               layout_attribute(c, &packed));
  free(name);
  pgopt_parameter_free(&p);
}
