/// \file Kernels on tensors, bufferized apart from the network: bufferization
/// is then linear in the kernels and never sees the network's many values.
#include "ir/kernel_module.h"

#include "dialect_c/attributes.h"
#include "ir/build_kernel.h"
#include "ir/decompose.h"
#include "ir/ir.h"
#include "ir/loop_values.h"
#include "ir/structure.h"
#include "ir/symbol_index.h"
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
  *kernels = (pgopt_kernel_module){.network = network,
                                   .names = pgopt_symbol_names_create(network)};
  pgopt_op_spec spec = {.name = "builtin.module",
                        .location = mlirOperationGetLocation(network),
                        .region_count = 1};
  kernels->op = pgopt_build(pgopt_module_body(network), &spec);
  mlirRegionAppendOwnedBlock(mlirOperationGetRegion(kernels->op, 0),
                             mlirBlockCreate(0, NULL, NULL));
}

/// The function's name: the id without what MLIR's syntax needs quotes for.
static char *make_name(pgopt_kernel_module *kernels, const char *id) {
  pgopt_text wanted = {0};
  for (const char *c = id; *c; ++c)
    pgopt_text_append_bytes(&wanted,
                            strchr(" \t\n\"@#<>(){}[]:;,", *c) ? "_" : c, 1);
  char *name =
      pgopt_symbol_names_make(&kernels->names, pgopt_text_get(&wanted));
  pgopt_text_free(&wanted);
  return name;
}

static bool same_cuts(const pgopt_kernel_plan *a, const pgopt_kernel_plan *b) {
  return a->input_count == b->input_count && a->output_count == b->output_count;
}

/// Null is equal to null only.
static bool same_text(const char *a, const char *b) {
  return a && b ? !strcmp(a, b) : a == b;
}

/// The kernels of one hash are chained; -1 ends a chain.
static const void *hash_key(uint64_t hash) {
  return (const void *)(uintptr_t)(hash | 1);
}

MlirLogicalResult pgopt_kernel_module_add(pgopt_kernel_module *kernels,
                                          const pgopt_ir_network *ir,
                                          const pgopt_kernel_plan *plan,
                                          int64_t range, const char *id,
                                          const char *signature,
                                          const char *variant, size_t *kernel) {
  MlirOperation function =
      pgopt_build_kernel(ir, plan, range, kernels->op, temporary_name);
  if (mlirOperationIsNull(function))
    return mlirLogicalResultFailure();
  const void *key = hash_key(pgopt_function_hash(function));
  int first = -1;
  pgopt_pointer_map_get(&kernels->by_hash, key, &first);
  for (int i = first; i >= 0; i = kernels->kernels[i].next) {
    const pgopt_kernel *other = &kernels->kernels[i];
    if (other->range == range && same_cuts(other->plan, plan) &&
        same_text(other->variant, variant) &&
        pgopt_functions_equal(other->function, function)) {
      mlirOperationDestroy(function);
      *kernel = (size_t)i;
      return mlirLogicalResultSuccess();
    }
  }
  pgopt_kernel added = {.name = make_name(kernels, id),
                        .next = first,
                        .function = function,
                        .plan = plan,
                        .range = range,
                        .signature = signature,
                        .variant = variant};
  mlirOperationSetAttributeByName(
      function, pgopt_ref("sym_name"),
      pgopt_text_attribute(mlirOperationGetContext(function), added.name));
  *kernel = kernels->count;
  pgopt_pointer_map_set(&kernels->by_hash, key, (int)*kernel);
  PGOPT_APPEND(kernels->kernels, kernels->count, kernels->capacity, added);
  return mlirLogicalResultSuccess();
}

/// Elementwise producers of a reduction disappear in its loops. Those of a
/// contraction that is cut stay: its generator wants the product alone.
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
    const pgopt_kernel *kernel = &kernels->kernels[i];
    if (generics > 1 && !others &&
        !(kernel->range && kernel->plan->has_contraction) &&
        mlirLogicalResultIsFailure(
            pgopt_pass_run_pipeline(pass, fuse_pipeline, kernel->function)))
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
    const pgopt_cut *cut = !kernel->range ? NULL
                           : output       ? &plan->output_cuts[n]
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
  if (kernel->variant)
    pgopt_set_text(function, PGOPT_VARIANT, kernel->variant);
}

/// The kernels' globals in the order in which kernels use them.
typedef struct used_globals {
  const pgopt_symbol_index *symbols;
  pgopt_pointer_map index; ///< by the attribute that refers to one
  MlirOperation *ops;
  MlirAttribute *names; ///< new ones
  size_t count, capacity;
} used_globals;

static MlirWalkResult list_used(MlirOperation op, void *data) {
  used_globals *g = data;
  int index;
  if (!pgopt_op_is(op, "memref.get_global"))
    return MlirWalkResultAdvance;
  const void *key = pgopt_op_attribute(op, "name").ptr;
  if (pgopt_pointer_map_get(&g->index, key, &index))
    return MlirWalkResultAdvance;
  pgopt_pointer_map_set(&g->index, key, (int)g->count);
  MlirOperation global = pgopt_symbol_index_resolve(g->symbols, op, "name");
  PGOPT_APPEND(g->ops, g->count, g->capacity, global);
  return MlirWalkResultAdvance;
}

static MlirWalkResult rename_uses(MlirOperation op, void *data) {
  const used_globals *g = data;
  int index;
  if (pgopt_op_is(op, "memref.get_global") &&
      pgopt_pointer_map_get(&g->index, pgopt_op_attribute(op, "name").ptr,
                            &index))
    mlirOperationSetAttributeByName(op, pgopt_ref("name"), g->names[index]);
  return MlirWalkResultAdvance;
}

/// The global's name without the number that told it from others of its type.
static char *plain_name(MlirOperation global) {
  char *name = pgopt_ref_duplicate(pgopt_symbol_name(global));
  size_t end = strlen(name);
  while (end && name[end - 1] >= '0' && name[end - 1] <= '9')
    --end;
  if (end && name[end] && name[end - 1] == '_')
    name[end - 1] = '\0';
  return name;
}

static void erase_unused(const used_globals *g, MlirOperation module) {
  size_t count;
  MlirOperation *ops = pgopt_block_ops(pgopt_module_body(module), &count);
  MlirContext c = mlirOperationGetContext(module);
  for (size_t i = 0; i < count; ++i) {
    int index;
    if (pgopt_op_is(ops[i], "memref.global") &&
        !pgopt_pointer_map_get(
            &g->index,
            mlirFlatSymbolRefAttrGet(c, pgopt_symbol_name(ops[i])).ptr, &index))
      mlirOperationDestroy(ops[i]);
  }
  free(ops);
}

/// Puts the kernels' globals in the order of their use and gives them names
/// that are free in the network's module. Bufferization takes functions, and
/// so makes and numbers globals, in an order that differs from run to run.
static void order_globals(pgopt_kernel_module *kernels) {
  MlirContext c = mlirOperationGetContext(kernels->op);
  MlirBlock body = pgopt_module_body(kernels->op);
  pgopt_symbol_index symbols = pgopt_symbol_index_create(kernels->op);
  used_globals g = {.symbols = &symbols};
  for (size_t i = 0; i < kernels->count; ++i)
    mlirOperationWalk(kernels->kernels[i].function, list_used, &g,
                      MlirWalkPreOrder);
  erase_unused(&g, kernels->op);
  g.names = pgopt_allocate(g.count, sizeof *g.names);
  for (size_t i = 0; i < g.count; ++i) {
    char *plain = plain_name(g.ops[i]);
    char *name = pgopt_symbol_names_make(&kernels->names, plain);
    g.names[i] = mlirFlatSymbolRefAttrGet(c, pgopt_ref(name));
    mlirOperationSetAttributeByName(g.ops[i], pgopt_ref("sym_name"),
                                    pgopt_text_attribute(c, name));
    mlirOperationMoveBefore(g.ops[i], mlirBlockGetFirstOperation(body));
    free(name);
    free(plain);
  }
  if (g.count)
    mlirOperationWalk(kernels->op, rename_uses, &g, MlirWalkPreOrder);
  pgopt_symbol_index_free(&symbols);
  pgopt_pointer_map_free(&g.index);
  free(g.ops);
  free(g.names);
}

/// Finds the kernels' functions again: bufferization rebuilds them.
static MlirLogicalResult describe_kernels(pgopt_kernel_module *kernels) {
  MlirContext context = mlirOperationGetContext(kernels->op);
  pgopt_symbol_index symbols = pgopt_symbol_index_create(kernels->op);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (size_t i = 0; i < kernels->count && mlirLogicalResultIsSuccess(result);
       ++i) {
    pgopt_kernel *kernel = &kernels->kernels[i];
    kernel->function =
        pgopt_symbol_index_find(&symbols, context, pgopt_ref(kernel->name));
    if (mlirFunctionTypeGetNumResults(pgopt_function_type(kernel->function)))
      result = pgopt_emit_error(kernel->function,
                                "kernel '%s' does not write its destination in "
                                "place",
                                kernel->name);
    else
      describe_arguments(kernel);
  }
  pgopt_symbol_index_free(&symbols);
  return result;
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
  if (mlirLogicalResultIsFailure(describe_kernels(kernels)))
    return mlirLogicalResultFailure();
  order_globals(kernels);
  size_t count;
  MlirOperation *ops = pgopt_block_ops(pgopt_module_body(kernels->op), &count);
  for (size_t i = 0; i < count; ++i)
    mlirOperationMoveBefore(ops[i], before);
  free(ops);
  mlirOperationDestroy(kernels->op);
  kernels->op = (MlirOperation){NULL};
  return mlirLogicalResultSuccess();
}

void pgopt_kernel_module_free(pgopt_kernel_module *kernels) {
  for (size_t i = 0; i < kernels->count; ++i)
    free(kernels->kernels[i].name);
  free(kernels->kernels);
  pgopt_pointer_map_free(&kernels->by_hash);
  pgopt_symbol_names_free(&kernels->names);
  if (!mlirOperationIsNull(kernels->op))
    mlirOperationDestroy(kernels->op);
  *kernels = (pgopt_kernel_module){0};
}
