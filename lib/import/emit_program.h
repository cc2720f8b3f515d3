/// \file Parts of the writer of tensor programs; private to this folder.
#ifndef PGOPT_IMPORT_EMIT_PROGRAM_H
#define PGOPT_IMPORT_EMIT_PROGRAM_H

#include "ir/ir.h"
#include "ir/tensor_ops.h"
#include "tensor/tensor_program.h"

typedef struct pgopt_emitter {
  const pgopt_tensor_program *program;
  MlirContext context;
  MlirValue *values; ///< one a tensor; null until it is made
} pgopt_emitter;

MlirType pgopt_import_element_type(MlirContext context, pgopt_number type);
/// The ranked tensor type.
MlirType pgopt_import_type(const pgopt_emitter *e, int tensor);
/// Dense elements; `count` of them, or one splat.
MlirAttribute pgopt_import_elements(MlirType type, pgopt_number number,
                                    int64_t count, const void *data,
                                    bool is_splat);
/// A scalar arith.constant.
MlirValue pgopt_import_scalar(const pgopt_builder *b, pgopt_number type,
                              pgopt_scalar_value value);

/// An op with one result, appended to the builder's block.
MlirValue pgopt_import_op(const pgopt_builder *b, const char *name,
                          int operands, const MlirValue *values,
                          MlirType result, int attributes,
                          const MlirNamedAttribute *named);

/// The nest's result.
MlirValue pgopt_import_nest(const pgopt_emitter *e, const pgopt_builder *b,
                            const pgopt_node *node);
/// The result of a RESHAPE, SLICE, PAD or CONCAT.
MlirValue pgopt_import_move(const pgopt_emitter *e, const pgopt_builder *b,
                            const pgopt_node *node);
/// The body of a nest, in the block of a linalg.generic: all scalars and the
/// linalg.yield. `arguments`: the block argument of each operand.
void pgopt_import_body(const pgopt_emitter *e, const pgopt_builder *b,
                       const pgopt_nest *nest, const MlirValue *arguments,
                       MlirValue result);

#endif // PGOPT_IMPORT_EMIT_PROGRAM_H
