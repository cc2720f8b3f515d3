/// \file A network as a program on static tensors: inputs, constants, loop
/// nests, and operations that move data. What an importer builds, what constant
/// folding evaluates, and what is then written as MLIR.
///
/// Tensors and nodes are named by their index, in an order in which everything
/// is defined before it is used. The first failure is kept in the program;
/// from then on builders return -1, accept -1, and do nothing.
#ifndef PGOPT_TENSOR_TENSOR_PROGRAM_H
#define PGOPT_TENSOR_TENSOR_PROGRAM_H

#include "base/memory.h"
#include "base/status.h"
#include "tensor/nest.h"

enum { PGOPT_MAX_TENSOR_RANK = 24 };

typedef struct pgopt_tensor {
  pgopt_number type;
  int rank;
  const int64_t *shape;
  int64_t count; ///< elements
  int node;      ///< that makes it
  const char *name;
  /// Elements, row-major, when they are known; one for all when `is_splat`.
  const void *data;
  bool is_splat;
  bool is_known; ///< its elements follow from constants alone
  bool is_live;  ///< set by pgopt_tensor_program_finish
} pgopt_tensor;

typedef enum pgopt_node_kind {
  PGOPT_NODE_INPUT,
  PGOPT_NODE_CONSTANT,
  PGOPT_NODE_ARGUMENT, ///< of the block of a loop
  PGOPT_NODE_NEST,
  PGOPT_NODE_RESHAPE,
  PGOPT_NODE_SLICE,
  PGOPT_NODE_PAD,
  PGOPT_NODE_CONCAT,
  PGOPT_NODE_IF,
  PGOPT_NODE_LOOP,
} pgopt_node_kind;

typedef struct pgopt_node {
  pgopt_node_kind kind;
  int block; ///< 0 is the program itself
  const char *location;
  const int *operands;
  int operand_count;
  const int *results;
  int result_count;
  const pgopt_nest *nest;
  const int64_t *offsets; ///< SLICE; low padding of PAD
  const int64_t *strides; ///< SLICE; high padding of PAD
  int axis;               ///< CONCAT
  pgopt_scalar_value fill;
  int blocks[2];      ///< IF: then, else; LOOP: body, unused
  int64_t trip_count; ///< LOOP
  bool is_live;
} pgopt_node;

/// A list of nodes inside an IF or a LOOP. A loop's block has as arguments the
/// I64 number of the iteration (rank 0) and the carried tensors.
typedef struct pgopt_block {
  int parent;
  const int *arguments;
  int argument_count;
  const int *yields;
  int yield_count;
} pgopt_block;

typedef struct pgopt_tensor_program {
  pgopt_arena arena;
  pgopt_error error;
  pgopt_tensor **tensors; ///< in the arena: a tensor stays where it is
  size_t tensor_count, tensor_capacity;
  pgopt_node *nodes;
  size_t node_count, node_capacity;
  pgopt_block *blocks;
  size_t block_count, block_capacity;
  int *inputs;
  size_t input_count, input_capacity;
  int *outputs;
  size_t output_count, output_capacity;
  /// Inputs whose values decide a shape, after a failure for that reason.
  int *wanted;
  size_t wanted_count, wanted_capacity;
  size_t node_limit;    ///< operations at most; 0: 2^20
  int block;            ///< where nodes are added
  const char *location; ///< given to added nodes; borrowed
} pgopt_tensor_program;

void pgopt_tensor_program_free(pgopt_tensor_program *program);

/// Keeps the error unless there is one already; returns -1.
int pgopt_tensors_fail(pgopt_tensor_program *program, pgopt_status status,
                       const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static inline bool pgopt_tensors_failed(const pgopt_tensor_program *program) {
  return program->error.status != PGOPT_OK;
}

/// The tensor; for -1 an F32 scalar, whose extents are 0 where they are asked
/// for nevertheless: dimension -2 to PGOPT_MAX_TENSOR_RANK - 1.
const pgopt_tensor *pgopt_tensors_tensor(const pgopt_tensor_program *program,
                                         int tensor);

int pgopt_tensors_input(pgopt_tensor_program *program, pgopt_number type,
                        int rank, const int64_t *shape, const char *name);

/// `data` is borrowed for the program's life; null data means all zero bytes.
int pgopt_tensors_constant(pgopt_tensor_program *program, pgopt_number type,
                           int rank, const int64_t *shape, const void *data,
                           bool is_splat, const char *name);
int pgopt_tensors_splat(pgopt_tensor_program *program, pgopt_number type,
                        int rank, const int64_t *shape,
                        pgopt_scalar_value value);
/// A constant of I64, of rank 1.
int pgopt_tensors_integers(pgopt_tensor_program *program, int64_t count,
                           const int64_t *values);

/// The same elements in another shape of as many.
int pgopt_tensors_reshape(pgopt_tensor_program *program, int tensor, int rank,
                          const int64_t *shape);
/// Elements offset + k * stride (stride >= 1) of every dimension, k < size.
int pgopt_tensors_slice(pgopt_tensor_program *program, int tensor,
                        const int64_t *offsets, const int64_t *sizes,
                        const int64_t *strides);
int pgopt_tensors_pad(pgopt_tensor_program *program, int tensor,
                      const int64_t *low, const int64_t *high,
                      pgopt_scalar_value fill);
int pgopt_tensors_concat(pgopt_tensor_program *program, int count,
                         const int *tensors, int axis);
/// Dimension i of the result is dimension permutation[i] of the tensor.
int pgopt_tensors_transpose(pgopt_tensor_program *program, int tensor,
                            const int *permutation);

/// Elements converted to another type.
int pgopt_tensors_cast(pgopt_tensor_program *program, int tensor,
                       pgopt_number type);

/// Adds the nest's result; the nest and all it points to live in the arena.
int pgopt_tensors_nest(pgopt_tensor_program *program, const pgopt_nest *nest);

/// A block inside the current one, which becomes the current one.
int pgopt_tensors_block_begin(pgopt_tensor_program *program);
int pgopt_tensors_block_argument(pgopt_tensor_program *program,
                                 pgopt_number type, int rank,
                                 const int64_t *shape);
/// Ends the current block; its parent is the current one again.
void pgopt_tensors_block_end(pgopt_tensor_program *program, int count,
                             const int *yields);
/// `condition` is a BOOL of one element; yields of both blocks have the types
/// of the results, which are written to `results`.
void pgopt_tensors_if(pgopt_tensor_program *program, int condition,
                      int then_block, int else_block, int *results);
void pgopt_tensors_loop(pgopt_tensor_program *program, int64_t trip_count,
                        int block, int count, const int *initial, int *results);

void pgopt_tensors_output(pgopt_tensor_program *program, int tensor);

/// Elements of a tensor that follows from constants, computed when needed; null
/// when they do not follow, and then the program has not failed.
/// \param[out] is_splat one element stands for all.
const void *pgopt_tensors_data(pgopt_tensor_program *program, int tensor,
                               bool *is_splat);
/// The same as integers in the arena; null also when it is a float tensor.
const int64_t *pgopt_tensors_read_integers(pgopt_tensor_program *program,
                                           int tensor);

/// Appends the inputs that the tensor depends on to `wanted`.
void pgopt_tensors_want(pgopt_tensor_program *program, int tensor);

/// Marks what the outputs need, and replaces what follows from constants and is
/// cheap to compute by constants.
void pgopt_tensor_program_finish(pgopt_tensor_program *program);

#endif // PGOPT_TENSOR_TENSOR_PROGRAM_H
