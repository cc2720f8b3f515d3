/// \file One node of an ONNX graph being imported: its inputs as tensors of the
/// program, its attributes, and what the operators' functions share.
///
/// An operator's function reads inputs and attributes, adds to the program, and
/// sets its outputs. Failures are kept in the program (see
/// `tensor/tensor_program.h`), so functions go on after one with -1.
#ifndef PGOPT_ONNX_OP_H
#define PGOPT_ONNX_OP_H

#include "onnx/model.h"
#include "tensor/nest_builder.h"
#include "tensor/tensor_program.h"

typedef struct pgopt_onnx_importer pgopt_onnx_importer;

typedef struct pgopt_onnx_op {
  pgopt_onnx_importer *importer;
  pgopt_tensor_program *program;
  const Pgopt__Onnx__Node *node;
  const struct pgopt_onnx_operator *entry; ///< of the table
  int64_t opset;                           ///< of the node's domain
  const int *inputs;                       ///< -1 where absent
  int input_count;
  int *outputs; ///< -1 until set
  int output_count;
} pgopt_onnx_op;

/// Fails with the node's name, operator and opset in front; returns -1.
int pgopt_onnx_fail(pgopt_onnx_op *op, pgopt_status status, const char *format,
                    ...) __attribute__((format(printf, 3, 4)));

/// True when input `i` is there.
bool pgopt_onnx_has(const pgopt_onnx_op *op, int i);
/// Input `i`, which must be there.
int pgopt_onnx_input(pgopt_onnx_op *op, int i);
/// The same as what is known of it.
const pgopt_tensor *pgopt_onnx_tensor(pgopt_onnx_op *op, int i);
/// True when output `i` is asked for.
bool pgopt_onnx_wants(const pgopt_onnx_op *op, int i);
void pgopt_onnx_output(pgopt_onnx_op *op, int i, int tensor);

/// Fails because input `i` decides a shape and its values are not known.
int pgopt_onnx_unknown(pgopt_onnx_op *op, int i);
/// Integers of input `i`, which must follow from constants.
/// \returns null after a failure.
const int64_t *pgopt_onnx_integers(pgopt_onnx_op *op, int i, int64_t *count);
/// The same of a float input, as doubles.
const double *pgopt_onnx_floats_of(pgopt_onnx_op *op, int i, int64_t *count);

const Pgopt__Onnx__Attribute *pgopt_onnx_attribute(const pgopt_onnx_op *op,
                                                   const char *name);
int64_t pgopt_onnx_int(const pgopt_onnx_op *op, const char *name,
                       int64_t otherwise);
double pgopt_onnx_float(const pgopt_onnx_op *op, const char *name,
                        double otherwise);
/// True when the attribute is that text, or absent and `otherwise` is.
bool pgopt_onnx_is(const pgopt_onnx_op *op, const char *name, const char *text,
                   const char *otherwise);
/// Null and count 0 when absent.
const int64_t *pgopt_onnx_ints(const pgopt_onnx_op *op, const char *name,
                               size_t *count);

/// A list that is an attribute before opset `since` and input `i` from then on.
/// \returns null when it is not given (count 0), or after a failure.
const int64_t *pgopt_onnx_list(pgopt_onnx_op *op, const char *name, int since,
                               int i, int64_t *count);

/// The data of a tensor that is an attribute.
pgopt_status pgopt_onnx_read_attribute(pgopt_onnx_op *op,
                                       const Pgopt__Onnx__Tensor *tensor,
                                       pgopt_onnx_data *data,
                                       pgopt_error *error);

/// An axis as 0 .. rank-1; fails when it is outside.
int pgopt_onnx_axis(pgopt_onnx_op *op, int64_t axis, int rank);

/// The shape that both broadcast to; false after a failure.
bool pgopt_onnx_broadcast(pgopt_onnx_op *op, int count, const int *tensors,
                          int64_t *shape, int *rank);

/// A constant of that many elements of one value, like the scalar type.
int pgopt_onnx_scalar(pgopt_onnx_op *op, pgopt_number type, double value);

/// An elementwise function of one tensor; `apply` makes the scalar.
int pgopt_onnx_map(pgopt_onnx_op *op, int tensor, pgopt_number type,
                   int (*apply)(pgopt_nest_builder *n, int x,
                                const pgopt_onnx_op *op));
/// left kind right, broadcast.
int pgopt_onnx_binary(pgopt_onnx_op *op, pgopt_scalar_kind kind, int left,
                      int right);

/// Combines the elements along the true ones of `axes`; keeps them with
/// extent 1.
int pgopt_onnx_reduce(pgopt_onnx_op *op, int tensor, const bool *axes,
                      bool keep, pgopt_scalar_kind combine);

/// The logarithm of softmax along one axis.
int pgopt_onnx_log_softmax(pgopt_onnx_op *op, int x, int axis);

/// Imports a subgraph attribute in the current block, with the tensors as its
/// inputs. \returns false after a failure.
bool pgopt_onnx_subgraph(pgopt_onnx_op *op, const char *attribute, int count,
                         const int *inputs, int *output_count, int **outputs);

/// The newest opset of ai.onnx that is read.
enum { PGOPT_ONNX_LAST_OPSET = 22 };

typedef void pgopt_onnx_lower(pgopt_onnx_op *op);

/// A line of the table of operators.
typedef struct pgopt_onnx_operator {
  const char *name;
  const char *domain; ///< "" is ai.onnx
  int first, last;    ///< opsets; last 0: still current
  pgopt_onnx_lower *lower;
  int detail;       ///< whatever tells the function its operators apart
  const char *note; ///< for the documentation
} pgopt_onnx_operator;

const pgopt_onnx_operator *
pgopt_onnx_find_operator(const char *domain, const char *name, int64_t opset);
/// All lines; `count` of them.
const pgopt_onnx_operator *pgopt_onnx_operators(size_t *count);

#endif // PGOPT_ONNX_OP_H
