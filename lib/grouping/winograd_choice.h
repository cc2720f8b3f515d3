/// \file Which convolutions are computed by Winograd's transforms, and in what
/// tiles. Kernels and signatures agree because both ask here.
#ifndef PGOPT_GROUPING_WINOGRAD_CHOICE_H
#define PGOPT_GROUPING_WINOGRAD_CHOICE_H

#include "grouping/grouping.h"

/// What may be chosen.
typedef enum pgopt_winograd {
  PGOPT_WINOGRAD_AUTO, ///< F(4x4, 3x3) on large maps, F(2x2, 3x3) on smaller
  PGOPT_WINOGRAD_OFF,
  PGOPT_WINOGRAD_F2, ///< F(2x2, 3x3) alone, on maps of any size
  PGOPT_WINOGRAD_F4, ///< F(4x4, 3x3) alone
} pgopt_winograd;

/// Reads "auto", "off", "f2" or "f4"; false for anything else.
bool pgopt_winograd_parse(const char *text, pgopt_winograd *choice);

/// Outputs of a tile in each direction, 2 or 4, for a 3x3 convolution with
/// steps of 1 and channels last; 0: it is computed directly.
/// \param height, width of the result; those that are not known count as large.
int64_t pgopt_winograd_size(pgopt_winograd choice, int64_t height,
                            int64_t width, int64_t inputs, int64_t outputs);

/// The same for the core of a group; 0 for any other group.
int64_t pgopt_group_winograd(const pgopt_network *network,
                             const pgopt_group *group, pgopt_winograd choice);

#endif // PGOPT_GROUPING_WINOGRAD_CHOICE_H
