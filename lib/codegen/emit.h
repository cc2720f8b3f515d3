/// \file Emitting lowered code: operations put in front of one place, with the
/// constants, loops, pointers and calls of the runtime that every part of the
/// lowering needs.
#ifndef PGOPT_CODEGEN_EMIT_H
#define PGOPT_CODEGEN_EMIT_H

#include "ir/ir.h"

/// Where operations go: in front of `before`. Pass by value; `pgopt_emit_for`
/// returns the emitter of the loop's body.
typedef struct pgopt_emitter {
  MlirContext context;
  MlirLocation location;
  MlirOperation before;
} pgopt_emitter;

/// Emits in front of `before`, at its location.
pgopt_emitter pgopt_emitter_before(MlirOperation before);
/// Emits at the start of a block that is not empty, located at `origin`.
pgopt_emitter pgopt_emitter_at_start(MlirBlock block, MlirOperation origin);

/// A type from its text, which is ours and parses.
MlirType pgopt_type_parse(MlirContext context, const char *text);
/// An attribute from its text, which is ours and parses.
MlirAttribute pgopt_attribute_parse(MlirContext context, const char *text);
MlirType pgopt_pointer_type(MlirContext context);

/// One operation; `result` may be a null type for none. Returns its result 0.
MlirValue pgopt_emit_op(pgopt_emitter emitter, const char *name,
                        size_t operand_count, const MlirValue *operands,
                        MlirType result, size_t attribute_count,
                        const MlirNamedAttribute *attributes);

MlirValue pgopt_emit_index(pgopt_emitter emitter, int64_t value);
MlirValue pgopt_emit_i64(pgopt_emitter emitter, int64_t value);
/// `name` of a binary operation whose result has its operands' type.
MlirValue pgopt_emit_binary(pgopt_emitter emitter, const char *name,
                            MlirValue left, MlirValue right);
/// An index as i64 and back.
MlirValue pgopt_emit_to_i64(pgopt_emitter emitter, MlirValue index);
MlirValue pgopt_emit_to_index(pgopt_emitter emitter, MlirValue integer);
/// base + value * factor on indices, without the operations that do nothing.
MlirValue pgopt_emit_add_scaled(pgopt_emitter emitter, MlirValue base,
                                MlirValue value, int64_t factor);
/// An empty `scf.for` from 0 to `end`; sets `variable`.
pgopt_emitter pgopt_emit_for(pgopt_emitter emitter, MlirValue end, int64_t step,
                             MlirValue *variable);

/// A call of a function of the runtime (or any other that takes what is
/// given); declares it in the module at first use. `result` may be a null type.
MlirValue pgopt_emit_runtime_call(pgopt_emitter emitter, MlirOperation module,
                                  const char *name, size_t argument_count,
                                  const MlirValue *arguments, MlirType result);

/// What `memref.extract_strided_metadata` returns of a memref: base buffer,
/// offset, sizes, strides.
MlirOperation pgopt_emit_metadata(pgopt_emitter emitter, MlirValue memref);

/// A buffer of that many elements in one dimension; `op` is `memref.alloc` or
/// `memref.alloca`.
MlirValue pgopt_emit_buffer(pgopt_emitter emitter, const char *op,
                            MlirType element, int64_t elements);

/// Address of the memref's element 0, as an index: aligned pointer plus offset.
MlirValue pgopt_emit_address(pgopt_emitter emitter, MlirValue memref);
/// An address held as an index, as a pointer.
MlirValue pgopt_emit_pointer(pgopt_emitter emitter, MlirValue address);
/// `memref<?xi8>` over the memory at `pointer`; `bytes` is an i64.
MlirValue pgopt_emit_bytes(pgopt_emitter emitter, MlirValue pointer,
                           MlirValue bytes);
/// A static, contiguous memref of `type` inside `bytes` at byte `offset`.
MlirValue pgopt_emit_view(pgopt_emitter emitter, MlirValue bytes,
                          MlirValue offset, MlirType type, size_t size_count,
                          const MlirValue *sizes);

/// Bytes of one element as stored in a memref; 0 for types without a fixed
/// size.
int64_t pgopt_element_storage(MlirType type);
/// Bytes of a memref of static shape; false when dynamic or too large.
bool pgopt_memref_bytes(MlirType type, int64_t *bytes);

/// The name, or the name with a number, that no symbol of the module has; to be
/// freed with `free`.
char *pgopt_unique_symbol(MlirOperation module, const char *name);

/// All ops of that name, or of a dialect when `name` ends with a dot, nested in
/// `root`, in post order; freed with `free`.
MlirOperation *pgopt_collect_ops(MlirOperation root, const char *name,
                                 size_t *count);

/// The builtin.module the op is nested in.
MlirOperation pgopt_parent_module(MlirOperation op);
/// True when `value` is defined inside `op`.
bool pgopt_defined_inside(MlirValue value, MlirOperation op);
/// Values that ops nested in `op` use and that are defined outside of it, each
/// once; freed with `free`.
MlirValue *pgopt_captured_values(MlirOperation op, size_t *count);
/// The buffer that a memref is a view of: an argument, an allocation, a global.
MlirValue pgopt_root_buffer(MlirValue value);

#endif // PGOPT_CODEGEN_EMIT_H
