/// \file The equation of a multiply-accumulate operation, from its maps.
#ifndef PGOPT_EINSUM_EQUATION_H
#define PGOPT_EINSUM_EQUATION_H

#include "base/text.h"
#include "einsum/canonical.h"

/// Appends "m k, k n -> m n" or "n c y+r x+s, o c r s -> n o y x": a term an
/// input in canonical order, an index a dimension. Indices are named by what
/// they do: b, m, n, k in products; n, o, c, g, y, x, r, s in convolutions;
/// several of a kind are numbered (k, k2 ...).
void pgopt_equation(const pgopt_op *op, const pgopt_canonical *form,
                    pgopt_text *text);

#endif // PGOPT_EINSUM_EQUATION_H
