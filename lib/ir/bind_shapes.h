/// \file Static shapes for the dynamic dimensions of a network.
#ifndef PGOPT_IR_BIND_SHAPES_H
#define PGOPT_IR_BIND_SHAPES_H

#include "bridge/bridge.h"

/// Gives the entry's arguments the shapes in `text` (`network/shapes.h`), and
/// every value below them the shape that follows, by upstream's inference: the
/// network on tensors has no dynamic dimension afterwards. Nothing changes for
/// an empty text.
/// \returns failure after one error: for a text that is not a list of shapes,
///   an argument that does not exist, is no ranked tensor, has another rank or
///   another static extent, for a dynamic dimension that no shape binds and for
///   an operation whose shape does not follow.
MlirLogicalResult pgopt_bind_shapes(pgopt_pass *pass, MlirOperation module,
                                    MlirOperation entry, const char *text);

/// One error that names the first argument with a dynamic dimension, and that
/// dimension; success when there is none.
MlirLogicalResult pgopt_check_bound(MlirOperation entry);

#endif // PGOPT_IR_BIND_SHAPES_H
