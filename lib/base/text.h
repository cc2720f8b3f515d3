/// \file A growing text: what reports, graphs and generated pipelines are
/// written into before they leave the program in one piece.
#ifndef PGOPT_BASE_TEXT_H
#define PGOPT_BASE_TEXT_H

#include <stddef.h>

/// A zero-initialised text is empty. `data` is null until something is
/// appended, and terminated with a zero byte after that.
typedef struct pgopt_text {
  char *data;
  size_t size, capacity;
} pgopt_text;

void pgopt_text_append(pgopt_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void pgopt_text_append_bytes(pgopt_text *text, const char *bytes, size_t size);

/// Appends `value` as a JSON string with its quotes. Bytes below 0x20, quotes
/// and backslashes are escaped, everything else is copied.
void pgopt_text_append_json(pgopt_text *text, const char *value);

/// The text, "" when empty; borrowed.
const char *pgopt_text_get(const pgopt_text *text);

void pgopt_text_free(pgopt_text *text);

#endif // PGOPT_BASE_TEXT_H
