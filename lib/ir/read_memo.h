/// \file What of types and attributes has been read already. Networks repeat
/// them, and printing one costs more than all else that is read of an op.
#ifndef PGOPT_IR_READ_MEMO_H
#define PGOPT_IR_READ_MEMO_H

#include "base/pointer_map.h"
#include "mlir-c/IR.h"
#include "network/network.h"

/// A zero-initialised memo is empty. What it hands out lives in the arena that
/// it was read into, one and the same for all calls.
typedef struct pgopt_read_memo {
  pgopt_pointer_map type_index, text_index, map_index;
  pgopt_type *types;
  size_t type_count, type_capacity;
  const char **texts;
  size_t text_count, text_capacity;
  pgopt_map *maps;
  size_t map_count, map_capacity;
} pgopt_read_memo;

pgopt_type pgopt_read_type(pgopt_read_memo *memo, pgopt_arena *arena,
                           MlirType type);

/// The attribute as MLIR prints it.
const char *pgopt_read_text(pgopt_read_memo *memo, pgopt_arena *arena,
                            MlirAttribute attribute);

/// The indexing map in an affine map attribute.
pgopt_map pgopt_read_map_attribute(pgopt_read_memo *memo, pgopt_arena *arena,
                                   MlirAttribute attribute);

void pgopt_read_memo_free(pgopt_read_memo *memo);

#endif // PGOPT_IR_READ_MEMO_H
