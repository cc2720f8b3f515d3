/// \file The layers of a network on tensors: its groups, as `form-kernels` will
/// see them, and which ops of the input each of them is made from.
///
/// Groups exist on the normalised form only: unless the network is in it, the
/// module is cloned and the clone is normalised. Every op of the clone's entry
/// first gets a location that holds its number; what an op is lowered to keeps
/// its location.
#ifndef PGOPT_IR_PROFILE_LAYERS_H
#define PGOPT_IR_PROFILE_LAYERS_H

#include "bridge/bridge.h"
#include "flops/flops.h"
#include "ir/read_network.h"
#include "machine/roofline.h"

typedef struct pgopt_layer {
  const char *id;        ///< pg.kernel
  const char *signature; ///< key in pg.profile
  const char *name;      ///< of the op that the Timing stands on
  int core;              ///< that op in the input's network, or -1
  const int *members;    ///< ops of the input's network, ascending
  size_t member_count;
  pgopt_count count; ///< of the whole kernel
  pgopt_kernel_work work;
} pgopt_layer;

typedef struct pgopt_layers {
  pgopt_arena arena;
  pgopt_layer *layers; ///< in the order of the kernel calls
  size_t count;
  MlirOperation clone; ///< the normalised module, nested in the module; or null
  MlirOperation entry; ///< in the clone
} pgopt_layers;

/// Finds the layers of the function that `network` was read from. Elided
/// constants stay as they are.
/// \param needs_clone make one also of a network in normal form.
/// \param[out] result freed with `pgopt_layers_free`, also after a failure.
/// \returns failure after one error, when the network cannot be normalised or
///   grouped.
MlirLogicalResult pgopt_find_layers(pgopt_pass *pass, MlirOperation module,
                                    MlirOperation entry,
                                    const pgopt_ir_network *network, bool fuse,
                                    bool needs_clone, pgopt_layers *result);

/// Frees the layers and destroys the clone.
void pgopt_layers_free(pgopt_layers *layers);

#endif // PGOPT_IR_PROFILE_LAYERS_H
