/// \file Kernels as text.
#include "memory_cases.h"

#include <stdio.h>

const memory_case memory_cases[] = {
#define DEPTHWISE(c, h, k, s)                                                  \
  {                                                                            \
    "depthwise " #c " " #k "x" #k " s" #s " @" #h, MEMORY_DEPTHWISE, c, h, h,  \
        k, s, k / 2                                                            \
  }
    DEPTHWISE(32, 112, 3, 1),    DEPTHWISE(96, 112, 3, 2),
    DEPTHWISE(144, 56, 3, 1),    DEPTHWISE(144, 56, 3, 2),
    DEPTHWISE(192, 28, 3, 1),    DEPTHWISE(384, 14, 3, 1),
    DEPTHWISE(512, 14, 3, 1),    DEPTHWISE(960, 7, 3, 1),
    DEPTHWISE(72, 56, 5, 2),     DEPTHWISE(120, 28, 5, 1),
    DEPTHWISE(240, 28, 5, 2),    DEPTHWISE(480, 14, 5, 1),
    DEPTHWISE(672, 14, 5, 2),    DEPTHWISE(960, 7, 5, 1),
#define POOL(kind, c, h, k, s, p)                                              \
  {                                                                            \
    "pool " #kind " " #c " " #k "x" #k " s" #s " @" #h, MEMORY_POOL_##kind, c, \
        h, h, k, s, p                                                          \
  }
    POOL(MAX, 64, 112, 3, 2, 1), POOL(MAX, 192, 56, 3, 2, 1),
    POOL(MAX, 192, 28, 3, 1, 1), POOL(MAX, 480, 28, 3, 2, 1),
    POOL(MAX, 528, 14, 3, 1, 1), POOL(MAX, 832, 7, 3, 1, 1),
    POOL(MAX, 64, 224, 2, 2, 0), POOL(SUM, 128, 56, 2, 2, 0),
    POOL(SUM, 192, 28, 3, 1, 0), POOL(SUM, 1024, 7, 7, 7, 0),
};
const size_t memory_case_count = sizeof memory_cases / sizeof *memory_cases;

static int64_t output_extent(const memory_case *c, int64_t extent) {
  return (extent + 2 * c->padding - c->window) / c->stride + 1;
}

static int64_t outputs(const memory_case *c) {
  return output_extent(c, c->rows) * output_extent(c, c->columns) * c->channels;
}

size_t memory_case_sizes(const memory_case *c, int64_t *elements) {
  size_t count = 0;
  elements[count++] = c->rows * c->columns * c->channels;
  if (c->kind == MEMORY_DEPTHWISE) {
    elements[count++] = c->window * c->window * c->channels;
    elements[count++] = c->channels;
  }
  elements[count++] = outputs(c);
  return count;
}

double memory_case_bytes(const memory_case *c) {
  return 4.0 * (double)(c->rows * c->columns * c->channels + outputs(c));
}

double memory_case_flops(const memory_case *c) {
  double taps = (double)(c->window * c->window);
  return (c->kind == MEMORY_DEPTHWISE ? 2 : 1) * taps * (double)outputs(c);
}

static void write_elementwise(const char *ins, const char *in_types,
                              const char *in_maps, const char *arguments,
                              const char *type, const char *body,
                              pgopt_text *text) {
  pgopt_text_append(
      text,
      "  linalg.generic {indexing_maps = [%saffine_map<(h, w, c) -> (h, w, "
      "c)>], iterator_types = [\"parallel\", \"parallel\", \"parallel\"]} "
      "%s%s) outs(%%y : %s) {\n  ^bb0(%s%%o: f32):\n%s  }\n",
      in_maps, ins, in_types, type, arguments, body);
}

/// A padded image as form-kernels writes it: a buffer, a fill, a copy.
static void write_padding(const memory_case *c, const char *image,
                          const char *padded, bool is_max, pgopt_text *text) {
  long long p = c->padding, pitch = (c->columns + 2 * p) * c->channels;
  pgopt_text_append(
      text,
      "  %%pad = arith.constant %s : f32\n  %%p = memref.alloc() : %s\n"
      "  linalg.fill ins(%%pad : f32) outs(%%p : %s)\n"
      "  %%box = memref.subview %%p[%lld, %lld, 0] [%lld, %lld, %lld] [1, 1, "
      "1] : %s to memref<%lldx%lldx%lldxf32, strided<[%lld, %lld, 1], offset: "
      "%lld>>\n  memref.copy %%x, %%box : %s to memref<%lldx%lldx%lldxf32, "
      "strided<[%lld, %lld, 1], offset: %lld>>\n",
      is_max ? "0xFF800000" : "0.0", padded, padded, p, p, (long long)c->rows,
      (long long)c->columns, (long long)c->channels, padded, (long long)c->rows,
      (long long)c->columns, (long long)c->channels, pitch,
      (long long)c->channels, p * pitch + p * c->channels, image,
      (long long)c->rows, (long long)c->columns, (long long)c->channels, pitch,
      (long long)c->channels, p * pitch + p * c->channels);
}

void memory_case_write(const memory_case *c, pgopt_text *text) {
  char image[64], padded[64], result[64], vector[64], weights[64], maps[256];
  long long channels = c->channels, k = c->window, s = c->stride;
  bool is_depthwise = c->kind == MEMORY_DEPTHWISE;
  snprintf(image, sizeof image, "memref<%lldx%lldx%lldxf32>",
           (long long)c->rows, (long long)c->columns, channels);
  snprintf(padded, sizeof padded, "memref<%lldx%lldx%lldxf32>",
           (long long)(c->rows + 2 * c->padding),
           (long long)(c->columns + 2 * c->padding), channels);
  snprintf(result, sizeof result, "memref<%lldx%lldx%lldxf32>",
           (long long)output_extent(c, c->rows),
           (long long)output_extent(c, c->columns), channels);
  snprintf(vector, sizeof vector, "memref<%lldxf32>", channels);
  snprintf(weights, sizeof weights, "memref<%lldx%lldx%lldxf32>", k, k,
           channels);
  pgopt_text_append(text, "func.func @forward(%%x: %s, ", image);
  if (is_depthwise)
    pgopt_text_append(text, "%%f: %s, %%b: %s, ", weights, vector);
  pgopt_text_append(text, "%%y: %s) {\n  %%zero = arith.constant 0.0 : f32\n",
                    result);
  if (c->padding)
    write_padding(c, image, padded, c->kind == MEMORY_POOL_MAX, text);
  if (c->kind == MEMORY_POOL_MAX)
    pgopt_text_append(text,
                      "  %%low = arith.constant 0xFF800000 : f32\n"
                      "  linalg.fill ins(%%low : f32) outs(%%y : %s)\n",
                      result);
  else
    pgopt_text_append(text, "  linalg.fill ins(%%zero : f32) outs(%%y : %s)\n",
                      result);
  snprintf(maps, sizeof maps,
           "affine_map<(h, w, c, i, j) -> (h * %lld + i, w * %lld + j, c)>", s,
           s);
  if (!is_depthwise)
    pgopt_text_append(text, "  %%f = memref.alloc() : memref<%lldx%lldxf32>\n",
                      k, k);
  pgopt_text_append(
      text,
      "  linalg.generic {indexing_maps = [%s, affine_map<(h, w, c, i, j) -> "
      "(i, j%s)>, affine_map<(h, w, c, i, j) -> (h, w, c)>], iterator_types = "
      "[\"parallel\", \"parallel\", \"parallel\", \"reduction\", "
      "\"reduction\"]} ins(%s, %%f : %s, ",
      maps, is_depthwise ? ", c" : "", c->padding ? "%p" : "%x",
      c->padding ? padded : image);
  if (is_depthwise)
    pgopt_text_append(text, "%s", weights);
  else
    pgopt_text_append(text, "memref<%lldx%lldxf32>", k, k);
  pgopt_text_append(text,
                    ") outs(%%y : %s) {\n  ^bb0(%%a: f32, %%q: f32, %%o: "
                    "f32):\n",
                    result);
  if (is_depthwise)
    pgopt_text_append(text, "    %%m = arith.mulf %%a, %%q : f32\n"
                            "    %%r = arith.addf %%o, %%m : f32\n");
  else
    pgopt_text_append(text, "    %%r = arith.%s %%o, %%a : f32\n",
                      c->kind == MEMORY_POOL_MAX ? "maximumf" : "addf");
  pgopt_text_append(text, "    linalg.yield %%r : f32\n  }\n");
  if (is_depthwise)
    write_elementwise("ins(%b : ", vector, "affine_map<(h, w, c) -> (c)>, ",
                      "%a: f32, ", result,
                      "    %s = arith.addf %o, %a : f32\n"
                      "    %m = arith.maximumf %s, %zero : f32\n"
                      "    linalg.yield %m : f32\n",
                      text);
  pgopt_text_append(text, "  return\n}\n");
}
