/// \file Finding the ops of a module by symbol without going through all of
/// them each time.
#ifndef PGOPT_IR_SYMBOL_INDEX_H
#define PGOPT_IR_SYMBOL_INDEX_H

#include "base/pointer_map.h"
#include "mlir-c/IR.h"

#include <stddef.h>

/// Valid while no symbol of the module is added, removed or renamed.
typedef struct pgopt_symbol_index {
  pgopt_pointer_map by_reference; ///< flat references are kept once a name
  MlirOperation *ops;
  size_t count, capacity;
} pgopt_symbol_index;

/// Freed with pgopt_symbol_index_free.
pgopt_symbol_index pgopt_symbol_index_create(MlirOperation module);
void pgopt_symbol_index_free(pgopt_symbol_index *index);

/// The op that the flat symbol reference in attribute `name` of `op` names;
/// null when there is none.
MlirOperation pgopt_symbol_index_resolve(const pgopt_symbol_index *index,
                                         MlirOperation op, const char *name);

/// The op of that name; null when there is none.
MlirOperation pgopt_symbol_index_find(const pgopt_symbol_index *index,
                                      MlirContext context, MlirStringRef name);

#endif // PGOPT_IR_SYMBOL_INDEX_H
