/// \file Reading and building `linalg.generic` on memrefs. Named ops are
/// generalized before: nothing here depends on what an op is called.
#ifndef PGOPT_CODEGEN_GENERIC_H
#define PGOPT_CODEGEN_GENERIC_H

#include "codegen/emit.h"
#include "ir/ir.h"
#include "network/network.h"

typedef struct pgopt_generic_operand {
  MlirValue value;
  bool is_memref;         ///< else a scalar
  size_t rank;            ///< 0 for scalars
  pgopt_map map;          ///< one linear sum of loops a dimension
  const int64_t *extents; ///< PGOPT_DYNAMIC where unknown
  const int64_t *strides; ///< in elements; null when one is not static
  MlirType element;
} pgopt_generic_operand;

/// A `linalg.generic` on memrefs and scalars; inputs first, then destinations.
typedef struct pgopt_generic {
  pgopt_arena arena;
  MlirOperation op;
  size_t loop_count;
  const bool *is_reduction;
  const int64_t *extents; ///< PGOPT_DYNAMIC where unknown
  size_t operand_count, input_count;
  const pgopt_generic_operand *operands;
  MlirBlock body;
} pgopt_generic;

/// Reads the op. False when it is not of this kind: another op, results,
/// unranked memrefs, maps that are not linear or have symbols. To be freed in
/// either case.
bool pgopt_read_generic(MlirOperation op, pgopt_generic *generic);
void pgopt_generic_free(pgopt_generic *generic);

/// Builds a `linalg.generic` on memrefs in front of `before`, at its location.
/// \param region its body; ownership passes to the new op.
MlirOperation pgopt_build_generic(MlirOperation before, size_t input_count,
                                  size_t operand_count,
                                  const MlirValue *operands,
                                  const MlirAffineMap *maps, size_t loop_count,
                                  const bool *is_reduction, MlirRegion region);

/// The loop's extent as an index, a `memref.dim` of a destination, or else of
/// an input, when dynamic.
MlirValue pgopt_emit_loop_extent(pgopt_emitter emitter,
                                 const pgopt_generic *generic, size_t loop);

#endif // PGOPT_CODEGEN_GENERIC_H
