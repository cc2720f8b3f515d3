/// \file From an ONNX model to a tensor program: names, shapes, operators.
#ifndef PGOPT_ONNX_IMPORT_GRAPH_H
#define PGOPT_ONNX_IMPORT_GRAPH_H

#include "onnx/model.h"
#include "tensor/tensor_program.h"

/// Value of a symbolic dimension: its name in the model, or "input.axis" for
/// one that has none.
typedef struct pgopt_onnx_binding {
  const char *name;
  int64_t value;
  /// Not null: what the input of that name holds. The function takes it still,
  /// but is made for this value alone.
  const pgopt_onnx_data *data;
} pgopt_onnx_binding;

typedef struct pgopt_onnx_options {
  const pgopt_onnx_binding *bindings;
  size_t binding_count;
  size_t node_limit; ///< operations of the program at most; 0: 2^20
} pgopt_onnx_options;

/// Reads "batch=1,height=320,shape=[2,3],scales=[0.5,2.0]".
/// \param arena holds the bindings, also after a failure.
pgopt_status pgopt_onnx_read_bindings(const char *list, pgopt_arena *arena,
                                      pgopt_onnx_options *options,
                                      pgopt_error *error);

/// Builds and finishes the program of the model's graph. Inputs and outputs are
/// in the graph's order; inputs that are initializers as well are constants.
/// \param[out] program borrows from the model; freed with
///   `pgopt_tensor_program_free`, also after a failure.
pgopt_status pgopt_onnx_import(pgopt_onnx_model *model,
                               const pgopt_onnx_options *options,
                               pgopt_tensor_program *program,
                               pgopt_error *error);

/// The graph's name as a symbol: "main_graph" when nothing is left of it.
/// Freed with `free`.
char *pgopt_onnx_function_name(const pgopt_onnx_model *model);

#endif // PGOPT_ONNX_IMPORT_GRAPH_H
