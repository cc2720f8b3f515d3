/// \file ONNX files: the message, checked as far as its structure goes, and the
/// data of tensors in it. Nothing that a file says is believed.
#ifndef PGOPT_ONNX_MODEL_H
#define PGOPT_ONNX_MODEL_H

#include "base/memory.h"
#include "base/status.h"
#include "tensor/number.h"

#include <proto/onnx.pb-c.h>

#include <stdbool.h>
#include <stddef.h>

typedef struct pgopt_onnx_model {
  Pgopt__Onnx__Model *message;
  char *folder; ///< of the file, where external data may lie; null for none
  struct pgopt_onnx_mapping *mappings; ///< of external files
  size_t mapping_count, mapping_capacity;
  Pgopt__Onnx__Graph **subgraphs; ///< unpacked from attributes
  size_t subgraph_count, subgraph_capacity;
  pgopt_arena arena; ///< tensor data in another form than the file's
} pgopt_onnx_model;

/// Reads a file. \param[out] model freed with `pgopt_onnx_close`, also after a
/// failure.
pgopt_status pgopt_onnx_open(const char *path, pgopt_onnx_model *model,
                             pgopt_error *error);
/// The same from memory, which is not needed afterwards. External data is
/// looked for in `folder`, refused when that is null.
pgopt_status pgopt_onnx_parse(const void *bytes, size_t size,
                              const char *folder, pgopt_onnx_model *model,
                              pgopt_error *error);
void pgopt_onnx_close(pgopt_onnx_model *model);

/// The number type of an ONNX data type; false for strings, complex numbers
/// and types of less than a byte.
bool pgopt_onnx_number(int data_type, pgopt_number *type);
/// "FLOAT", "STRING", or "a type pgopt does not know".
const char *pgopt_onnx_type_name(int data_type);

/// A tensor's content: row-major elements as `pgopt_number_read` takes them.
typedef struct pgopt_onnx_data {
  pgopt_number type;
  int rank;
  const int64_t *shape;
  int64_t count;
  const void *data; ///< lives as long as the model
} pgopt_onnx_data;

pgopt_status pgopt_onnx_read_tensor(pgopt_onnx_model *model,
                                    const Pgopt__Onnx__Tensor *tensor,
                                    pgopt_onnx_data *data, pgopt_error *error);

/// Maps the `bytes` of a tensor whose data is in a file of its own; null after
/// an error. At least one byte.
const void *pgopt_onnx_map_external(pgopt_onnx_model *model,
                                    const Pgopt__Onnx__Tensor *tensor,
                                    int64_t bytes, pgopt_error *error);

#endif // PGOPT_ONNX_MODEL_H
