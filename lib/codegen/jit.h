/// \file Objects loaded into this process (ORC).
#ifndef PGOPT_CODEGEN_JIT_H
#define PGOPT_CODEGEN_JIT_H

#include "base/status.h"

#include <stddef.h>

typedef struct pgopt_jit pgopt_jit;

/// An empty JIT whose objects see the symbols of this process, libpgopt_runtime
/// among them. \param[out] jit destroyed with `pgopt_jit_destroy`.
pgopt_status pgopt_jit_create(pgopt_jit **jit, pgopt_error *error);

/// Unloads all objects; no code of theirs may run. Null is allowed.
void pgopt_jit_destroy(pgopt_jit *jit);

/// Loads a copy of the object file; symbols resolve when they are looked up.
pgopt_status pgopt_jit_add_object(pgopt_jit *jit, const void *data, size_t size,
                                  pgopt_error *error);

/// Makes a shared library's symbols visible to the objects, before those of
/// the process. The library stays loaded until the process ends.
pgopt_status pgopt_jit_add_library(pgopt_jit *jit, const char *path,
                                   pgopt_error *error);

/// Defines a function for the objects, before any library's of that name.
pgopt_status pgopt_jit_define(pgopt_jit *jit, const char *name,
                              void (*function)(void), pgopt_error *error);

/// The address of a symbol of the objects, linked together with all it needs.
pgopt_status pgopt_jit_lookup(pgopt_jit *jit, const char *name, void **address,
                              pgopt_error *error);

#endif // PGOPT_CODEGEN_JIT_H
