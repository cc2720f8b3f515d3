/// \file Lists variants: every shape of a generated product that has a plan of
/// its own, sizes of the other generators' loops, BLAS where it applies, and
/// what the lowering falls back to.
#include "kernels/variant_list.h"

#include "codegen/blas.h"
#include "codegen/contraction.h"
#include "kernels/copies.h"
#include "kernels/product.h"
#include "kernels/reduce.h"
#include "kernels/row_copy.h"
#include "kernels/row_gather.h"
#include "kernels/rows.h"
#include "kernels/vectorize.h"
#include "kernels/window.h"
#include "kernels/winograd.h"

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
/// What upstream's vectorizer makes of what a generator takes, and what the
/// operations of a chain along rows take one by one, by the generated code.
static const double upstream_factor = 1.3, apart_factor = 1.4;

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
  MlirOperation function;
  size_t count;
  MlirOperation *cores; ///< one but for kernels that only copy or map
  const pgopt_target *target;
  int64_t lanes;
  double vectors; ///< of the points of the cores' loops
} listed;

/// Whether all cores are generated with such a size; 0: the model's.
static bool all_are(const listed *k,
                    bool (*is)(MlirOperation, const pgopt_target *, int64_t),
                    int64_t size) {
  bool all = k->count > 0;
  for (size_t i = 0; i < k->count; ++i)
    all = all && is(k->cores[i], k->target, size);
  return all;
}

/// Adds what upstream's vectorizer and plain loops come to; the former changes
/// the cores that it takes.
/// \param factor of the former, by the generated code.
static void add_upstream(const listed *k, listing *l, double factor) {
  bool is_vector = k->count > 0;
  for (size_t i = 0; i < k->count && is_vector; ++i)
    is_vector = pgopt_vectorize(k->cores[i]) == PGOPT_KERNEL_VECTORIZED;
  if (is_vector)
    add(l, (pgopt_variant){.algorithm = PGOPT_ALGORITHM_VECTOR},
        factor * k->vectors);
  if (l->count)
    add(l, (pgopt_variant){.algorithm = PGOPT_ALGORITHM_LOOPS},
        factor * (is_vector ? loops_factor : 1) * k->vectors);
}

/// Chains along rows: every number of vectors a turn, and each operation by
/// itself.
static void list_rows(const listed *k, listing *l) {
  if (!pgopt_is_rows(k->function, k->target, 0))
    return;
  add(l, (pgopt_variant){.algorithm = PGOPT_ALGORITHM_ROWS}, k->vectors);
  for (int turn = 1; turn <= PGOPT_ROWS_MAX_TURN; turn *= 2)
    if (pgopt_is_rows(k->function, k->target, turn))
      add(l, (pgopt_variant){.algorithm = PGOPT_ALGORITHM_ROWS, .size = turn},
          k->vectors);
  add(l, (pgopt_variant){.algorithm = PGOPT_ALGORITHM_APART},
      apart_factor * k->vectors);
}

/// Tiles of every width that deals the outputs out in another way.
static void list_window(const listed *k, listing *l) {
  int64_t most, last = 0, width;
  if (k->count != 1 || !pgopt_is_window(k->cores[0], k->target, 0, &most))
    return;
  for (int64_t wanted = most; wanted > 0; wanted /= 2) {
    if (!pgopt_is_window(k->cores[0], k->target, wanted, &width) ||
        width == last)
      continue;
    // Of a smaller tile more pixels are loaded again.
    add(l, (pgopt_variant){.algorithm = PGOPT_ALGORITHM_WINDOW, .size = width},
        k->vectors * (1 + 1.0 / (double)width));
    last = width;
  }
}

/// Blocks of half as many vectors, a quarter ..., and of more of a row.
static void list_reduction(const listed *k, listing *l) {
  int64_t taken;
  if (k->count != 1 || !pgopt_is_reduction(k->cores[0], k->target, 0, &taken))
    return;
  pgopt_variant variant = {.algorithm = PGOPT_ALGORITHM_REDUCE, .size = taken};
  add(l, variant, k->vectors);
  for (variant.size = 8; variant.size; variant.size /= 2)
    if (variant.size != taken &&
        pgopt_is_reduction(k->cores[0], k->target, variant.size, NULL))
      add(l, variant, k->vectors * (1 + 1.0 / (double)variant.size));
  add_upstream(k, l, upstream_factor);
}

/// Rows that are copied: how many vectors a turn, upstream's loops.
static void
list_rows_copied(const listed *k, listing *l, pgopt_algorithm algorithm,
                 bool (*is)(MlirOperation, const pgopt_target *, int64_t)) {
  if (!all_are(k, is, 0))
    return;
  pgopt_variant variant = {.algorithm = algorithm, .size = PGOPT_ROW_COPY_TURN};
  add(l, variant, k->vectors);
  for (variant.size = PGOPT_ROW_COPY_MAX_TURN; variant.size; variant.size /= 2)
    if (variant.size != PGOPT_ROW_COPY_TURN && all_are(k, is, variant.size))
      add(l, variant, k->vectors * (1 + 0.6 / (double)variant.size));
  add_upstream(k, l, upstream_factor);
}

static void list_gather(const listed *k, listing *l) {
  list_rows_copied(k, l, PGOPT_ALGORITHM_GATHER, pgopt_is_row_gather);
}

static void list_copy(const listed *k, listing *l) {
  list_rows_copied(k, l, PGOPT_ALGORITHM_COPY, pgopt_is_copy);
}

/// What the lowering comes to when no generator takes the kernel.
static void list_rest(const listed *k, listing *l) { add_upstream(k, l, 1); }

/// Classes of kernels beside products and Winograd, in the order in which the
/// lowering tries them. Each adds what there is to measure, the default first,
/// or nothing when the kernel is not of the class.
static void (*const classes[])(const listed *k, listing *l) = {
    list_rows, list_window, list_reduction, list_gather, list_copy, list_rest};

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

/// Counts the vectors of the points of all cores' loops.
static void count_vectors(listed *k) {
  for (size_t i = 0; i < k->count; ++i) {
    pgopt_generic generic;
    pgopt_read_generic(k->cores[i], &generic);
    MlirType element = generic.operands[generic.input_count].element;
    int64_t storage = pgopt_element_storage(element);
    k->lanes = storage ? k->target->vector_bytes / storage : 1;
    k->vectors += points(&generic) / (double)k->lanes;
    pgopt_generic_free(&generic);
  }
  if (!k->count)
    k->vectors = 1;
}

/// A contraction that is no window: every shape of a product, what both
/// generators of products refuse, Winograd's tiles.
static size_t list_contraction(const listed *k, pgopt_preparation *preparation,
                               pgopt_variant_estimate *list) {
  listing l = {0};
  MlirOperation core = k->cores[0];
  bool is_product;
  pgopt_visit_products(core, k->target, preparation, add_product, &l,
                       &is_product);
  size_t products = l.count, chosen = cheapest(l.items, products);
  add_blas(&l, core, (double)k->lanes);
  if (!is_product && l.count > products)
    chosen = products;
  // What both refuse the vectorizer gets.
  if (!is_product && l.count == products) {
    chosen = l.count;
    pgopt_variant variant = {.algorithm = PGOPT_ALGORITHM_VECTOR};
    add(&l, variant, k->vectors / vector_rate);
  }
  size_t others = l.count;
  int64_t size = add_winograd(&l, core, k->target, preparation);
  for (size_t i = others; i < l.count; ++i)
    if (l.items[i].variant.size == size)
      chosen = i;
  size_t count = pgopt_variants_prune(l.items, l.count, chosen);
  memcpy(list, l.items, count * sizeof *list);
  free(l.items);
  return count > 1 ? count : 0;
}

static bool is_contraction(MlirOperation core) {
  pgopt_generic generic;
  pgopt_contraction contraction;
  bool result = pgopt_read_generic(core, &generic) &&
                pgopt_read_contraction(&generic, 0, &contraction);
  pgopt_generic_free(&generic);
  return result;
}

size_t pgopt_variants_list(MlirOperation function, const pgopt_target *target,
                           pgopt_preparation *preparation,
                           pgopt_variant_estimate *list) {
  listed kernel = {.function = function, .target = target, .lanes = 1};
  kernel.cores = pgopt_variant_cores(function, &kernel.count);
  count_vectors(&kernel);
  size_t count = kernel.count == 1 && is_contraction(kernel.cores[0]) &&
                         !pgopt_is_window(kernel.cores[0], target, 0, NULL)
                     ? list_contraction(&kernel, preparation, list)
                     : list_class(&kernel, list);
  free(kernel.cores);
  return count;
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
