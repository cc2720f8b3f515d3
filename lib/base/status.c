#include "base/status.h"

#include <stdio.h>

pgopt_status pgopt_fail(pgopt_error *error, pgopt_status status,
                        const char *format, ...) {
  if (error) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    error->status = status;
  }
  return status;
}
