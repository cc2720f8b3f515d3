/// \file Memory-bound kernels as loops of AVX-512 intrinsics: what a careful
/// programmer writes by hand, each with the reads and writes of its kernel.
#include "memory_streams.h"

#include "transpose_square.h"

#include <string.h>

bool memory_loops_run(void) {
  return __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512bw");
}

/// `statement` for every vector of `count` elements at i, with mask m.
#define FOR_VECTORS(count, statement)                                          \
  do {                                                                         \
    int64_t i = 0;                                                             \
    for (; i + 16 <= (count); i += 16) {                                       \
      const __mmask16 m = 0xFFFF;                                              \
      statement;                                                               \
    }                                                                          \
    if (i < (count)) {                                                         \
      const __mmask16 m = mask_of((count)-i);                                  \
      statement;                                                               \
    }                                                                          \
  } while (0)

#define LOAD(p) _mm512_maskz_loadu_ps(m, p)
#define STORE(p, v) _mm512_mask_storeu_ps(p, m, v)

INLINE vector splat(float a) { return _mm512_set1_ps(a); }

INLINE vector horner(vector x, const float *c, int count) {
  vector sum = splat(c[count - 1]);
  for (int i = count - 1; i-- > 0;)
    sum = _mm512_fmadd_ps(sum, x, splat(c[i]));
  return sum;
}

/// e^x = 2^n e^r with `vscalefps` for the power of two.
INLINE vector exp_of(vector x) {
  static const float c[] = {1,
                            1,
                            0.49999994f,
                            0.16666517f,
                            0.041668456f,
                            0.0083694188f,
                            0.0013813143f};
  x = _mm512_min_ps(_mm512_max_ps(x, splat(-104)), splat(89));
  vector n = _mm512_roundscale_ps(_mm512_mul_ps(x, splat(1.44269504f)), 8);
  vector r = _mm512_fmadd_ps(n, splat(-0.693359375f), x);
  r = _mm512_fmadd_ps(n, splat(2.12194440e-4f), r);
  return _mm512_scalef_ps(horner(r, c, 7), n);
}

INLINE vector sigmoid_of(vector x) {
  vector power = exp_of(_mm512_sub_ps(_mm512_setzero_ps(), x));
  return _mm512_div_ps(splat(1), _mm512_add_ps(splat(1), power));
}

/// 1 - 2 / (e^2x + 1), with a polynomial near 0.
INLINE vector tanh_of(vector x) {
  static const float c[] = {-0.33333328f, 0.13333152f,    -0.053939942f,
                            0.021663396f, -0.0080856094f, 0.0020595675f};
  vector size = _mm512_abs_ps(x), square = _mm512_mul_ps(x, x);
  vector near =
      _mm512_fmadd_ps(_mm512_mul_ps(horner(square, c, 6), square), x, x);
  vector power = exp_of(_mm512_add_ps(x, x));
  vector far = _mm512_sub_ps(
      splat(1), _mm512_div_ps(splat(2), _mm512_add_ps(power, splat(1))));
  return _mm512_mask_blend_ps(
      _mm512_cmp_ps_mask(size, splat(0.625f), _CMP_LT_OQ), far, near);
}

INLINE vector erf_of(vector x) {
  static const float inner[] = {0.128379166f,  -0.37612626f,  0.112835854f,
                                -0.026853811f, 0.0051883277f, -0.00080101925f,
                                7.8538571e-05f};
  static const float outer[] = {0.00032056414f, 1.1271716f,    0.63801217f,
                                0.10321827f,    -0.021889675f, 0.0029601229f,
                                -0.00018760572f};
  vector size = _mm512_abs_ps(x), square = _mm512_mul_ps(x, x);
  vector near = _mm512_fmadd_ps(horner(square, inner, 7), x, x);
  vector p = horner(_mm512_min_ps(size, splat(4)), outer, 7);
  vector far =
      _mm512_sub_ps(splat(1), exp_of(_mm512_sub_ps(_mm512_setzero_ps(), p)));
  far = _mm512_or_ps(far, _mm512_and_ps(x, splat(-0.0f)));
  return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(size, splat(1), _CMP_LT_OQ),
                              far, near);
}

INLINE vector gelu_of(vector x) {
  vector e = erf_of(_mm512_mul_ps(x, splat(0.70710677f)));
  return _mm512_mul_ps(_mm512_mul_ps(x, splat(0.5f)),
                       _mm512_add_ps(e, splat(1)));
}

#define UNARY(name, value)                                                     \
  AVX512 void memory_loop_##name(const memory_stream *s, float *const *b) {    \
    FOR_VECTORS(s->e[0] * s->e[1], vector x = LOAD(b[0] + i);                  \
                STORE(b[1] + i, value));                                       \
  }
UNARY(relu, _mm512_max_ps(x, _mm512_setzero_ps()))
UNARY(exp, exp_of(x))
UNARY(sigmoid, sigmoid_of(x))
UNARY(tanh, tanh_of(x))
UNARY(gelu, gelu_of(x))

AVX512 void memory_loop_add_relu(const memory_stream *s, float *const *b) {
  FOR_VECTORS(s->e[0] * s->e[1],
              STORE(b[2] + i,
                    _mm512_max_ps(_mm512_add_ps(LOAD(b[0] + i), LOAD(b[1] + i)),
                                  _mm512_setzero_ps())));
}

AVX512 void memory_loop_scale_shift(const memory_stream *s, float *const *b) {
  for (int64_t r = 0; r < s->e[0]; ++r) {
    const float *x = b[0] + r * s->e[1];
    float *y = b[3] + r * s->e[1];
    FOR_VECTORS(s->e[1],
                STORE(y + i, _mm512_fmadd_ps(LOAD(x + i), LOAD(b[1] + i),
                                             LOAD(b[2] + i))));
  }
}

AVX512 void memory_loop_broadcast(const memory_stream *s, float *const *b) {
  for (int64_t r = 0; r < s->e[0]; ++r)
    FOR_VECTORS(s->e[1], STORE(b[1] + r * s->e[1] + i, LOAD(b[0] + i)));
}

INLINE void copy(const float *from, float *to, int64_t count) {
  FOR_VECTORS(count, STORE(to + i, LOAD(from + i)));
}

AVX512 void memory_loop_gather(const memory_stream *s, float *const *b) {
  for (int64_t r = 0; r < s->e[2]; ++r) {
    int64_t row;
    memcpy(&row, b[1] + 2 * r, sizeof row);
    copy(b[0] + row * s->e[1], b[2] + r * s->e[1], s->e[1]);
  }
}

/// Reduces a row in four vectors: `combine` with `start`, and lanes that are
/// off as they were.
#define ROW(name, start, combine, masked, reduce)                              \
  INLINE float name(const float *x, int64_t count) {                           \
    vector a = splat(start), b = a, c = a, d = a;                              \
    int64_t i = 0;                                                             \
    for (; i + 64 <= count; i += 64) {                                         \
      a = combine(a, _mm512_loadu_ps(x + i));                                  \
      b = combine(b, _mm512_loadu_ps(x + i + 16));                             \
      c = combine(c, _mm512_loadu_ps(x + i + 32));                             \
      d = combine(d, _mm512_loadu_ps(x + i + 48));                             \
    }                                                                          \
    for (; i < count; i += 16) {                                               \
      __mmask16 m = mask_of(count - i);                                        \
      a = masked(a, m, a, LOAD(x + i));                                        \
    }                                                                          \
    return reduce(combine(combine(a, b), combine(c, d)));                      \
  }
ROW(sum_of_row, 0, _mm512_add_ps, _mm512_mask_add_ps, _mm512_reduce_add_ps)
ROW(max_of_row, -__builtin_inff(), _mm512_max_ps, _mm512_mask_max_ps,
    _mm512_reduce_max_ps)

#define EVERY_ROW(name, value)                                                 \
  AVX512 void memory_loop_##name(const memory_stream *s, float *const *b) {    \
    int64_t n = s->e[1];                                                       \
    for (int64_t r = 0; r < s->e[0]; ++r) {                                    \
      const float *x = b[0] + r * n;                                           \
      b[1][r] = value;                                                         \
    }                                                                          \
  }
EVERY_ROW(sum_last, sum_of_row(x, n))
EVERY_ROW(max_last, max_of_row(x, n))
EVERY_ROW(mean_last, sum_of_row(x, n) / (float)n)

/// Columns in blocks of four vectors that stay in registers.
#define MIDDLE(name, start, combine, finish)                                   \
  AVX512 void memory_loop_##name(const memory_stream *s, float *const *b) {    \
    int64_t depth = s->e[1], n = s->e[2];                                      \
    const vector count = splat((float)depth);                                  \
    (void)count;                                                               \
    for (int64_t o = 0; o < s->e[0]; ++o)                                      \
      for (int64_t i = 0; i < n; i += 64) {                                    \
        __mmask16 masks[4];                                                    \
        vector sums[4];                                                        \
        for (int v = 0; v < 4; ++v) {                                          \
          masks[v] = i + 16 * v < n ? mask_of(n - i - 16 * v) : 0;             \
          sums[v] = splat(start);                                              \
        }                                                                      \
        const float *x = b[0] + o * depth * n + i;                             \
        for (int64_t k = 0; k < depth; ++k, x += n)                            \
          for (int v = 0; v < 4; ++v)                                          \
            sums[v] =                                                          \
                combine(sums[v], _mm512_maskz_loadu_ps(masks[v], x + 16 * v)); \
        for (int v = 0; v < 4; ++v)                                            \
          _mm512_mask_storeu_ps(b[1] + o * n + i + 16 * v, masks[v],           \
                                finish(sums[v]));                              \
      }                                                                        \
  }
#define AS_IT_IS(v) v
#define DIVIDED(v) _mm512_div_ps(v, count)
MIDDLE(sum_middle, 0, _mm512_add_ps, AS_IT_IS)
MIDDLE(max_middle, -__builtin_inff(), _mm512_max_ps, AS_IT_IS)
MIDDLE(mean_middle, 0, _mm512_add_ps, DIVIDED)

AVX512 void memory_loop_softmax(const memory_stream *s, float *const *b) {
  int64_t n = s->e[1];
  for (int64_t r = 0; r < s->e[0]; ++r) {
    const float *x = b[0] + r * n;
    float *y = b[1] + r * n;
    vector most = splat(max_of_row(x, n)), sums = _mm512_setzero_ps();
    FOR_VECTORS(n, vector p = exp_of(_mm512_sub_ps(LOAD(x + i), most));
                sums = _mm512_mask_add_ps(sums, m, sums, p); STORE(y + i, p));
    vector scale = splat(1 / _mm512_reduce_add_ps(sums));
    FOR_VECTORS(n, STORE(y + i, _mm512_mul_ps(LOAD(y + i), scale)));
  }
}

AVX512 void memory_loop_layer_norm(const memory_stream *s, float *const *b) {
  int64_t n = s->e[1];
  for (int64_t r = 0; r < s->e[0]; ++r) {
    const float *x = b[0] + r * n;
    float *y = b[3] + r * n;
    vector mean = splat(sum_of_row(x, n) / (float)n);
    vector squares = _mm512_setzero_ps();
    FOR_VECTORS(n, vector d = _mm512_maskz_sub_ps(m, LOAD(x + i), mean);
                squares = _mm512_fmadd_ps(d, d, squares));
    float variance = _mm512_reduce_add_ps(squares) / (float)n;
    vector scale = splat(1 / __builtin_sqrtf(variance + 1e-5f));
    FOR_VECTORS(n, vector d = _mm512_sub_ps(LOAD(x + i), mean);
                d = _mm512_mul_ps(d, scale); STORE(
                    y + i, _mm512_fmadd_ps(d, LOAD(b[1] + i), LOAD(b[2] + i))));
  }
}

/// x r with one step of Newton's from the estimate r of a^-1/2.
INLINE vector inverse_root(vector a) {
  vector r = _mm512_rsqrt14_ps(a);
  vector e = _mm512_fnmadd_ps(_mm512_mul_ps(a, r), r, splat(1));
  return _mm512_fmadd_ps(_mm512_mul_ps(r, splat(0.5f)), e, r);
}

/// The windows' squares are summed up from five shifted loads of the row.
AVX512 void memory_loop_lrn(const memory_stream *s, float *const *b) {
  int64_t n = s->e[1];
  for (int64_t r = 0; r < s->e[0]; ++r) {
    const float *x = b[0] + r * n;
    float *y = b[1] + r * n;
    for (int64_t i = 0; i < n; i += 16) {
      vector sum = _mm512_setzero_ps();
      for (int64_t k = -2; k <= 2; ++k) {
        int64_t low = i + k < 0 ? -(i + k) : 0;
        __mmask16 m = mask_of(n - i - k) & (__mmask16)~mask_of(low);
        vector v = LOAD(x + i + k);
        sum = _mm512_fmadd_ps(v, v, sum);
      }
      __mmask16 m = mask_of(n - i);
      vector a = _mm512_fmadd_ps(sum, splat(2e-5f), splat(1));
      vector root = inverse_root(a); // a^-1/2, and a^-1/4 = a^-1/2 a^1/4
      vector fourth = _mm512_mul_ps(root, inverse_root(root));
      STORE(y + i, _mm512_mul_ps(LOAD(x + i), _mm512_mul_ps(root, fourth)));
    }
  }
}

AVX512 void memory_loop_concat(const memory_stream *s, float *const *b) {
  for (int64_t r = 0; r < s->e[0]; ++r) {
    copy(b[0] + r * s->e[1], b[2] + r * s->e[3], s->e[1]);
    copy(b[1] + r * s->e[2], b[2] + r * s->e[3] + s->e[1], s->e[2]);
  }
}

INLINE void clear(float *to, int64_t count) {
  FOR_VECTORS(count, STORE(to + i, _mm512_setzero_ps()));
}

AVX512 void memory_loop_pad(const memory_stream *s, float *const *b) {
  int64_t pixel = s->e[2], row = s->e[3] * pixel, inner = s->e[1] * pixel;
  clear(b[1], row);
  for (int64_t r = 0; r < s->e[0]; ++r) {
    float *y = b[1] + (r + 1) * row;
    clear(y, pixel);
    copy(b[0] + r * inner, y + pixel, inner);
    clear(y + pixel + inner, pixel);
  }
  clear(b[1] + (s->e[0] + 1) * row, row);
}

AVX512 void memory_loop_slice(const memory_stream *s, float *const *b) {
  for (int64_t r = 0; r < s->e[0]; ++r)
    copy(b[0] + r * s->e[1] + s->e[3], b[1] + r * s->e[2], s->e[2]);
}

AVX512 void memory_loop_heads(const memory_stream *s, float *const *b) {
  for (int64_t j = 0; j < s->e[1]; ++j)
    for (int64_t i = 0; i < s->e[0]; ++i)
      copy(b[0] + (i * s->e[1] + j) * s->e[2],
           b[1] + (j * s->e[0] + i) * s->e[2], s->e[2]);
}

/// Squares down the columns, so that every row of the result is written on.
AVX512 void memory_loop_transpose(const memory_stream *s, float *const *b) {
  int64_t rows = s->e[1], columns = s->e[2];
  for (int64_t o = 0; o < s->e[0]; ++o)
    for (int64_t j = 0; j < columns; j += 16)
      for (int64_t i = 0; i < rows; i += 16) {
        const float *x = b[0] + (o * rows + i) * columns + j;
        float *y = b[1] + (o * columns + j) * rows + i;
        int64_t height = rows - i < 16 ? rows - i : 16;
        int64_t width = columns - j < 16 ? columns - j : 16;
        vector square[16];
        __mmask16 in = mask_of(width), out = mask_of(height);
        if (height == 16 && width == 16) {
          for (int k = 0; k < 16; ++k)
            square[k] = _mm512_loadu_ps(x + k * columns);
          transpose_square(square);
          for (int k = 0; k < 16; ++k)
            _mm512_storeu_ps(y + k * rows, square[k]);
          continue;
        }
        for (int k = 0; k < 16; ++k)
          square[k] = k < height ? _mm512_maskz_loadu_ps(in, x + k * columns)
                                 : _mm512_setzero_ps();
        transpose_square(square);
        for (int k = 0; k < 16; ++k)
          if (k < width)
            _mm512_mask_storeu_ps(y + k * rows, out, square[k]);
      }
}

AVX512 void memory_loop_nearest(const memory_stream *s, float *const *b) {
  int64_t pixel = s->e[2], size = s->e[3];
  for (int64_t h = 0; h < size; ++h)
    for (int64_t w = 0; w < size; ++w)
      copy(b[0] + (h / 2 * s->e[1] + w / 2) * pixel,
           b[1] + (h * size + w) * pixel, pixel);
}

INLINE int64_t beside(int64_t i, int64_t count) {
  int64_t n = i / 2 + (i % 2 ? 1 : -1);
  return n < 0 ? 0 : n < count ? n : count - 1;
}

AVX512 void memory_loop_linear(const memory_stream *s, float *const *b) {
  int64_t pixel = s->e[2], size = s->e[3];
  const vector quarter = splat(0.25f);
  for (int64_t h = 0; h < size; ++h)
    for (int64_t w = 0; w < size; ++w) {
      const float *near = b[0] + h / 2 * s->e[1] * pixel;
      const float *far = b[0] + beside(h, s->e[0]) * s->e[1] * pixel;
      int64_t q = w / 2 * pixel, p = beside(w, s->e[1]) * pixel;
      float *y = b[1] + (h * size + w) * pixel;
      FOR_VECTORS(
          pixel, vector a = LOAD(near + q + i);
          a = _mm512_fmadd_ps(_mm512_sub_ps(LOAD(near + p + i), a), quarter, a);
          vector c = LOAD(far + q + i);
          c = _mm512_fmadd_ps(_mm512_sub_ps(LOAD(far + p + i), c), quarter, c);
          STORE(y + i, _mm512_fmadd_ps(_mm512_sub_ps(c, a), quarter, a)));
    }
}
