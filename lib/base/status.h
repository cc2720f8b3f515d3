/// \file Results of functions that hold no IR: a status, and an error that says
/// in words what was found, what is allowed and what to do about it.
#ifndef PGOPT_BASE_STATUS_H
#define PGOPT_BASE_STATUS_H

#include <stdarg.h>

typedef enum pgopt_status {
  PGOPT_OK = 0,
  PGOPT_INVALID,      ///< input breaks its format or a stated rule
  PGOPT_OUT_OF_RANGE, ///< a size, count or product does not fit
  PGOPT_UNSUPPORTED,  ///< valid input that this version cannot handle
  PGOPT_IO,           ///< the operating system refused; errno is in the text
  PGOPT_NO_MEMORY,    ///< an allocation of a size given from outside failed
} pgopt_status;

#define PGOPT_ERROR_SIZE 512

/// Owned by the caller; `message` is "" until a failure fills it.
typedef struct pgopt_error {
  pgopt_status status;
  char message[PGOPT_ERROR_SIZE];
} pgopt_error;

/// Fills `error` (when it is not null; truncates long texts) and returns
/// `status`, so that a failing line reads `return pgopt_fail(error, ...)`.
pgopt_status pgopt_fail(pgopt_error *error, pgopt_status status,
                        const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif // PGOPT_BASE_STATUS_H
