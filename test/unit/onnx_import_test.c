/// \file Unit tests of the ONNX importer: shapes, folding, and files that lie.
#include "check.h"

#include "onnx/import_graph.h"

#include <stdlib.h>
#include <string.h>

enum { MAX = 8 };

/// A model in memory, with pointers into static storage.
typedef struct fixture {
  Pgopt__Onnx__Model model;
  Pgopt__Onnx__Graph graph;
  Pgopt__Onnx__OperatorSet opset, *opsets[1];
  Pgopt__Onnx__Node nodes[MAX], *node_list[MAX];
  char *inputs[MAX][MAX], *outputs[MAX][MAX];
  Pgopt__Onnx__Attribute attributes[MAX], *attribute_list[MAX];
  Pgopt__Onnx__Value values[MAX], *input_list[MAX], *output_list[MAX];
  Pgopt__Onnx__Type types[MAX];
  Pgopt__Onnx__TensorType tensor_types[MAX];
  Pgopt__Onnx__Shape shapes[MAX];
  Pgopt__Onnx__Dimension dims[MAX][MAX], *dim_list[MAX][MAX];
  Pgopt__Onnx__Tensor tensors[MAX], *tensor_list[MAX];
  Pgopt__Onnx__Entry entries[MAX], *entry_list[MAX];
  int value_count;
} fixture;

static void begin(fixture *f, int64_t opset) {
  memset(f, 0, sizeof *f);
  pgopt__onnx__model__init(&f->model);
  pgopt__onnx__graph__init(&f->graph);
  pgopt__onnx__operator_set__init(&f->opset);
  f->opset.has_version = 1;
  f->opset.version = opset;
  f->opset.domain = "";
  f->opsets[0] = &f->opset;
  f->model.opset_import = f->opsets;
  f->model.n_opset_import = 1;
  f->model.graph = &f->graph;
  f->graph.name = "test";
  f->graph.node = f->node_list;
  f->graph.input = f->input_list;
  f->graph.output = f->output_list;
  f->graph.initializer = f->tensor_list;
}

/// A value of F32; a negative extent -k is the symbol "d<k>".
static Pgopt__Onnx__Value *add_value(fixture *f, char *name, int rank,
                                     const int64_t *shape) {
  static char *const symbols[] = {"d0", "d1", "d2", "d3"};
  int v = f->value_count++;
  pgopt__onnx__value__init(&f->values[v]);
  pgopt__onnx__type__init(&f->types[v]);
  pgopt__onnx__tensor_type__init(&f->tensor_types[v]);
  pgopt__onnx__shape__init(&f->shapes[v]);
  f->values[v].name = name;
  f->values[v].type = &f->types[v];
  f->types[v].tensor_type = &f->tensor_types[v];
  f->tensor_types[v].has_elem_type = 1;
  f->tensor_types[v].elem_type = 1;
  f->tensor_types[v].shape = &f->shapes[v];
  f->shapes[v].dim = f->dim_list[v];
  f->shapes[v].n_dim = (size_t)rank;
  for (int d = 0; d < rank; ++d) {
    pgopt__onnx__dimension__init(&f->dims[v][d]);
    f->dim_list[v][d] = &f->dims[v][d];
    if (shape[d] < 0) {
      f->dims[v][d].dim_param = symbols[-shape[d]];
    } else {
      f->dims[v][d].has_dim_value = 1;
      f->dims[v][d].dim_value = shape[d];
    }
  }
  return &f->values[v];
}

static void add_input(fixture *f, char *name, int rank, const int64_t *shape) {
  f->input_list[f->graph.n_input++] = add_value(f, name, rank, shape);
}

static void add_output(fixture *f, char *name) {
  f->output_list[f->graph.n_output++] = add_value(f, name, 0, NULL);
}

static Pgopt__Onnx__Node *add_node(fixture *f, char *type, char *output,
                                   int count, char *const *inputs) {
  size_t at = f->graph.n_node++;
  Pgopt__Onnx__Node *node = &f->nodes[at];
  pgopt__onnx__node__init(node);
  f->node_list[at] = node;
  node->op_type = type;
  for (int i = 0; i < count; ++i)
    f->inputs[at][i] = inputs[i];
  f->outputs[at][0] = output;
  node->input = f->inputs[at];
  node->n_input = (size_t)count;
  node->output = f->outputs[at];
  node->n_output = 1;
  return node;
}

static Pgopt__Onnx__Tensor *add_initializer(fixture *f, char *name, int type,
                                            size_t rank, int64_t *dims,
                                            const void *data, size_t bytes) {
  size_t at = f->graph.n_initializer++;
  Pgopt__Onnx__Tensor *t = &f->tensors[at];
  pgopt__onnx__tensor__init(t);
  f->tensor_list[at] = t;
  t->name = name;
  t->has_data_type = 1;
  t->data_type = type;
  t->dims = dims;
  t->n_dims = rank;
  t->has_raw_data = 1;
  t->raw_data.data = (uint8_t *)(uintptr_t)data;
  t->raw_data.len = bytes;
  return t;
}

typedef struct imported {
  pgopt_onnx_model model;
  pgopt_tensor_program program;
  pgopt_arena arena;
  pgopt_error error;
  pgopt_status status;
} imported;

static void import_bytes(imported *im, const void *bytes, size_t size,
                         const char *bind) {
  memset(im, 0, sizeof *im);
  pgopt_onnx_options options;
  im->status = pgopt_onnx_read_bindings(bind, &im->arena, &options, &im->error);
  if (im->status == PGOPT_OK)
    im->status =
        pgopt_onnx_parse(bytes, size, "/nonexistent", &im->model, &im->error);
  if (im->status == PGOPT_OK)
    im->status =
        pgopt_onnx_import(&im->model, &options, &im->program, &im->error);
}

static uint8_t *pack(const fixture *f, size_t *size) {
  *size = pgopt__onnx__model__get_packed_size(&f->model);
  uint8_t *bytes = malloc(*size);
  pgopt__onnx__model__pack(&f->model, bytes);
  return bytes;
}

static void import(imported *im, const fixture *f, const char *bind) {
  size_t size;
  uint8_t *bytes = pack(f, &size);
  import_bytes(im, bytes, size, bind);
  free(bytes);
}

static void discard(imported *im) {
  pgopt_tensor_program_free(&im->program);
  pgopt_onnx_close(&im->model);
  pgopt_arena_free(&im->arena);
}

static void check_refused(const fixture *f, const char *bind,
                          pgopt_status status, const char *part) {
  imported im;
  import(&im, f, bind);
  CHECK_EQ_I64(im.status, status);
  CHECK_CONTAINS(im.error.message, part);
  discard(&im);
}

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
  Pgopt__Onnx__Node *concat = add_node(f, "Concat", "t", 2, concat_in);
  pgopt__onnx__attribute__init(&f->attributes[0]);
  f->attributes[0].name = "axis";
  f->attributes[0].has_i = 1;
  f->attribute_list[0] = &f->attributes[0];
  concat->attribute = f->attribute_list;
  concat->n_attribute = 1;
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

static void test_external_data(void) {
  static char *const locations[] = {"/etc/passwd", "../w", "a/../../w",
                                    "./w",         "a//w", ""};
  fixture f;
  for (size_t i = 0; i < sizeof locations / sizeof *locations; ++i) {
    Pgopt__Onnx__Tensor *t;
    make_added(&f, &t);
    t->has_data_location = 1;
    t->data_location = 1;
    pgopt__onnx__entry__init(&f.entries[0]);
    f.entries[0].key = "location";
    f.entries[0].value = locations[i];
    f.entry_list[0] = &f.entries[0];
    t->external_data = f.entry_list;
    t->n_external_data = 1;
    imported im;
    import(&im, &f, "");
    CHECK(im.status == PGOPT_INVALID || im.status == PGOPT_IO);
    CHECK_CONTAINS(im.error.message, "external data");
    discard(&im);
  }
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
