/// \file A check that a call ends its process with a message.
#ifndef PGOPT_TEST_DEATH_H
#define PGOPT_TEST_DEATH_H

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/// Calls `function` in a child. Holds when the child aborts and what it prints
/// on stderr contains `message`. To be used before the test starts threads.
static inline bool check_dies(void (*function)(void), const char *message,
                              const char *file, int line, const char *text) {
  int ends[2];
  if (pipe(ends))
    return check_note(false, file, line, "pipe");
  pid_t child = fork();
  if (child == 0) {
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    signal(SIGABRT, SIG_DFL);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    function();
    _exit(0);
  }
  close(ends[1]);
  char printed[4096];
  size_t size = 0;
  ssize_t got;
  while (size < sizeof printed - 1 &&
         (got = read(ends[0], printed + size, sizeof printed - 1 - size)) > 0)
    size += (size_t)got;
  printed[size] = 0;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  bool aborted = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
  return check_note(child > 0 && aborted, file, line, text) &&
         check_contains_text(printed, message, file, line, text);
}

#define CHECK_DIES(function, message)                                          \
  check_dies((function), (message), __FILE__, __LINE__, #function " dies")

#endif // PGOPT_TEST_DEATH_H
