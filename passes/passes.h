/// \file The definitions of all passes, in pipeline order.
#ifndef PGOPT_PASSES_PASSES_H
#define PGOPT_PASSES_PASSES_H

#include "bridge/bridge.h"

#define PGOPT_PASS(name) extern const pgopt_pass_definition name;
#include "passes/passes.def"
#undef PGOPT_PASS

/// Null-terminated.
extern const pgopt_pass_definition *const pgopt_all_passes[];

/// docs/passes.md as text; to be freed with `free`.
char *pgopt_passes_document(void);

#endif // PGOPT_PASSES_PASSES_H
