/// \file What a memory plan must know of a program beside its Profile graph.
#include "ir/read_storage.h"

#include "base/memory.h"
#include "ir/ir.h"
#include "ir/kernel_interface.h"
#include "ir/structure.h"
#include "ir/symbol_index.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/Dialect/Linalg.h"

#include <stdlib.h>

/// Arguments of a kernel: it may write `written` over `read`.
typedef struct argument_pair {
  intptr_t read, written;
} argument_pair;

/// The pairs of one kernel.
typedef struct kernel_pairs {
  argument_pair *items;
  size_t count, capacity;
} kernel_pairs;

typedef struct reader {
  const pgopt_call_program *program;
  pgopt_program_storage *storage;
  size_t overwrite_capacity;
  pgopt_symbol_index symbols;
  pgopt_pointer_map known; ///< function op -> index into `kernels`
  kernel_pairs *kernels;
  size_t kernel_count, kernel_capacity;
} reader;

static bool touches_memory(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetOperand(op, i));
    if (mlirTypeIsAMemRef(type) || mlirTypeIsAUnrankedMemRef(type))
      return true;
  }
  return false;
}

static MlirWalkResult find_access(MlirOperation op, void *found) {
  *(bool *)found |= touches_memory(op);
  return MlirWalkResultAdvance;
}

/// The one operation of a kernel that touches memory, besides views; null when
/// there are others, or memory is touched in a region.
static MlirOperation only_structured_op(MlirOperation function) {
  MlirOperation found = {NULL};
  MlirOperation op = mlirBlockGetFirstOperation(pgopt_function_body(function));
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    bool in_region = false;
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r) {
      MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
      MlirOperation inner = mlirBlockIsNull(block)
                                ? (MlirOperation){NULL}
                                : mlirBlockGetFirstOperation(block);
      for (; !mlirOperationIsNull(inner);
           inner = mlirOperationGetNextInBlock(inner))
        mlirOperationWalk(inner, find_access, &in_region, MlirWalkPreOrder);
    }
    if (in_region)
      return (MlirOperation){NULL};
    if (!touches_memory(op) || pgopt_op_is_memref_view(op) ||
        pgopt_op_is(op, "memref.dim"))
      continue;
    if (!mlirOperationIsNull(found) ||
        mlirAttributeIsNull(mlirLinalgGetIndexingMapsAttribute(op)))
      return (MlirOperation){NULL};
    found = op;
  }
  return found;
}

/// True when both are the same view of two arguments of one type.
static bool same_view(MlirValue a, MlirValue b) {
  if (!mlirTypeEqual(mlirValueGetType(a), mlirValueGetType(b)))
    return false;
  if (mlirValueIsABlockArgument(a) || mlirValueIsABlockArgument(b))
    return mlirValueIsABlockArgument(a) && mlirValueIsABlockArgument(b);
  MlirOperation of_a = mlirOpResultGetOwner(a), of_b = mlirOpResultGetOwner(b);
  intptr_t count = mlirOperationGetNumOperands(of_a);
  if (!mlirStringRefEqual(pgopt_op_name(of_a), pgopt_op_name(of_b)) ||
      !pgopt_op_is_memref_view(of_a) ||
      count != mlirOperationGetNumOperands(of_b) ||
      !pgopt_attributes_equal(of_a, of_b))
    return false;
  for (intptr_t i = 1; i < count; ++i)
    if (!mlirValueEqual(mlirOperationGetOperand(of_a, i),
                        mlirOperationGetOperand(of_b, i)))
      return false;
  return same_view(mlirOperationGetOperand(of_a, 0),
                   mlirOperationGetOperand(of_b, 0));
}

/// The number of the argument that the value is a view of; -1 for none.
static intptr_t argument_of(MlirValue value) {
  while (mlirValueIsAOpResult(value)) {
    if (!pgopt_op_is_memref_view(mlirOpResultGetOwner(value)))
      return -1;
    value = mlirOperationGetOperand(mlirOpResultGetOwner(value), 0);
  }
  return mlirTypeIsAMemRef(mlirValueGetType(value))
             ? mlirBlockArgumentGetArgNumber(value)
             : -1;
}

static MlirAttribute map_of(MlirOperation op, intptr_t operand) {
  return mlirArrayAttrGetElement(mlirLinalgGetIndexingMapsAttribute(op),
                                 operand);
}

/// True when the operation computes each element of the destination once and
/// does not read what was there.
static bool writes_each_once(MlirOperation op, intptr_t destination) {
  MlirAffineMap map = mlirAffineMapAttrGetValue(map_of(op, destination));
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  return mlirAffineMapIsPermutation(map) &&
         mlirBlockGetNumArguments(body) == mlirOperationGetNumOperands(op) &&
         mlirOpOperandIsNull(
             mlirValueGetFirstUse(mlirBlockGetArgument(body, destination)));
}

/// True when each operand that is a view of argument `read` is read where
/// `destination` is written.
static bool reads_at(MlirOperation op, intptr_t read, intptr_t destination) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (argument_of(mlirOperationGetOperand(op, i)) == read &&
        (!mlirAttributeEqual(map_of(op, i), map_of(op, destination)) ||
         !same_view(mlirOperationGetOperand(op, i),
                    mlirOperationGetOperand(op, destination))))
      return false;
  return true;
}

/// \param inputs number of operands that the operation reads.
static void find_pairs(MlirOperation op, intptr_t inputs, kernel_pairs *pairs) {
  intptr_t count = mlirOperationGetNumOperands(op);
  for (intptr_t d = inputs; d < count; ++d) {
    intptr_t written = argument_of(mlirOperationGetOperand(op, d));
    if (written < 0 || !writes_each_once(op, d))
      continue;
    for (intptr_t i = 0; i < inputs; ++i) {
      argument_pair pair = {argument_of(mlirOperationGetOperand(op, i)),
                            written};
      if (pair.read >= 0 && reads_at(op, pair.read, d))
        PGOPT_APPEND(pairs->items, pairs->count, pairs->capacity, pair);
    }
  }
}

static const kernel_pairs *pairs_of(reader *r, MlirOperation function) {
  int known;
  if (!pgopt_pointer_map_get(&r->known, function.ptr, &known)) {
    kernel_pairs pairs = {0};
    MlirOperation op = only_structured_op(function);
    if (!mlirOperationIsNull(op)) {
      intptr_t inputs = mlirOperationGetNumOperands(op);
      MlirAttribute segments = pgopt_op_attribute(op, "operandSegmentSizes");
      if (!mlirAttributeIsNull(segments) &&
          mlirAttributeIsADenseI32Array(segments))
        inputs = mlirDenseI32ArrayGetElement(segments, 0);
      find_pairs(op, inputs, &pairs);
    }
    known = (int)r->kernel_count;
    pgopt_pointer_map_set(&r->known, function.ptr, known);
    PGOPT_APPEND(r->kernels, r->kernel_count, r->kernel_capacity, pairs);
  }
  return &r->kernels[known];
}

static bool has_pair(const kernel_pairs *pairs, intptr_t read,
                     intptr_t written) {
  for (size_t i = 0; i < pairs->count; ++i)
    if (pairs->items[i].read == read && pairs->items[i].written == written)
      return true;
  return false;
}

static int buffer_of(const reader *r, MlirValue value) {
  int buffer = -1;
  pgopt_pointer_map_get(&r->program->buffers, value.ptr, &buffer);
  return buffer;
}

/// A buffer may be passed several times: what holds for one argument must hold
/// for all.
static bool holds_for_call(const reader *r, MlirOperation call,
                           const kernel_pairs *pairs, argument_pair pair) {
  int read = buffer_of(r, mlirOperationGetOperand(call, pair.read));
  int written = buffer_of(r, mlirOperationGetOperand(call, pair.written));
  if (read == written || read < 0 || written < 0)
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); ++i) {
    int buffer = buffer_of(r, mlirOperationGetOperand(call, i));
    if ((buffer == written && i != pair.written) ||
        (buffer == read && !has_pair(pairs, i, pair.written)))
      return false;
  }
  return true;
}

static void read_call(reader *r, size_t node) {
  MlirOperation call = r->program->ops[node];
  MlirOperation function =
      pgopt_symbol_index_resolve(&r->symbols, call, "callee");
  const kernel_pairs *pairs = pairs_of(r, function);
  for (size_t i = 0; i < pairs->count; ++i) {
    if (!holds_for_call(r, call, pairs, pairs->items[i]))
      continue;
    pgopt_overwrite found = {
        node,
        (size_t)buffer_of(r,
                          mlirOperationGetOperand(call, pairs->items[i].read)),
        (size_t)buffer_of(
            r, mlirOperationGetOperand(call, pairs->items[i].written))};
    PGOPT_APPEND(r->storage->overwrites, r->storage->overwrite_count,
                 r->overwrite_capacity, found);
  }
}

void pgopt_read_storage(MlirOperation module, const pgopt_call_program *program,
                        pgopt_program_storage *storage) {
  const pgopt_profile_graph *graph = program->graph;
  *storage = (pgopt_program_storage){
      .allocs = pgopt_allocate(graph->buffer_count, sizeof(MlirOperation)),
      .is_kept = pgopt_allocate(graph->buffer_count, sizeof(bool))};
  reader r = {.program = program,
              .storage = storage,
              .symbols = pgopt_symbol_index_create(module)};
  MlirOperation op =
      mlirBlockGetFirstOperation(pgopt_function_body(program->entry));
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (pgopt_op_is(op, "memref.alloc"))
      storage->allocs[buffer_of(&r, pgopt_result(op))] = op;
    if (pgopt_op_is(op, "func.return"))
      for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
        int buffer = buffer_of(&r, mlirOperationGetOperand(op, i));
        if (buffer >= 0)
          storage->is_kept[buffer] = true;
      }
  }
  for (size_t n = 0; n < graph->node_count; ++n)
    if (graph->nodes[n].kind == PGOPT_NODE_KERNEL)
      read_call(&r, n);
  for (size_t i = 0; i < r.kernel_count; ++i)
    free(r.kernels[i].items);
  free(r.kernels);
  pgopt_pointer_map_free(&r.known);
  pgopt_symbol_index_free(&r.symbols);
}

void pgopt_program_storage_free(pgopt_program_storage *storage) {
  free(storage->allocs);
  free(storage->is_kept);
  free(storage->overwrites);
  *storage = (pgopt_program_storage){0};
}
