/// \file The names that symbols of a module have, so that new ones get others.
#ifndef PGOPT_IR_SYMBOL_NAMES_H
#define PGOPT_IR_SYMBOL_NAMES_H

#include "base/pointer_map.h"
#include "mlir-c/IR.h"

#include <stdbool.h>

typedef struct pgopt_symbol_names {
  MlirContext context;
  pgopt_pointer_map taken; ///< name -> number that a suffix of it may start at
} pgopt_symbol_names;

/// The names of the ops directly in the module; freed with
/// pgopt_symbol_names_free.
pgopt_symbol_names pgopt_symbol_names_create(MlirOperation module);
void pgopt_symbol_names_free(pgopt_symbol_names *names);

/// Takes the name; false, and nothing changes, when it is taken already.
bool pgopt_symbol_names_take(pgopt_symbol_names *names, const char *name);

/// Takes `wanted`, else the first free one of wanted_0, wanted_1 ...
/// \returns the name taken, freed with `free`.
char *pgopt_symbol_names_make(pgopt_symbol_names *names, const char *wanted);

#endif // PGOPT_IR_SYMBOL_NAMES_H
