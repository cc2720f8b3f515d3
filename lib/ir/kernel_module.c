/// \file Kernels on tensors, bufferized apart from the network: bufferization
/// is then linear in the kernels and never sees the network's many values.
#include "ir/kernel_module.h"

#include "dialect_c/attributes.h"
#include "ir/build_kernel.h"
#include "ir/decompose.h"
#include "ir/ir.h"
#include "ir/loop_values.h"
#include "ir/tensor_ops.h"
#include "mlir-c/Dialect/Func.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char temporary_name[] = "pgopt_kernel";

static const char fuse_pipeline[] = "func.func(linalg-fuse-elementwise-ops)";

static const char bufferize_pipeline[] =
    "builtin.module(eliminate-empty-tensors,"
    "one-shot-bufferize{bufferize-function-boundaries=true "
    "function-boundary-type-conversion=identity-layout-map},"
    "drop-equivalent-buffer-results,"
    "func.func(canonicalize,cse))";

void pgopt_kernel_module_create(MlirOperation network,
                                pgopt_kernel_module *kernels) {
  *kernels = (pgopt_kernel_module){.network = network};
  pgopt_op_spec spec = {.name = "builtin.module",
                        .location = mlirOperationGetLocation(network),
                        .region_count = 1};
  kernels->op = pgopt_build(pgopt_module_body(network), &spec);
  mlirRegionAppendOwnedBlock(mlirOperationGetRegion(kernels->op, 0),
                             mlirBlockCreate(0, NULL, NULL));
}

static uint64_t hash_text(const char *text) {
  uint64_t value = UINT64_C(0xCBF29CE484222325);
  for (; *text; ++text)
    value = (value ^ (unsigned char)*text) * UINT64_C(0x100000001B3);
  return value;
}

static char *unique_name(const pgopt_kernel_module *kernels, const char *id) {
  pgopt_text name = {0};
  for (const char *c = id; *c; ++c)
    pgopt_text_append_bytes(&name, strchr(" \t\n\"@#<>(){}[]:;,", *c) ? "_" : c,
                            1);
  size_t length = name.size;
  for (int n = 0;; ++n) {
    bool taken = !mlirOperationIsNull(pgopt_module_lookup(
        kernels->network, mlirStringRefCreate(name.data, name.size)));
    for (size_t i = 0; i < kernels->count && !taken; ++i)
      taken = !strcmp(kernels->kernels[i].name, name.data);
    if (!taken)
      return name.data;
    name.size = length;
    pgopt_text_append(&name, "_%d", n);
  }
}

static bool same_cuts(const pgopt_kernel_plan *a, const pgopt_kernel_plan *b) {
  return a->input_count == b->input_count && a->output_count == b->output_count;
}

MlirLogicalResult pgopt_kernel_module_add(pgopt_kernel_module *kernels,
                                          const pgopt_ir_network *ir,
                                          const pgopt_kernel_plan *plan,
                                          bool cut, const char *id,
                                          const char *signature,
                                          size_t *kernel) {
  MlirOperation function =
      pgopt_build_kernel(ir, plan, cut, kernels->op, temporary_name);
  if (mlirOperationIsNull(function))
    return mlirLogicalResultFailure();
  pgopt_text text = {0};
  pgopt_print_operation(function, &text);
  uint64_t hash = hash_text(text.data);
  for (size_t i = 0; i < kernels->count; ++i) {
    const pgopt_kernel *other = &kernels->kernels[i];
    if (other->hash == hash && other->cut == cut &&
        same_cuts(other->plan, plan) && !strcmp(other->text, text.data)) {
      mlirOperationDestroy(function);
      pgopt_text_free(&text);
      *kernel = i;
      return mlirLogicalResultSuccess();
    }
  }
  pgopt_kernel added = {.name = unique_name(kernels, id),
                        .text = text.data,
                        .hash = hash,
                        .function = function,
                        .plan = plan,
                        .cut = cut,
                        .signature = signature};
  mlirOperationSetAttributeByName(
      function, pgopt_ref("sym_name"),
      pgopt_text_attribute(mlirOperationGetContext(function), added.name));
  *kernel = kernels->count;
  PGOPT_APPEND(kernels->kernels, kernels->count, kernels->capacity, added);
  return mlirLogicalResultSuccess();
}

/// Elementwise producers of a reduction disappear in its loops.
static MlirLogicalResult fuse_producers(const pgopt_kernel_module *kernels,
                                        pgopt_pass *pass) {
  for (size_t i = 0; i < kernels->count; ++i) {
    MlirBlock body = pgopt_function_body(kernels->kernels[i].function);
    MlirOperation op = mlirBlockGetFirstOperation(body);
    size_t generics = 0, others = 0;
    for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
      bool generic = pgopt_op_is(op, "linalg.generic");
      generics += generic;
      others += !generic && pgopt_op_in_dialect(op, "linalg") &&
                !pgopt_op_is(op, "linalg.fill");
    }
    if (generics > 1 && !others && !kernels->kernels[i].cut &&
        mlirLogicalResultIsFailure(pgopt_pass_run_pipeline(
            pass, fuse_pipeline, kernels->kernels[i].function)))
      return mlirLogicalResultFailure();
  }
  return mlirLogicalResultSuccess();
}

/// An op that works in place would write into what it was given.
static void protect_inputs(const pgopt_kernel *kernel) {
  MlirContext c = mlirOperationGetContext(kernel->function);
  MlirType type = pgopt_function_type(kernel->function);
  for (size_t i = 0; i < kernel->plan->input_count; ++i)
    if (mlirTypeIsATensor(mlirFunctionTypeGetInput(type, (intptr_t)i)))
      mlirFuncSetArgAttr(kernel->function, (intptr_t)i,
                         pgopt_ref("bufferization.writable"),
                         mlirBoolAttrGet(c, false));
}

static MlirAttribute access_attribute(MlirContext c, const char *mode,
                                      const pgopt_cut *cut) {
  MlirNamedAttribute members[4];
  size_t count = 0;
  if (cut && cut->dim >= 0)
    members[count++] = pgopt_named(c, "dim", pgopt_i64_attribute(c, cut->dim));
  members[count++] = pgopt_named(c, "mode", pgopt_text_attribute(c, mode));
  if (cut && cut->dim >= 0) {
    members[count++] =
        pgopt_named(c, "scale", pgopt_i64_attribute(c, cut->scale));
    members[count++] =
        pgopt_named(c, "window", pgopt_i64_attribute(c, cut->window));
  }
  return mlirDictionaryAttrGet(c, (intptr_t)count, members);
}

/// pg.access on every memref argument.
static void describe_arguments(const pgopt_kernel *kernel) {
  MlirOperation function = kernel->function;
  MlirContext c = mlirOperationGetContext(function);
  const pgopt_kernel_plan *plan = kernel->plan;
  MlirType type = pgopt_function_type(function);
  size_t count = (size_t)mlirFunctionTypeGetNumInputs(type);
  MlirAttribute *all = pgopt_allocate(count, sizeof *all);
  size_t arrays = plan->input_count + plan->output_count;
  for (size_t i = 0; i < count; ++i) {
    if (i >= arrays) {
      all[i] = mlirDictionaryAttrGet(c, 0, NULL);
      continue;
    }
    bool output = i >= plan->input_count;
    size_t n = output ? i - plan->input_count : i;
    const pgopt_cut *cut = !kernel->cut ? NULL
                           : output     ? &plan->output_cuts[n]
                                        : &plan->input_cuts[n];
    MlirNamedAttribute access =
        pgopt_named(c, pgopt_attribute_spelling(PGOPT_ACCESS),
                    access_attribute(c, output ? "write" : "read", cut));
    bool array = mlirTypeIsAMemRef(mlirFunctionTypeGetInput(type, (intptr_t)i));
    all[i] = mlirDictionaryAttrGet(c, array, &access);
  }
  mlirOperationSetAttributeByName(function, pgopt_ref("arg_attrs"),
                                  mlirArrayAttrGet(c, (intptr_t)count, all));
  free(all);
  mlirOperationSetAttributeByName(function, pgopt_ref("no_inline"),
                                  mlirUnitAttrGet(c));
  pgopt_set_text(function, PGOPT_KERNEL, kernel->name);
  pgopt_set_text(function, PGOPT_SIGNATURE, kernel->signature);
}

typedef struct renaming {
  MlirAttribute from, to;
} renaming;

static MlirWalkResult rename_uses(MlirOperation op, void *data) {
  const renaming *r = data;
  if (pgopt_op_is(op, "memref.get_global") &&
      mlirAttributeEqual(pgopt_op_attribute(op, "name"), r->from))
    mlirOperationSetAttributeByName(op, pgopt_ref("name"), r->to);
  return MlirWalkResultAdvance;
}

/// Gives a global of the kernels a name that is free in the network's module.
static void make_global_unique(const pgopt_kernel_module *kernels,
                               MlirOperation global) {
  MlirStringRef old = pgopt_symbol_name(global);
  if (mlirOperationIsNull(pgopt_module_lookup(kernels->network, old)))
    return;
  MlirContext c = mlirOperationGetContext(global);
  char *copy = pgopt_ref_duplicate(old);
  char *name = unique_name(kernels, copy);
  renaming r = {mlirFlatSymbolRefAttrGet(c, pgopt_ref(copy)),
                mlirFlatSymbolRefAttrGet(c, pgopt_ref(name))};
  mlirOperationWalk(kernels->op, rename_uses, &r, MlirWalkPreOrder);
  mlirOperationSetAttributeByName(global, pgopt_ref("sym_name"),
                                  pgopt_text_attribute(c, name));
  free(name);
  free(copy);
}

MlirLogicalResult pgopt_kernel_module_finish(pgopt_kernel_module *kernels,
                                             pgopt_pass *pass,
                                             MlirOperation before) {
  for (size_t i = 0; i < kernels->count; ++i)
    protect_inputs(&kernels->kernels[i]);
  pgopt_carry_in_place(kernels->op);
  if (mlirLogicalResultIsFailure(fuse_producers(kernels, pass)) ||
      mlirLogicalResultIsFailure(pgopt_decompose(kernels->op)) ||
      mlirLogicalResultIsFailure(
          pgopt_pass_run_pipeline(pass, bufferize_pipeline, kernels->op)))
    return mlirLogicalResultFailure();
  pgopt_replace_memref_copies(kernels->op);
  for (size_t i = 0; i < kernels->count; ++i) {
    pgopt_kernel *kernel = &kernels->kernels[i];
    /* Bufferization rebuilds functions. */
    kernel->function =
        pgopt_module_lookup(kernels->op, pgopt_ref(kernel->name));
    if (mlirFunctionTypeGetNumResults(pgopt_function_type(kernel->function)))
      return pgopt_emit_error(kernel->function,
                              "kernel '%s' does not write its destination in "
                              "place",
                              kernel->name);
    describe_arguments(kernel);
  }
  size_t count;
  MlirOperation *ops = pgopt_block_ops(pgopt_module_body(kernels->op), &count);
  for (size_t i = 0; i < count; ++i) {
    if (pgopt_op_is(ops[i], "memref.global"))
      make_global_unique(kernels, ops[i]);
    mlirOperationMoveBefore(ops[i], before);
  }
  free(ops);
  mlirOperationDestroy(kernels->op);
  kernels->op = (MlirOperation){NULL};
  return mlirLogicalResultSuccess();
}

void pgopt_kernel_module_free(pgopt_kernel_module *kernels) {
  for (size_t i = 0; i < kernels->count; ++i) {
    free(kernels->kernels[i].name);
    free(kernels->kernels[i].text);
  }
  free(kernels->kernels);
  if (!mlirOperationIsNull(kernels->op))
    mlirOperationDestroy(kernels->op);
  *kernels = (pgopt_kernel_module){0};
}
