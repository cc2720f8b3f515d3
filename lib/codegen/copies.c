/// \file Copies of buffers as linalg ops.
#include "codegen/copies.h"

#include "base/memory.h"
#include "codegen/emit.h"
#include "codegen/generic.h"

#include <stdlib.h>

static void expand(MlirOperation copy) {
  MlirValue operands[] = {mlirOperationGetOperand(copy, 0),
                          mlirOperationGetOperand(copy, 1)};
  MlirType type = mlirValueGetType(operands[1]);
  if (!mlirShapedTypeHasRank(type))
    return;
  MlirContext context = mlirOperationGetContext(copy);
  size_t rank = (size_t)mlirShapedTypeGetRank(type);
  MlirAffineMap identity =
      mlirAffineMapMultiDimIdentityGet(context, (intptr_t)rank);
  MlirAffineMap maps[] = {identity, identity};
  bool *is_reduction = pgopt_allocate(rank + 1, sizeof *is_reduction);
  MlirType element = mlirShapedTypeGetElementType(type);
  MlirType elements[] = {element, element};
  MlirLocation location = mlirOperationGetLocation(copy);
  MlirLocation locations[] = {location, location};
  MlirRegion region = mlirRegionCreate();
  MlirBlock body = mlirBlockCreate(2, elements, locations);
  mlirRegionAppendOwnedBlock(region, body);
  MlirValue input = mlirBlockGetArgument(body, 0);
  pgopt_op_spec yield = {.name = "linalg.yield",
                         .location = location,
                         .operand_count = 1,
                         .operands = &input};
  pgopt_build(body, &yield);
  pgopt_build_generic(copy, 1, 2, operands, maps, rank, is_reduction, region);
  free(is_reduction);
}

void pgopt_expand_copies(MlirOperation root) {
  size_t count;
  MlirOperation *copies = pgopt_collect_ops(root, "memref.copy", &count);
  for (size_t i = 0; i < count; ++i) {
    MlirValue source = mlirOperationGetOperand(copies[i], 0);
    if (!mlirShapedTypeHasRank(mlirValueGetType(source)))
      continue;
    if (!mlirValueEqual(source, mlirOperationGetOperand(copies[i], 1)))
      expand(copies[i]);
    mlirOperationDestroy(copies[i]);
  }
  free(copies);
}
