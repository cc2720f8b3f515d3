/// \file Short names for operations.
#ifndef PGOPT_GROUPING_STEM_H
#define PGOPT_GROUPING_STEM_H

#include "network/network.h"

/// A word for what the operation does, usable in a symbol: "conv", "matmul",
/// "reduce_max", "add", "transpose", "pad". Static text, or the network's.
const char *pgopt_op_stem(const pgopt_op *op);

#endif // PGOPT_GROUPING_STEM_H
