/// \file Messages to the user, progress, and what Ctrl-C does.
#ifndef PGOPT_RUNNER_TERMINAL_H
#define PGOPT_RUNNER_TERMINAL_H

#include <stdbool.h>

/// Prints "pgopt-runner: ..." and a newline on stderr.
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// Shows one line on stderr while something takes long, if that is a terminal;
/// the next message or progress line replaces it. Null clears it.
void progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// From here on it is shown wherever stderr goes: the caller is the terminal.
void force_progress(void);

/// From here on SIGINT and SIGTERM end the process at once, with exit code 130,
/// except between `defer_interrupts` and `resume_interrupts`.
void install_interrupts(void);
/// While a file is being written or a benchmark can be cut short: the first
/// signal only makes `is_interrupted` true.
void defer_interrupts(void);
/// Ends the process when a signal came meanwhile.
void resume_interrupts(void);
bool is_interrupted(void);

#endif // PGOPT_RUNNER_TERMINAL_H
