/// \file Any bytes as an ONNX model: read, checked, folded, never run.
#include "fuzz.h"

#include "onnx/import_graph.h"

/// Every operand is defined before it is used, and what is known has a value
/// that can be asked for.
static void check_program(const pgopt_tensor_program *program) {
  for (size_t i = 0; i < program->node_count; ++i) {
    const pgopt_node *node = &program->nodes[i];
    for (int k = 0; k < node->operand_count; ++k)
      FUZZ_CHECK(node->operands[k] >= 0 &&
                 program->tensors[node->operands[k]]->node < (int)i);
    for (int k = 0; k < node->result_count; ++k)
      FUZZ_CHECK(program->tensors[node->results[k]]->node == (int)i);
  }
  for (size_t i = 0; i < program->output_count; ++i)
    FUZZ_CHECK(program->tensors[program->outputs[i]]->is_live);
}

/// Imports with `node_limit` and returns the number of operations.
static size_t import(pgopt_onnx_model *model, size_t node_limit) {
  static const pgopt_onnx_binding bindings[] = {{"n", 3, NULL}, {"m", 5, NULL}};
  const pgopt_onnx_options options = {bindings, 2, node_limit};
  pgopt_tensor_program program = {0};
  pgopt_error error = {0};
  if (pgopt_onnx_import(model, &options, &program, &error) == PGOPT_OK)
    check_program(&program);
  else
    FUZZ_CHECK(*error.message);
  size_t nodes = program.node_count;
  pgopt_tensor_program_free(&program);
  return nodes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  pgopt_onnx_model model;
  pgopt_error error = {0};
  if (pgopt_onnx_parse(data, size, NULL, &model, &error) == PGOPT_OK) {
    size_t nodes = import(&model, 0);
    // Once more, so that what adds operations fails somewhere on the way.
    if (nodes > 1)
      import(&model, 1 + size % (nodes - 1));
  } else {
    FUZZ_CHECK(*error.message);
  }
  pgopt_onnx_close(&model);
  return 0;
}
