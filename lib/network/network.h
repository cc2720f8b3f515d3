/// \file A network as plain data: what grouping, counting, layouts and
/// schedules work on. Holds no IR; `ir/read_network.h` makes one from a
/// function.
///
/// Operations stand in program order, which is a topological order. Values and
/// operations are named by their index. `ops` and `values` are owned by the
/// network, all else by its arena.
#ifndef PGOPT_NETWORK_NETWORK_H
#define PGOPT_NETWORK_NETWORK_H

#include "base/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Extent of a dimension that is not known before the program runs.
#define PGOPT_DYNAMIC (-1)

typedef enum pgopt_element_class {
  PGOPT_FLOAT,
  PGOPT_INTEGER,
  PGOPT_INDEX,
  PGOPT_OTHER_ELEMENT,
} pgopt_element_class;

typedef struct pgopt_type {
  pgopt_element_class element;
  int element_bits; ///< width of one element; 64 for index
  bool is_shaped;   ///< a tensor or memref; else a scalar, `rank` 0
  bool is_ranked;   ///< false only for unranked tensors and memrefs
  size_t rank;
  const int64_t *extents; ///< outermost first; PGOPT_DYNAMIC where unknown
  const char *text;       ///< as MLIR prints it
} pgopt_type;

/// Bytes of all elements; false when dynamic, not a plain number or too large.
bool pgopt_type_bytes(const pgopt_type *type, int64_t *bytes);
/// Number of elements (1 for a scalar), with the same failures.
bool pgopt_type_elements(const pgopt_type *type, int64_t *elements);

typedef struct pgopt_value {
  pgopt_type type;
  int producer;      ///< operation; -1 for an argument or inside a region
  int result_number; ///< result or argument number
  bool is_parameter; ///< an argument with pg.parameter
  const int *users;  ///< operations that read it, ascending, each once
  size_t user_count;
} pgopt_value;

/// One result of an indexing map: constant + sum of coefficient[l] * loop l.
typedef struct pgopt_linear {
  bool is_linear; ///< false: floordiv, mod and the like; the rest is unset
  int64_t constant;
  const int64_t *coefficients; ///< one a loop
} pgopt_linear;

/// The loop that an expression consists of alone, with coefficient 1 and no
/// constant; -1 when it is anything else.
int pgopt_linear_single_loop(const pgopt_linear *expression, size_t loops);

/// An operand's indexing map: one expression a dimension of the operand.
typedef struct pgopt_map {
  const pgopt_linear *results;
  size_t result_count;
} pgopt_map;

/// Where a scalar operation's operand comes from.
typedef enum pgopt_source {
  PGOPT_FROM_ARGUMENT, ///< block argument = operand of that number
  PGOPT_FROM_BODY,     ///< result of the body's scalar operation of that number
  PGOPT_FROM_OUTSIDE,  ///< value of that number captured from outside
} pgopt_source;

typedef struct pgopt_scalar_operand {
  pgopt_source source;
  int number;
} pgopt_scalar_operand;

/// One operation of the body of a structured operation.
typedef struct pgopt_scalar_op {
  const char *name;       ///< "arith.addf"
  const char *attributes; ///< its attributes as text ("" for none): predicates,
                          ///< constants
  const char *type;       ///< type of its first result as text, "" for none
  const pgopt_scalar_operand *operands;
  size_t operand_count;
} pgopt_scalar_op;

typedef enum pgopt_op_kind {
  PGOPT_OP_STRUCTURED, ///< linalg op with loops, maps and a body
  PGOPT_OP_MOVE,     ///< moves data by meaning: pad, concat, slice, gather ...
  PGOPT_OP_VIEW,     ///< same elements, other shape: reshapes, casts
  PGOPT_OP_CONSTANT, ///< constant tensor or scalar
  PGOPT_OP_EMPTY,    ///< storage without values
  PGOPT_OP_SCALAR,   ///< computes scalars outside every layer
  PGOPT_OP_REGION,   ///< scf.if, scf.for, scf.while ...
  PGOPT_OP_TOSA,     ///< computing TOSA op, not yet normalised
  PGOPT_OP_CALL,     ///< func.call
  PGOPT_OP_EFFECT,   ///< side effects without tensors: prints, clocks
  PGOPT_OP_OPAQUE,   ///< any other op with tensors (linalg.softmax ...)
  PGOPT_OP_RETURN,   ///< the function's terminator
} pgopt_op_kind;

/// An integer-array attribute of an operation: perms, kernel, axis ...
typedef struct pgopt_integer_list {
  const char *name;
  const int64_t *values;
  size_t count;
} pgopt_integer_list;

typedef struct pgopt_op pgopt_op;

/// The operations of a nested region, all blocks in order.
typedef struct pgopt_region {
  const pgopt_op *ops;
  size_t op_count;
} pgopt_region;

/// `attributes` lists name = value in MLIR's order, without `pg.` ones and
/// without values of more than 16 elements that are not all the same; "" for
/// structured operations.
struct pgopt_op {
  pgopt_op_kind kind;
  const char *name;     ///< "linalg.matmul"
  const char *location; ///< name of its location, "" when it has none
  const int *operands;  ///< values; for structured ops inputs, then inits
  size_t operand_count;
  size_t input_count;  ///< operands that are not inits
  const int *captures; ///< values from outside that its regions use, each once
  size_t capture_count;
  const int *results;
  size_t result_count;

  /// Structured operations: the iteration space, a map an operand, the body.
  size_t loop_count;
  const int64_t *loop_extents; ///< PGOPT_DYNAMIC where unknown
  const bool *loop_is_reduction;
  const pgopt_map *maps;
  const pgopt_scalar_op *body;
  size_t body_count;
  /// What the body yields, one a result.
  const pgopt_scalar_operand *yields;

  const char *attributes; ///< of other operations, as text; see below
  const pgopt_integer_list *integers;
  size_t integer_count;
  const pgopt_region *regions; ///< of PGOPT_OP_REGION
  size_t region_count;
  int64_t trip_count; ///< of scf.for with constant bounds, else -1
  bool is_splat;      ///< a constant tensor whose elements are all equal
  /// A tensor.pad of static shape that only adds one constant, f32 or f64; its
  /// sides are in `integers` as "static_low", "static_high".
  bool is_padding;
  double padding;    ///< the constant
  const char *group; ///< its pg.kernel, or null
};

typedef struct pgopt_network {
  pgopt_arena arena;
  const char *name; ///< of the function
  pgopt_op *ops;
  size_t op_count;
  pgopt_value *values; ///< arguments first
  size_t value_count;
  size_t argument_count;
} pgopt_network;

void pgopt_network_free(pgopt_network *network);

/// The values of the attribute `name`; count 0 when it is absent.
pgopt_integer_list pgopt_op_integers(const pgopt_op *op, const char *name);

/// A linalg op that multiplies and accumulates: body of one product and one
/// sum (casts allowed) over at least one reduction loop and two operands.
bool pgopt_op_is_contraction(const pgopt_op *op);
/// A contraction one of whose input maps adds loops up (a window).
bool pgopt_op_is_convolution(const pgopt_op *op);
/// All loops parallel, one result, every map linear.
bool pgopt_op_is_elementwise(const pgopt_op *op);
/// At least one reduction loop.
bool pgopt_op_is_reduction(const pgopt_op *op);

#endif // PGOPT_NETWORK_NETWORK_H
