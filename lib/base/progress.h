/// \file One line of progress on a terminal.
#ifndef PGOPT_BASE_PROGRESS_H
#define PGOPT_BASE_PROGRESS_H

/// Shows a line in place of the last one, when the standard error stream is a
/// terminal. \param format null: clears it.
__attribute__((format(printf, 1, 2))) void
pgopt_show_progress(const char *format, ...);

#endif // PGOPT_BASE_PROGRESS_H
