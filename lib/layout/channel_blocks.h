/// \file Channels of images cut into blocks, so that a blocked layout is one
/// more order of axes.
#ifndef PGOPT_LAYOUT_CHANNEL_BLOCKS_H
#define PGOPT_LAYOUT_CHANNEL_BLOCKS_H

#include "layout/classify_ops.h"

/// Cuts the innermost channels of every convolution's image, filter and result
/// where `block` divides them.
void pgopt_block_channels(pgopt_classifier *classifier, int64_t block);

/// Carries blocks through an op that does not tie its dimensions: a product
/// with one pixel's filter, pieces of a concatenation or slice that begin at
/// blocks.
/// \param changed set when a class got a new cut; else left alone.
void pgopt_spread_blocks(pgopt_classifier *classifier, size_t op, int64_t block,
                         bool *changed);

/// True when all pieces along the frame's dimension `dim`, in which the op
/// moves, are runs of the frame's outermost factor: they begin and end between
/// its steps, and end with the frame's other factors.
bool pgopt_move_fits_cuts(pgopt_classifier *classifier, size_t op, size_t dim);

#endif // PGOPT_LAYOUT_CHANNEL_BLOCKS_H
