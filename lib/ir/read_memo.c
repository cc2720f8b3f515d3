#include "ir/read_memo.h"

#include "ir/ir.h"
#include "ir/read_structured.h"

#include <stdlib.h>

static pgopt_element_class classify_element(MlirType type, int *bits) {
  *bits = 64;
  if (mlirTypeIsAIndex(type))
    return PGOPT_INDEX;
  if (mlirTypeIsAInteger(type)) {
    *bits = (int)mlirIntegerTypeGetWidth(type);
    return PGOPT_INTEGER;
  }
  if (mlirTypeIsAFloat(type)) {
    *bits = (int)mlirFloatTypeGetWidth(type);
    return PGOPT_FLOAT;
  }
  return PGOPT_OTHER_ELEMENT;
}

static pgopt_type read_type(pgopt_arena *arena, MlirType type) {
  pgopt_type result = {0};
  pgopt_text text = {0};
  pgopt_print_type(type, &text);
  result.text = pgopt_arena_text(arena, text.data, text.size);
  pgopt_text_free(&text);
  MlirType element = type;
  if (mlirTypeIsATensor(type) || mlirTypeIsAMemRef(type) ||
      mlirTypeIsAUnrankedMemRef(type)) {
    result.is_shaped = true;
    result.is_ranked = mlirShapedTypeHasRank(type);
    element = mlirShapedTypeGetElementType(type);
  }
  if (result.is_ranked) {
    result.rank = (size_t)mlirShapedTypeGetRank(type);
    int64_t *extents =
        pgopt_arena_allocate(arena, result.rank, sizeof *extents);
    for (size_t i = 0; i < result.rank; ++i)
      extents[i] = mlirShapedTypeIsDynamicDim(type, (intptr_t)i)
                       ? PGOPT_DYNAMIC
                       : mlirShapedTypeGetDimSize(type, (intptr_t)i);
    result.extents = extents;
  }
  result.element = classify_element(element, &result.element_bits);
  return result;
}

pgopt_type pgopt_read_type(pgopt_read_memo *memo, pgopt_arena *arena,
                           MlirType type) {
  int index;
  if (pgopt_pointer_map_get(&memo->type_index, type.ptr, &index))
    return memo->types[index];
  pgopt_type read = read_type(arena, type);
  pgopt_pointer_map_set(&memo->type_index, type.ptr, (int)memo->type_count);
  PGOPT_APPEND(memo->types, memo->type_count, memo->type_capacity, read);
  return read;
}

const char *pgopt_read_text(pgopt_read_memo *memo, pgopt_arena *arena,
                            MlirAttribute attribute) {
  int index;
  if (pgopt_pointer_map_get(&memo->text_index, attribute.ptr, &index))
    return memo->texts[index];
  pgopt_text text = {0};
  pgopt_print_attribute(attribute, &text);
  const char *read = pgopt_arena_text(arena, pgopt_text_get(&text), text.size);
  pgopt_text_free(&text);
  pgopt_pointer_map_set(&memo->text_index, attribute.ptr,
                        (int)memo->text_count);
  PGOPT_APPEND(memo->texts, memo->text_count, memo->text_capacity, read);
  return read;
}

pgopt_map pgopt_read_map_attribute(pgopt_read_memo *memo, pgopt_arena *arena,
                                   MlirAttribute attribute) {
  int index;
  if (pgopt_pointer_map_get(&memo->map_index, attribute.ptr, &index))
    return memo->maps[index];
  pgopt_map read = pgopt_read_map(arena, mlirAffineMapAttrGetValue(attribute));
  pgopt_pointer_map_set(&memo->map_index, attribute.ptr, (int)memo->map_count);
  PGOPT_APPEND(memo->maps, memo->map_count, memo->map_capacity, read);
  return read;
}

void pgopt_read_memo_free(pgopt_read_memo *memo) {
  pgopt_pointer_map_free(&memo->type_index);
  pgopt_pointer_map_free(&memo->text_index);
  pgopt_pointer_map_free(&memo->map_index);
  free(memo->types);
  free(memo->texts);
  free(memo->maps);
  *memo = (pgopt_read_memo){0};
}
