/// \file Variants: their texts, the operations that they are of, and whether
/// one applies.
#include "kernels/variants.h"

#include "codegen/blas.h"
#include "codegen/contraction.h"
#include "kernels/copies.h"
#include "kernels/product.h"
#include "kernels/reduce.h"
#include "kernels/row_gather.h"
#include "kernels/rows.h"
#include "kernels/vectorize.h"
#include "kernels/window.h"
#include "kernels/winograd.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"product", "winograd", "window", "rows",
                                    "reduce",  "gather",   "copy",   "apart",
                                    "blas",    "im2col",   "vector", "loops"};
static const char *const sources[] = {"", " packed", " gathered", " prepared"};

/// True for those whose text ends with a size.
static bool has_size(const pgopt_variant *variant) {
  return variant->algorithm == PGOPT_ALGORITHM_ROWS
             ? variant->size != 0
             : variant->algorithm > PGOPT_ALGORITHM_WINOGRAD &&
                   variant->algorithm < PGOPT_ALGORITHM_APART;
}

void pgopt_variant_print(const pgopt_variant *variant,
                         char text[PGOPT_VARIANT_TEXT]) {
  const pgopt_product_shape *shape = &variant->shape;
  const char *name = names[variant->algorithm];
  if (variant->algorithm == PGOPT_ALGORITHM_WINOGRAD)
    snprintf(text, PGOPT_VARIANT_TEXT, "%s:f%d", name, (int)variant->size);
  else if (has_size(variant))
    snprintf(text, PGOPT_VARIANT_TEXT, "%s:%d", name, (int)variant->size);
  else if (variant->algorithm != PGOPT_ALGORITHM_PRODUCT)
    snprintf(text, PGOPT_VARIANT_TEXT, "%s", name);
  else
    snprintf(text, PGOPT_VARIANT_TEXT, "product:%dx%d%s%s",
             (int)(shape->rows & 0xff), (int)(shape->vectors & 0xff),
             sources[shape->source], shape->is_swapped ? " swapped" : "");
}

/// Reads the text of an algorithm with a size, or with none.
static bool parse_sized(const char *text, pgopt_algorithm algorithm,
                        pgopt_variant *variant) {
  char again[PGOPT_VARIANT_TEXT];
  const char *colon = strchr(text, ':');
  *variant = (pgopt_variant){.algorithm = algorithm};
  if (has_size(variant) || (algorithm == PGOPT_ALGORITHM_ROWS && colon)) {
    if (!colon || sscanf(colon, ":%2" SCNd64, &variant->size) != 1 ||
        variant->size < 1)
      return false;
  }
  pgopt_variant_print(variant, again);
  return !strcmp(text, again);
}

bool pgopt_variant_parse(const char *text, pgopt_variant *variant) {
  char again[PGOPT_VARIANT_TEXT];
  int end = 0;
  for (int a = PGOPT_ALGORITHM_WINDOW; a <= PGOPT_ALGORITHM_LOOPS; ++a)
    if (parse_sized(text, (pgopt_algorithm)a, variant))
      return true;
  *variant = (pgopt_variant){.algorithm = PGOPT_ALGORITHM_WINOGRAD, .size = 2};
  if (!strcmp(text, "winograd:f2"))
    return true;
  variant->size = 4;
  if (!strcmp(text, "winograd:f4"))
    return true;
  *variant = (pgopt_variant){.algorithm = PGOPT_ALGORITHM_PRODUCT};
  pgopt_product_shape *shape = &variant->shape;
  if (sscanf(text, "product:%3" SCNd64 "x%3" SCNd64 "%n", &shape->rows,
             &shape->vectors, &end) != 2 ||
      shape->rows < 1 || shape->rows > 0xff || shape->vectors < 1 ||
      shape->vectors > 0xff)
    return false;
  for (int source = 1; source <= PGOPT_COLUMNS_PREPARED; ++source)
    if (!strncmp(text + end, sources[source], strlen(sources[source])))
      shape->source = (pgopt_product_source)source;
  shape->is_swapped = strstr(text + end, " swapped") != NULL;
  pgopt_variant_print(variant, again);
  return !strcmp(text, again);
}

/// What an operation is to its kernel: the highest one there is once is the
/// core.
typedef enum role { NONE, READS, REDUCES, CONTRACTS, ROLES } role;

static role role_of(MlirOperation op) {
  pgopt_generic generic;
  pgopt_contraction contraction;
  role found = NONE;
  if (pgopt_read_generic(op, &generic)) {
    for (size_t i = 0; i < generic.input_count; ++i)
      if (generic.operands[i].is_memref)
        found = READS;
    for (size_t l = 0; l < generic.loop_count; ++l)
      if (generic.is_reduction[l])
        found = REDUCES;
    if (pgopt_read_contraction(&generic, 0, &contraction))
      found = CONTRACTS;
  }
  pgopt_generic_free(&generic);
  return found;
}

MlirOperation *pgopt_variant_cores(MlirOperation function, size_t *count) {
  size_t all, found[ROLES] = {0};
  MlirOperation *ops = pgopt_collect_ops(function, "linalg.generic", &all);
  role *roles = pgopt_allocate(all + 1, sizeof *roles), highest = NONE;
  for (size_t i = 0; i < all; ++i) {
    roles[i] = role_of(ops[i]);
    ++found[roles[i]];
    highest = roles[i] > highest ? roles[i] : highest;
  }
  *count = 0;
  if (highest == READS || found[highest] == 1)
    for (size_t i = 0; i < all && highest != NONE; ++i)
      if (roles[i] == highest)
        ops[(*count)++] = ops[i];
  free(roles);
  return ops;
}

MlirOperation pgopt_variant_core(MlirOperation function) {
  size_t count;
  MlirOperation *cores = pgopt_variant_cores(function, &count);
  MlirOperation core = count == 1 ? cores[0] : (MlirOperation){NULL};
  free(cores);
  return core;
}

/// Whether an operation that variants are of can be computed so.
static bool applies_to(MlirOperation core, const pgopt_variant *variant,
                       const pgopt_target *target,
                       pgopt_preparation *preparation) {
  double cost;
  switch (variant->algorithm) {
  case PGOPT_ALGORITHM_PRODUCT:
    return pgopt_can_generate_product(core, target, preparation,
                                      &variant->shape);
  case PGOPT_ALGORITHM_WINOGRAD:
    return pgopt_is_winograd(core, target, preparation, variant->size, NULL);
  case PGOPT_ALGORITHM_WINDOW:
    return pgopt_is_window(core, target, variant->size, NULL);
  case PGOPT_ALGORITHM_REDUCE:
    return pgopt_is_reduction(core, target, variant->size, NULL);
  case PGOPT_ALGORITHM_GATHER:
    return pgopt_is_row_gather(core, target, variant->size);
  case PGOPT_ALGORITHM_COPY:
    return pgopt_is_copy(core, target, variant->size);
  case PGOPT_ALGORITHM_BLAS:
    return pgopt_plan_blas(core, &cost) == PGOPT_BLAS_GEMM;
  case PGOPT_ALGORITHM_IM2COL:
    return pgopt_plan_blas(core, &cost) == PGOPT_BLAS_IM2COL;
  case PGOPT_ALGORITHM_VECTOR:
    return pgopt_vectorize(core) == PGOPT_KERNEL_VECTORIZED;
  case PGOPT_ALGORITHM_LOOPS:
    return true;
  case PGOPT_ALGORITHM_ROWS:
  case PGOPT_ALGORITHM_APART:
    break;
  }
  return false;
}

bool pgopt_variant_applies(MlirOperation function, const pgopt_variant *variant,
                           const pgopt_target *target,
                           pgopt_preparation *preparation) {
  if (variant->algorithm == PGOPT_ALGORITHM_ROWS)
    return pgopt_is_rows(function, target, (int)variant->size);
  if (variant->algorithm == PGOPT_ALGORITHM_APART)
    return pgopt_is_rows(function, target, 0);
  size_t count;
  MlirOperation *cores = pgopt_variant_cores(function, &count);
  bool applies = count > 0;
  for (size_t i = 0; i < count && applies; ++i)
    applies = applies_to(cores[i], variant, target, preparation);
  free(cores);
  return applies;
}
