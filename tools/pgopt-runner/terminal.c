#include "tools/pgopt-runner/terminal.h"

#include "tools/pgopt-runner/options.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted, deferred;
static bool shows_progress, forces_progress;

static void clear_progress(void) {
  if (shows_progress)
    fputs("\r\033[K", stderr);
  shows_progress = false;
}

void complain(const char *format, ...) {
  clear_progress();
  fputs("pgopt-runner: ", stderr);
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
}

void force_progress(void) { forces_progress = true; }

void progress(const char *format, ...) {
  clear_progress();
  if (!format || (!forces_progress && !isatty(STDERR_FILENO)))
    return;
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fflush(stderr);
  shows_progress = true;
}

static void on_signal(int signal_number) {
  (void)signal_number;
  if (!deferred || interrupted)
    _exit(EXIT_INTERRUPTED);
  interrupted = 1;
}

void install_interrupts(void) {
  struct sigaction action = {.sa_handler = on_signal};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

void defer_interrupts(void) { deferred = 1; }

void resume_interrupts(void) {
  deferred = 0;
  if (interrupted)
    _exit(EXIT_INTERRUPTED);
}

bool is_interrupted(void) { return interrupted; }
