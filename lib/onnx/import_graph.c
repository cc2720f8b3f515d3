/// \file From an ONNX model to a tensor program.
#include "onnx/import_graph.h"

#include "onnx/names.h"
#include "onnx/op.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Graphs inside graphs; deeper ones are refused.
enum { MAX_DEPTH = 16, MAX_NAME = 100 };

typedef struct scope {
  struct scope *parent;
  pgopt_names names; ///< value -> tensor
} scope;

struct pgopt_onnx_importer {
  pgopt_onnx_model *model;
  const pgopt_onnx_options *options;
  pgopt_tensor_program *program;
  scope *scope;
  int depth;
};

static const char *text(const char *value) { return value ? value : ""; }

static int fail(pgopt_onnx_importer *im, pgopt_status status,
                const char *format, const char *name) {
  char shown[MAX_NAME + 1];
  snprintf(shown, sizeof shown, "%s", name);
  char message[PGOPT_ERROR_SIZE];
  snprintf(message, sizeof message, format, shown);
  return pgopt_tensors_fail(im->program, status, "%s", message);
}

static bool lookup(const pgopt_onnx_importer *im, const char *name,
                   int *tensor) {
  for (const scope *s = im->scope; s; s = s->parent)
    if (pgopt_names_get(&s->names, name, tensor))
      return true;
  return false;
}

static void define(pgopt_onnx_importer *im, const char *name, int tensor) {
  if (!*name)
    return;
  if (!pgopt_names_add(&im->scope->names, name, tensor)) {
    fail(im, PGOPT_INVALID, "two values of the graph are named '%s'", name);
    return;
  }
  if (tensor >= 0 && !im->program->tensors[tensor]->name[0])
    im->program->tensors[tensor]->name = name;
}

static void read_initializers(pgopt_onnx_importer *im,
                              const Pgopt__Onnx__Graph *graph) {
  if (graph->n_sparse_initializer)
    fail(im, PGOPT_UNSUPPORTED, "sparse initializers are not supported%s", "");
  for (size_t i = 0; i < graph->n_initializer; ++i) {
    const Pgopt__Onnx__Tensor *t = graph->initializer[i];
    pgopt_onnx_data data;
    pgopt_error error = {0};
    if (pgopt_tensors_failed(im->program))
      return;
    if (!text(t->name)[0]) {
      fail(im, PGOPT_INVALID, "an initializer has no name%s", "");
    } else if (pgopt_onnx_read_tensor(im->model, t, &data, &error) !=
               PGOPT_OK) {
      pgopt_tensors_fail(im->program, error.status, "%s", error.message);
    } else {
      define(im, t->name,
             pgopt_tensors_constant(im->program, data.type, data.rank,
                                    data.shape, data.data, false, t->name));
    }
  }
}

static bool find_binding(const pgopt_onnx_importer *im, const char *name,
                         int64_t *value) {
  for (size_t i = 0; i < im->options->binding_count; ++i)
    if (!im->options->bindings[i].data &&
        !strcmp(im->options->bindings[i].name, name)) {
      *value = im->options->bindings[i].value;
      return true;
    }
  return false;
}

/// The extent of a dimension of an input; false, and the name to bind is
/// appended to `unbound`, when nobody says it.
static bool read_dimension(const pgopt_onnx_importer *im, const char *input,
                           size_t axis, const Pgopt__Onnx__Dimension *dim,
                           int64_t *extent, char *unbound, size_t size) {
  char own[2 * MAX_NAME];
  snprintf(own, sizeof own, "%.*s.%zu", MAX_NAME, input, axis);
  if (find_binding(im, own, extent))
    return true;
  const char *name = text(dim->dim_param);
  if (*name && find_binding(im, name, extent))
    return true;
  if (dim->has_dim_value && !*name && dim->dim_value >= 0) {
    *extent = dim->dim_value;
    return true;
  }
  size_t used = strlen(unbound);
  char entry[2 * MAX_NAME];
  snprintf(entry, sizeof entry, "%s%.*s", used ? ", " : "", MAX_NAME,
           *name ? name : own);
  if (!strstr(unbound, *name ? name : own) && used + strlen(entry) + 1 < size)
    snprintf(unbound + used, size - used, "%s", entry);
  return false;
}

/// An input; a constant takes its place where its value is bound.
static void define_input(pgopt_onnx_importer *im, const char *name,
                         pgopt_number type, int rank, const int64_t *shape) {
  int input = pgopt_tensors_input(im->program, type, rank, shape, name);
  const pgopt_onnx_data *data = NULL;
  for (size_t i = 0; i < im->options->binding_count && !data; ++i)
    if (!strcmp(im->options->bindings[i].name, name))
      data = im->options->bindings[i].data;
  if (data && input >= 0) {
    if (data->count != pgopt_tensors_tensor(im->program, input)->count)
      fail(im, PGOPT_INVALID,
           "the value bound to input '%s' has another "
           "number of elements",
           name);
    int bound = pgopt_tensors_constant(im->program, data->type, rank, shape,
                                       data->data, false, NULL);
    input = pgopt_tensors_cast(im->program, bound, type);
  }
  define(im, name, input);
}

static void read_inputs(pgopt_onnx_importer *im,
                        const Pgopt__Onnx__Graph *graph) {
  char unbound[300] = "";
  for (size_t i = 0; i < graph->n_input; ++i) {
    const Pgopt__Onnx__Value *value = graph->input[i];
    int known;
    if (pgopt_tensors_failed(im->program))
      return;
    if (!text(value->name)[0]) {
      fail(im, PGOPT_INVALID, "an input of the graph has no name%s", "");
      return;
    }
    // Before IR version 4 every initializer was listed as an input, too.
    if (pgopt_names_get(&im->scope->names, value->name, &known))
      continue;
    const Pgopt__Onnx__TensorType *type =
        value->type ? value->type->tensor_type : NULL;
    pgopt_number number;
    int64_t shape[PGOPT_MAX_TENSOR_RANK];
    if (!type || !pgopt_onnx_number(type->elem_type, &number)) {
      fail(im, PGOPT_UNSUPPORTED,
           "input '%s' of the graph is not a tensor of a supported type; "
           "sequences, optional values, maps and strings are not supported",
           value->name);
      return;
    }
    size_t rank = type->shape ? type->shape->n_dim : 0;
    if (!type->shape || rank > PGOPT_MAX_TENSOR_RANK) {
      fail(im, PGOPT_UNSUPPORTED,
           "input '%s' of the graph has no rank, or too "
           "many dimensions",
           value->name);
      return;
    }
    bool bound = true;
    for (size_t d = 0; d < rank; ++d)
      bound &= read_dimension(im, value->name, d, type->shape->dim[d],
                              &shape[d], unbound, sizeof unbound);
    if (bound)
      define_input(im, value->name, number, (int)rank, shape);
  }
  if (*unbound)
    pgopt_tensors_fail(im->program, PGOPT_INVALID,
                       "dimensions are not known; bind them: --bind NAME=N for "
                       "each of %s",
                       unbound);
}

/// Orders nodes so that every value is defined before it is used.
/// \returns indices freed with `free`; null after a failure.
static size_t *order_nodes(pgopt_onnx_importer *im,
                           const Pgopt__Onnx__Graph *graph) {
  size_t count = graph->n_node;
  pgopt_names makers = {0};
  for (size_t i = 0; i < count; ++i)
    for (size_t k = 0; k < graph->node[i]->n_output; ++k)
      if (graph->node[i]->output[k][0])
        pgopt_names_set(&makers, graph->node[i]->output[k], (int)i);
  // Depth first with a stack of our own: position in `next` is the input to
  // look at; state 1 is on the stack, 2 is done.
  size_t *order = pgopt_allocate(count + 1, sizeof *order);
  size_t *stack = pgopt_allocate(count + 1, sizeof *stack);
  size_t *next = pgopt_allocate(count + 1, sizeof *next);
  char *state = pgopt_allocate(count + 1, 1);
  size_t done = 0, top = 0;
  bool cycle = false;
  for (size_t root = 0; root < count && !cycle; ++root) {
    if (state[root])
      continue;
    stack[top++] = root;
    state[root] = 1;
    while (top && !cycle) {
      size_t at = stack[top - 1];
      const Pgopt__Onnx__Node *node = graph->node[at];
      if (next[at] == node->n_input) {
        state[at] = 2;
        order[done++] = at;
        --top;
        continue;
      }
      int maker;
      if (!pgopt_names_get(&makers, node->input[next[at]++], &maker) ||
          state[maker] == 2)
        continue;
      cycle = state[maker] == 1;
      if (cycle)
        fail(im, PGOPT_INVALID, "the graph has a cycle through the value '%s'",
             node->input[next[at] - 1]);
      state[maker] = 1;
      stack[top++] = (size_t)maker;
    }
  }
  free(stack);
  free(next);
  free(state);
  pgopt_names_free(&makers);
  if (!cycle)
    return order;
  free(order);
  return NULL;
}

static int64_t find_opset(const pgopt_onnx_importer *im, const char *domain) {
  const Pgopt__Onnx__Model *m = im->model->message;
  for (size_t i = 0; i < m->n_opset_import; ++i) {
    const char *known = text(m->opset_import[i]->domain);
    if (!strcmp(strcmp(known, "ai.onnx") ? known : "", domain))
      return m->opset_import[i]->version;
  }
  return *domain ? -1 : 1;
}

/// Puts the node in front of the message of a failure that just happened.
static void locate_failure(pgopt_onnx_importer *im,
                           const Pgopt__Onnx__Node *node, int64_t opset) {
  char message[PGOPT_ERROR_SIZE];
  snprintf(message, sizeof message, "%s", im->program->error.message);
  const char *domain = text(node->domain);
  const char *name = text(node->name);
  pgopt_fail(&im->program->error, im->program->error.status,
             "node '%.80s' (%.60s%s%.60s, opset %lld): %.260s",
             *name || !node->n_output ? name : node->output[0], domain,
             *domain ? "." : "", text(node->op_type), (long long)opset,
             message);
}

static void import_node(pgopt_onnx_importer *im,
                        const Pgopt__Onnx__Node *node) {
  const char *domain = text(node->domain);
  if (!strcmp(domain, "ai.onnx"))
    domain = "";
  pgopt_onnx_op op = {.importer = im,
                      .program = im->program,
                      .node = node,
                      .opset = find_opset(im, domain),
                      .input_count = (int)node->n_input,
                      .output_count = (int)node->n_output};
  int *inputs = pgopt_allocate(node->n_input + 1, sizeof *inputs);
  op.inputs = inputs;
  op.outputs = pgopt_allocate(node->n_output + 1, sizeof *op.outputs);
  for (size_t i = 0; i < node->n_output; ++i)
    op.outputs[i] = -1;
  for (size_t i = 0; i < node->n_input; ++i) {
    inputs[i] = -1;
    if (node->input[i][0] && !lookup(im, node->input[i], &inputs[i]))
      fail(im, PGOPT_INVALID, "there is no value named '%s'", node->input[i]);
  }
  op.entry = pgopt_onnx_find_operator(domain, text(node->op_type), op.opset);
  if (!op.entry && !pgopt_tensors_failed(im->program))
    pgopt_tensors_fail(im->program, PGOPT_UNSUPPORTED,
                       "this operator is not supported in this opset");
  const char *name = text(node->name);
  im->program->location = *name || !node->n_output ? name : node->output[0];
  if (!pgopt_tensors_failed(im->program))
    op.entry->lower(&op);
  for (size_t i = 0; i < node->n_output; ++i) {
    if (node->output[i][0] && op.outputs[i] < 0 &&
        !pgopt_tensors_failed(im->program))
      pgopt_onnx_fail(&op, PGOPT_UNSUPPORTED, "output %zu is not supported", i);
    define(im, node->output[i], op.outputs[i]);
  }
  if (pgopt_tensors_failed(im->program))
    locate_failure(im, node, op.opset);
  free(inputs);
  free(op.outputs);
}

static void import_nodes(pgopt_onnx_importer *im,
                         const Pgopt__Onnx__Graph *graph) {
  size_t *order = order_nodes(im, graph);
  for (size_t i = 0; order && i < graph->n_node; ++i) {
    if (pgopt_tensors_failed(im->program))
      break;
    import_node(im, graph->node[order[i]]);
  }
  free(order);
}

/// The tensors of the graph's outputs; false after a failure.
static bool find_outputs(pgopt_onnx_importer *im,
                         const Pgopt__Onnx__Graph *graph, int *outputs) {
  for (size_t i = 0; i < graph->n_output; ++i) {
    const char *name = text(graph->output[i]->name);
    if (pgopt_tensors_failed(im->program))
      return false;
    if (!lookup(im, name, &outputs[i]))
      fail(im, PGOPT_INVALID, "the graph's output '%s' is made by no node",
           name);
  }
  return !pgopt_tensors_failed(im->program);
}

bool pgopt_onnx_subgraph(pgopt_onnx_op *op, const char *attribute, int count,
                         const int *inputs, int *output_count, int **outputs) {
  pgopt_onnx_importer *im = op->importer;
  const Pgopt__Onnx__Attribute *a = pgopt_onnx_attribute(op, attribute);
  *outputs = NULL;
  if (!a || !a->has_g || im->depth == MAX_DEPTH) {
    pgopt_onnx_fail(op, PGOPT_INVALID,
                    "it has no graph '%s', or graphs are "
                    "nested more than %d deep",
                    attribute, MAX_DEPTH);
    return false;
  }
  Pgopt__Onnx__Graph *graph =
      pgopt__onnx__graph__unpack(NULL, a->g.len, a->g.data);
  if (!graph || graph->n_input < (size_t)count) {
    if (graph)
      pgopt__onnx__graph__free_unpacked(graph, NULL);
    pgopt_onnx_fail(op, PGOPT_INVALID,
                    "its graph '%s' is malformed or has too few inputs",
                    attribute);
    return false;
  }
  // Names and data of the subgraph are used until the program is written.
  PGOPT_APPEND(im->model->subgraphs, im->model->subgraph_count,
               im->model->subgraph_capacity, graph);
  scope inner = {.parent = im->scope};
  const char *location = im->program->location;
  im->scope = &inner;
  ++im->depth;
  read_initializers(im, graph);
  for (int i = 0; i < count; ++i)
    if (!pgopt_tensors_failed(im->program))
      define(im, text(graph->input[i]->name), inputs[i]);
  import_nodes(im, graph);
  *output_count = (int)graph->n_output;
  *outputs = pgopt_arena_allocate(&im->program->arena, graph->n_output + 1,
                                  sizeof **outputs);
  bool ok = find_outputs(im, graph, *outputs);
  --im->depth;
  im->scope = inner.parent;
  im->program->location = location;
  pgopt_names_free(&inner.names);
  return ok;
}

pgopt_status pgopt_onnx_read_attribute(pgopt_onnx_op *op,
                                       const Pgopt__Onnx__Tensor *tensor,
                                       pgopt_onnx_data *data,
                                       pgopt_error *error) {
  return pgopt_onnx_read_tensor(op->importer->model, tensor, data, error);
}

static void check_opsets(pgopt_onnx_importer *im) {
  const Pgopt__Onnx__Model *m = im->model->message;
  if (m->n_functions)
    fail(im, PGOPT_UNSUPPORTED,
         "the model defines functions of its own, which are not supported%s",
         "");
  int64_t opset = find_opset(im, "");
  if (opset < 1 || opset > PGOPT_ONNX_LAST_OPSET)
    pgopt_tensors_fail(im->program, PGOPT_UNSUPPORTED,
                       "opset %lld of ai.onnx is not supported; 1 to %d are",
                       (long long)opset, PGOPT_ONNX_LAST_OPSET);
}

pgopt_status pgopt_onnx_import(pgopt_onnx_model *model,
                               const pgopt_onnx_options *options,
                               pgopt_tensor_program *program,
                               pgopt_error *error) {
  *program = (pgopt_tensor_program){.node_limit = options->node_limit};
  scope top = {0};
  pgopt_onnx_importer im = {
      .model = model, .options = options, .program = program, .scope = &top};
  const Pgopt__Onnx__Graph *graph = model->message->graph;
  check_opsets(&im);
  read_initializers(&im, graph);
  read_inputs(&im, graph);
  if (!pgopt_tensors_failed(program))
    import_nodes(&im, graph);
  int *outputs = pgopt_allocate(graph->n_output + 1, sizeof *outputs);
  if (!pgopt_tensors_failed(program) && find_outputs(&im, graph, outputs))
    for (size_t i = 0; i < graph->n_output; ++i)
      pgopt_tensors_output(program, outputs[i]);
  free(outputs);
  program->location = NULL;
  pgopt_tensor_program_finish(program);
  pgopt_names_free(&top.names);
  if (!pgopt_tensors_failed(program))
    return PGOPT_OK;
  return pgopt_fail(error, program->error.status, "%s", program->error.message);
}

char *pgopt_onnx_function_name(const pgopt_onnx_model *model) {
  const char *name = text(model->message->graph->name);
  size_t size = strlen(name) + 12;
  char *symbol = pgopt_allocate(size, 1);
  size_t length = 0;
  if (isdigit((unsigned char)*name))
    symbol[length++] = '_';
  bool any = false;
  for (; *name; ++name) {
    bool plain = isalnum((unsigned char)*name) || *name == '_';
    any |= plain && *name != '_';
    symbol[length++] = plain ? *name : '_';
  }
  if (!any)
    snprintf(symbol, size, "main_graph");
  return symbol;
}
