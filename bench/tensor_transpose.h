/// \file Transposes of f32 tensors of any rank, written by hand.
#ifndef PGOPT_BENCH_TENSOR_TRANSPOSE_H
#define PGOPT_BENCH_TENSOR_TRANSPOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TRANSPOSE_RANK = 8 };

/// Axes as the loops have them, outermost first; those that stay together are
/// one. The innermost has the stride 1 in `to`; the one before it has the
/// stride 1 in `from` unless the innermost has it there, too.
typedef struct tensor_transpose {
  size_t rank;
  int64_t extents[TRANSPOSE_RANK];
  int64_t from[TRANSPOSE_RANK], to[TRANSPOSE_RANK]; ///< strides in elements
  bool streams; ///< whole lines are written past the caches
} tensor_transpose;

/// \param from,to the dimensions' letters, outermost first.
/// \param extents of the dimensions 'a', 'b', ...
/// \param reads_in_order the outer loops as in `from`, not as in `to`.
void tensor_transpose_plan(const char *from, const char *to,
                           const int64_t *extents, bool reads_in_order,
                           tensor_transpose *transpose);

void tensor_transpose_run(const tensor_transpose *transpose, const float *from,
                          float *to);

#endif // PGOPT_BENCH_TENSOR_TRANSPOSE_H
