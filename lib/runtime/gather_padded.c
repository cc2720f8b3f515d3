/// \file The strided box copy of an array that has zeros around it which are
/// not stored.
#include <stdint.h>
#include <string.h>

#include "pgopt/runtime.h"
#include "runtime/fatal.h"

enum { MAX_RANK = 16, MAX_BOUNDS = 8 };

typedef struct gathering {
  int64_t rank, bytes, bound_count;
  const int64_t *extents, *strides, *bounds;
  const char *source;
  char *to;
} gathering;

/// The bound's index of the box's begin, its extent, and from `at[2]` on what
/// each dimension moves by.
static const int64_t *bound_at(const gathering *g, int64_t bound) {
  return g->bounds + bound * (g->rank + 2);
}

static int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// The part [low, high) of the innermost dimension that lies in all bounds.
static void clamp_row(const gathering *g, const int64_t *index, int64_t *low,
                      int64_t *high) {
  *low = 0;
  *high = g->extents[g->rank - 1];
  for (int64_t b = 0; b < g->bound_count; ++b) {
    int64_t extent = bound_at(g, b)[1], move = bound_at(g, b)[1 + g->rank];
    int64_t first = index[b] < 0 ? -index[b] : 0;
    int64_t end = index[b] < extent ? extent - index[b] : 0;
    if (!move) {
      *high = first || !end ? 0 : *high;
      continue;
    }
    first = divide_up(first, move);
    end = divide_up(end, move);
    *low = first > *low ? first : *low;
    *high = end < *high ? end : *high;
  }
  *low = *low < *high ? *low : *high;
}

static void copy_elements(const gathering *g, int64_t offset, int64_t count) {
  int64_t stride = g->strides[g->rank - 1];
  const char *from = g->source + offset * g->bytes;
  if (stride == 1)
    memcpy(g->to, from, (size_t)(count * g->bytes));
  else if (g->bytes == 4)
    for (int64_t i = 0; i < count; ++i)
      memcpy(g->to + i * 4, from + i * stride * 4, 4);
  else
    for (int64_t i = 0; i < count; ++i)
      memcpy(g->to + i * g->bytes, from + i * stride * g->bytes,
             (size_t)g->bytes);
}

static void skip(gathering *g, int64_t count) {
  if (count)
    memset(g->to, 0, (size_t)(count * g->bytes));
  g->to += count * g->bytes;
}

/// Copies the dimensions from `level` on, of which the first element is at
/// `offset` and at `index` in the bounds.
static void copy_from(gathering *g, int64_t level, int64_t offset,
                      const int64_t *index) {
  if (level == g->rank - 1) {
    int64_t low, high;
    clamp_row(g, index, &low, &high);
    skip(g, low);
    if (low < high)
      copy_elements(g, offset + low * g->strides[level], high - low);
    g->to += (high - low) * g->bytes;
    skip(g, g->extents[level] - high);
    return;
  }
  int64_t here[MAX_BOUNDS] = {0};
  memcpy(here, index, (size_t)g->bound_count * sizeof *here);
  for (int64_t i = 0; i < g->extents[level]; ++i) {
    copy_from(g, level + 1, offset + i * g->strides[level], here);
    for (int64_t b = 0; b < g->bound_count; ++b)
      here[b] += bound_at(g, b)[2 + level];
  }
}

void pgopt_rt_gather_padded(int64_t rank, const int64_t *extents,
                            const int64_t *strides, int64_t element_bytes,
                            const void *source, int64_t first,
                            void *destination, int64_t bound_count,
                            const int64_t *bounds) {
  if (rank < 1 || rank > MAX_RANK || bound_count < 0 ||
      bound_count > MAX_BOUNDS)
    pgopt_runtime_fatal("gather: rank %lld with %lld bounds; 1 to %d and 0 to "
                        "%d are allowed",
                        (long long)rank, (long long)bound_count, MAX_RANK,
                        MAX_BOUNDS);
  gathering g = {rank,    element_bytes, bound_count, extents,
                 strides, bounds,        source,      destination};
  int64_t index[MAX_BOUNDS] = {0};
  for (int64_t b = 0; b < bound_count; ++b)
    index[b] = bound_at(&g, b)[0];
  for (int64_t i = 0; i < rank; ++i)
    if (extents[i] < 1)
      return;
  copy_from(&g, 0, first, index);
}
