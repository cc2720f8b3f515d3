/// \file Parameters that a network takes in another order than their file has
/// them in: the argument has the packed form's type, `pg.layout` says how it is
/// packed, and `pg.parameter` is `name@` and the packing's name.
#ifndef PGOPT_IR_PACKED_PARAMETERS_H
#define PGOPT_IR_PACKED_PARAMETERS_H

#include "ir/argument_attributes.h"
#include "mlir-c/Support.h"
#include "parameters/packing.h"

typedef struct pgopt_parameter {
  char *name; ///< in the parameter file; null when the argument is none
  bool is_packed;
  pgopt_packing packing; ///< when packed
} pgopt_parameter;

/// \param[out] parameter freed with `pgopt_parameter_free`; empty on failure.
/// \returns failure after one error at the function when `pg.layout` is no
///   packing, or the name does not say it.
MlirLogicalResult pgopt_read_parameter(MlirOperation function, intptr_t number,
                                       pgopt_parameter *parameter);
void pgopt_parameter_free(pgopt_parameter *parameter);

/// "w@b.a": what `pg.parameter` of a packed parameter is; freed with `free`.
char *pgopt_packed_name(const char *name, const pgopt_packing *packing);

/// Has the function take argument `number`, a parameter, packed once more: its
/// type, that of the block's argument, and its attributes change. Uses of the
/// block's argument are the caller's to adapt.
void pgopt_pack_parameter(MlirOperation function, intptr_t number,
                          const pgopt_packing *packing);

#endif // PGOPT_IR_PACKED_PARAMETERS_H
