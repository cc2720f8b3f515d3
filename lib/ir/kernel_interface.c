/// \file What a kernel's function says about the memory its calls touch.
#include "ir/kernel_interface.h"

#include "base/checked_math.h"
#include "base/memory.h"
#include "ir/argument_attributes.h"
#include "ir/ir.h"

#include <stdlib.h>

static bool is_memref(MlirType type) {
  return mlirTypeIsAMemRef(type) || mlirTypeIsAUnrankedMemRef(type);
}

bool pgopt_is_kernel_call(MlirOperation op) {
  if (!pgopt_op_is(op, "func.call"))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (is_memref(mlirValueGetType(mlirOperationGetOperand(op, i))))
      return true;
  return false;
}

static bool is_array(MlirType type) {
  return is_memref(type) || mlirTypeIsATensor(type);
}

static MlirWalkResult find_array(MlirOperation op, void *found) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    *(bool *)found |=
        is_array(mlirValueGetType(mlirOperationGetOperand(op, i)));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    *(bool *)found |= is_array(mlirValueGetType(mlirOperationGetResult(op, i)));
  return *(bool *)found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

bool pgopt_mentions_arrays(MlirOperation op) {
  bool found = false;
  mlirOperationWalk(op, find_array, &found, MlirWalkPreOrder);
  return found;
}

static int64_t member_i64(MlirAttribute dictionary, const char *name) {
  return mlirIntegerAttrGetValueInt(
      mlirDictionaryAttrGetElementByName(dictionary, pgopt_ref(name)));
}

static MlirLogicalResult read_argument(MlirOperation function, intptr_t index,
                                       MlirType type,
                                       pgopt_kernel_argument *argument) {
  argument->is_memref = is_memref(type);
  if (!argument->is_memref)
    return mlirLogicalResultSuccess();
  MlirAttribute access =
      pgopt_argument_attribute(function, index, PGOPT_ACCESS);
  if (mlirAttributeIsNull(access))
    return pgopt_emit_error(function,
                            "argument %lld of this kernel has no pg.access; "
                            "kernels are made by form-kernels",
                            (long long)index);
  if (mlirLogicalResultIsFailure(pgopt_attribute_verify(
          function, pgopt_ref(pgopt_attribute_spelling(PGOPT_ACCESS)), access,
          PGOPT_ON_ARGUMENT)))
    return mlirLogicalResultFailure();
  const char *defect = pgopt_array_type_read(type, &argument->type);
  if (!defect && !mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type)))
    defect = "has a layout, only contiguous memrefs are allowed";
  if (defect)
    return pgopt_emit_error(function, "argument %lld of this kernel %s",
                            (long long)index, defect);
  MlirStringRef mode = mlirStringAttrGetValue(
      mlirDictionaryAttrGetElementByName(access, pgopt_ref("mode")));
  argument->reads = pgopt_ref_is(mode, "read");
  argument->writes = pgopt_ref_is(mode, "write");
  argument->is_cut = mlirDictionaryAttrGetNumElements(access) > 1;
  if (!argument->is_cut)
    return mlirLogicalResultSuccess();
  argument->dim = member_i64(access, "dim");
  argument->scale = member_i64(access, "scale");
  argument->window = member_i64(access, "window");
  if ((uint64_t)argument->dim >= argument->type.rank)
    return pgopt_emit_error(function,
                            "pg.access of argument %lld names dimension %lld "
                            "of %zu",
                            (long long)index, (long long)argument->dim,
                            argument->type.rank);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult
pgopt_read_kernel_interface(MlirOperation function,
                            pgopt_kernel_interface *interface) {
  *interface = (pgopt_kernel_interface){.function = function};
  MlirType type = pgopt_function_type(function);
  intptr_t inputs = mlirFunctionTypeGetNumInputs(type);
  if (inputs < 2 ||
      !mlirTypeIsAIndex(mlirFunctionTypeGetInput(type, inputs - 1)) ||
      !mlirTypeIsAIndex(mlirFunctionTypeGetInput(type, inputs - 2)))
    return pgopt_emit_error(function, "a kernel's last two arguments must be "
                                      "its range, two of type index");
  if (mlirFunctionTypeGetNumResults(type))
    return pgopt_emit_error(function, "a kernel must write its results into "
                                      "arguments, this one returns some");
  interface->count = (size_t)inputs - 2;
  interface->arguments =
      pgopt_allocate(interface->count, sizeof *interface->arguments);
  for (intptr_t i = 0; i < inputs - 2; ++i)
    if (mlirLogicalResultIsFailure(
            read_argument(function, i, mlirFunctionTypeGetInput(type, i),
                          &interface->arguments[i]))) {
      free(interface->arguments);
      *interface = (pgopt_kernel_interface){0};
      return mlirLogicalResultFailure();
    }
  return mlirLogicalResultSuccess();
}

bool pgopt_constant_value(MlirValue value, int64_t *number) {
  if (!mlirValueIsAOpResult(value))
    return false;
  MlirOperation owner = mlirOpResultGetOwner(value);
  if (!pgopt_op_is(owner, "arith.constant"))
    return false;
  MlirAttribute attribute = pgopt_op_attribute(owner, "value");
  MlirType type = mlirValueGetType(value);
  if (!mlirAttributeIsAInteger(attribute) ||
      (mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) > 64))
    return false;
  *number = mlirIntegerAttrGetValueInt(attribute);
  return true;
}

MlirLogicalResult pgopt_read_call_range(MlirOperation call, int64_t *low,
                                        int64_t *high) {
  intptr_t operands = mlirOperationGetNumOperands(call);
  if (!pgopt_constant_value(mlirOperationGetOperand(call, operands - 2), low) ||
      !pgopt_constant_value(mlirOperationGetOperand(call, operands - 1), high))
    return pgopt_emit_error(call, "the range of a kernel call must be two "
                                  "constants");
  if (*low < 0 || *high < *low)
    return pgopt_emit_error(call, "[%lld, %lld) is not a range of a loop",
                            (long long)*low, (long long)*high);
  return mlirLogicalResultSuccess();
}

pgopt_status pgopt_kernel_range(const pgopt_kernel_interface *interface,
                                size_t index, int64_t low, int64_t high,
                                pgopt_buffer_range *range, pgopt_error *error) {
  const pgopt_kernel_argument *argument = &interface->arguments[index];
  const pgopt_array_type *type = &argument->type;
  if (!argument->is_cut) {
    *range = pgopt_range_whole(type->elements);
    return PGOPT_OK;
  }
  int64_t begin = 0, end = 0;
  bool fits = pgopt_checked_multiply(low, argument->scale, &begin);
  end = begin;
  if (high > low)
    fits = fits && pgopt_checked_multiply(high - 1, argument->scale, &end) &&
           pgopt_checked_add(end, argument->window, &end);
  if (!fits)
    return pgopt_fail(error, PGOPT_OUT_OF_RANGE,
                      "the indices that pg.access of argument %zu gives for "
                      "[%lld, %lld) are too large",
                      index, (long long)low, (long long)high);
  return pgopt_range_of_dimension(type->extents, type->rank, argument->dim,
                                  begin, end, range, error);
}
