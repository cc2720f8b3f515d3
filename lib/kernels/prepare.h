/// \file Forms of a network's constants that kernels read instead of them, made
/// once before the first run.
///
/// A kernel may ask for a form of one of its arguments when every call passes a
/// constant or a parameter there, or of a constant that it reads itself. The
/// kernel gets one more argument, the prepared buffer; every call passes the
/// one of its parameter. Calls with the same parameter and form share it. The
/// entry begins with a call of `pgopt_rt_prepared`, which has `@pgopt_prepare`
/// fill the buffers when the addresses of the parameters are new.
#ifndef PGOPT_KERNELS_PREPARE_H
#define PGOPT_KERNELS_PREPARE_H

#include "codegen/emit.h"

/// What a module prepares. Null wherever one is expected: nothing.
typedef struct pgopt_preparation pgopt_preparation;

/// Finds the parameters that kernel calls pass, through views and functions of
/// cores, and gives these functions access to what will be prepared. Before
/// launches are lowered. Ended with `pgopt_preparation_end`.
pgopt_preparation *pgopt_preparation_begin(MlirOperation module,
                                           MlirOperation entry);

/// A form that a parameter is prepared in.
typedef struct pgopt_prepared_form {
  /// Same key and parameter, same contents: says all that `fill` depends on.
  const char *key;
  MlirType element;
  int64_t elements; ///< >= 1
  /// Emits code that writes the buffer, a memref of `elements`; may allocate
  /// scratch by `memref.alloc`.
  /// \param parameter has the type of the value that the form is asked for.
  void (*fill)(pgopt_emitter e, MlirValue parameter, MlirValue buffer,
               const void *data);
  const void *data; ///< for `fill`; borrowed until `pgopt_prepare` returns
} pgopt_prepared_form;

/// True when forms of this memref can be asked for: in a kernel, or directly in
/// the entry, it is all of a constant or parameter, seen through views.
bool pgopt_can_prepare(pgopt_preparation *p, MlirValue memref);

/// Asks for a form of a memref for which `pgopt_can_prepare` holds.
/// \returns its buffer, a memref of `elements`, in the function of the memref.
MlirValue pgopt_prepare(pgopt_preparation *p, MlirValue memref,
                        const pgopt_prepared_form *form);

/// Emits the preparing function and its call, if anything is prepared; before
/// parameters are bound. Frees the preparation.
/// \param trace whether preparing is a span in traces.
/// \param[out] bytes of what is prepared.
/// \returns failure after one error.
MlirLogicalResult pgopt_preparation_end(pgopt_preparation *p, bool trace,
                                        int64_t *bytes);

#endif // PGOPT_KERNELS_PREPARE_H
