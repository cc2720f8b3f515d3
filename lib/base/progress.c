#include "base/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void pgopt_show_progress(const char *format, ...) {
  char line[120] = "";
  if (!isatty(STDERR_FILENO))
    return;
  if (format) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
  }
  dprintf(STDERR_FILENO, "\r\033[K%s", line);
}
