/// \file Loops around rows that are copied, or around squares of 16 x 16 that
/// are transposed in registers. What does not fit the caches is written past
/// them where lines are whole, so that they are not read first.
#include "tensor_transpose.h"

#include "transpose_square.h"

#include <string.h>

enum { LANES = 16, LARGE_ELEMENTS = 8 << 20 };

static int64_t stride_of(const char *term, char letter,
                         const int64_t *extents) {
  int64_t stride = 1;
  for (const char *inner = strchr(term, letter) + 1; *inner; ++inner)
    stride *= extents[*inner - 'a'];
  return stride;
}

static void swap(int64_t *numbers, size_t a, size_t b) {
  int64_t kept = numbers[a];
  numbers[a] = numbers[b];
  numbers[b] = kept;
}

/// Moves the axis to another place; those between follow.
static void move_axis(tensor_transpose *t, size_t at, size_t to) {
  for (; at != to; at += at < to ? 1 : (size_t)-1) {
    size_t next = at < to ? at + 1 : at - 1;
    swap(t->extents, at, next);
    swap(t->from, at, next);
    swap(t->to, at, next);
  }
}

void tensor_transpose_plan(const char *from, const char *to,
                           const int64_t *extents, bool reads_in_order,
                           tensor_transpose *t) {
  *t = (tensor_transpose){0};
  int64_t elements = 1;
  bool is_whole = true;
  for (size_t i = 0; to[i]; ++i) {
    int64_t extent = extents[to[i] - 'a'];
    int64_t in = stride_of(from, to[i], extents);
    size_t last = t->rank - 1;
    elements *= extent;
    if (t->rank && t->from[last] == in * extent) {
      t->extents[last] *= extent;
      t->from[last] = in;
      t->to[last] = stride_of(to, to[i], extents);
      continue;
    }
    t->extents[t->rank] = extent;
    t->from[t->rank] = in;
    t->to[t->rank++] = stride_of(to, to[i], extents);
  }
  size_t outer = t->rank - 1;
  if (t->from[t->rank - 1] != 1) {
    size_t x = 0;
    while (t->from[x] != 1)
      ++x;
    move_axis(t, x, --outer);
  }
  for (size_t i = 0; reads_in_order && i < outer; ++i) {
    size_t largest = i;
    for (size_t k = i; k < outer; ++k)
      if (t->from[k] > t->from[largest])
        largest = k;
    move_axis(t, largest, i);
  }
  for (size_t i = 0; i + 1 < t->rank; ++i)
    is_whole &= t->to[i] % LANES == 0;
  t->streams = is_whole && elements >= LARGE_ELEMENTS;
}

AVX512 static void copy_row(const tensor_transpose *t, const float *x,
                            float *y) {
  int64_t count = t->extents[t->rank - 1], i = 0;
  if (t->streams)
    for (; i + LANES <= count; i += LANES)
      _mm512_stream_ps(y + i, _mm512_loadu_ps(x + i));
  for (; i < count; i += LANES) {
    __mmask16 m = mask_of(count - i);
    _mm512_mask_storeu_ps(y + i, m, _mm512_maskz_loadu_ps(m, x + i));
  }
}

/// Squares down the columns, so that every row of the result is written on.
AVX512 static void turn(const tensor_transpose *t, const float *from,
                        float *to) {
  size_t last = t->rank - 1;
  int64_t columns = t->extents[last - 1], rows = t->extents[last];
  int64_t in = t->from[last], out = t->to[last - 1];
  for (int64_t j = 0; j < columns; j += LANES)
    for (int64_t i = 0; i < rows; i += LANES) {
      const float *x = from + i * in + j;
      float *y = to + j * out + i;
      int64_t height = rows - i < LANES ? rows - i : LANES;
      int64_t width = columns - j < LANES ? columns - j : LANES;
      vector square[LANES];
      __mmask16 read = mask_of(width), written = mask_of(height);
      for (int k = 0; k < LANES; ++k)
        square[k] = k < height ? _mm512_maskz_loadu_ps(read, x + k * in)
                               : _mm512_setzero_ps();
      transpose_square(square);
      for (int k = 0; k < width; ++k)
        if (t->streams && height == LANES)
          _mm512_stream_ps(y + k * out, square[k]);
        else
          _mm512_mask_storeu_ps(y + k * out, written, square[k]);
    }
}

static void run_from(const tensor_transpose *t, size_t axis, const float *from,
                     float *to) {
  size_t last = t->rank - 1;
  if (t->from[last] == 1 ? axis == last : axis + 1 == last) {
    t->from[last] == 1 ? copy_row(t, from, to) : turn(t, from, to);
    return;
  }
  for (int64_t i = 0; i < t->extents[axis]; ++i)
    run_from(t, axis + 1, from + i * t->from[axis], to + i * t->to[axis]);
}

void tensor_transpose_run(const tensor_transpose *transpose, const float *from,
                          float *to) {
  run_from(transpose, 0, from, to);
  _mm_sfence();
}
