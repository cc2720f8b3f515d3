/// \file Emitting vector code: index arithmetic that folds constants, loops
/// that carry vectors, loads and stores through flat views of buffers.
#ifndef PGOPT_KERNELS_VECTORS_H
#define PGOPT_KERNELS_VECTORS_H

#include "codegen/emit.h"

/// An index: a value (null for 0) plus a constant. Offsets from one base differ
/// in the constant, which becomes a displacement.
typedef struct pgopt_position {
  MlirValue value;
  int64_t constant;
} pgopt_position;

pgopt_position pgopt_position_at(int64_t constant);
pgopt_position pgopt_position_of(MlirValue index);
bool pgopt_position_is_constant(pgopt_position a);
MlirValue pgopt_position_value(pgopt_emitter e, pgopt_position a);
pgopt_position pgopt_position_add(pgopt_emitter e, pgopt_position a,
                                  pgopt_position b);
pgopt_position pgopt_position_offset(pgopt_position a, int64_t constant);
pgopt_position pgopt_position_scale(pgopt_emitter e, pgopt_position a,
                                    int64_t factor);
pgopt_position pgopt_position_multiply(pgopt_emitter e, pgopt_position a,
                                       pgopt_position b);
pgopt_position pgopt_position_subtract(pgopt_emitter e, pgopt_position a,
                                       pgopt_position b);
pgopt_position pgopt_position_min(pgopt_emitter e, pgopt_position a,
                                  pgopt_position b);
pgopt_position pgopt_position_max(pgopt_emitter e, pgopt_position a,
                                  pgopt_position b);
/// a / divisor, rounded up; a >= 0.
pgopt_position pgopt_position_divide_up(pgopt_emitter e, pgopt_position a,
                                        int64_t divisor);
/// a / b rounded down, and what is left; a >= 0, b > 0.
pgopt_position pgopt_position_divide(pgopt_emitter e, pgopt_position a,
                                     pgopt_position b);
pgopt_position pgopt_position_remainder(pgopt_emitter e, pgopt_position a,
                                        pgopt_position b);
/// a rounded down to a multiple of `step`; a >= 0.
pgopt_position pgopt_position_floor(pgopt_emitter e, pgopt_position a,
                                    int64_t step);
/// a == 0 and, signed, a < b as an i1.
MlirValue pgopt_position_is_zero(pgopt_emitter e, pgopt_position a);
MlirValue pgopt_position_is_below(pgopt_emitter e, pgopt_position a,
                                  pgopt_position b);
/// `then` where the condition holds, else `otherwise`; of one type.
MlirValue pgopt_emit_select(pgopt_emitter e, MlirValue condition,
                            MlirValue then, MlirValue otherwise);

/// A loop from `low` to `high` that carries values, or its body alone when the
/// bounds are constants that it runs through once.
typedef struct pgopt_loop {
  pgopt_emitter outside, body;
  pgopt_position variable;
  bool is_loop;
  MlirOperation op;
  size_t carried;
} pgopt_loop;

/// \param[in,out] values what is carried: initial values, then those inside.
pgopt_loop pgopt_loop_open(pgopt_emitter e, pgopt_position low,
                           pgopt_position high, int64_t step, size_t carried,
                           MlirValue *values);
/// \param[in,out] values of the turn's end, then those behind the loop.
void pgopt_loop_close(pgopt_loop *loop, MlirValue *values);

/// An `scf.if` whose branches yield `count` values of one type.
typedef struct pgopt_branch {
  pgopt_emitter then, otherwise;
  MlirOperation op;
} pgopt_branch;

pgopt_branch pgopt_branch_open(pgopt_emitter e, MlirValue condition,
                               size_t count, MlirType type);
/// Ends both branches. \param[out] results may be one of the other two.
void pgopt_branch_close(pgopt_branch *branch, size_t count,
                        const MlirValue *then, const MlirValue *otherwise,
                        MlirValue *results);

/// The vectors of a kernel.
typedef struct pgopt_vectors {
  MlirType element, vector;
  int64_t lanes;
  bool has_fma;
} pgopt_vectors;

pgopt_vectors pgopt_vectors_of(MlirType element, int64_t lanes, bool has_fma);
/// The vector type with elements of `element` and the same lanes.
MlirType pgopt_vectors_type(const pgopt_vectors *v, MlirType element);

/// A flat view of the buffer that the memref is a part of.
/// \param[out] offset of the memref's first element in it.
MlirValue pgopt_emit_flat(pgopt_emitter e, MlirValue memref,
                          pgopt_position *offset);

/// `mask` is null for all lanes; lanes that are off are neither read nor
/// written, and 0 in what is loaded.
MlirValue pgopt_vector_load(pgopt_emitter e, const pgopt_vectors *v,
                            MlirValue flat, pgopt_position at, MlirValue mask);
/// The same with other values where the mask is off; there is a mask.
MlirValue pgopt_vector_load_or(pgopt_emitter e, const pgopt_vectors *v,
                               MlirValue flat, pgopt_position at,
                               MlirValue mask, MlirValue otherwise);
void pgopt_vector_store(pgopt_emitter e, const pgopt_vectors *v, MlirValue flat,
                        pgopt_position at, MlirValue mask, MlirValue value);
/// Asks for the cache line of an element that will be read or written.
void pgopt_vector_prefetch(pgopt_emitter e, MlirValue flat, pgopt_position at,
                           bool is_written);
MlirValue pgopt_vector_splat(pgopt_emitter e, const pgopt_vectors *v,
                             MlirValue scalar);
/// One element of the buffer in all lanes.
MlirValue pgopt_vector_load_splat(pgopt_emitter e, const pgopt_vectors *v,
                                  MlirValue flat, pgopt_position at);
MlirValue pgopt_vector_constant(pgopt_emitter e, const pgopt_vectors *v,
                                double value);
/// a * b + c.
MlirValue pgopt_vector_fma(pgopt_emitter e, const pgopt_vectors *v, MlirValue a,
                           MlirValue b, MlirValue c);
/// The first `count` lanes (0 to all; more count as all).
MlirValue pgopt_vector_mask(pgopt_emitter e, const pgopt_vectors *v,
                            pgopt_position count);
/// Moves every lane up by `lanes` places, in [1, all); below comes a constant.
MlirValue pgopt_vector_shift(pgopt_emitter e, const pgopt_vectors *v,
                             MlirValue value, int64_t lanes, double constant);
/// One half of the exchange between two vectors: of lanes that differ in the
/// bit `distance` the low or the high ones, those of `second` where the bit is
/// set.
MlirValue pgopt_vector_exchange(pgopt_emitter e, const pgopt_vectors *v,
                                MlirValue first, MlirValue second,
                                int64_t distance, bool high);
/// Lanes that differ in the bit `distance` change places.
MlirValue pgopt_vector_flip(pgopt_emitter e, const pgopt_vectors *v,
                            MlirValue value, int64_t distance);
/// Lane 0 as a vector of one lane.
MlirValue pgopt_vector_first(pgopt_emitter e, const pgopt_vectors *v,
                             MlirValue value);
/// Transposes a square of `lanes` vectors.
void pgopt_vector_transpose(pgopt_emitter e, const pgopt_vectors *v,
                            MlirValue *rows);

#endif // PGOPT_KERNELS_VECTORS_H
