/// \file Choices of variants for people: what was measured, and why one of the
/// candidates is taken.
#ifndef PGOPT_STORE_CHOICE_REPORT_H
#define PGOPT_STORE_CHOICE_REPORT_H

#include "store/store.h"

/// Appends the choices of a store whose signatures begin with `signature`,
/// machine by machine: tables, or one JSON array.
/// \returns how many there are.
size_t pgopt_choice_report(const pgopt_store *store, const char *signature,
                           bool as_json, pgopt_text *text);

#endif // PGOPT_STORE_CHOICE_REPORT_H
