/// \file Which arguments must be positive for a network to compute numbers.
#ifndef PGOPT_NETWORK_POSITIVE_H
#define PGOPT_NETWORK_POSITIVE_H

#include "network/network.h"

/// Marks the arguments whose elements reach a square root or a logarithm
/// through nothing but additions, maxima, casts and moves: variances, mostly.
/// Random data for them has to be positive.
/// \param[out] positive one an argument.
void pgopt_find_positive_arguments(const pgopt_network *network,
                                   bool *positive);

#endif // PGOPT_NETWORK_POSITIVE_H
