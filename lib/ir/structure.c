#include "ir/structure.h"

#include "base/pointer_map.h"
#include "ir/ir.h"

/// Values in the order in which they are made.
typedef struct numbering {
  pgopt_pointer_map numbers;
  int next;
} numbering;

static void add_number(numbering *n, MlirValue value) {
  pgopt_pointer_map_set(&n->numbers, value.ptr, n->next++);
}

/// -1 for a value from outside.
static int number_of(const numbering *n, MlirValue value) {
  int number = -1;
  pgopt_pointer_map_get(&n->numbers, value.ptr, &number);
  return number;
}

static void mix(uint64_t *hash, uint64_t value) {
  *hash = (*hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
  *hash ^= *hash >> 29;
}

static void mix_pointer(uint64_t *hash, const void *pointer) {
  mix(hash, (uint64_t)(uintptr_t)pointer);
}

static void hash_op(numbering *n, uint64_t *hash, MlirOperation op);

static void hash_region(numbering *n, uint64_t *hash, MlirRegion region) {
  MlirBlock block = mlirRegionGetFirstBlock(region);
  for (; !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block)) {
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i) {
      MlirValue argument = mlirBlockGetArgument(block, i);
      mix_pointer(hash, mlirValueGetType(argument).ptr);
      add_number(n, argument);
    }
    MlirOperation op = mlirBlockGetFirstOperation(block);
    for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
      hash_op(n, hash, op);
  }
}

static void hash_op(numbering *n, uint64_t *hash, MlirOperation op) {
  mix_pointer(hash, mlirOperationGetName(op).ptr);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    mix(hash, (uint64_t)number_of(n, mlirOperationGetOperand(op, i)));
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i)
    mix_pointer(hash, mlirOperationGetAttribute(op, i).attribute.ptr);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue result = mlirOperationGetResult(op, i);
    mix_pointer(hash, mlirValueGetType(result).ptr);
    add_number(n, result);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    hash_region(n, hash, mlirOperationGetRegion(op, i));
}

uint64_t pgopt_function_hash(MlirOperation function) {
  numbering n = {0};
  uint64_t hash = 0;
  mix_pointer(&hash, pgopt_function_type(function).ptr);
  hash_region(&n, &hash, mlirOperationGetRegion(function, 0));
  pgopt_pointer_map_free(&n.numbers);
  return hash;
}

/// Two functions that have been equal so far.
typedef struct comparison {
  numbering a, b;
} comparison;

static bool same_value(const comparison *c, MlirValue a, MlirValue b) {
  int number = number_of(&c->a, a);
  return number == number_of(&c->b, b) && (number >= 0 || a.ptr == b.ptr);
}

/// Compares the types, and numbers both values.
static bool same_definition(comparison *c, MlirValue a, MlirValue b) {
  add_number(&c->a, a);
  add_number(&c->b, b);
  return mlirTypeEqual(mlirValueGetType(a), mlirValueGetType(b));
}

bool pgopt_attributes_equal(MlirOperation a, MlirOperation b) {
  intptr_t count = mlirOperationGetNumAttributes(a);
  if (count != mlirOperationGetNumAttributes(b))
    return false;
  for (intptr_t i = 0; i < count; ++i) {
    MlirNamedAttribute x = mlirOperationGetAttribute(a, i);
    MlirNamedAttribute y = mlirOperationGetAttribute(b, i);
    if (x.name.ptr != y.name.ptr ||
        !mlirAttributeEqual(x.attribute, y.attribute))
      return false;
  }
  return true;
}

static bool same_op(comparison *c, MlirOperation a, MlirOperation b);

static bool same_blocks(comparison *c, MlirBlock a, MlirBlock b) {
  intptr_t arguments = mlirBlockGetNumArguments(a);
  if (arguments != mlirBlockGetNumArguments(b))
    return false;
  for (intptr_t i = 0; i < arguments; ++i)
    if (!same_definition(c, mlirBlockGetArgument(a, i),
                         mlirBlockGetArgument(b, i)))
      return false;
  MlirOperation x = mlirBlockGetFirstOperation(a);
  MlirOperation y = mlirBlockGetFirstOperation(b);
  for (; !mlirOperationIsNull(x) && !mlirOperationIsNull(y);
       x = mlirOperationGetNextInBlock(x), y = mlirOperationGetNextInBlock(y))
    if (!same_op(c, x, y))
      return false;
  return mlirOperationIsNull(x) && mlirOperationIsNull(y);
}

static bool same_regions(comparison *c, MlirRegion a, MlirRegion b) {
  MlirBlock x = mlirRegionGetFirstBlock(a), y = mlirRegionGetFirstBlock(b);
  for (; !mlirBlockIsNull(x) && !mlirBlockIsNull(y);
       x = mlirBlockGetNextInRegion(x), y = mlirBlockGetNextInRegion(y))
    if (!same_blocks(c, x, y))
      return false;
  return mlirBlockIsNull(x) && mlirBlockIsNull(y);
}

static bool same_op(comparison *c, MlirOperation a, MlirOperation b) {
  intptr_t operands = mlirOperationGetNumOperands(a);
  intptr_t results = mlirOperationGetNumResults(a);
  intptr_t regions = mlirOperationGetNumRegions(a);
  if (mlirOperationGetName(a).ptr != mlirOperationGetName(b).ptr ||
      operands != mlirOperationGetNumOperands(b) ||
      results != mlirOperationGetNumResults(b) ||
      regions != mlirOperationGetNumRegions(b) ||
      mlirOperationGetNumSuccessors(a) || mlirOperationGetNumSuccessors(b))
    return false;
  for (intptr_t i = 0; i < operands; ++i)
    if (!same_value(c, mlirOperationGetOperand(a, i),
                    mlirOperationGetOperand(b, i)))
      return false;
  if (!pgopt_attributes_equal(a, b))
    return false;
  for (intptr_t i = 0; i < results; ++i)
    if (!same_definition(c, mlirOperationGetResult(a, i),
                         mlirOperationGetResult(b, i)))
      return false;
  for (intptr_t i = 0; i < regions; ++i)
    if (!same_regions(c, mlirOperationGetRegion(a, i),
                      mlirOperationGetRegion(b, i)))
      return false;
  return true;
}

bool pgopt_functions_equal(MlirOperation a, MlirOperation b) {
  comparison c = {0};
  bool equal = mlirTypeEqual(pgopt_function_type(a), pgopt_function_type(b)) &&
               same_regions(&c, mlirOperationGetRegion(a, 0),
                            mlirOperationGetRegion(b, 0));
  pgopt_pointer_map_free(&c.a.numbers);
  pgopt_pointer_map_free(&c.b.numbers);
  return equal;
}
