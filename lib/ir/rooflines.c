#include "ir/rooflines.h"

#include "base/checked_math.h"
#include "dialect_c/attributes.h"
#include "ir/argument_attributes.h"
#include "ir/ir.h"
#include "ir/kernel_interface.h"
#include "ir/machine_attribute.h"

#include <stdlib.h>

/// Adds as far as the whole goes; what is not known adds nothing.
static void add_part(int64_t *part, int64_t bytes, int64_t whole) {
  if (bytes < 0 || whole < 0)
    return;
  if (!pgopt_checked_add(*part, bytes, part) || *part > whole)
    *part = whole;
}

static int64_t value_bytes(const pgopt_network *network, int value) {
  const pgopt_type *type = &network->values[value].type;
  int64_t bytes;
  return type->is_shaped && pgopt_type_bytes(type, &bytes) ? bytes : 0;
}

/// A constant or parameter, or a view of one.
static bool is_constant(const pgopt_network *network, int value) {
  int producer = network->values[value].producer;
  while (producer >= 0 && network->ops[producer].kind == PGOPT_OP_VIEW) {
    value = network->ops[producer].operands[0];
    producer = network->values[value].producer;
  }
  return network->values[value].is_parameter ||
         (producer >= 0 && network->ops[producer].kind == PGOPT_OP_CONSTANT &&
          !network->ops[producer].is_splat);
}

pgopt_kernel_work pgopt_group_work(const pgopt_network *network,
                                   const pgopt_kernel_plan *plan,
                                   int64_t lflops, int64_t bytes) {
  pgopt_kernel_work work = {.lflops = lflops, .bytes = bytes};
  for (size_t i = 0; i < plan->output_count; ++i)
    add_part(&work.written_bytes, value_bytes(network, plan->outputs[i]),
             bytes);
  for (size_t i = 0; i < plan->input_count; ++i)
    if (is_constant(network, plan->inputs[i]))
      add_part(&work.constant_bytes, value_bytes(network, plan->inputs[i]),
               bytes - work.written_bytes);
  return work;
}

/// A global, a parameter of the entry, or a view of one.
static bool is_constant_operand(MlirValue value, MlirOperation entry) {
  while (mlirValueIsAOpResult(value)) {
    MlirOperation owner = mlirOpResultGetOwner(value);
    if (pgopt_op_is(owner, "memref.get_global"))
      return true;
    if (!mlirOperationGetNumOperands(owner))
      return false;
    value = mlirOperationGetOperand(owner, 0);
  }
  return mlirBlockEqual(mlirBlockArgumentGetOwner(value),
                        pgopt_function_body(entry)) &&
         !mlirAttributeIsNull(pgopt_argument_attribute(
             entry, mlirBlockArgumentGetArgNumber(value), PGOPT_PARAMETER));
}

/// Bytes of an argument that a call's range touches.
static int64_t argument_bytes(const pgopt_kernel_interface *interface,
                              size_t index, int64_t low, int64_t high) {
  const pgopt_array_type *type = &interface->arguments[index].type;
  pgopt_buffer_range range;
  int64_t bytes;
  return !pgopt_kernel_range(interface, index, low, high, &range, NULL) &&
                 pgopt_checked_multiply(
                     pgopt_range_size(&range, type->elements),
                     pgopt_element_bytes(type->element), &bytes)
             ? bytes
             : -1;
}

/// Whether the function says what its calls touch.
static bool has_access(MlirOperation function) {
  MlirType type = pgopt_function_type(function);
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); ++i)
    if (!mlirAttributeIsNull(
            pgopt_argument_attribute(function, i, PGOPT_ACCESS)))
      return true;
  return false;
}

MlirLogicalResult pgopt_call_work(MlirOperation call, MlirOperation entry,
                                  MlirOperation function,
                                  pgopt_kernel_work *work) {
  pgopt_kernel_interface interface;
  int64_t low, high;
  *work = (pgopt_kernel_work){.lflops = -1, .bytes = -1};
  pgopt_get_i64(call, PGOPT_LFLOPS, &work->lflops);
  if (!pgopt_get_i64(call, PGOPT_BYTES, &work->bytes) ||
      mlirOperationIsNull(function) || !has_access(function))
    return mlirLogicalResultSuccess();
  if (mlirLogicalResultIsFailure(
          pgopt_read_kernel_interface(function, &interface)))
    return mlirLogicalResultFailure();
  MlirLogicalResult status = pgopt_read_call_range(call, &low, &high);
  for (size_t i = 0; i < interface.count && mlirLogicalResultIsSuccess(status);
       ++i) {
    if (!interface.arguments[i].reads && !interface.arguments[i].writes)
      continue;
    int64_t bytes = argument_bytes(&interface, i, low, high);
    if (interface.arguments[i].writes)
      add_part(&work->written_bytes, bytes, work->bytes);
    else if (is_constant_operand(mlirOperationGetOperand(call, (intptr_t)i),
                                 entry))
      add_part(&work->constant_bytes, bytes, work->bytes);
  }
  if (work->constant_bytes > work->bytes - work->written_bytes)
    work->constant_bytes = work->bytes - work->written_bytes;
  free(interface.arguments);
  return status;
}

void pgopt_fill_rooflines(MlirOperation module, const pgopt_kernel_work *works,
                          pgopt_report_layer *layers, size_t count) {
  pgopt_machine machine;
  if (!pgopt_machine_of_module(module, &machine))
    return;
  int64_t constants = 0;
  for (size_t i = 0; i < count; ++i)
    add_part(&constants, works[i].constant_bytes, INT64_MAX);
  for (size_t i = 0; i < count; ++i) {
    pgopt_roofline roofline =
        pgopt_machine_roofline(&machine, &works[i], constants);
    layers[i].compute_ns = roofline.compute_ns;
    layers[i].memory_ns = roofline.memory_ns;
  }
}
