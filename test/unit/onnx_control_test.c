/// \file If, Loop and Scan: what is known at import is folded or unrolled.
#include "onnx_fixture.h"

static const int64_t shape[] = {2, 3};

/// Nodes of that kind that the outputs need.
static int count_live(const pgopt_tensor_program *program,
                      pgopt_node_kind kind) {
  int count = 0;
  for (size_t i = 0; i < program->node_count; ++i)
    count += program->nodes[i].is_live && program->nodes[i].kind == kind;
  return count;
}

/// A graph of one node of the outer value x, with the output "e".
static void make_branch(fixture *inner, char *type) {
  begin(inner, 13);
  char *in[] = {"x"};
  add_node(inner, type, "e", 1, in);
  add_output(inner, "e");
}

/// y = condition ? -x : |x|; the condition is an input, or a constant.
static void make_if(fixture *f, bool is_known, uint8_t **graphs) {
  fixture then_branch, else_branch;
  make_branch(&then_branch, "Neg");
  make_branch(&else_branch, "Abs");
  begin(f, 13);
  add_input(f, "x", 2, shape);
  static const uint8_t yes = 1;
  if (is_known) {
    add_initializer(f, "c", 9, 0, NULL, &yes, 1);
  } else {
    add_input(f, "c", 0, NULL);
    f->tensor_types[1].elem_type = 9;
  }
  char *in[] = {"c"};
  Pgopt__Onnx__Node *node = add_node(f, "If", "y", 1, in);
  graphs[0] = set_graph(f, node, "then_branch", &then_branch);
  graphs[1] = set_graph(f, node, "else_branch", &else_branch);
  add_output(f, "y");
}

static void test_if(void) {
  fixture f;
  imported im;
  for (int known = 0; known < 2; ++known) {
    uint8_t *graphs[2];
    make_if(&f, known, graphs);
    import(&im, &f, "");
    if (CHECK_EQ_I64(im.status, PGOPT_OK)) {
      CHECK_EQ_I64(count_live(&im.program, PGOPT_NODE_IF), !known);
      CHECK_EQ_I64(count_live(&im.program, PGOPT_NODE_NEST), known ? 1 : 2);
      const pgopt_tensor *y =
          pgopt_tensors_tensor(&im.program, im.program.outputs[0]);
      CHECK(y->rank == 2 && y->shape[0] == 2 && y->shape[1] == 3);
    }
    discard(&im);
    free(graphs[0]);
    free(graphs[1]);
  }
  uint8_t *graphs[2];
  make_if(&f, false, graphs);
  f.tensor_types[1].elem_type = 1;
  check_refused(&f, "", PGOPT_INVALID, "its condition is not one BOOL");
  free(graphs[0]);
  free(graphs[1]);
}

/// v + x in every iteration, and its negation as a scanned output.
static void make_body(fixture *body) {
  begin(body, 13);
  add_input(body, "i", 0, NULL);
  add_input(body, "c", 0, NULL);
  add_input(body, "v", 2, shape);
  char *kept[] = {"c"}, *sum[] = {"v", "x"}, *negated[] = {"w"};
  add_node(body, "Identity", "d", 1, kept);
  add_node(body, "Add", "w", 2, sum);
  add_node(body, "Neg", "s", 1, negated);
  add_output(body, "d");
  add_output(body, "w");
  add_output(body, "s");
}

/// Three iterations: x four times, and three negated sums.
static uint8_t *make_loop(fixture *f, bool is_known) {
  static const int64_t trips = 3;
  fixture body;
  make_body(&body);
  begin(f, 13);
  add_input(f, "x", 2, shape);
  if (is_known) {
    add_initializer(f, "t", 7, 0, NULL, &trips, sizeof trips);
  } else {
    add_input(f, "t", 0, NULL);
    f->tensor_types[1].elem_type = 7;
  }
  char *in[] = {"t", "", "x"};
  Pgopt__Onnx__Node *node = add_node(f, "Loop", "y", 3, in);
  node->output[1] = "z";
  node->n_output = 2;
  add_output(f, "y");
  add_output(f, "z");
  return set_graph(f, node, "body", &body);
}

static void test_loop(void) {
  fixture f;
  imported im;
  uint8_t *graph = make_loop(&f, true);
  import(&im, &f, "");
  if (CHECK_EQ_I64(im.status, PGOPT_OK)) {
    CHECK_EQ_I64(count_live(&im.program, PGOPT_NODE_NEST), 3 + 3);
    const pgopt_tensor *z =
        pgopt_tensors_tensor(&im.program, im.program.outputs[1]);
    CHECK(z->rank == 3 && z->shape[0] == 3 && z->shape[2] == 3);
  }
  discard(&im);
  free(graph);
  graph = make_loop(&f, false);
  check_refused(&f, "", PGOPT_UNSUPPORTED,
                "node 'y' (Loop, opset 13): input 0 ('t') decides a shape and "
                "depends on the graph's input 't': bind its values");
  import(&im, &f, "t=[2]");
  if (CHECK_EQ_I64(im.status, PGOPT_OK))
    CHECK_EQ_I64(count_live(&im.program, PGOPT_NODE_NEST), 2 + 2);
  discard(&im);
  free(graph);
}

/// Running sums of the two rows of x.
static void test_scan(void) {
  static const float zeros[3];
  fixture f, body;
  begin(&body, 13);
  add_input(&body, "v", 1, shape + 1);
  add_input(&body, "r", 1, shape + 1);
  char *sum[] = {"v", "r"}, *again[] = {"w"};
  add_node(&body, "Add", "w", 2, sum);
  add_node(&body, "Identity", "o", 1, again);
  add_output(&body, "w");
  add_output(&body, "o");
  begin(&f, 13);
  add_input(&f, "x", 2, shape);
  add_initializer(&f, "z", 1, 1, (int64_t[]){3}, zeros, sizeof zeros);
  char *in[] = {"z", "x"};
  Pgopt__Onnx__Node *node = add_node(&f, "Scan", "y", 2, in);
  node->output[1] = "all";
  node->n_output = 2;
  set_int(&f, node, "num_scan_inputs", 1);
  uint8_t *graph = set_graph(&f, node, "body", &body);
  add_output(&f, "y");
  add_output(&f, "all");
  imported im;
  import(&im, &f, "");
  if (CHECK_EQ_I64(im.status, PGOPT_OK)) {
    CHECK_EQ_I64(count_live(&im.program, PGOPT_NODE_NEST), 2);
    CHECK_EQ_I64(count_live(&im.program, PGOPT_NODE_LOOP), 0);
    const pgopt_tensor *all =
        pgopt_tensors_tensor(&im.program, im.program.outputs[1]);
    CHECK(all->rank == 2 && all->shape[0] == 2 && all->shape[1] == 3);
  }
  discard(&im);
  free(graph);
}

int main(void) {
  test_if();
  test_loop();
  test_scan();
  return check_result();
}
