#include "tools/pgopt-runner/terminal.h"

#include "tools/pgopt-runner/options.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted, deferred;
static bool shows_progress, forces_progress;

#define CLEAR "\r\033[K"
enum { MAX_PROGRESS = 400 };

static void clear_progress(void) {
  if (shows_progress)
    fputs(CLEAR, stderr);
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
  if (!format || (!forces_progress && !isatty(STDERR_FILENO))) {
    clear_progress();
    return;
  }
  char text[MAX_PROGRESS], line[MAX_PROGRESS + sizeof CLEAR];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  // In one piece: who reads it through a pipe tells it by how it begins.
  snprintf(line, sizeof line, CLEAR "%s", text);
  fputs(line, stderr);
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
