/// \file Signatures of kernels as a module wants them computed.
#include "ir/kernel_signature.h"

#include "dialect_c/attributes.h"
#include "grouping/signature.h"
#include "ir/ir.h"

#include <stdlib.h>

/// The attribute of the operation or of the nearest one around it.
static bool find_text(MlirOperation op, pgopt_attribute attribute,
                      MlirStringRef *text) {
  while (!mlirOperationIsNull(op) && !pgopt_get_text(op, attribute, text))
    op = mlirOperationGetParentOperation(op);
  return !mlirOperationIsNull(op);
}

pgopt_winograd pgopt_winograd_of(MlirOperation op) {
  pgopt_winograd choice = PGOPT_WINOGRAD_AUTO;
  MlirStringRef text;
  if (!find_text(op, PGOPT_WINOGRAD, &text))
    return choice;
  char *copy = pgopt_ref_duplicate(text);
  pgopt_winograd_parse(copy, &choice);
  free(copy);
  return choice;
}

const char *pgopt_kernel_signature(MlirOperation op,
                                   const pgopt_network *network,
                                   const pgopt_group *group,
                                   pgopt_arena *arena) {
  const char *signature = pgopt_group_signature(network, group, arena);
  int64_t size = pgopt_group_winograd(network, group, pgopt_winograd_of(op));
  if (size)
    signature = pgopt_arena_format(arena, "%s f%d", signature, (int)size);
  MlirStringRef cpu = {0}, features = {0};
  bool has_cpu = find_text(op, PGOPT_TARGET_CPU, &cpu);
  if (find_text(op, PGOPT_TARGET_FEATURES, &features) || has_cpu)
    signature =
        pgopt_arena_format(arena, "%s for %.*s%.*s", signature, (int)cpu.length,
                           cpu.data, (int)features.length, features.data);
  return signature;
}
