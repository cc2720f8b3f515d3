/// \file Children that may end in any way.
#include "profile/contained.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ASK_MS = 100 };

void *pgopt_shared_allocate(size_t bytes) {
  void *memory = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void pgopt_shared_free(void *memory, size_t bytes) {
  if (memory)
    munmap(memory, bytes ? bytes : 1);
}

/// The first number behind `key` in a file; -1 when there is none.
static int64_t read_number(const char *root, const char *path,
                           const char *key) {
  pgopt_text name = {0};
  pgopt_text_append(&name, "%s%s", root, path);
  FILE *file = fopen(name.data, "r");
  pgopt_text_free(&name);
  int64_t number = -1;
  char line[256];
  while (file && number < 0 && fgets(line, sizeof line, file))
    if (!strncmp(line, key, strlen(key)) &&
        sscanf(line + strlen(key), "%" SCNd64, &number) != 1)
      number = -1;
  if (file)
    fclose(file);
  return number;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

int64_t pgopt_free_memory(const char *root) {
  static const char *const groups[][2] = {
      {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
      {"/sys/fs/cgroup/memory/memory.limit_in_bytes",
       "/sys/fs/cgroup/memory/memory.usage_in_bytes"}};
  int64_t available = read_number(root, "/proc/meminfo", "MemAvailable:");
  int64_t result = available < 0 || available > INT64_MAX / 1024
                       ? INT64_MAX
                       : available * 1024;
  for (size_t i = 0; i < sizeof groups / sizeof *groups; ++i) {
    int64_t limit = read_number(root, groups[i][0], "");
    int64_t used = read_number(root, groups[i][1], "");
    if (limit >= 0 && used >= 0)
      result = least(result, limit > used ? limit - used : 0);
  }
  return result;
}

pgopt_status pgopt_parse_bytes(const char *text, int64_t *bytes,
                               pgopt_error *error) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  char *end;
  double number = strtod(text, &end);
  double factor = 1;
  for (size_t i = 0; i < sizeof units / sizeof *units; ++i, factor *= 1024)
    if (end != text && *text >= '0' && *text <= '9' && !strcmp(end, units[i]) &&
        number * factor >= 1 && number * factor <= 0x1p60) {
      *bytes = (int64_t)(number * factor);
      return PGOPT_OK;
    }
  return pgopt_fail(error, PGOPT_INVALID,
                    "'%s' is not an amount of memory; it must be a number with "
                    "B, KiB, MiB, GiB or TiB, as in 512MiB",
                    text);
}

/// Limits the memory that this process maps to what it has and so much more.
static void limit_memory(int64_t more) {
  struct rlimit limit;
  int64_t pages = read_number("", "/proc/self/statm", "");
  if (!more || pages < 0 || getrlimit(RLIMIT_AS, &limit))
    return;
  uint64_t bytes =
      (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) + (uint64_t)more;
  if (bytes < limit.rlim_cur)
    limit.rlim_cur = bytes;
  setrlimit(RLIMIT_AS, &limit);
}

/// Traps end the child, whatever handlers the caller has; its core is of no
/// use. It does not outlive the caller.
static _Noreturn void run_child(const pgopt_contained *contained, int pipe_end,
                                pid_t parent) {
  static const int traps[] = {SIGSEGV, SIGBUS,  SIGFPE, SIGILL,
                              SIGABRT, SIGTERM, SIGSYS, SIGTRAP};
  for (size_t i = 0; i < sizeof traps / sizeof *traps; ++i)
    signal(traps[i], SIG_DFL);
  signal(SIGINT, SIG_IGN);
  const struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(1);
  limit_memory(contained->memory_bytes);
  contained->work(contained->data);
  const char done = 1;
  _exit(write(pipe_end, &done, 1) == 1 ? 0 : 1);
}

/// Waits until the child writes, or closes its end of the pipe by ending.
/// \returns true when it did its work.
static bool wait_for(const pgopt_contained *contained, pid_t child,
                     int pipe_end, bool *was_killed) {
  for (;;) {
    struct pollfd end = {pipe_end, POLLIN, 0};
    int ready = poll(&end, 1, ASK_MS);
    char byte;
    if (ready > 0)
      return read(pipe_end, &byte, 1) == 1;
    if (contained->keeps_going && !contained->keeps_going(contained->data)) {
      *was_killed = true;
      kill(child, SIGKILL);
      return false;
    }
  }
}

pgopt_status pgopt_contain(const pgopt_contained *contained,
                           pgopt_ending *ending, int *signal_number,
                           pgopt_error *error) {
  int ends[2];
  *signal_number = 0;
  *ending = PGOPT_ENDED_ILL;
  if (pipe2(ends, O_CLOEXEC))
    return pgopt_fail(error, PGOPT_IO, "cannot make a pipe: %s",
                      strerror(errno));
  fflush(NULL); // the child must not write it once more
  pid_t parent = getpid(), child = fork();
  if (child < 0) {
    int code = errno;
    close(ends[0]);
    close(ends[1]);
    return pgopt_fail(error, PGOPT_IO, "cannot make a process: %s",
                      strerror(code));
  }
  if (!child)
    run_child(contained, ends[1], parent);
  close(ends[1]);
  bool was_killed = false;
  bool is_done = wait_for(contained, child, ends[0], &was_killed);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (is_done)
    *ending = PGOPT_ENDED_WELL;
  else if (was_killed)
    *ending = PGOPT_ENDED_BY_CALLER;
  else if (WIFSIGNALED(status)) {
    *ending = PGOPT_ENDED_BY_SIGNAL;
    *signal_number = WTERMSIG(status);
  }
  return PGOPT_OK;
}
