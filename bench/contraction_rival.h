/// \file Tensor contractions as transposes, one matrix product of OpenBLAS's,
/// and a transpose of its result.
#ifndef PGOPT_BENCH_CONTRACTION_RIVAL_H
#define PGOPT_BENCH_CONTRACTION_RIVAL_H

#include "tensor_transpose.h"

enum { CONTRACTION_LETTERS = 8 };

/// f32, row-major. Every letter is of two of the three terms.
typedef struct contraction {
  const char *name; ///< terms of C, A, B, innermost dimension first
  int64_t extents[CONTRACTION_LETTERS]; ///< of 'a', 'b', ...; 0: none
} contraction;

/// The dimensions of A (0), B (1) or C (2), outermost first.
void contraction_term(const contraction *c, int operand,
                      char term[TRANSPOSE_RANK + 1]);

int64_t contraction_elements(const contraction *c, int operand);
double contraction_operations(const contraction *c);

typedef struct contraction_rival {
  /// A, B and C as the product has them, outermost dimension first.
  char stored[3][TRANSPOSE_RANK + 1];
  bool is_moved[3];                ///< stored otherwise than given
  bool has_depth_first, is_turned; ///< A is KM; C is NM
  bool has_columns_first;          ///< B is NK
  int m, n, k;
  tensor_transpose moves[3];
  int64_t moves_ns; ///< what the transposes took when they were planned
  float *copies[3];
} contraction_rival;

/// Takes of the orders that move the fewest elements, and of these that keep
/// the most rows, the one that ran fastest; below 100 GFLOP, with OpenBLAS's
/// kernel set that ran fastest then. Of each transpose the faster order of its
/// loops.
/// \param operands A, B and C, of `huge_pages_allocate`; C is written.
void contraction_rival_create(const contraction *c, float *const *operands,
                              contraction_rival *rival);
void contraction_rival_destroy(contraction_rival *rival);

void contraction_rival_run(const contraction_rival *rival,
                           float *const *operands);

#endif // PGOPT_BENCH_CONTRACTION_RIVAL_H
