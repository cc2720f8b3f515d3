/// \file ONNX models in memory for unit tests: built message by message,
/// packed, and imported.
#ifndef PGOPT_TEST_ONNX_FIXTURE_H
#define PGOPT_TEST_ONNX_FIXTURE_H

#include "check.h"

#include "onnx/import_graph.h"

#include <stdlib.h>
#include <string.h>

enum { MAX = 12 };

/// A model in memory, with pointers into static storage.
typedef struct fixture {
  Pgopt__Onnx__Model model;
  Pgopt__Onnx__Graph graph;
  Pgopt__Onnx__OperatorSet opset, *opsets[1];
  Pgopt__Onnx__Node nodes[MAX], *node_list[MAX];
  char *inputs[MAX][MAX], *outputs[MAX][MAX];
  Pgopt__Onnx__Attribute attributes[MAX][MAX], *attribute_list[MAX][MAX];
  Pgopt__Onnx__Value values[MAX], *input_list[MAX], *output_list[MAX];
  Pgopt__Onnx__Type types[MAX];
  Pgopt__Onnx__TensorType tensor_types[MAX];
  Pgopt__Onnx__Shape shapes[MAX];
  Pgopt__Onnx__Dimension dims[MAX][MAX], *dim_list[MAX][MAX];
  Pgopt__Onnx__Tensor tensors[MAX], *tensor_list[MAX];
  Pgopt__Onnx__Entry entries[MAX], *entry_list[MAX];
  int value_count;
  int64_t pool[512]; ///< copies of dims, data and lists
  size_t pool_used;
} fixture;

/// A copy that lives as long as the fixture.
static inline void *keep(fixture *f, const void *data, size_t bytes) {
  void *copy = f->pool + f->pool_used;
  f->pool_used += (bytes + 7) / 8;
  if (f->pool_used > sizeof f->pool / sizeof *f->pool)
    abort();
  return bytes ? memcpy(copy, data, bytes) : copy;
}

static inline void begin(fixture *f, int64_t opset) {
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
static inline Pgopt__Onnx__Value *add_value(fixture *f, char *name, int rank,
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

static inline void add_input(fixture *f, char *name, int rank,
                             const int64_t *shape) {
  f->input_list[f->graph.n_input++] = add_value(f, name, rank, shape);
}

static inline void add_output(fixture *f, char *name) {
  f->output_list[f->graph.n_output++] = add_value(f, name, 0, NULL);
}

static inline Pgopt__Onnx__Node *add_node(fixture *f, char *type, char *output,
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

/// The next attribute of a node.
static inline Pgopt__Onnx__Attribute *
add_attribute(fixture *f, Pgopt__Onnx__Node *node, char *name) {
  size_t at = (size_t)(node - f->nodes), k = node->n_attribute++;
  Pgopt__Onnx__Attribute *a = &f->attributes[at][k];
  pgopt__onnx__attribute__init(a);
  a->name = name;
  f->attribute_list[at][k] = a;
  node->attribute = f->attribute_list[at];
  return a;
}

static inline void set_int(fixture *f, Pgopt__Onnx__Node *node, char *name,
                           int64_t value) {
  Pgopt__Onnx__Attribute *a = add_attribute(f, node, name);
  a->has_i = 1;
  a->i = value;
}

static inline void set_float(fixture *f, Pgopt__Onnx__Node *node, char *name,
                             float value) {
  Pgopt__Onnx__Attribute *a = add_attribute(f, node, name);
  a->has_f = 1;
  a->f = value;
}

static inline void set_text(fixture *f, Pgopt__Onnx__Node *node, char *name,
                            char *value) {
  Pgopt__Onnx__Attribute *a = add_attribute(f, node, name);
  a->has_s = 1;
  a->s.data = (uint8_t *)value;
  a->s.len = strlen(value);
}

static inline void set_ints(fixture *f, Pgopt__Onnx__Node *node, char *name,
                            size_t count, int64_t *values) {
  Pgopt__Onnx__Attribute *a = add_attribute(f, node, name);
  a->n_ints = count;
  a->ints = keep(f, values, count * sizeof *values);
}

/// The graph of another fixture, packed; `bytes` is freed by the caller.
static inline uint8_t *set_graph(fixture *f, Pgopt__Onnx__Node *node,
                                 char *name, const fixture *inner) {
  Pgopt__Onnx__Attribute *a = add_attribute(f, node, name);
  a->has_g = 1;
  a->g.len = pgopt__onnx__graph__get_packed_size(&inner->graph);
  a->g.data = malloc(a->g.len);
  pgopt__onnx__graph__pack(&inner->graph, a->g.data);
  return a->g.data;
}

static inline Pgopt__Onnx__Tensor *
add_initializer(fixture *f, char *name, int type, size_t rank, int64_t *dims,
                const void *data, size_t bytes) {
  size_t at = f->graph.n_initializer++;
  Pgopt__Onnx__Tensor *t = &f->tensors[at];
  pgopt__onnx__tensor__init(t);
  f->tensor_list[at] = t;
  t->name = name;
  t->has_data_type = 1;
  t->data_type = type;
  t->dims = keep(f, dims, rank * sizeof *dims);
  t->n_dims = rank;
  t->has_raw_data = 1;
  t->raw_data.data = keep(f, data, bytes);
  t->raw_data.len = bytes;
  return t;
}

/// Where external data is looked for.
static const char *import_folder = "/nonexistent";

typedef struct imported {
  pgopt_onnx_model model;
  pgopt_tensor_program program;
  pgopt_arena arena;
  pgopt_error error;
  pgopt_status status;
} imported;

static inline void import_bytes(imported *im, const void *bytes, size_t size,
                                const char *bind) {
  memset(im, 0, sizeof *im);
  pgopt_onnx_options options;
  im->status = pgopt_onnx_read_bindings(bind, &im->arena, &options, &im->error);
  if (im->status == PGOPT_OK)
    im->status =
        pgopt_onnx_parse(bytes, size, import_folder, &im->model, &im->error);
  if (im->status == PGOPT_OK)
    im->status =
        pgopt_onnx_import(&im->model, &options, &im->program, &im->error);
}

static inline uint8_t *pack(const fixture *f, size_t *size) {
  *size = pgopt__onnx__model__get_packed_size(&f->model);
  uint8_t *bytes = malloc(*size);
  pgopt__onnx__model__pack(&f->model, bytes);
  return bytes;
}

static inline void import(imported *im, const fixture *f, const char *bind) {
  size_t size;
  uint8_t *bytes = pack(f, &size);
  import_bytes(im, bytes, size, bind);
  free(bytes);
}

static inline void discard(imported *im) {
  pgopt_tensor_program_free(&im->program);
  pgopt_onnx_close(&im->model);
  pgopt_arena_free(&im->arena);
}

static inline void check_refused(const fixture *f, const char *bind,
                                 pgopt_status status, const char *part) {
  imported im;
  import(&im, f, bind);
  CHECK_EQ_I64(im.status, status);
  CHECK_CONTAINS(im.error.message, part);
  discard(&im);
}

#endif // PGOPT_TEST_ONNX_FIXTURE_H
