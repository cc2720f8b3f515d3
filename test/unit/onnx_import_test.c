/// \file Unit tests of the ONNX importer: shapes, folding, and files that lie.
#include "onnx_fixture.h"

#include <sys/stat.h>
#include <unistd.h>

/// y = reshape(x, (shape(x)[1], -1)): the shape is computed from x's.
static void make_shape_chain(fixture *f) {
  static int64_t zero_dims[1] = {1};
  static const int64_t minus[] = {-1}, index[] = {1};
  static const int64_t shape[] = {3, -1, 5};
  begin(f, 13);
  add_input(f, "x", 3, shape);
  add_initializer(f, "index", 7, 1, zero_dims, index, sizeof index);
  add_initializer(f, "minus", 7, 1, zero_dims, minus, sizeof minus);
  char *shape_in[] = {"x"}, *gather_in[] = {"s", "index"};
  char *concat_in[] = {"g", "minus"}, *reshape_in[] = {"x", "t"};
  add_node(f, "Shape", "s", 1, shape_in);
  add_node(f, "Gather", "g", 2, gather_in);
  set_int(f, add_node(f, "Concat", "t", 2, concat_in), "axis", 0);
  add_node(f, "Reshape", "y", 2, reshape_in);
  add_output(f, "y");
}

static void test_shape_chain(void) {
  fixture f;
  imported im;
  make_shape_chain(&f);
  import(&im, &f, "d1=7");
  if (CHECK_EQ_I64(im.status, PGOPT_OK)) {
    const pgopt_tensor *y =
        pgopt_tensors_tensor(&im.program, im.program.outputs[0]);
    CHECK_EQ_I64(y->rank, 2);
    CHECK_EQ_I64(y->shape[0], 7);
    CHECK_EQ_I64(y->shape[1], 3 * 5);
  }
  discard(&im);
  check_refused(&f, "", PGOPT_INVALID, "--bind NAME=N for each of d1");
  check_refused(&f, "d1", PGOPT_INVALID, "'d1' is not NAME=NUMBER");
  check_refused(&f, "d1=-7", PGOPT_INVALID, "'d1=-7' is not NAME=NUMBER");
  f.dims[0][0].has_dim_value = 0;
  f.dims[0][0].dim_param = "batch";
  f.dims[0][2].has_dim_value = 0;
  check_refused(&f, "d1=7", PGOPT_INVALID, "for each of batch, x.2");
  check_refused(&f, "batch=3,x.2=5", PGOPT_INVALID, "for each of d1");
}

static void make_small(fixture *f, char *type) {
  static const int64_t shape[] = {3, 5};
  begin(f, 13);
  add_input(f, "x", 2, shape);
  char *in[] = {"x"};
  add_node(f, type, "y", 1, in);
  add_output(f, "y");
}

static void test_graphs(void) {
  fixture f;
  make_small(&f, "Frobnicate");
  check_refused(&f, "", PGOPT_UNSUPPORTED,
                "node 'y' (Frobnicate, opset 13): this operator");
  make_small(&f, "Relu");
  f.opset.version = 99;
  check_refused(&f, "", PGOPT_UNSUPPORTED, "opset 99 of ai.onnx");
  make_small(&f, "Relu");
  f.nodes[0].domain = "my.domain";
  check_refused(&f, "", PGOPT_UNSUPPORTED, "(my.domain.Relu, opset -1)");
  make_small(&f, "Relu");
  f.inputs[0][0] = "nobody";
  check_refused(&f, "", PGOPT_INVALID, "no value named 'nobody'");
  make_small(&f, "Relu");
  f.inputs[0][0] = "y";
  check_refused(&f, "", PGOPT_INVALID, "cycle through the value 'y'");
  make_small(&f, "Relu");
  char *again[] = {"x"};
  add_node(&f, "Abs", "y", 1, again);
  check_refused(&f, "", PGOPT_INVALID, "two values of the graph are named 'y'");
  make_small(&f, "Relu");
  f.input_list[0]->name = "";
  check_refused(&f, "", PGOPT_INVALID, "an input of the graph has no name");
  make_small(&f, "Relu");
  f.types[0].tensor_type = NULL;
  check_refused(&f, "", PGOPT_UNSUPPORTED,
                "'x' of the graph is not a tensor of a supported type; "
                "sequences");
  make_small(&f, "Relu");
  f.tensor_types[0].elem_type = 8;
  check_refused(&f, "", PGOPT_UNSUPPORTED, "maps and strings are not");
  make_small(&f, "SequenceConstruct");
  check_refused(&f, "", PGOPT_UNSUPPORTED,
                "node 'y' (SequenceConstruct, opset 13): this operator is not "
                "supported");
  make_small(&f, "Relu");
  f.output_list[0]->name = "z";
  check_refused(&f, "", PGOPT_INVALID, "output 'z' is made by no node");
}

/// Nodes may stand in any order.
static void test_order(void) {
  fixture f;
  imported im;
  static const int64_t shape[] = {3, 5};
  begin(&f, 13);
  add_input(&f, "x", 2, shape);
  char *second[] = {"a"}, *first[] = {"x"};
  add_node(&f, "Abs", "y", 1, second);
  add_node(&f, "Neg", "a", 1, first);
  add_output(&f, "y");
  import(&im, &f, "");
  CHECK_EQ_I64(im.status, PGOPT_OK);
  discard(&im);
}

static void make_added(fixture *f, Pgopt__Onnx__Tensor **t) {
  static int64_t dims[2];
  static const float data[15];
  static const int64_t shape[] = {3, 5};
  dims[0] = 3;
  dims[1] = 5;
  begin(f, 13);
  add_input(f, "x", 2, shape);
  *t = add_initializer(f, "w", 1, 2, dims, data, sizeof data);
  char *in[] = {"x", "w"};
  add_node(f, "Add", "y", 2, in);
  add_output(f, "y");
}

static void test_tensors(void) {
  fixture f;
  Pgopt__Onnx__Tensor *t;
  make_added(&f, &t);
  t->raw_data.len = 56;
  check_refused(&f, "", PGOPT_INVALID,
                "'w' has 56 bytes of data, its shape needs 60");
  make_added(&f, &t);
  t->dims[0] = -3;
  check_refused(&f, "", PGOPT_OUT_OF_RANGE, "'w' has a negative dimension");
  make_added(&f, &t);
  t->dims[0] = t->dims[1] = INT64_C(1) << 62;
  check_refused(&f, "", PGOPT_OUT_OF_RANGE, "more elements than fit");
  make_added(&f, &t);
  t->data_type = 8;
  check_refused(&f, "", PGOPT_UNSUPPORTED, "'w' has elements of type STRING");
  make_added(&f, &t);
  t->dims[1] = 4;
  t->raw_data.len = 48;
  check_refused(&f, "", PGOPT_INVALID, "extents 5 and 4 cannot be broadcast");
}

/// x + w, with w's 60 bytes in a file.
static void make_external(fixture *f, char *location) {
  Pgopt__Onnx__Tensor *t;
  make_added(f, &t);
  t->has_raw_data = 0;
  t->has_data_location = 1;
  t->data_location = 1;
  char *const keys[] = {"location", "offset", "length"};
  char *const values[] = {location, "4", "60"};
  for (int i = 0; i < 3; ++i) {
    pgopt__onnx__entry__init(&f->entries[i]);
    f->entries[i].key = keys[i];
    f->entries[i].value = values[i];
    f->entry_list[i] = &f->entries[i];
  }
  t->external_data = f->entry_list;
  t->n_external_data = 3;
}

static void test_external_data(void) {
  char folder[] = "/tmp/pgopt-onnx-test-XXXXXX", path[64], other[64];
  if (!CHECK(mkdtemp(folder) != NULL))
    return;
  snprintf(path, sizeof path, "%s/w", folder);
  snprintf(other, sizeof other, "%s/link", folder);
  FILE *file = fopen(path, "wb");
  float data[16] = {0};
  data[1] = 7;
  data[15] = 9;
  CHECK(file && fwrite(data, sizeof data, 1, file) == 1 && !fclose(file));
  CHECK(!symlink("w", other));
  import_folder = folder;
  fixture f;
  imported im;
  make_external(&f, "w");
  import(&im, &f, "");
  if (CHECK_EQ_I64(im.status, PGOPT_OK)) {
    // The initializer comes before the input.
    const float *w = im.program.tensors[0]->data;
    CHECK(w[0] == 7 && w[14] == 9);
  }
  discard(&im);
  make_external(&f, "w");
  f.entries[1].value = "8";
  check_refused(&f, "", PGOPT_INVALID, "is not a file of at least 68 bytes");
  make_external(&f, "w");
  f.entries[2].value = "56";
  check_refused(&f, "", PGOPT_INVALID, "does not fit its shape");
  make_external(&f, "link");
  check_refused(&f, "", PGOPT_IO, "'link': it is a link");
  make_external(&f, path);
  check_refused(&f, "", PGOPT_INVALID, "not a path inside the model's folder");
  static char *const outside[] = {"../w", "a/../../w", "./w", "w//w"};
  for (size_t i = 0; i < sizeof outside / sizeof *outside; ++i) {
    imported refused;
    make_external(&f, outside[i]);
    import(&refused, &f, "");
    CHECK(refused.status == PGOPT_INVALID || refused.status == PGOPT_IO);
    CHECK_CONTAINS(refused.error.message, "external data");
    discard(&refused);
  }
  CHECK(!unlink(path) && !unlink(other) && !rmdir(folder));
  import_folder = "/nonexistent";
}

/// Whatever happens to the bytes, the importer returns.
static void test_damage(void) {
  fixture f;
  make_shape_chain(&f);
  size_t size;
  uint8_t *bytes = pack(&f, &size);
  imported im;
  for (size_t cut = 0; cut < size; ++cut) {
    import_bytes(&im, bytes, cut, "d1=7");
    discard(&im);
  }
  int accepted = 0;
  for (size_t bit = 0; bit < 8 * size; ++bit) {
    bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    import_bytes(&im, bytes, size, "d1=7");
    accepted += im.status == PGOPT_OK;
    CHECK(im.status == PGOPT_OK || im.error.message[0]);
    discard(&im);
    bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
  }
  CHECK(accepted > 0); // flips in names that nobody refers to
  free(bytes);
}

int main(void) {
  test_shape_chain();
  test_graphs();
  test_order();
  test_tensors();
  test_external_data();
  test_damage();
  return check_result();
}
