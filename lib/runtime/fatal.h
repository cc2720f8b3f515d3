/// \file The end of a program that broke a rule of the runtime's interface.
/// Lowered programs have nobody to return an error to, so the process ends.
#ifndef PGOPT_RUNTIME_FATAL_H
#define PGOPT_RUNTIME_FATAL_H

/// Prints "pgopt: <text>" to stderr and aborts.
_Noreturn void pgopt_runtime_fatal(const char *format, ...)
    __attribute__((format(printf, 1, 2), cold));

#endif // PGOPT_RUNTIME_FATAL_H
