/// \file Attempts that may fail.
#include "ir/attempt.h"

static void append_part(MlirStringRef part, void *text) {
  pgopt_text_append_bytes(text, part.data, part.length);
}

static MlirLogicalResult take_error(MlirDiagnostic diagnostic, void *data) {
  pgopt_attempt *a = data;
  if (mlirDiagnosticGetSeverity(diagnostic) != MlirDiagnosticError)
    return mlirLogicalResultFailure();
  if (!a->failed)
    mlirDiagnosticPrint(diagnostic, append_part, &a->message);
  a->failed = true;
  return mlirLogicalResultSuccess();
}

void pgopt_attempt_begin(MlirContext context, pgopt_attempt *attempt) {
  *attempt = (pgopt_attempt){.context = context};
  attempt->handler =
      mlirContextAttachDiagnosticHandler(context, take_error, attempt, NULL);
}

void pgopt_attempt_end(pgopt_attempt *attempt) {
  mlirContextDetachDiagnosticHandler(attempt->context, attempt->handler);
}

const char *pgopt_attempt_message(const pgopt_attempt *attempt) {
  return pgopt_text_get(&attempt->message);
}

void pgopt_attempt_free(pgopt_attempt *attempt) {
  pgopt_text_free(&attempt->message);
}
