/// \file Kernel calls that are made once more, into buffers of their own.
#ifndef PGOPT_IR_COPY_CALLS_H
#define PGOPT_IR_COPY_CALLS_H

#include "ir/read_calls.h"
#include "schedule/kernel_copies.h"

/// Makes the copies: each call directly behind its original, in the order of
/// `copies`, and its users read its buffer.
/// \param program sequential; read anew afterwards, with nodes as
///   pgopt_kernel_copies_apply numbers them.
/// \returns failure after an error of pgopt_read_calls.
MlirLogicalResult pgopt_copy_calls(MlirOperation module,
                                   const pgopt_kernel_copies *copies,
                                   pgopt_call_program *program);

#endif // PGOPT_IR_COPY_CALLS_H
