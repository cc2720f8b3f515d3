/// \file The transform script that vectorizes one linalg op.
#ifndef PGOPT_CODEGEN_VECTOR_SCRIPT_H
#define PGOPT_CODEGEN_VECTOR_SCRIPT_H

#include "base/text.h"
#include "codegen/generic.h"

/// Elementwise on whole, contiguous buffers of one shape: one long loop, which
/// the script makes of the op.
bool pgopt_is_flat(const pgopt_generic *generic);

/// Chooses the loops that vectors run along.
/// \param[out] lanes a number for each loop: extents of the vector along it, 1
///   for loops that vectors do not run along.
/// \returns false when no loop is long enough for a vector.
bool pgopt_choose_lanes(const pgopt_generic *generic, int64_t *lanes);

/// Writes the steps for a function (`%root`) that holds this op and no other
/// linalg op. Every loop has lanes, or the op is flat and has one number of
/// lanes.
void pgopt_write_vector_script(const pgopt_generic *generic,
                               const int64_t *lanes, pgopt_text *steps);

#endif // PGOPT_CODEGEN_VECTOR_SCRIPT_H
