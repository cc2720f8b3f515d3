/// \file The strided box copy.
///
/// Dimensions that follow each other in the source are merged first, so that
/// the innermost loop is as long as it can be. Then either the innermost
/// dimension is contiguous and rows of bytes are copied, or another dimension
/// is, which makes the copy a transposition and is done in square tiles, or
/// elements are picked one by one.
#include <stdint.h>
#include <string.h>

#include "pgopt/runtime.h"
#include "runtime/fatal.h"

enum { MAX_RANK = 16, TILE = 16 };

typedef struct box {
  int64_t rank;
  int64_t extents[MAX_RANK];
  int64_t from[MAX_RANK]; ///< source strides
  int64_t to[MAX_RANK];   ///< destination strides
} box;

/// Copies two dimensions of the box; strides count elements.
typedef struct plane {
  int64_t rows, columns;
  int64_t from_row, from_column, to_row, to_column;
} plane;

/// Rows of an image are often a few elements long: calling memcpy for each
/// costs more than the copy. Two moves that may overlap cover every length
/// between their size and twice that.
static inline void copy_row(char *to, const char *from, size_t bytes) {
#define COPY_ENDS(size)                                                        \
  do {                                                                         \
    char first[size], last[size];                                              \
    memcpy(first, from, size);                                                 \
    memcpy(last, from + bytes - size, size);                                   \
    memcpy(to, first, size);                                                   \
    memcpy(to + bytes - size, last, size);                                     \
  } while (0)
  if (bytes > 64)
    memcpy(to, from, bytes);
  else if (bytes >= 32)
    COPY_ENDS(32);
  else if (bytes >= 16)
    COPY_ENDS(16);
  else if (bytes >= 8)
    COPY_ENDS(8);
  else if (bytes >= 4)
    COPY_ENDS(4);
  else
    for (size_t i = 0; i < bytes; ++i)
      to[i] = from[i];
#undef COPY_ENDS
}

/// Here the plane's columns are contiguous bytes and its strides count bytes.
static void copy_rows(const plane *p, const void *from, void *to) {
  const char *source = from;
  char *destination = to;
  for (int64_t r = 0; r < p->rows; ++r)
    copy_row(destination + r * p->to_row, source + r * p->from_row,
             (size_t)p->columns);
}

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

#define DEFINE_COPY_PLANE(type)                                                \
  static void copy_elements_##type(const plane *p, const void *from,           \
                                   void *to) {                                 \
    for (int64_t r = 0; r < p->rows; ++r) {                                    \
      const type *restrict source = (const type *)from + r * p->from_row;      \
      type *restrict destination = (type *)to + r * p->to_row;                 \
      for (int64_t c = 0; c < p->columns; ++c)                                 \
        destination[c * p->to_column] = source[c * p->from_column];            \
    }                                                                          \
  }                                                                            \
                                                                               \
  static void copy_tiles_##type(const plane *p, const void *from, void *to) {  \
    for (int64_t r = 0; r < p->rows; r += TILE)                                \
      for (int64_t c = 0; c < p->columns; c += TILE) {                         \
        plane tile = *p;                                                       \
        tile.rows = smaller(TILE, p->rows - r);                                \
        tile.columns = smaller(TILE, p->columns - c);                          \
        copy_elements_##type(                                                  \
            &tile, (const type *)from + r * p->from_row + c * p->from_column,  \
            (type *)to + r * p->to_row + c * p->to_column);                    \
      }                                                                        \
  }

DEFINE_COPY_PLANE(uint8_t)
DEFINE_COPY_PLANE(uint16_t)
DEFINE_COPY_PLANE(uint32_t)
DEFINE_COPY_PLANE(uint64_t)

typedef void copy_function(const plane *p, const void *from, void *to);

static copy_function *pick_copy(int64_t element_bytes, int is_transposition) {
  switch (element_bytes) {
  case 1:
    return is_transposition ? copy_tiles_uint8_t : copy_elements_uint8_t;
  case 2:
    return is_transposition ? copy_tiles_uint16_t : copy_elements_uint16_t;
  case 4:
    return is_transposition ? copy_tiles_uint32_t : copy_elements_uint32_t;
  default:
    return is_transposition ? copy_tiles_uint64_t : copy_elements_uint64_t;
  }
}

/// Drops dimensions of extent 1 and merges those that follow each other in the
/// source. False when the box is empty.
static int make_box(int64_t rank, const int64_t *extents,
                    const int64_t *strides, box *b) {
  b->rank = 0;
  for (int64_t i = 0; i < rank; ++i) {
    if (extents[i] < 0)
      pgopt_runtime_fatal("gather: extent %lld", (long long)extents[i]);
    if (extents[i] == 0)
      return 0;
    if (extents[i] == 1)
      continue;
    int64_t outer = b->rank - 1;
    if (outer >= 0 && b->from[outer] == extents[i] * strides[i]) {
      b->extents[outer] *= extents[i];
      b->from[outer] = strides[i];
      continue;
    }
    b->extents[b->rank] = extents[i];
    b->from[b->rank++] = strides[i];
  }
  if (!b->rank) {
    b->extents[0] = b->from[0] = 1;
    b->rank = 1;
  }
  int64_t stride = 1;
  for (int64_t i = b->rank - 1; i >= 0; --i) {
    b->to[i] = stride;
    stride *= b->extents[i];
  }
  return 1;
}

/// Takes one dimension out of the box.
static void remove_dimension(box *b, int64_t at) {
  --b->rank;
  for (int64_t i = at; i < b->rank; ++i) {
    b->extents[i] = b->extents[i + 1];
    b->from[i] = b->from[i + 1];
    b->to[i] = b->to[i + 1];
  }
}

/// Takes the innermost dimension and the best partner for it out of the box.
static plane take_plane(box *b, int *is_transposition) {
  int64_t inner = b->rank - 1;
  plane p = {1, b->extents[inner], 0, b->from[inner], 0, b->to[inner]};
  remove_dimension(b, inner);
  int64_t partner = b->rank - 1;
  *is_transposition = 0;
  if (p.from_column != 1)
    for (int64_t i = 0; i < b->rank; ++i)
      if (b->from[i] == 1) {
        partner = i;
        *is_transposition = 1;
      }
  if (partner >= 0) {
    p.rows = b->extents[partner];
    p.from_row = b->from[partner];
    p.to_row = b->to[partner];
    remove_dimension(b, partner);
  }
  return p;
}

void pgopt_rt_gather(int64_t rank, const int64_t *extents,
                     const int64_t *strides, int64_t element_bytes,
                     const void *source, void *destination) {
  if (rank < 1 || rank > MAX_RANK)
    pgopt_runtime_fatal("gather: rank %lld; 1 to %d are allowed",
                        (long long)rank, MAX_RANK);
  if (element_bytes != 1 && element_bytes != 2 && element_bytes != 4 &&
      element_bytes != 8)
    pgopt_runtime_fatal("gather: elements of %lld bytes; 1, 2, 4 or 8 are "
                        "allowed",
                        (long long)element_bytes);
  box b = {0};
  if (!make_box(rank, extents, strides, &b))
    return;
  int is_transposition;
  plane p = take_plane(&b, &is_transposition);
  copy_function *copy = pick_copy(element_bytes, is_transposition);
  if (p.from_column == 1) {
    copy = copy_rows;
    p.columns *= element_bytes;
    p.from_row *= element_bytes;
    p.to_row *= element_bytes;
  }
  const char *from = source;
  char *to = destination;
  int64_t index[MAX_RANK] = {0};
  for (;;) {
    copy(&p, from, to);
    int64_t i = b.rank - 1;
    for (; i >= 0; --i) {
      from += b.from[i] * element_bytes;
      to += b.to[i] * element_bytes;
      if (++index[i] < b.extents[i])
        break;
      index[i] = 0;
      from -= b.extents[i] * b.from[i] * element_bytes;
      to -= b.extents[i] * b.to[i] * element_bytes;
    }
    if (i < 0)
      return;
  }
}
