/// \file Attempts that may fail: their errors are kept instead of shown.
#ifndef PGOPT_IR_ATTEMPT_H
#define PGOPT_IR_ATTEMPT_H

#include "base/text.h"
#include "mlir-c/Diagnostics.h"
#include "mlir-c/IR.h"

#include <stdbool.h>

typedef struct pgopt_attempt {
  MlirContext context;
  MlirDiagnosticHandlerID handler;
  pgopt_text message; ///< of the first error
  bool failed;        ///< there was one
} pgopt_attempt;

/// Takes all errors of the context until the attempt ends; other diagnostics go
/// where they went. The struct must stay where it is meanwhile.
void pgopt_attempt_begin(MlirContext context, pgopt_attempt *attempt);
void pgopt_attempt_end(pgopt_attempt *attempt);

/// The first error's message, or "".
const char *pgopt_attempt_message(const pgopt_attempt *attempt);
void pgopt_attempt_free(pgopt_attempt *attempt);

#endif // PGOPT_IR_ATTEMPT_H
