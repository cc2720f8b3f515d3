/// \file Arrays that the body of a structured operation reads element by
/// element (tensor.extract): what resize, reverse and the like become.
#ifndef PGOPT_LAYOUT_GATHERS_H
#define PGOPT_LAYOUT_GATHERS_H

#include "network/network.h"

/// Whether every dimension of a captured array is read along one loop of the
/// operation, each another: the order of its dimensions can then be told, and
/// changed.
/// \param capture position in the operation's captures.
/// \param[out] loops one a dimension, -1 for an extent of 1.
/// \returns false also when the array is used in any other way.
bool pgopt_gather_loops(const pgopt_network *network, const pgopt_op *op,
                        size_t capture, int *loops);

#endif // PGOPT_LAYOUT_GATHERS_H
