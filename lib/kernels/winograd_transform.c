/// \file The one-dimensional transforms of Winograd's F(2,3) and F(4,3).
///
/// With the points 0, +-p, +-q and infinity the rows of a pair of points are
/// the sum and the difference of an even and an odd part.
#include "kernels/winograd_transform.h"

enum { SIDE = PGOPT_WINOGRAD_MAX_SIDE };

static const double p1 = 0.70710678118654752440, p2 = 0.5; // p, p squared
static const double q1 = 1.41421356237309504880, q2 = 2;

typedef struct writer {
  pgopt_emitter e;
  const pgopt_vectors *v;
} writer;

static MlirValue add(const writer *w, MlirValue a, MlirValue b) {
  return pgopt_emit_binary(w->e, "arith.addf", a, b);
}

static MlirValue subtract(const writer *w, MlirValue a, MlirValue b) {
  return pgopt_emit_binary(w->e, "arith.subf", a, b);
}

static MlirValue scale(const writer *w, double factor, MlirValue a) {
  return pgopt_emit_binary(w->e, "arith.mulf", a,
                           pgopt_vector_constant(w->e, w->v, factor));
}

/// factor * a + b.
static MlirValue add_scaled(const writer *w, double factor, MlirValue a,
                            MlirValue b) {
  return pgopt_vector_fma(w->e, w->v, pgopt_vector_constant(w->e, w->v, factor),
                          a, b);
}

void pgopt_winograd_input(pgopt_emitter e, const pgopt_vectors *v, int64_t size,
                          MlirValue *d) {
  writer w = {e, v};
  if (size == 2) {
    MlirValue results[] = {subtract(&w, d[0], d[2]), add(&w, d[1], d[2]),
                           subtract(&w, d[2], d[1]), subtract(&w, d[1], d[3])};
    for (int i = 0; i < 4; ++i)
      d[i] = results[i];
    return;
  }
  // p2 q2 is 1.
  MlirValue zero = add_scaled(&w, -(p2 + q2), d[2], add(&w, d[0], d[4]));
  MlirValue infinity = add_scaled(&w, -(p2 + q2), d[3], add(&w, d[1], d[5]));
  MlirValue even_p = add_scaled(&w, -q2, d[2], d[4]);
  MlirValue odd_p = add_scaled(&w, -q2, d[1], d[3]);
  MlirValue even_q = add_scaled(&w, -p2, d[2], d[4]);
  MlirValue odd_q = add_scaled(&w, -p2, d[1], d[3]);
  d[0] = zero;
  d[1] = add_scaled(&w, p1, odd_p, even_p);
  d[2] = add_scaled(&w, -p1, odd_p, even_p);
  d[3] = add_scaled(&w, q1, odd_q, even_q);
  d[4] = add_scaled(&w, -q1, odd_q, even_q);
  d[5] = infinity;
}

/// The rows of a pair of points +-x: divisor^-1 [1, +-x, x^2].
static void weigh_pair(const writer *w, double x, double divisor,
                       const MlirValue *g, MlirValue *pair) {
  MlirValue even = scale(w, 1 / divisor, add_scaled(w, x * x, g[2], g[0]));
  MlirValue odd = scale(w, x / divisor, g[1]);
  pair[0] = add(w, even, odd);
  pair[1] = subtract(w, even, odd);
}

void pgopt_winograd_weights(pgopt_emitter e, const pgopt_vectors *v,
                            int64_t size, MlirValue *g) {
  writer w = {e, v};
  MlirValue last = g[2], pairs[4];
  weigh_pair(&w, size == 2 ? 1 : p1, size == 2 ? 2 : 2 * p2 * (p2 - q2), g,
             pairs);
  if (size == 4)
    weigh_pair(&w, q1, 2 * q2 * (q2 - p2), g, pairs + 2);
  for (int64_t i = 0; i < size; ++i)
    g[1 + i] = pairs[i];
  g[size + 1] = last;
}

void pgopt_winograd_output(pgopt_emitter e, const pgopt_vectors *v,
                           int64_t size, MlirValue *m) {
  writer w = {e, v};
  MlirValue even_p = add(&w, m[1], m[2]), odd_p = subtract(&w, m[1], m[2]);
  MlirValue first = add(&w, m[0], even_p);
  if (size == 2) {
    m[0] = first;
    m[1] = subtract(&w, odd_p, m[3]);
    return;
  }
  MlirValue even_q = add(&w, m[3], m[4]), odd_q = subtract(&w, m[3], m[4]);
  MlirValue last = m[5];
  m[0] = add(&w, first, even_q);
  m[1] = add_scaled(&w, q1, odd_q, scale(&w, p1, odd_p));
  m[2] = add_scaled(&w, q2, even_q, scale(&w, p2, even_p));
  m[3] = add_scaled(&w, q2 * q1, odd_q, add_scaled(&w, p2 * p1, odd_p, last));
}

void pgopt_winograd_square(pgopt_emitter e, const pgopt_vectors *v,
                           int64_t size,
                           void (*transform)(pgopt_emitter,
                                             const pgopt_vectors *, int64_t,
                                             MlirValue *),
                           int64_t side, int64_t results, MlirValue *square) {
  for (int64_t x = 0; x < side; ++x) {
    MlirValue column[SIDE];
    for (int64_t y = 0; y < side; ++y)
      column[y] = square[y * SIDE + x];
    transform(e, v, size, column);
    for (int64_t y = 0; y < results; ++y)
      square[y * SIDE + x] = column[y];
  }
  for (int64_t y = 0; y < results; ++y)
    transform(e, v, size, &square[y * SIDE]);
}
