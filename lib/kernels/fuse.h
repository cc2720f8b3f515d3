/// \file What a product's tile does besides multiplying: values that C starts
/// with and elementwise operations on C behind it, done in registers.
#ifndef PGOPT_KERNELS_FUSE_H
#define PGOPT_KERNELS_FUSE_H

#include "codegen/generic.h"
#include "kernels/product_plan.h"
#include "kernels/vectors.h"

enum {
  PGOPT_FUSION_MAX_OPS = 12,
  PGOPT_FUSION_MAX_INPUTS = 8,
  PGOPT_FUSED_BODY = 16, ///< what a fused operation's body may cost
};

/// Where a fused operation's input comes from.
typedef struct pgopt_fused_input {
  int operand; ///< of the problem; -1 for none
  int held;    ///< the buffer whose element a register holds; -1 for none
  MlirValue scalar;
} pgopt_fused_input;

typedef struct pgopt_fused_op {
  pgopt_generic generic;
  pgopt_fused_input inputs[PGOPT_FUSION_MAX_INPUTS];
  int result; ///< the buffer that it writes
} pgopt_fused_op;

typedef enum pgopt_fusion_start {
  PGOPT_START_STORED, ///< C holds it
  PGOPT_START_ZERO,
  PGOPT_START_COMPUTED, ///< by `start`
} pgopt_fusion_start;

typedef struct pgopt_fusion {
  pgopt_fusion_start start_kind;
  MlirOperation zero_fill; ///< null when there is none
  pgopt_fused_op start;
  size_t count;
  pgopt_fused_op ops[PGOPT_FUSION_MAX_OPS];
  MlirOperation product, last; ///< `last`: the product, or the last of `ops`
  /// Buffers whose element is in a register: C, then those that `ops` write.
  /// One of them is stored, the others exist for these operations only.
  size_t held_count;
  MlirValue held[PGOPT_FUSION_MAX_OPS + 1];
  int stored;
  /// Operands that the problem got, from number 3 on.
  MlirValue memrefs[PGOPT_PRODUCT_MAX_OPERANDS];
  int64_t offsets[PGOPT_PRODUCT_MAX_OPERANDS]; ///< from the maps' constants
} pgopt_fusion;

/// Finds what can be fused with the product and adds the operands it reads to
/// the problem. To be freed.
void pgopt_fusion_find(const pgopt_generic *product,
                       pgopt_product_problem *problem, pgopt_fusion *fusion);
void pgopt_fusion_free(pgopt_fusion *fusion);

/// The buffer to store into; laid out as C is.
MlirValue pgopt_fusion_destination(const pgopt_fusion *fusion);

/// Erases the product, the operations that it now does and buffers that nothing
/// needs any more.
/// \param[out] erased those after the product, at most PGOPT_FUSION_MAX_OPS.
size_t pgopt_fusion_erase(pgopt_fusion *fusion, MlirOperation *erased);

/// Where a vector of C lies in the problem's operands.
typedef struct pgopt_fused_place {
  const MlirValue *views;
  pgopt_position at[PGOPT_PRODUCT_MAX_OPERANDS];
  /// Operands of which all lanes read one element.
  bool is_splat[PGOPT_PRODUCT_MAX_OPERANDS];
  MlirValue mask;
} pgopt_fused_place;

/// The operand's elements there.
MlirValue pgopt_fused_load(pgopt_emitter e, const pgopt_vectors *v,
                           const pgopt_fused_place *place, size_t operand);

/// One vector of what C starts with: 0, computed, or what C holds.
/// \param destination the number of C among the problem's operands.
MlirValue pgopt_fusion_emit_start(pgopt_emitter e, const pgopt_vectors *v,
                                  const pgopt_fusion *fusion,
                                  const pgopt_fused_place *place,
                                  size_t destination);

/// Computes what follows the product on one vector of it: what is stored.
MlirValue pgopt_fusion_emit(pgopt_emitter e, const pgopt_vectors *v,
                            const pgopt_fusion *fusion, MlirValue product,
                            const pgopt_fused_place *place);

/// Computes one scalar of its body.
/// \param destination may be null when the scalar does not depend on it.
/// \param operands a vector for each operand of the problem that it reads.
MlirValue pgopt_fused_emit_value(pgopt_emitter e, const pgopt_vectors *v,
                                 const pgopt_fused_op *op,
                                 MlirValue destination,
                                 const MlirValue *operands, MlirValue scalar);

/// Reads an operation whose operands have the numbers that they have in the
/// problem; its `generic` is borrowed. False when its body is not one that
/// vectors compute, or costs more than `most`: an instruction or two each, 8 a
/// function.
bool pgopt_fused_read_body(const pgopt_generic *generic, size_t most,
                           pgopt_fused_op *op);

#endif // PGOPT_KERNELS_FUSE_H
