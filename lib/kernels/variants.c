/// \file Lists variants: every shape of a generated product that has a plan of
/// its own, sizes of a window's tiles, BLAS where it applies, and what the
/// lowering falls back to.
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

/// What the C compiler makes of plain loops, by what vectors take: within what
/// is measured.
static const double loops_factor = 1.5;

static const char *const names[] = {"product", "winograd", "window", "blas",
                                    "im2col",  "vector",   "loops"};
static const char *const sources[] = {"", " packed", " gathered", " prepared"};

void pgopt_variant_print(const pgopt_variant *variant,
                         char text[PGOPT_VARIANT_TEXT]) {
  const pgopt_product_shape *shape = &variant->shape;
  if (variant->algorithm == PGOPT_ALGORITHM_WINOGRAD)
    snprintf(text, PGOPT_VARIANT_TEXT, "winograd:f%d", (int)variant->size);
  else if (variant->algorithm == PGOPT_ALGORITHM_WINDOW)
    snprintf(text, PGOPT_VARIANT_TEXT, "window:%d", (int)variant->size);
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
  *variant = (pgopt_variant){.algorithm = PGOPT_ALGORITHM_WINDOW};
  if (sscanf(text, "window:%2" SCNd64 "%n", &variant->size, &end) == 1) {
    pgopt_variant_print(variant, again);
    return variant->size > 0 && !strcmp(text, again);
  }
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

MlirOperation pgopt_variant_core(MlirOperation function) {
  size_t count, found[ROLES] = {0};
  MlirOperation cores[ROLES] = {{NULL}};
  MlirOperation *ops = pgopt_collect_ops(function, "linalg.generic", &count);
  for (size_t i = 0; i < count; ++i) {
    role r = role_of(ops[i]);
    cores[r] = ops[i];
    ++found[r];
  }
  free(ops);
  for (role r = CONTRACTS; r > NONE; --r)
    if (found[r])
      return found[r] == 1 ? cores[r] : (MlirOperation){NULL};
  return (MlirOperation){NULL};
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
  case PGOPT_ALGORITHM_WINDOW:
    return pgopt_is_window(core, target, variant->size, NULL);
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

/// Points of the core's loops; extents that are not known count as 1.
static double points(const pgopt_generic *generic) {
  double product = 1;
  for (size_t l = 0; l < generic->loop_count; ++l)
    if (generic->extents[l] != PGOPT_DYNAMIC)
      product *= (double)generic->extents[l];
  return product;
}

/// A kernel whose candidates are listed.
typedef struct listed {
  MlirOperation core;
  const pgopt_target *target;
  double vectors; ///< of the points of its loops
} listed;

/// Tiles of every width that deals the outputs out in another way.
static void list_window(const listed *k, listing *l) {
  int64_t most, last = 0, width;
  if (!pgopt_is_window(k->core, k->target, 0, &most))
    return;
  for (int64_t wanted = most; wanted > 0; wanted /= 2) {
    if (!pgopt_is_window(k->core, k->target, wanted, &width) || width == last)
      continue;
    // Of a smaller tile more pixels are loaded again.
    add(l, (pgopt_variant){.algorithm = PGOPT_ALGORITHM_WINDOW, .size = width},
        k->vectors * (1 + 1.0 / (double)width));
    last = width;
  }
}

/// What the lowering comes to when no generator takes the kernel.
static void list_rest(const listed *k, listing *l) {
  if (pgopt_vectorize(k->core) == PGOPT_KERNEL_VECTORIZED) {
    add(l, (pgopt_variant){.algorithm = PGOPT_ALGORITHM_VECTOR}, k->vectors);
    add(l, (pgopt_variant){.algorithm = PGOPT_ALGORITHM_LOOPS},
        loops_factor * k->vectors);
  }
}

/// Classes of kernels beside products and Winograd, in the order in which the
/// lowering tries them. Each adds what there is to measure, the default first,
/// or nothing when the kernel is not of the class. One may change the core: it
/// is asked last.
static void (*const classes[])(const listed *k, listing *l) = {list_window,
                                                               list_rest};

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

static size_t list_class(const listed *kernel, pgopt_variant_estimate *list) {
  listing l = {0};
  for (size_t i = 0; i < sizeof classes / sizeof *classes && !l.count; ++i)
    classes[i](kernel, &l);
  size_t count = pgopt_variants_prune(l.items, l.count, 0);
  for (size_t i = 0; i < count; ++i)
    list[i] = l.items[i];
  free(l.items);
  return count > 1 ? count : 0;
}

size_t pgopt_variants_list(MlirOperation function, const pgopt_target *target,
                           pgopt_preparation *preparation,
                           pgopt_variant_estimate *list) {
  MlirOperation core = pgopt_variant_core(function);
  if (mlirOperationIsNull(core))
    return 0;
  pgopt_generic generic;
  pgopt_contraction contraction;
  pgopt_read_generic(core, &generic);
  bool is_contraction = pgopt_read_contraction(&generic, 0, &contraction);
  MlirType element = generic.operands[generic.input_count].element;
  int64_t storage = pgopt_element_storage(element);
  int64_t lanes = storage ? target->vector_bytes / storage : 1;
  double work = points(&generic);
  pgopt_generic_free(&generic);
  if (!is_contraction || pgopt_is_window(core, target, 0, NULL)) {
    const listed kernel = {core, target, work / (double)lanes};
    return list_class(&kernel, list);
  }

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
