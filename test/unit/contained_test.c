/// \file Children that trap, never end, eat memory, leave early or do well.
#include "check.h"

#include "pgopt/runtime.h"
#include "profile/contained.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct notes {
  pgopt_rt_watch watch;
  int64_t samples[3];
  volatile int64_t begun, ended;
} notes;

static notes *shared;
static int64_t asked;

static pgopt_ending contain(void (*work)(void *), bool (*keeps_going)(void *),
                            int64_t memory_bytes, int *signal_number) {
  const pgopt_contained contained = {work, keeps_going, shared, memory_bytes};
  pgopt_ending ending;
  pgopt_error error = {0};
  memset(shared, 0, sizeof *shared);
  asked = 0;
  CHECK_EQ_I64(pgopt_contain(&contained, &ending, signal_number, &error),
               PGOPT_OK);
  return ending;
}

static void do_well(void *data) {
  notes *n = data;
  n->begun = 1;
  n->ended = getpid();
}

__attribute__((no_sanitize("undefined"))) static void trap(void *data) {
  notes *n = data;
  volatile int seven = 7, zero = 0;
  n->begun = 1;
  n->ended = seven / zero;
}

__attribute__((no_sanitize("undefined", "address"))) static void
read_nowhere(void *data) {
  notes *n = data;
  int64_t *volatile nowhere = NULL;
  n->begun = 1;
  n->ended = *nowhere;
}

static void abort_work(void *data) {
  (void)data;
  abort();
}

static void leave(void *data) {
  notes *n = data;
  n->begun = 1;
  _exit(0);
}

static void never_end(void *data) {
  notes *n = data;
  n->begun = 1;
  raise(SIGINT); // which must not end it
  for (;;)
    pause();
}

static bool goes_on(void *data) {
  (void)data;
  ++asked;
  return true;
}

/// Only after the child has begun: no time is taken for granted.
static bool stops(void *data) {
  ++asked;
  return !((notes *)data)->begun;
}

static void test_endings(void) {
  int number;
  CHECK_EQ_I64(contain(do_well, NULL, 0, &number), PGOPT_ENDED_WELL);
  CHECK(shared->ended > 0 && shared->ended != getpid());
  CHECK_EQ_I64(contain(do_well, goes_on, 1 << 20, &number), PGOPT_ENDED_WELL);

  CHECK_EQ_I64(contain(trap, goes_on, 0, &number), PGOPT_ENDED_BY_SIGNAL);
  CHECK_EQ_I64(number, SIGFPE);
  CHECK_EQ_I64(shared->begun, 1);
  CHECK_EQ_I64(contain(read_nowhere, NULL, 0, &number), PGOPT_ENDED_BY_SIGNAL);
  CHECK_EQ_I64(number, SIGSEGV);
  CHECK_EQ_I64(contain(abort_work, NULL, 0, &number), PGOPT_ENDED_BY_SIGNAL);
  CHECK_EQ_I64(number, SIGABRT);

  CHECK_EQ_I64(contain(leave, goes_on, 0, &number), PGOPT_ENDED_ILL);
  CHECK_EQ_I64(contain(never_end, stops, 0, &number), PGOPT_ENDED_BY_CALLER);
  CHECK(asked > 0);
}

#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
/// Takes 64 MiB at a time, as a program does: scratch ever larger.
static void eat(void *data) {
  notes *n = data;
  n->begun = 1;
  pgopt_rt_set_watch(&n->watch);
  for (int64_t bytes = 64 << 20;; bytes *= 2)
    memset(pgopt_rt_scratch(bytes), 1, 64 << 20);
}

static void test_memory(void) {
  int number;
  CHECK_EQ_I64(contain(eat, goes_on, 256 << 20, &number),
               PGOPT_ENDED_BY_SIGNAL);
  CHECK_EQ_I64(number, SIGABRT);
  CHECK_CONTAINS(shared->watch.last_words, "out of memory for a scratch of ");
}
#else
static void test_memory(void) {}
#endif

/// The marks of a program with three kernels, the third of which traps.
static void run_marks(void *data) {
  notes *n = data;
  n->watch.kernels = 3;
  n->watch.samples = n->samples;
  pgopt_rt_set_watch(&n->watch);
  pgopt_rt_mark(-1);
  pgopt_rt_mark(0);
  pgopt_rt_mark(1);
  trap(data);
}

static void test_watch(void) {
  int number;
  CHECK_EQ_I64(contain(run_marks, NULL, 0, &number), PGOPT_ENDED_BY_SIGNAL);
  CHECK_EQ_I64(shared->watch.kernel, 2);
  CHECK(shared->watch.since_ns > 0);
  CHECK(shared->samples[0] != 0 && shared->samples[1] != 0);
  CHECK_EQ_I64(shared->samples[2], 0);
  CHECK_EQ_TEXT(shared->watch.last_words, "");
}

static void test_bytes(void) {
  static const struct {
    const char *text;
    int64_t bytes;
  } cases[] = {{"1B", 1},
               {"512MiB", 512 << 20},
               {"1.5KiB", 1536},
               {"2GiB", INT64_C(2) << 30},
               {"1TiB", INT64_C(1) << 40},
               {"", -1},
               {"7", -1},
               {"0B", -1},
               {"-1B", -1},
               {"1MB", -1},
               {"nanB", -1},
               {"1e300TiB", -1},
               {" 1B", -1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    int64_t bytes = -1;
    pgopt_error error = {0};
    pgopt_status status = pgopt_parse_bytes(cases[i].text, &bytes, &error);
    if (!CHECK_EQ_I64(bytes, cases[i].bytes) ||
        !CHECK((status == PGOPT_OK) == (cases[i].bytes >= 0)))
      fprintf(stderr, "  \"%s\"\n", cases[i].text);
  }
}

static void write_file(const char *folder, const char *name, const char *text) {
  char path[160];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  if (!CHECK(file != NULL))
    return;
  fputs(text, file);
  fclose(file);
}

static void test_free_memory(void) {
  char folder[] = "/tmp/pgopt-contained-XXXXXX", command[160];
  if (!CHECK(mkdtemp(folder) != NULL))
    return;
  CHECK_EQ_I64(pgopt_free_memory(folder), INT64_MAX);
  snprintf(command, sizeof command, "mkdir -p %s/proc %s/sys/fs/cgroup", folder,
           folder);
  CHECK(!system(command));
  write_file(folder, "proc/meminfo",
             "MemTotal: 9000 kB\nMemAvailable:    3000 kB\n");
  CHECK_EQ_I64(pgopt_free_memory(folder), 3000 * 1024);
  write_file(folder, "sys/fs/cgroup/memory.max", "max\n");
  write_file(folder, "sys/fs/cgroup/memory.current", "500\n");
  CHECK_EQ_I64(pgopt_free_memory(folder), 3000 * 1024);
  write_file(folder, "sys/fs/cgroup/memory.max", "1700\n");
  CHECK_EQ_I64(pgopt_free_memory(folder), 1200);
  write_file(folder, "sys/fs/cgroup/memory.current", "1800\n");
  CHECK_EQ_I64(pgopt_free_memory(folder), 0);
  snprintf(command, sizeof command, "rm -rf %s", folder);
  CHECK(!system(command));
  CHECK(pgopt_free_memory("") > 0);
}

int main(void) {
  shared = pgopt_shared_allocate(sizeof *shared);
  if (!CHECK(shared != NULL))
    return check_result();
  test_endings();
  test_memory();
  test_watch();
  test_bytes();
  test_free_memory();
  pgopt_shared_free(shared, sizeof *shared);
  return check_result();
}
