/// \file The kernels that bench/memory measures, and oneDNN's for the same.
#ifndef PGOPT_BENCH_MEMORY_CASES_H
#define PGOPT_BENCH_MEMORY_CASES_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum memory_kind {
  MEMORY_DEPTHWISE, ///< NHWC, bias and ReLU; w: the size of the window
  MEMORY_POOL_MAX,  ///< NHWC
  MEMORY_POOL_SUM,
} memory_kind;

/// Extents: channels, rows and columns of the image (with its padding in it),
/// the window's size and stride.
typedef struct memory_case {
  const char *name;
  memory_kind kind;
  int64_t channels, rows, columns, window, stride, padding;
} memory_case;

extern const memory_case memory_cases[];
extern const size_t memory_case_count;

enum { MEMORY_MAX_BUFFERS = 4 };

typedef struct memory_buffers {
  size_t count;
  int64_t elements[MEMORY_MAX_BUFFERS];
  float *data[MEMORY_MAX_BUFFERS];
} memory_buffers;

/// func @forward over the buffers, the result last.
void memory_case_write(const memory_case *c, pgopt_text *text);
/// \returns how many buffers there are.
size_t memory_case_sizes(const memory_case *c, int64_t *elements);
/// Bytes that are read and written once.
double memory_case_bytes(const memory_case *c);
double memory_case_flops(const memory_case *c);

typedef struct memory_rival {
  const char *name;
  void (*run)(void *data);
  void *data;
} memory_rival;

/// oneDNN's kernel. \returns false when it is not there.
bool memory_rival_create(const memory_case *c, const memory_buffers *b,
                         memory_rival *rival);
void memory_rival_destroy(void *data);
/// What it has computed, in the case's layout; null when that is another.
const float *memory_rival_result(void *data, const memory_buffers *b);

#endif // PGOPT_BENCH_MEMORY_CASES_H
