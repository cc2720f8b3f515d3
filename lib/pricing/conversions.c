/// \file Layout changes on their own.
#include "pricing/conversions.h"

#include "dialect_c/attributes.h"
#include "ir/ir.h"
#include "ir/stored_values.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static pgopt_shape one_dimension_an_axis(const pgopt_axes *axes, int value) {
  pgopt_shape shape = {.rank = axes->values[value].count};
  for (size_t k = 0; k < shape.rank; ++k)
    shape.sizes[k] = 1;
  return shape;
}

MlirOperation pgopt_build_conversions(MlirOperation module,
                                      const pgopt_ir_network *ir,
                                      const pgopt_axes *axes,
                                      const pgopt_conversion *conversions,
                                      size_t count) {
  MlirContext context = mlirOperationGetContext(module);
  MlirLocation location = mlirOperationGetLocation(module);
  pgopt_rewriter r = {.context = context, .ir = ir, .axes = axes};
  MlirType *types = pgopt_allocate(count, sizeof *types);
  MlirValue *results = pgopt_allocate(count, sizeof *results);
  for (size_t i = 0; i < count; ++i) {
    pgopt_shape shape = one_dimension_an_axis(axes, conversions[i].value);
    types[i] = pgopt_stored_type(&r, conversions[i].value, conversions[i].from,
                                 &shape);
  }
  MlirBlock body;
  MlirOperation function = pgopt_build_function(
      module, "pgopt_changes",
      mlirFunctionTypeGet(context, (intptr_t)count, types, 0, NULL), false,
      location, &body);
  pgopt_op_spec spec = {.name = "func.return", .location = location};
  MlirOperation end = pgopt_build(body, &spec);
  r.before = end;
  for (size_t i = 0; i < count; ++i) {
    char label[32];
    const pgopt_conversion *c = &conversions[i];
    pgopt_copy from = {.order = (int *)c->from,
                       .shape = one_dimension_an_axis(axes, c->value),
                       .value = mlirBlockGetArgument(body, (intptr_t)i)};
    pgopt_copy to = pgopt_copy_in_order(&r, c->value, &from, c->to);
    snprintf(label, sizeof label, "k%zu", i);
    pgopt_set_text(mlirOpResultGetOwner(to.value), PGOPT_KERNEL, label);
    results[i] = to.value;
    free(to.order);
  }
  mlirOperationSetOperands(end, (intptr_t)count, results);
  free(results);
  free(types);
  return function;
}

const char *pgopt_conversion_key(const pgopt_axes *axes, int value,
                                 const int *from, const int *to,
                                 pgopt_arena *arena) {
  const pgopt_value_axes *v = &axes->values[value];
  const pgopt_type *type = &axes->network->values[value].type;
  int place[PGOPT_MAX_AXES];
  pgopt_text key = {0};
  pgopt_text_append(&key, "change %d %d", (int)type->element,
                    type->element_bits);
  for (size_t k = 0; k < v->count; ++k) {
    place[from[k]] = (int)k;
    pgopt_text_append(&key, " %" PRId64, v->extents[from[k]]);
  }
  for (size_t k = 0; k < v->count; ++k)
    pgopt_text_append(&key, ".%d", place[to[k]]);
  const char *result = pgopt_arena_text(arena, key.data, key.size);
  pgopt_text_free(&key);
  return result;
}
