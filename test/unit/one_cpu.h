/// \file This program once more, on one CPU.
#ifndef PGOPT_TEST_ONE_CPU_H
#define PGOPT_TEST_ONE_CPU_H

#include <sched.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

/// Runs this program again, restricted to one CPU from its start.
/// \param arguments null-terminated, the first its name.
/// \returns whether it ended with 0.
static inline bool run_again_on_one_cpu(char *const *arguments) {
  pid_t child = fork();
  if (child == 0) {
    int cpu = sched_getcpu();
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set))
      _exit(3);
    execv("/proc/self/exe", arguments);
    _exit(4);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

#endif // PGOPT_TEST_ONE_CPU_H
