#include "codegen/stand_in.h"

#include "codegen/emit.h"
#include "dialect_c/attributes.h"
#include "ir/kernel_interface.h"
#include "ir/measure_program.h"

#include <stdlib.h>

/// The text of a constant one; null for types that have none.
static const char *one_of(MlirType type) {
  if (mlirTypeIsAFloat(type))
    return "1.0";
  if (mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 1)
    return "true";
  return mlirTypeIsAInteger(type) || mlirTypeIsAIndex(type) ? "1" : NULL;
}

/// A module with one function of the interface's type, as text.
static void write_function(const pgopt_kernel_interface *interface,
                           const char *name, pgopt_text *text) {
  MlirType type = pgopt_function_type(interface->function);
  intptr_t inputs = mlirFunctionTypeGetNumInputs(type);
  pgopt_text_append(text, "func.func private @%s(", name);
  for (intptr_t i = 0; i < inputs; ++i) {
    pgopt_text_append(text, "%s%%a%d: ", i ? ", " : "", (int)i);
    pgopt_print_type(mlirFunctionTypeGetInput(type, i), text);
  }
  pgopt_text_append(text, ") attributes {no_inline, pg.kernel = \"stand-in\"} "
                          "{\n");
  for (size_t i = 0; i < interface->count; ++i) {
    if (!interface->arguments[i].writes)
      continue;
    MlirType memref = mlirFunctionTypeGetInput(type, (intptr_t)i);
    MlirType element = mlirShapedTypeGetElementType(memref);
    const char *one = one_of(element);
    if (!one)
      continue;
    pgopt_text_append(text, "%%c%zu = arith.constant %s", i, one);
    if (*one != 't') {
      pgopt_text_append(text, " : ");
      pgopt_print_type(element, text);
    }
    pgopt_text_append(text, "\nlinalg.fill ins(%%c%zu : ", i);
    pgopt_print_type(element, text);
    pgopt_text_append(text, ") outs(%%a%zu : ", i);
    pgopt_print_type(memref, text);
    pgopt_text_append(text, ")\n");
  }
  pgopt_text_append(text, "return\n}\n");
}

static MlirLogicalResult replace_callee(MlirOperation module,
                                        MlirOperation call) {
  MlirContext context = mlirOperationGetContext(module);
  pgopt_kernel_interface interface;
  if (mlirLogicalResultIsFailure(pgopt_read_kernel_interface(
          pgopt_module_lookup(module, pgopt_callee(call)), &interface)))
    return mlirLogicalResultFailure();
  char *name = pgopt_unique_symbol(module, "stand_in");
  pgopt_text text = {0};
  write_function(&interface, name, &text);
  MlirModule parsed =
      mlirModuleCreateParse(context, pgopt_ref(pgopt_text_get(&text)));
  pgopt_text_free(&text);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  if (mlirModuleIsNull(parsed)) {
    result = pgopt_emit_error(interface.function,
                              "no kernel can stand in for this one");
  } else {
    MlirOperation function =
        mlirBlockGetFirstOperation(mlirModuleGetBody(parsed));
    mlirOperationSetInherentAttributeByName(
        function, pgopt_ref("arg_attrs"),
        pgopt_op_attribute(interface.function, "arg_attrs"));
    mlirOperationRemoveFromParent(function);
    mlirBlockAppendOwnedOperation(pgopt_module_body(module), function);
    mlirOperationSetInherentAttributeByName(
        call, pgopt_ref("callee"),
        mlirFlatSymbolRefAttrGet(context, pgopt_ref(name)));
    mlirModuleDestroy(parsed);
  }
  free(name);
  free(interface.arguments);
  return result;
}

MlirLogicalResult pgopt_stand_in(MlirOperation module, MlirOperation entry,
                                 const bool *is_marked, size_t count) {
  size_t all;
  MlirOperation *calls = pgopt_kernel_calls(module, entry, &all);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (size_t i = 0; i < all && i < count && mlirLogicalResultIsSuccess(result);
       ++i)
    if (is_marked[i])
      result = replace_callee(module, calls[i]);
  free(calls);
  return result;
}
