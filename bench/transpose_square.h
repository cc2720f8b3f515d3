/// \file A square of 16 x 16 f32 in AVX-512 registers, transposed.
#ifndef PGOPT_BENCH_TRANSPOSE_SQUARE_H
#define PGOPT_BENCH_TRANSPOSE_SQUARE_H

#include <immintrin.h>
#include <stdint.h>

#define AVX512 __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,fma")))
#define INLINE AVX512 static inline __attribute__((always_inline))
typedef __m512 vector;

/// Lanes below `count`.
INLINE __mmask16 mask_of(int64_t count) {
  return count >= 16 ? 0xFFFF : (__mmask16)((1u << count) - 1);
}

/// Pairs, quads, then quarters of registers.
INLINE void transpose_square(vector *r) {
  vector t[16];
  for (int i = 0; i < 16; i += 2) {
    t[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
    t[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
  }
  for (int i = 0; i < 16; i += 4)
    for (int k = 0; k < 2; ++k) {
      __m512d a = _mm512_castps_pd(t[i + k]),
              c = _mm512_castps_pd(t[i + k + 2]);
      r[i + 2 * k] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, c));
      r[i + 2 * k + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, c));
    }
  for (int k = 0; k < 4; ++k) {
    t[k] = _mm512_shuffle_f32x4(r[k], r[k + 4], 0x88);
    t[k + 4] = _mm512_shuffle_f32x4(r[k], r[k + 4], 0xDD);
    t[k + 8] = _mm512_shuffle_f32x4(r[k + 8], r[k + 12], 0x88);
    t[k + 12] = _mm512_shuffle_f32x4(r[k + 8], r[k + 12], 0xDD);
  }
  for (int k = 0; k < 4; ++k) {
    r[k] = _mm512_shuffle_f32x4(t[k], t[k + 8], 0x88);
    r[k + 8] = _mm512_shuffle_f32x4(t[k], t[k + 8], 0xDD);
    r[k + 4] = _mm512_shuffle_f32x4(t[k + 4], t[k + 12], 0x88);
    r[k + 12] = _mm512_shuffle_f32x4(t[k + 4], t[k + 12], 0xDD);
  }
}

#endif // PGOPT_BENCH_TRANSPOSE_SQUARE_H
