#include "runtime/fatal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/watch.h"

void pgopt_runtime_fatal(const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  pgopt_watch_last_words(text);
  fprintf(stderr, "pgopt: %s\n", text);
  abort();
}
