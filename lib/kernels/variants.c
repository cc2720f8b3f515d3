/// \file Lists variants: every shape of a generated product that has a plan of
/// its own, BLAS where it applies, and what the lowering falls back to.
#include "kernels/variants.h"

#include "codegen/blas.h"
#include "codegen/contraction.h"
#include "kernels/product.h"
#include "kernels/vectorize.h"
#include "kernels/window.h"
#include "kernels/winograd.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// What the model expects above this many times the best is not measured: it
/// errs by less (docs/performance.md).
static const double prune_factor = 1.5;
/// Multiply-adds a cycle and lane: of BLAS, and of code without register tiles,
/// which loads both operands for each of them.
static const double blas_rate = 2, vector_rate = 0.5;
/// What a call of BLAS costs beside its product, in cycles.
static const double blas_call_cycles = 5000;

static const char *const names[] = {"product", "winograd", "blas",
                                    "im2col",  "vector",   "loops"};
static const char *const sources[] = {"", " packed", " gathered", " prepared"};

void pgopt_variant_print(const pgopt_variant *variant,
                         char text[PGOPT_VARIANT_TEXT]) {
  const pgopt_product_shape *shape = &variant->shape;
  if (variant->algorithm == PGOPT_ALGORITHM_WINOGRAD)
    snprintf(text, PGOPT_VARIANT_TEXT, "winograd:f%d", (int)variant->size);
  else if (variant->algorithm != PGOPT_ALGORITHM_PRODUCT)
    snprintf(text, PGOPT_VARIANT_TEXT, "%s", names[variant->algorithm]);
  else
    snprintf(text, PGOPT_VARIANT_TEXT, "product:%dx%d%s%s",
             (int)(shape->rows & 0xff), (int)(shape->vectors & 0xff),
             sources[shape->source], shape->is_swapped ? " swapped" : "");
}

bool pgopt_variant_parse(const char *text, pgopt_variant *variant) {
  char again[PGOPT_VARIANT_TEXT];
  int end = 0;
  for (int a = PGOPT_ALGORITHM_BLAS; a <= PGOPT_ALGORITHM_LOOPS; ++a)
    if (!strcmp(text, names[a])) {
      *variant = (pgopt_variant){.algorithm = (pgopt_algorithm)a};
      return true;
    }
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

MlirOperation pgopt_variant_core(MlirOperation function) {
  size_t count, found = 0;
  MlirOperation core = {NULL};
  MlirOperation *ops = pgopt_collect_ops(function, "linalg.generic", &count);
  for (size_t i = 0; i < count; ++i) {
    pgopt_generic generic;
    pgopt_contraction contraction;
    if (pgopt_read_generic(ops[i], &generic) &&
        pgopt_read_contraction(&generic, 0, &contraction)) {
      core = ops[i];
      ++found;
    }
    pgopt_generic_free(&generic);
  }
  free(ops);
  return found == 1 ? core : (MlirOperation){NULL};
}

bool pgopt_variant_applies(MlirOperation core, const pgopt_variant *variant,
                           const pgopt_target *target,
                           pgopt_preparation *preparation) {
  double cost;
  switch (variant->algorithm) {
  case PGOPT_ALGORITHM_PRODUCT:
    return pgopt_can_generate_product(core, target, preparation,
                                      &variant->shape);
  case PGOPT_ALGORITHM_WINOGRAD:
    return pgopt_is_winograd(core, target, preparation, variant->size, NULL);
  case PGOPT_ALGORITHM_BLAS:
    return pgopt_plan_blas(core, &cost) == PGOPT_BLAS_GEMM;
  case PGOPT_ALGORITHM_IM2COL:
    return pgopt_plan_blas(core, &cost) == PGOPT_BLAS_IM2COL;
  case PGOPT_ALGORITHM_VECTOR:
    return pgopt_vectorize(core) == PGOPT_KERNEL_VECTORIZED;
  case PGOPT_ALGORITHM_LOOPS:
    return true;
  }
  return false;
}

/// The candidates so far.
typedef struct listing {
  pgopt_variant_estimate *items;
  size_t count, capacity;
} listing;

static void add(listing *l, pgopt_variant variant, double cycles) {
  pgopt_variant_estimate item = {variant, cycles};
  PGOPT_APPEND(l->items, l->count, l->capacity, item);
}

static void add_product(const pgopt_product_shape *shape, double cycles,
                        void *data) {
  add(data, (pgopt_variant){PGOPT_ALGORITHM_PRODUCT, *shape, 0}, cycles);
}

/// \returns the size that the lowering takes by itself, or 0.
static int64_t add_winograd(listing *l, MlirOperation core,
                            const pgopt_target *target,
                            pgopt_preparation *preparation) {
  pgopt_winograd_plan plan;
  for (int64_t size = 2; size <= 4; size += 2)
    if (pgopt_is_winograd(core, target, preparation, size, &plan))
      add(l,
          (pgopt_variant){.algorithm = PGOPT_ALGORITHM_WINOGRAD, .size = size},
          plan.cycles);
  return pgopt_is_winograd(core, target, preparation, 0, &plan) ? plan.size : 0;
}

/// Multiply-adds of the core; extents that are not known count as 1.
static double multiply_adds(const pgopt_contraction *contraction) {
  double product = 1;
  for (size_t l = 0; l < contraction->problem.loop_count; ++l)
    if (contraction->problem.loops[l].extent != INT64_MAX)
      product *= (double)contraction->problem.loops[l].extent;
  return product;
}

static void add_blas(listing *l, MlirOperation core, double lanes) {
  double cost;
  pgopt_blas_outcome outcome = pgopt_plan_blas(core, &cost);
  if (outcome == PGOPT_BLAS_NONE)
    return;
  pgopt_variant variant = {.algorithm = outcome == PGOPT_BLAS_GEMM
                                            ? PGOPT_ALGORITHM_BLAS
                                            : PGOPT_ALGORITHM_IM2COL};
  add(l, variant, cost / (blas_rate * lanes) + blas_call_cycles);
}

static size_t cheapest(const pgopt_variant_estimate *items, size_t count) {
  size_t best = 0;
  for (size_t i = 1; i < count; ++i)
    if (items[i].cycles < items[best].cycles)
      best = i;
  return best;
}

size_t pgopt_variants_list(MlirOperation function, const pgopt_target *target,
                           pgopt_preparation *preparation,
                           pgopt_variant_estimate *list) {
  MlirOperation core = pgopt_variant_core(function);
  // A window has no rival that is worth measuring.
  if (mlirOperationIsNull(core) || pgopt_is_window(core, target))
    return 0;
  pgopt_generic generic;
  pgopt_contraction contraction;
  pgopt_read_generic(core, &generic);
  pgopt_read_contraction(&generic, 0, &contraction);
  int64_t lanes =
      target->vector_bytes / pgopt_element_storage(generic.operands[2].element);
  double work = multiply_adds(&contraction);
  pgopt_generic_free(&generic);

  listing l = {0};
  bool is_product;
  pgopt_visit_products(core, target, preparation, add_product, &l, &is_product);
  size_t products = l.count, chosen = cheapest(l.items, products);
  add_blas(&l, core, (double)lanes);
  if (!is_product && l.count > products)
    chosen = products;
  // What both refuse the vectorizer gets.
  if (!is_product && l.count == products) {
    chosen = l.count;
    pgopt_variant variant = {.algorithm = PGOPT_ALGORITHM_VECTOR};
    add(&l, variant, work / (vector_rate * (double)lanes));
  }
  size_t others = l.count;
  int64_t size = add_winograd(&l, core, target, preparation);
  for (size_t i = others; i < l.count; ++i)
    if (l.items[i].variant.size == size)
      chosen = i;
  size_t count = pgopt_variants_prune(l.items, l.count, chosen);
  memcpy(list, l.items, count * sizeof *list);
  free(l.items);
  return count > 1 ? count : 0;
}

static int by_cycles(const void *left, const void *right) {
  const pgopt_variant_estimate *l = left, *r = right;
  char a[PGOPT_VARIANT_TEXT], b[PGOPT_VARIANT_TEXT];
  if (l->cycles != r->cycles)
    return l->cycles < r->cycles ? -1 : 1;
  pgopt_variant_print(&l->variant, a);
  pgopt_variant_print(&r->variant, b);
  return strcmp(a, b);
}

static bool is_library(const pgopt_variant *variant) {
  return variant->algorithm == PGOPT_ALGORITHM_BLAS ||
         variant->algorithm == PGOPT_ALGORITHM_IM2COL;
}

size_t pgopt_variants_prune(pgopt_variant_estimate *list, size_t count,
                            size_t default_number) {
  if (!count)
    return 0;
  pgopt_variant_estimate first = list[default_number];
  list[default_number] = list[0];
  list[0] = first;
  qsort(list + 1, count - 1, sizeof *list, by_cycles);
  double limit = prune_factor * list[cheapest(list, count)].cycles;
  size_t libraries = 0, kept = 1;
  for (size_t i = 1; i < count; ++i)
    libraries += is_library(&list[i].variant);
  for (size_t i = 1; i < count; ++i) {
    bool library = is_library(&list[i].variant);
    libraries -= library;
    if (library ||
        (list[i].cycles <= limit && kept + libraries < PGOPT_MAX_VARIANTS))
      list[kept++] = list[i];
  }
  return kept;
}
