#include "codegen/split_kernels.h"

#include "base/memory.h"
#include "base/pointer_map.h"
#include "dialect_c/attributes.h"
#include "ir/ir.h"
#include "ir/symbol_index.h"

#include <stdlib.h>

/// What a kernel refers to.
typedef struct uses {
  const pgopt_symbol_index *symbols;
  MlirOperation function;
  MlirOperation *ops; ///< globals and declarations, each once
  size_t count, capacity;
  bool is_separable;
} uses;

/// A constant, or a function that is somewhere else.
static bool may_use(MlirOperation op) {
  if (pgopt_op_is(op, "llvm.func"))
    return mlirBlockIsNull(pgopt_function_body(op));
  return pgopt_op_is(op, "llvm.mlir.global") &&
         !mlirAttributeIsNull(pgopt_op_attribute(op, "constant")) &&
         mlirBlockIsNull(
             mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)));
}

static void add_use(uses *u, MlirAttribute symbol) {
  if (!mlirAttributeIsAFlatSymbolRef(symbol)) {
    u->is_separable = false;
    return;
  }
  MlirOperation op =
      pgopt_symbol_index_find(u->symbols, mlirOperationGetContext(u->function),
                              mlirFlatSymbolRefAttrGetValue(symbol));
  if (mlirOperationIsNull(op) || !may_use(op)) {
    u->is_separable = false;
    return;
  }
  for (size_t i = 0; i < u->count; ++i)
    if (mlirOperationEqual(u->ops[i], op))
      return;
  PGOPT_APPEND(u->ops, u->count, u->capacity, op);
}

static MlirWalkResult find_uses(MlirOperation op, void *data) {
  uses *u = data;
  if (mlirOperationEqual(op, u->function))
    return MlirWalkResultAdvance;
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i) {
    MlirAttribute value = mlirOperationGetAttribute(op, i).attribute;
    if (mlirAttributeIsASymbolRef(value))
      add_use(u, value);
  }
  return u->is_separable ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

/// Appends a copy. What is exported is the piece's own affair.
static MlirOperation copy_into(MlirModule module, MlirOperation op) {
  MlirOperation copy = mlirOperationClone(op);
  mlirBlockAppendOwnedOperation(mlirModuleGetBody(module), copy);
  return copy;
}

static void take_apart(pgopt_split *split, const pgopt_symbol_index *symbols,
                       MlirOperation function) {
  uses u = {.symbols = symbols, .function = function, .is_separable = true};
  mlirOperationWalk(function, find_uses, &u, MlirWalkPreOrder);
  if (u.is_separable) {
    MlirContext context = mlirOperationGetContext(function);
    pgopt_kernel_piece piece = {
        .module = mlirModuleCreateEmpty(mlirLocationUnknownGet(context)),
        .function = function};
    for (size_t i = 0; i < u.count; ++i)
      copy_into(piece.module, u.ops[i]);
    MlirOperation copy = copy_into(piece.module, function);
    mlirOperationSetAttributeByName(
        copy, pgopt_ref("sym_name"),
        pgopt_text_attribute(context, PGOPT_KERNEL_SYMBOL));
    // Names of the network, which say nothing about the code.
    pgopt_remove(copy, PGOPT_KERNEL);
    pgopt_remove(copy, PGOPT_SIGNATURE);
    pgopt_remove(copy, PGOPT_VARIANT);
    pgopt_remove(copy, PGOPT_PHASE);
    PGOPT_APPEND(split->kernels, split->count, split->capacity, piece);
  }
  free(u.ops);
}

/// A kernel, or what fills the buffer of a constant in front of the first run.
static bool is_apart(MlirOperation op) {
  MlirStringRef phase;
  return pgopt_op_is(op, "llvm.func") &&
         !mlirBlockIsNull(pgopt_function_body(op)) &&
         (!mlirAttributeIsNull(pgopt_get(op, PGOPT_KERNEL)) ||
          (pgopt_get_text(op, PGOPT_PHASE, &phase) &&
           pgopt_ref_is(phase, "prepare")));
}

void pgopt_split_kernels(MlirOperation module, pgopt_split *split) {
  size_t count;
  *split = (pgopt_split){.rest = mlirOperationClone(module)};
  pgopt_symbol_index symbols = pgopt_symbol_index_create(split->rest);
  MlirOperation *ops = pgopt_block_ops(pgopt_module_body(split->rest), &count);
  for (size_t i = 0; i < count; ++i)
    if (is_apart(ops[i]))
      take_apart(split, &symbols, ops[i]);
  free(ops);
  pgopt_symbol_index_free(&symbols);
}

/// A function of the same attributes without a body.
static void declare(MlirOperation function, const char *name) {
  MlirContext context = mlirOperationGetContext(function);
  size_t count = (size_t)mlirOperationGetNumAttributes(function);
  MlirNamedAttribute *attributes = pgopt_allocate(count, sizeof *attributes);
  for (size_t i = 0; i < count; ++i) {
    attributes[i] = mlirOperationGetAttribute(function, (intptr_t)i);
    if (pgopt_ref_is(mlirIdentifierStr(attributes[i].name), "sym_name"))
      attributes[i].attribute = pgopt_text_attribute(context, name);
  }
  pgopt_op_spec spec = {.name = "llvm.func",
                        .location = mlirOperationGetLocation(function),
                        .attribute_count = count,
                        .attributes = attributes,
                        .region_count = 1};
  MlirOperation declared = pgopt_build_before(function, &spec);
  pgopt_remove(declared, PGOPT_KERNEL);
  pgopt_remove(declared, PGOPT_PHASE);
  free(attributes);
  mlirOperationDestroy(function);
}

typedef struct renaming {
  pgopt_pointer_map index; ///< of symbol references
  MlirAttribute *to;
} renaming;

static MlirWalkResult rename_callee(MlirOperation op, void *data) {
  const renaming *r = data;
  int index;
  if (!pgopt_op_is(op, "llvm.call"))
    return MlirWalkResultAdvance;
  MlirAttribute callee = pgopt_op_attribute(op, "callee");
  if (!mlirAttributeIsNull(callee) &&
      pgopt_pointer_map_get(&r->index, callee.ptr, &index))
    mlirOperationSetAttributeByName(op, pgopt_ref("callee"), r->to[index]);
  return MlirWalkResultAdvance;
}

/// Whether an earlier kernel has the same name, and so is the same.
static bool is_declared(const char *const *names, size_t i) {
  for (size_t k = 0; k < i; ++k)
    if (names[k] == names[i])
      return true;
  return false;
}

void pgopt_split_link(pgopt_split *split, const char *const *names) {
  MlirContext context = mlirOperationGetContext(split->rest);
  renaming r = {.to = pgopt_allocate(split->count, sizeof *r.to)};
  for (size_t i = 0; i < split->count; ++i) {
    char *old =
        pgopt_ref_duplicate(pgopt_symbol_name(split->kernels[i].function));
    pgopt_pointer_map_set(&r.index,
                          mlirFlatSymbolRefAttrGet(context, pgopt_ref(old)).ptr,
                          (int)i);
    r.to[i] = mlirFlatSymbolRefAttrGet(context, pgopt_ref(names[i]));
    free(old);
    if (is_declared(names, i))
      mlirOperationDestroy(split->kernels[i].function);
    else
      declare(split->kernels[i].function, names[i]);
  }
  mlirOperationWalk(split->rest, rename_callee, &r, MlirWalkPreOrder);
  pgopt_pointer_map_free(&r.index);
  free(r.to);
}

void pgopt_split_free(pgopt_split *split) {
  for (size_t i = 0; i < split->count; ++i)
    mlirModuleDestroy(split->kernels[i].module);
  free(split->kernels);
  mlirOperationDestroy(split->rest);
  *split = (pgopt_split){0};
}
