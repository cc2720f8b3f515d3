/// \file The layouts that every value between kernels can have: what its
/// producer can write and its users can read.
///
/// A layout is an order of a value's axes, so dimensions of extent 1 do not
/// count, dimensions that always stay together are one axis, and equal layouts
/// are one. Every kernel has candidates: a layout for each value it reads and
/// writes. A convolution has its images as declared, with channels first and
/// with channels last; a product reads its operands in the orders that need no
/// gather; other kernels and views hand on what their neighbours have.
/// Parameters are packed for each candidate and have no set.
#ifndef PGOPT_LAYOUT_LAYOUT_SETS_H
#define PGOPT_LAYOUT_LAYOUT_SETS_H

#include "base/text.h"
#include "layout/assignment.h"

enum {
  PGOPT_MAX_LAYOUTS = 6,            ///< of a value
  PGOPT_MAX_LAYOUT_CANDIDATES = 12, ///< of a kernel
};

/// A kernel, or a view that stands between kernels: its operations, ascending,
/// and the one that the others belong to. No operation whose result has to be
/// stored is of two kernels.
typedef struct pgopt_layout_kernel {
  const int *ops;
  size_t op_count;
  int core;
} pgopt_layout_kernel;

/// The layouts of a value; the first one is as it is declared.
typedef struct pgopt_layout_set {
  const int *orders[PGOPT_MAX_LAYOUTS]; ///< of its axes, outermost first
  size_t count;
} pgopt_layout_set;

/// An order that a candidate gives a value which the kernel makes, or a
/// parameter that it reads.
typedef struct pgopt_placed_value {
  int value;
  const int *order;
} pgopt_placed_value;

typedef struct pgopt_layout_candidate {
  const int *layouts; ///< one an operand, then one a result: of its set
  const pgopt_placed_value *placed;
  size_t placed_count;
  bool is_free; ///< nothing is computed: transposes and views of values that
                ///< are stored alike
} pgopt_layout_candidate;

/// The first candidate has everything as it is declared.
typedef struct pgopt_kernel_layouts {
  const int *operands, *results; ///< values, each once; no parameters
  size_t operand_count, result_count;
  const pgopt_layout_candidate *candidates;
  size_t candidate_count;
} pgopt_kernel_layouts;

typedef struct pgopt_layout_sets {
  pgopt_arena arena;
  const pgopt_axes *axes;
  const pgopt_layout_kernel *kernels; ///< borrowed
  size_t kernel_count;
  pgopt_kernel_layouts *layouts; ///< one a kernel
  pgopt_layout_set
      *sets;         ///< one a value; empty for what is not between kernels
  bool *is_returned; ///< one a value: something else than a kernel reads it,
                     ///< as it is declared
} pgopt_layout_sets;

/// \param kernels in program order; borrowed, as the axes are.
/// \param[out] sets freed with `pgopt_layout_sets_free`.
void pgopt_layout_sets_find(const pgopt_axes *axes,
                            const pgopt_layout_kernel *kernels, size_t count,
                            pgopt_layout_sets *sets);

void pgopt_layout_sets_free(pgopt_layout_sets *sets);

/// Appends an order of a value's axes as text: a letter a dimension, outermost
/// first; where a dimension is cut, the letter and the factor's number.
void pgopt_order_append_name(const pgopt_axes *axes, int value,
                             const int *order, pgopt_text *text);

#endif // PGOPT_LAYOUT_LAYOUT_SETS_H
