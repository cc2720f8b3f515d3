#include "base/text.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pgopt_text_append_bytes(pgopt_text *text, const char *bytes, size_t size) {
  pgopt_reserve((void **)&text->data, &text->capacity, text->size + size + 1,
                1);
  if (size)
    memcpy(text->data + text->size, bytes, size);
  text->size += size;
  text->data[text->size] = '\0';
}

void pgopt_text_append(pgopt_text *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  pgopt_reserve((void **)&text->data, &text->capacity,
                text->size + (size_t)length + 1, 1);
  va_start(arguments, format);
  vsnprintf(text->data + text->size, (size_t)length + 1, format, arguments);
  va_end(arguments);
  text->size += (size_t)length;
}

void pgopt_text_append_json(pgopt_text *text, const char *value) {
  pgopt_text_append_bytes(text, "\"", 1);
  for (const char *c = value; *c; ++c) {
    if (*c == '"' || *c == '\\')
      pgopt_text_append(text, "\\%c", *c);
    else if ((unsigned char)*c < 0x20)
      pgopt_text_append(text, "\\u%04x", (unsigned)*c);
    else
      pgopt_text_append_bytes(text, c, 1);
  }
  pgopt_text_append_bytes(text, "\"", 1);
}

const char *pgopt_text_get(const pgopt_text *text) {
  return text->data ? text->data : "";
}

void pgopt_text_free(pgopt_text *text) {
  free(text->data);
  *text = (pgopt_text){0};
}
