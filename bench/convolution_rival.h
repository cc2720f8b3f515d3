/// \file oneDNN's convolutions of the same data.
#ifndef PGOPT_BENCH_CONVOLUTION_RIVAL_H
#define PGOPT_BENCH_CONVOLUTION_RIVAL_H

#include <stdbool.h>
#include <stdint.h>

/// A square convolution of one image; channels in groups, most often one.
typedef struct convolution {
  int64_t inputs, outputs, size, kernel, stride, padding, groups;
} convolution;

static inline int64_t convolution_output(const convolution *c) {
  return (c->size + 2 * c->padding - c->kernel) / c->stride + 1;
}

/// Images are [row][column][channel], weights [row][column][input of a
/// group][output].
typedef struct convolution_data {
  float *image, *weights, *bias, *result, *rival_result;
} convolution_data;

typedef struct convolution_rival convolution_rival;

/// Bias and ReLU belong to it. The direct one writes `rival_result`; Winograd,
/// which oneDNN has in a layout of its own only, has images of its own. Null
/// where oneDNN, or this algorithm in it, is not there.
convolution_rival *convolution_rival_create(const convolution *c,
                                            const convolution_data *data,
                                            bool winograd);
void convolution_rival_run(convolution_rival *rival);
void convolution_rival_destroy(convolution_rival *rival);

#endif // PGOPT_BENCH_CONVOLUTION_RIVAL_H
