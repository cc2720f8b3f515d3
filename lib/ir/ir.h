/// \file Small helpers over MLIR's C API that every file holding IR uses.
#ifndef PGOPT_IR_IR_H
#define PGOPT_IR_IR_H

#include "base/text.h"
#include "bridge/bridge.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline MlirStringRef pgopt_ref(const char *text) {
  return mlirStringRefCreateFromCString(text);
}

/// True when the reference's bytes are those of `text`.
bool pgopt_ref_is(MlirStringRef ref, const char *text);
/// A terminated copy; freed with `free`.
char *pgopt_ref_duplicate(MlirStringRef ref);

/// "linalg.matmul"; borrowed from the context.
MlirStringRef pgopt_op_name(MlirOperation op);
bool pgopt_op_is(MlirOperation op, const char *name);
/// True for "linalg.x" when `dialect` is "linalg".
bool pgopt_op_in_dialect(MlirOperation op, const char *dialect);
/// True for a view of a memref that bufferization makes: a part of it, or all
/// of it in another shape.
bool pgopt_op_is_memref_view(MlirOperation op);

/// The inherent or discardable attribute; null when absent.
MlirAttribute pgopt_op_attribute(MlirOperation op, const char *name);
/// Value of the integer attribute, or `otherwise`.
int64_t pgopt_op_i64(MlirOperation op, const char *name, int64_t otherwise);

/// The symbol's name of a function or global; empty when it has none.
MlirStringRef pgopt_symbol_name(MlirOperation op);
bool pgopt_symbol_is_private(MlirOperation op);
/// The op of that symbol name directly in the module; null when absent.
MlirOperation pgopt_module_lookup(MlirOperation module, MlirStringRef name);
/// The module's only block.
MlirBlock pgopt_module_body(MlirOperation module);
/// A copy at the module's end: a pass may run pipelines on what is nested in
/// its own operation, and nowhere else.
MlirOperation pgopt_nest_copy(MlirOperation module);
/// A copy of a function, under another name, at the module's end.
MlirOperation pgopt_add_copy(MlirOperation module, MlirOperation function,
                             const char *name);
/// First block of a func.func's body; null for a declaration.
MlirBlock pgopt_function_body(MlirOperation function);
MlirType pgopt_function_type(MlirOperation function);
/// The callee's symbol name of a func.call.
MlirStringRef pgopt_callee(MlirOperation call);

/// Emits one diagnostic at the op, printf-style.
void pgopt_emit(MlirOperation op, pgopt_severity severity, const char *format,
                ...) __attribute__((format(printf, 3, 4)));
/// Emits an error and returns failure.
MlirLogicalResult pgopt_emit_error(MlirOperation op, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// Appends what MLIR prints.
void pgopt_print_attribute(MlirAttribute attribute, pgopt_text *text);
void pgopt_print_type(MlirType type, pgopt_text *text);
void pgopt_print_operation(MlirOperation op, pgopt_text *text);

/// What an op is built from. Unused counts are zero. `attributes` are inherent
/// or discardable ones by name.
typedef struct pgopt_op_spec {
  const char *name;
  MlirLocation location;
  size_t operand_count;
  const MlirValue *operands;
  size_t result_count;
  const MlirType *results;
  size_t attribute_count;
  const MlirNamedAttribute *attributes;
  size_t region_count; ///< empty regions to add
} pgopt_op_spec;

/// Creates the op and appends it to `block` (before its terminator when the
/// block has one).
MlirOperation pgopt_build(MlirBlock block, const pgopt_op_spec *spec);
/// Creates the op in front of `before`.
MlirOperation pgopt_build_before(MlirOperation before,
                                 const pgopt_op_spec *spec);

/// Result 0 of the op.
static inline MlirValue pgopt_result(MlirOperation op) {
  return mlirOperationGetResult(op, 0);
}

MlirNamedAttribute pgopt_named(MlirContext context, const char *name,
                               MlirAttribute value);
MlirAttribute pgopt_i64_attribute(MlirContext context, int64_t value);
MlirAttribute pgopt_text_attribute(MlirContext context, const char *value);

/// An index constant, and an i64 constant, appended to `block`.
MlirValue pgopt_build_index(MlirBlock block, MlirLocation location,
                            int64_t value);
MlirValue pgopt_build_i64(MlirBlock block, MlirLocation location,
                          int64_t value);

/// A `func.func` with an empty entry block appended to the module's body;
/// `body` may be null for a declaration (then private).
MlirOperation pgopt_build_function(MlirOperation module, const char *name,
                                   MlirType type, bool is_private,
                                   MlirLocation location, MlirBlock *body);
/// Declares the private function once; later calls find it. Fails with one
/// error when the symbol is taken by something else.
MlirLogicalResult pgopt_declare_function(MlirOperation module, const char *name,
                                         MlirType type);

/// All ops of a block in order; count set, array freed with `free`.
MlirOperation *pgopt_block_ops(MlirBlock block, size_t *count);

#endif // PGOPT_IR_IR_H
