/// \file Forms of a network's constants, made before the first run.
///
/// All of them lie in one block of memory. Where a kernel is called its buffers
/// are parts of the block, whose address the entry gets from the runtime.
#include "kernels/prepare.h"

#include "codegen/storage.h"
#include "dialect_c/attributes.h"
#include "kernels/constant_operands.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

/// A prepared buffer inside the block.
typedef struct slot {
  int64_t constant;
  char *key;
  int64_t offset, bytes;
  MlirOperation fill; ///< the function that fills it
} slot;

/// A form that a kernel, or the entry, has a buffer for.
typedef struct known_form {
  MlirOperation function;
  MlirValue constant; ///< its argument, or a global's memref
  char *key;
  MlirValue buffer;
} known_form;

struct pgopt_preparation {
  pgopt_constants constants;
  slot *slots;
  size_t slot_count, slot_capacity;
  int64_t bytes;
  known_form *forms;
  size_t form_count, form_capacity;
};

pgopt_preparation *pgopt_preparation_begin(MlirOperation module,
                                           MlirOperation entry) {
  pgopt_constants constants;
  if (!pgopt_constants_mark(module, entry, &constants))
    return NULL;
  pgopt_preparation *p = pgopt_allocate(1, sizeof *p);
  p->constants = constants;
  return p;
}

bool pgopt_can_prepare(pgopt_preparation *p, MlirValue memref) {
  if (!p)
    return false;
  pgopt_constants *c = &p->constants;
  pgopt_constants_index(c);
  MlirValue constant = pgopt_whole_buffer(memref);
  if (mlirOperationIsNull(c->placeholder_call) || mlirValueIsNull(constant))
    return false;
  MlirOperation function = pgopt_function_of(constant);
  if (mlirOperationEqual(function, c->entry))
    return pgopt_constant_number(c, NULL, constant) >= 0;
  if (!pgopt_symbol_is_private(function) ||
      mlirFunctionTypeGetNumResults(pgopt_function_type(function)) ||
      (mlirValueIsABlockArgument(constant) &&
       !mlirBlockEqual(mlirBlockArgumentGetOwner(constant),
                       pgopt_function_body(function))))
    return false;
  const pgopt_constant_call *call = pgopt_constants_first_call(c, function);
  bool can = call;
  while (call && can) {
    can = call->constants && pgopt_constant_number(c, call, constant) >= 0;
    call = call->next < 0 ? NULL : &c->calls[call->next];
  }
  return can;
}

static MlirOperation build_fill(const pgopt_preparation *p,
                                MlirOperation function, MlirType parameter,
                                MlirType buffer,
                                const pgopt_prepared_form *form) {
  MlirContext context = mlirOperationGetContext(function);
  MlirLocation location = mlirOperationGetLocation(function);
  MlirType inputs[] = {parameter, buffer};
  MlirStringRef name = pgopt_symbol_name(function);
  pgopt_text wanted = {0};
  pgopt_text_append(&wanted, "%.*s_prepare", (int)name.length, name.data);
  char *symbol = pgopt_unique_symbol(p->constants.module, wanted.data);
  pgopt_text_free(&wanted);
  MlirBlock body;
  MlirOperation fill = pgopt_build_function(
      p->constants.module, symbol,
      mlirFunctionTypeGet(context, 2, inputs, 0, NULL), true, location, &body);
  free(symbol);
  pgopt_set(fill, PGOPT_PHASE, pgopt_text_attribute(context, "prepare"));
  pgopt_op_spec end = {.name = "func.return", .location = location};
  form->fill(pgopt_emitter_before(pgopt_build(body, &end)),
             mlirBlockGetArgument(body, 0), mlirBlockGetArgument(body, 1),
             form->data);
  return fill;
}

/// The constant's buffer of that form. \param[in,out] fill the function that
/// fills it, built when one is needed.
static const slot *find_slot(pgopt_preparation *p, int64_t constant,
                             MlirOperation function, MlirType parameter,
                             MlirType buffer, const pgopt_prepared_form *form,
                             MlirOperation *fill) {
  for (size_t i = 0; i < p->slot_count; ++i)
    if (p->slots[i].constant == constant && !strcmp(p->slots[i].key, form->key))
      return &p->slots[i];
  if (mlirOperationIsNull(*fill))
    *fill = build_fill(p, function, parameter, buffer, form);
  slot made = {.constant = constant,
               .key = pgopt_duplicate_text(form->key),
               .offset = p->bytes,
               .fill = *fill};
  pgopt_memref_bytes(buffer, &made.bytes);
  p->bytes += (made.bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  PGOPT_APPEND(p->slots, p->slot_count, p->slot_capacity, made);
  return &p->slots[p->slot_count - 1];
}

static MlirValue emit_slot(pgopt_emitter e, MlirValue block, const slot *s,
                           MlirType type) {
  MlirValue bytes =
      pgopt_emit_bytes(e, block, pgopt_emit_i64(e, s->offset + s->bytes));
  return pgopt_emit_view(e, bytes, pgopt_emit_index(e, s->offset), type, 0,
                         NULL);
}

MlirValue pgopt_prepare(pgopt_preparation *p, MlirValue memref,
                        const pgopt_prepared_form *form) {
  pgopt_constants *c = &p->constants;
  MlirValue constant = pgopt_whole_buffer(memref);
  MlirOperation function = pgopt_function_of(constant), fill = {NULL};
  for (size_t i = 0; i < p->form_count; ++i)
    if (mlirOperationEqual(p->forms[i].function, function) &&
        mlirValueEqual(p->forms[i].constant, constant) &&
        !strcmp(p->forms[i].key, form->key))
      return p->forms[i].buffer;
  MlirType parameter = mlirValueGetType(memref);
  MlirType buffer = mlirMemRefTypeContiguousGet(
      form->element, 1, &form->elements, mlirAttributeGetNull());
  known_form made = {
      function, constant, pgopt_duplicate_text(form->key), {NULL}};
  if (mlirOperationEqual(function, c->entry)) {
    const slot *s = find_slot(p, pgopt_constant_number(c, NULL, constant),
                              function, parameter, buffer, form, &fill);
    pgopt_emitter e = pgopt_emitter_before(c->placeholder_call);
    e.before = mlirOperationGetNextInBlock(c->placeholder_call);
    made.buffer = emit_slot(e, pgopt_result(c->placeholder_call), s, buffer);
  } else {
    made.buffer = pgopt_add_argument(function, buffer);
    const pgopt_constant_call *call = pgopt_constants_first_call(c, function);
    while (call) {
      const slot *s = find_slot(p, pgopt_constant_number(c, call, constant),
                                function, parameter, buffer, form, &fill);
      pgopt_add_operand(call->op, emit_slot(pgopt_emitter_before(call->op),
                                            call->block, s, buffer));
      call = call->next < 0 ? NULL : &c->calls[call->next];
    }
  }
  PGOPT_APPEND(p->forms, p->form_count, p->form_capacity, made);
  return made.buffer;
}

static MlirType fill_input(MlirOperation fill, intptr_t number) {
  return mlirFunctionTypeGetInput(pgopt_function_type(fill), number);
}

/// Address of an element of an array of pointers.
static MlirValue emit_element(pgopt_emitter e, MlirValue array, size_t index) {
  int32_t path[] = {(int32_t)index};
  MlirType pointer = pgopt_pointer_type(e.context);
  MlirNamedAttribute attributes[] = {
      pgopt_named(e.context, "elem_type", mlirTypeAttrGet(pointer)),
      pgopt_named(e.context, "rawConstantIndices",
                  mlirDenseI32ArrayGet(e.context, 1, path))};
  return pgopt_emit_op(e, "llvm.getelementptr", 1, &array, pointer, 2,
                       attributes);
}

/// The constant as a fill function takes it. \param address of the entry's
/// argument, in the array `addresses`.
static MlirValue emit_constant(pgopt_emitter e, const pgopt_preparation *p,
                               const pgopt_constant *constant,
                               MlirValue addresses, size_t address,
                               MlirType type) {
  MlirValue data;
  if (constant->global) {
    MlirOperation global =
        pgopt_module_lookup(p->constants.module, pgopt_ref(constant->global));
    MlirNamedAttribute name = pgopt_named(
        e.context, "name",
        mlirFlatSymbolRefAttrGet(e.context, pgopt_ref(constant->global)));
    MlirValue memref = pgopt_emit_op(
        e, "memref.get_global", 0, NULL,
        mlirTypeAttrGetValue(pgopt_op_attribute(global, "type")), 1, &name);
    data = pgopt_emit_pointer(e, pgopt_emit_address(e, memref));
  } else {
    MlirValue element = emit_element(e, addresses, address);
    data = pgopt_emit_op(e, "llvm.load", 1, &element,
                         pgopt_pointer_type(e.context), 0, NULL);
  }
  MlirValue bytes =
      pgopt_emit_bytes(e, data, pgopt_emit_i64(e, constant->bytes));
  return pgopt_emit_view(e, bytes, pgopt_emit_index(e, 0), type, 0, NULL);
}

/// Begin or end of preparing, as a slot of core 0 in front of all others.
static void emit_span(pgopt_emitter e, MlirOperation module, int64_t is_begin) {
  MlirValue span[] = {pgopt_emit_i64(e, 0), pgopt_emit_i64(e, -1),
                      pgopt_emit_i64(e, is_begin)};
  pgopt_emit_runtime_call(e, module, "pgopt_rt_span", 3, span,
                          (MlirType){NULL});
}

/// Builds the function that fills all buffers.
/// \param addresses for every constant its place among the addresses.
static MlirOperation build_prepare(const pgopt_preparation *p, bool trace,
                                   const size_t *addresses) {
  MlirOperation module = p->constants.module;
  MlirContext context = mlirOperationGetContext(module);
  MlirLocation location = mlirOperationGetLocation(p->constants.entry);
  MlirType pointer = pgopt_pointer_type(context);
  MlirType inputs[] = {pointer, pointer};
  char *name = pgopt_unique_symbol(module, "pgopt_prepare");
  MlirBlock body;
  MlirOperation function = pgopt_build_function(
      module, name, mlirFunctionTypeGet(context, 2, inputs, 0, NULL), true,
      location, &body);
  free(name);
  pgopt_op_spec end = {.name = "func.return", .location = location};
  pgopt_emitter e = pgopt_emitter_before(pgopt_build(body, &end));
  if (trace)
    emit_span(e, module, 1);
  for (size_t i = 0; i < p->slot_count; ++i) {
    const slot *s = &p->slots[i];
    MlirValue arguments[] = {
        emit_constant(e, p, &p->constants.items[s->constant],
                      mlirBlockGetArgument(body, 0), addresses[s->constant],
                      fill_input(s->fill, 0)),
        emit_slot(e, mlirBlockGetArgument(body, 1), s, fill_input(s->fill, 1))};
    MlirNamedAttribute callee = pgopt_named(
        context, "callee",
        mlirFlatSymbolRefAttrGet(context, pgopt_symbol_name(s->fill)));
    pgopt_emit_op(e, "func.call", 2, arguments, (MlirType){NULL}, 1, &callee);
  }
  if (trace)
    emit_span(e, module, 0);
  return function;
}

/// Asks the runtime for the block.
static MlirValue emit_block(const pgopt_preparation *p, bool trace) {
  const pgopt_constants *c = &p->constants;
  pgopt_emitter e = pgopt_emitter_before(c->placeholder_call);
  MlirType pointer = pgopt_pointer_type(e.context);
  size_t *addresses = pgopt_allocate(c->count, sizeof *addresses);
  bool *is_read = pgopt_allocate(c->count, sizeof *is_read);
  for (size_t i = 0; i < p->slot_count; ++i)
    is_read[p->slots[i].constant] = !c->items[p->slots[i].constant].global;
  size_t count = 0;
  for (size_t i = 0; i < c->count; ++i)
    if (is_read[i])
      addresses[i] = count++;
  MlirValue length = pgopt_emit_i64(e, (int64_t)count);
  MlirNamedAttribute type =
      pgopt_named(e.context, "elem_type", mlirTypeAttrGet(pointer));
  MlirValue array =
      pgopt_emit_op(e, "llvm.alloca", 1, &length, pointer, 1, &type);
  for (size_t i = 0; i < c->count; ++i) {
    if (!is_read[i])
      continue;
    MlirValue argument = mlirBlockGetArgument(pgopt_function_body(c->entry),
                                              c->items[i].argument);
    MlirValue operands[] = {
        pgopt_emit_pointer(e, pgopt_emit_address(e, argument)),
        emit_element(e, array, addresses[i])};
    pgopt_emit_op(e, "llvm.store", 2, operands, (MlirType){NULL}, 0, NULL);
  }
  MlirOperation prepare = build_prepare(p, trace, addresses);
  free(is_read);
  free(addresses);
  MlirNamedAttribute reference = pgopt_named(
      e.context, "value",
      mlirFlatSymbolRefAttrGet(e.context, pgopt_symbol_name(prepare)));
  MlirValue arguments[] = {pgopt_emit_program_handle(e, c->module),
                           pgopt_emit_op(e, "func.constant", 0, NULL,
                                         pgopt_function_type(prepare), 1,
                                         &reference),
                           array, length, pgopt_emit_i64(e, p->bytes)};
  return pgopt_emit_runtime_call(e, c->module, "pgopt_rt_prepared", 5,
                                 arguments, pointer);
}

static void replace_placeholder(const pgopt_preparation *p, bool trace) {
  MlirOperation call = p->constants.placeholder_call;
  if (mlirOperationIsNull(call))
    return;
  MlirValue block =
      p->slot_count
          ? emit_block(p, trace)
          : pgopt_emit_op(pgopt_emitter_before(call), "llvm.mlir.zero", 0, NULL,
                          mlirValueGetType(pgopt_result(call)), 0, NULL);
  mlirValueReplaceAllUsesOfWith(pgopt_result(call), block);
  mlirOperationDestroy(call);
}

MlirLogicalResult pgopt_preparation_end(pgopt_preparation *p, bool trace,
                                        int64_t *bytes) {
  int64_t scratch_bytes = 0;
  *bytes = 0;
  if (!p)
    return mlirLogicalResultSuccess();
  MlirLogicalResult result = mlirLogicalResultSuccess();
  pgopt_constants_index(&p->constants);
  for (size_t i = 0; i < p->slot_count; ++i)
    if (mlirLogicalResultIsSuccess(result))
      result = pgopt_place_kernel_buffers(p->slots[i].fill, &scratch_bytes);
  replace_placeholder(p, trace);
  *bytes = p->bytes;
  pgopt_constants_free(&p->constants);
  for (size_t i = 0; i < p->slot_count; ++i)
    free(p->slots[i].key);
  for (size_t i = 0; i < p->form_count; ++i)
    free(p->forms[i].key);
  free(p->slots);
  free(p->forms);
  free(p);
  return result;
}
