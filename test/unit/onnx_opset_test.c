/// \file Operators whose parameters moved between opsets: attributes in one,
/// inputs in another. All inputs are constants, so that import computes the
/// result.
#include "onnx_fixture.h"

static fixture f;

static const float six[] = {1, 2, 3, 4, 5, 6};

/// An initializer of F32 or I64 of one or more dimensions.
static void f32(char *name, size_t rank, int64_t *dims, const float *data) {
  size_t count = 1;
  for (size_t d = 0; d < rank; ++d)
    count *= (size_t)dims[d];
  add_initializer(&f, name, 1, rank, dims, data, count * sizeof *data);
}
static void i64(char *name, size_t rank, int64_t *dims, const int64_t *data) {
  size_t count = 1;
  for (size_t d = 0; d < rank; ++d)
    count *= (size_t)dims[d];
  add_initializer(&f, name, 7, rank, dims, data, count * sizeof *data);
}
#define DIMS(...) ((int64_t[]){__VA_ARGS__})
#define LIST(count, ...) 1, DIMS(count), ((const int64_t[]){__VA_ARGS__})
#define F32(name, rank, dims, ...)                                             \
  f32(name, rank, dims, (const float[]){__VA_ARGS__})
#define I64(name, ...) i64(name, __VA_ARGS__)
#define INTS(node, name, count, ...)                                           \
  set_ints(&f, node, name, count, DIMS(__VA_ARGS__))

/// A node "y" of up to four inputs.
static Pgopt__Onnx__Node *node(char *type, int count, char *a, char *b, char *c,
                               char *d) {
  char *inputs[] = {a, b, c, d};
  return add_node(&f, type, "y", count, inputs);
}

/// Imports and compares the shape and the values of "y".
static void check_result_of(int line, int rank, const int64_t *shape,
                            const float *values) {
  imported im;
  add_output(&f, "y");
  import(&im, &f, "");
  if (!check_note(im.status == PGOPT_OK, __FILE__, line, im.error.message)) {
    discard(&im);
    return;
  }
  int output = im.program.outputs[0];
  const pgopt_tensor *t = pgopt_tensors_tensor(&im.program, output);
  bool splat, same = t->rank == rank;
  for (int d = 0; d < rank && same; ++d)
    same = t->shape[d] == shape[d];
  check_note(same, __FILE__, line, "the shape");
  const void *data = pgopt_tensors_data(&im.program, output, &splat);
  if (check_note(same && data, __FILE__, line, "known values"))
    for (int64_t i = 0; i < t->count; ++i)
      check_near(pgopt_number_read(t->type, data, splat ? 0 : i).f, values[i],
                 1e-5, __FILE__, line, "a value");
  discard(&im);
}
#define CHECK_Y(rank, dims, ...)                                               \
  check_result_of(__LINE__, rank, dims, (const float[]){__VA_ARGS__})

/// y = a + b, the dimensions of b beginning at `axis` of a.
static void test_broadcast(void) {
  begin(&f, 6);
  f32("a", 2, DIMS(2, 3), six);
  F32("b", 1, DIMS(2), 10, 20);
  Pgopt__Onnx__Node *n = node("Add", 2, "a", "b", NULL, NULL);
  set_int(&f, n, "broadcast", 1);
  set_int(&f, n, "axis", 0);
  CHECK_Y(2, DIMS(2, 3), 11, 12, 13, 24, 25, 26);
  begin(&f, 7);
  f32("a", 2, DIMS(2, 3), six);
  F32("b", 1, DIMS(3), 10, 20, 30);
  node("Add", 2, "a", "b", NULL, NULL);
  CHECK_Y(2, DIMS(2, 3), 11, 22, 33, 14, 25, 36);
}

/// 2 a b + 3 c; a b is (1 + 3, 2 + 3; 4 + 6, 5 + 6).
static void test_gemm(void) {
  for (int opset = 6; opset <= 13; opset += 7) {
    begin(&f, opset);
    f32("a", 2, DIMS(2, 3), six);
    F32("b", 2, DIMS(2, 3), 1, 0, 1, 0, 1, 1);
    F32("c", 1, DIMS(2), 1, 2);
    Pgopt__Onnx__Node *n = node("Gemm", 3, "a", "b", "c", NULL);
    set_int(&f, n, "transB", 1);
    set_float(&f, n, "alpha", 2);
    set_float(&f, n, "beta", 3);
    if (opset == 6)
      set_int(&f, n, "broadcast", 1);
    CHECK_Y(2, DIMS(2, 2), 11, 16, 23, 28);
  }
}

/// (2 - 1) / 2 and (4 - 2) / 1 * 3 + 1.
static void test_batch_normalization(void) {
  static const int opsets[] = {1, 6, 9, 15};
  for (int i = 0; i < 4; ++i) {
    begin(&f, opsets[i]);
    F32("x", 3, DIMS(1, 2, 1), 2, 4);
    F32("s", 1, DIMS(2), 1, 3);
    F32("b", 1, DIMS(2), 0, 1);
    F32("m", 1, DIMS(2), 1, 2);
    F32("v", 1, DIMS(2), 4, 1);
    char *inputs[] = {"x", "s", "b", "m", "v"};
    Pgopt__Onnx__Node *n = add_node(&f, "BatchNormalization", "y", 5, inputs);
    set_float(&f, n, "epsilon", 0);
    if (opsets[i] < 9)
      set_int(&f, n, "is_test", 1);
    if (opsets[i] == 1)
      INTS(n, "consumed_inputs", 5, 0, 0, 0, 1, 1);
    CHECK_Y(3, DIMS(1, 2, 1), 0.5, 7);
  }
}

static void test_resize(void) {
  begin(&f, 7);
  F32("x", 2, DIMS(1, 2), 1, 2);
  static float scales[] = {1, 2};
  Pgopt__Onnx__Attribute *a =
      add_attribute(&f, node("Upsample", 1, "x", NULL, NULL, NULL), "scales");
  a->n_floats = 2;
  a->floats = scales;
  CHECK_Y(2, DIMS(1, 4), 1, 1, 2, 2);
  for (int opset = 9; opset <= 10; ++opset) {
    begin(&f, opset);
    F32("x", 2, DIMS(1, 2), 1, 2);
    f32("s", 1, DIMS(2), scales);
    node(opset == 9 ? "Upsample" : "Resize", 2, "x", "s", NULL, NULL);
    CHECK_Y(2, DIMS(1, 4), 1, 1, 2, 2);
  }
  begin(&f, 11);
  F32("x", 2, DIMS(1, 2), 1, 2);
  f32("s", 1, DIMS(2), scales);
  node("Resize", 3, "x", "", "s", NULL);
  CHECK_Y(2, DIMS(1, 4), 1, 1, 2, 2);
  begin(&f, 19);
  F32("x", 2, DIMS(1, 2), 1, 2);
  I64("n", LIST(2, 1, 4));
  node("Resize", 4, "x", "", "", "n");
  CHECK_Y(2, DIMS(1, 4), 1, 1, 2, 2);
}

/// Equal numbers: 1 / 4 where the dimensions from the axis on are one, else
/// 1/2.
static void test_softmax(void) {
  for (int opset = 12; opset <= 13; ++opset) {
    begin(&f, opset);
    F32("x", 3, DIMS(1, 2, 2), 3, 3, 3, 3);
    set_int(&f, node("Softmax", 1, "x", NULL, NULL, NULL), "axis", 1);
    float each = opset < 13 ? 0.25 : 0.5;
    CHECK_Y(3, DIMS(1, 2, 2), each, each, each, each);
  }
}

static void test_clip(void) {
  begin(&f, 6);
  f32("x", 1, DIMS(6), six);
  Pgopt__Onnx__Node *n = node("Clip", 1, "x", NULL, NULL, NULL);
  set_float(&f, n, "min", 2);
  set_float(&f, n, "max", 4);
  CHECK_Y(1, DIMS(6), 2, 2, 3, 4, 4, 4);
  begin(&f, 11);
  f32("x", 1, DIMS(6), six);
  F32("high", 0, NULL, 4);
  node("Clip", 3, "x", "", "high", NULL);
  CHECK_Y(1, DIMS(6), 1, 2, 3, 4, 4, 4);
}

static void test_reshape(void) {
  begin(&f, 1);
  f32("x", 1, DIMS(6), six);
  INTS(node("Reshape", 1, "x", NULL, NULL, NULL), "shape", 2, 3, -1);
  CHECK_Y(2, DIMS(3, 2), 1, 2, 3, 4, 5, 6);
  begin(&f, 5);
  f32("x", 2, DIMS(2, 3), six);
  I64("s", LIST(2, 0, -1));
  node("Reshape", 2, "x", "s", NULL, NULL);
  CHECK_Y(2, DIMS(2, 3), 1, 2, 3, 4, 5, 6);
}

static void test_slice(void) {
  begin(&f, 1);
  f32("x", 2, DIMS(2, 3), six);
  Pgopt__Onnx__Node *n = node("Slice", 1, "x", NULL, NULL, NULL);
  INTS(n, "starts", 1, 1);
  INTS(n, "ends", 1, 1000);
  INTS(n, "axes", 1, 1);
  CHECK_Y(2, DIMS(2, 2), 2, 3, 5, 6);
  begin(&f, 10);
  f32("x", 1, DIMS(6), six);
  I64("b", LIST(1, -1));
  I64("e", LIST(1, -7));
  I64("a", LIST(1, 0));
  I64("s", LIST(1, -2));
  char *inputs[] = {"x", "b", "e", "a", "s"};
  add_node(&f, "Slice", "y", 5, inputs);
  CHECK_Y(1, DIMS(3), 6, 4, 2);
}

/// One in front, two behind.
static void test_pad(void) {
  for (int opset = 1; opset <= 2; ++opset) {
    begin(&f, opset);
    F32("x", 1, DIMS(2), 1, 2);
    Pgopt__Onnx__Node *n = node("Pad", 1, "x", NULL, NULL, NULL);
    INTS(n, opset == 1 ? "paddings" : "pads", 2, 1, 2);
    set_float(&f, n, "value", 9);
    CHECK_Y(1, DIMS(5), 9, 1, 2, 9, 9);
  }
  begin(&f, 11);
  F32("x", 1, DIMS(2), 1, 2);
  I64("p", LIST(2, 1, 2));
  F32("v", 0, NULL, 9);
  node("Pad", 3, "x", "p", "v", NULL);
  CHECK_Y(1, DIMS(5), 9, 1, 2, 9, 9);
}

/// A pool of 2 with stride 2 over 1 .. 5.
static Pgopt__Onnx__Node *begin_pool(char *type) {
  begin(&f, 19);
  f32("x", 3, DIMS(1, 1, 5), six);
  Pgopt__Onnx__Node *n = node(type, 1, "x", NULL, NULL, NULL);
  INTS(n, "kernel_shape", 1, 2);
  INTS(n, "strides", 1, 2);
  return n;
}

static void test_pools(void) {
  begin_pool("MaxPool");
  CHECK_Y(3, DIMS(1, 1, 2), 2, 4);
  set_int(&f, begin_pool("MaxPool"), "ceil_mode", 1);
  CHECK_Y(3, DIMS(1, 1, 3), 2, 4, 5);
  set_text(&f, begin_pool("MaxPool"), "auto_pad", "SAME_UPPER");
  CHECK_Y(3, DIMS(1, 1, 3), 2, 4, 5);
  set_text(&f, begin_pool("MaxPool"), "auto_pad", "SAME_LOWER");
  CHECK_Y(3, DIMS(1, 1, 3), 1, 3, 5);
  set_text(&f, begin_pool("MaxPool"), "auto_pad", "VALID");
  CHECK_Y(3, DIMS(1, 1, 2), 2, 4);
  // Padding on one side: the first window holds it and 1.
  for (int counts = 0; counts < 2; ++counts) {
    Pgopt__Onnx__Node *n = begin_pool("AveragePool");
    INTS(n, "pads", 2, 1, 0);
    set_int(&f, n, "count_include_pad", counts);
    CHECK_Y(3, DIMS(1, 1, 3), counts ? 0.5f : 1, 2.5, 4.5);
  }
}

/// Taps 1 and 10.
static Pgopt__Onnx__Node *begin_conv(char *type) {
  begin(&f, 11);
  f32("x", 3, DIMS(1, 1, 5), six);
  F32("w", 3, DIMS(1, 1, 2), 1, 10);
  return node(type, 2, "x", "w", NULL, NULL);
}

static void test_convolutions(void) {
  INTS(begin_conv("Conv"), "dilations", 1, 2);
  CHECK_Y(3, DIMS(1, 1, 3), 31, 42, 53);
  Pgopt__Onnx__Node *n = begin_conv("Conv");
  INTS(n, "strides", 1, 2);
  INTS(n, "pads", 2, 1, 0);
  CHECK_Y(3, DIMS(1, 1, 3), 10, 32, 54);
  set_text(&f, begin_conv("Conv"), "auto_pad", "SAME_UPPER");
  CHECK_Y(3, DIMS(1, 1, 5), 21, 32, 43, 54, 5);
  begin_conv("ConvTranspose");
  CHECK_Y(3, DIMS(1, 1, 6), 1, 12, 23, 34, 45, 50);
  INTS(begin_conv("ConvTranspose"), "strides", 1, 3);
  CHECK_Y(3, DIMS(1, 1, 14), 1, 10, 0, 2, 20, 0, 3, 30, 0, 4, 40, 0, 5, 50);
  begin(&f, 11);
  F32("x", 3, DIMS(1, 2, 2), 1, 2, 3, 4);
  F32("w", 3, DIMS(2, 1, 1), 10, 100);
  set_int(&f, node("Conv", 2, "x", "w", NULL, NULL), "group", 2);
  CHECK_Y(3, DIMS(1, 2, 2), 10, 20, 300, 400);
}

/// Lists that were attributes and became inputs.
static void test_lists(void) {
  static const struct {
    char *type, *name;
    int old, since;
    int64_t value;
    int rank;
    int64_t shape[4];
  } cases[] = {{"ReduceSum", "axes", 11, 13, 1, 3, {1, 1, 3}},
               {"ReduceMean", "axes", 13, 18, 1, 3, {1, 1, 3}},
               {"Squeeze", "axes", 11, 13, 0, 2, {2, 3}},
               {"Unsqueeze", "axes", 11, 13, 1, 4, {1, 1, 2, 3}},
               {"Split", "split", 11, 13, 1, 3, {1, 2, 3}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    for (int is_input = 0; is_input < 2; ++is_input) {
      begin(&f, is_input ? cases[i].since : cases[i].old);
      f32("x", 3, DIMS(1, 2, 3), six);
      int64_t value = cases[i].value;
      Pgopt__Onnx__Node *n =
          node(cases[i].type, 1 + is_input, "x", "l", NULL, NULL);
      if (is_input)
        i64("l", 1, DIMS(1), &value);
      else
        set_ints(&f, n, cases[i].name, 1, &value);
      bool sums = cases[i].type[0] == 'R';
      float half = sums && cases[i].type[6] == 'M' ? 0.5f : 1;
      if (sums)
        check_result_of(__LINE__, cases[i].rank, cases[i].shape,
                        (const float[]){5 * half, 7 * half, 9 * half});
      else
        check_result_of(__LINE__, cases[i].rank, cases[i].shape, six);
    }
}

static void test_topk(void) {
  begin(&f, 1);
  f32("x", 1, DIMS(6), six);
  set_int(&f, node("TopK", 1, "x", NULL, NULL, NULL), "k", 2);
  CHECK_Y(1, DIMS(2), 6, 5);
  begin(&f, 11);
  f32("x", 1, DIMS(6), six);
  I64("k", LIST(1, 2));
  set_int(&f, node("TopK", 2, "x", "k", NULL, NULL), "largest", 0);
  CHECK_Y(1, DIMS(2), 1, 2);
}

int main(void) {
  test_broadcast();
  test_gemm();
  test_batch_normalization();
  test_resize();
  test_softmax();
  test_clip();
  test_reshape();
  test_slice();
  test_pad();
  test_pools();
  test_convolutions();
  test_lists();
  test_topk();
  return check_result();
}
