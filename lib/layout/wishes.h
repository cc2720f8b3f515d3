/// \file Which order a kernel would like to read a parameter in. Parameters can
/// be packed when a program is loaded, so any order is to be had.
#ifndef PGOPT_LAYOUT_WISHES_H
#define PGOPT_LAYOUT_WISHES_H

#include "layout/assignment.h"

/// True when the operation reads the constant or parameter in slot `slot` in
/// another order than it could best: a filter in another than its convolution
/// would have it in; the matrix of a product whose rows, columns or depths are
/// not together, stand in another order than in the other matrix or the result,
/// or that has a batch innermost, so that no single matrix product reads it as
/// it is.
/// \param[out] order the value's axes as they are wished for; may be null.
bool pgopt_wishes_other_order(const pgopt_assignment *assignment, size_t op,
                              size_t slot, int *order);

#endif // PGOPT_LAYOUT_WISHES_H
