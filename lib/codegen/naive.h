/// \file The oracle: a network lowered by upstream's passes alone, without any
/// kernel, schedule or storage plan of ours. Results of everything else are
/// compared with what this computes.
#ifndef PGOPT_CODEGEN_NAIVE_H
#define PGOPT_CODEGEN_NAIVE_H

#include "bridge/bridge.h"

/// Takes the functions of a module from linalg or TOSA on tensors to loops on
/// memrefs, whole module at once. The functions keep their names; tensors in
/// their types become memrefs.
MlirLogicalResult pgopt_lower_naive(pgopt_pass *pass, MlirOperation module);

/// The first half of it: takes what is still on tensors to linalg on memrefs.
/// Functions that are there already are left alone.
MlirLogicalResult pgopt_bufferize(pgopt_pass *pass, MlirOperation module);

#endif // PGOPT_CODEGEN_NAIVE_H
