/// \file Trial runs by children that are shell scripts: good answers, bad ones,
/// failures, signals, and no end.
#include "check.h"

#include "profile/trial.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char good[] =
    "{\"format\": 1, \"kernels\": [{\"median_ns\": 50, \"min_ns\": 40, "
    "\"mad_ns\": 2, \"runs\": 3}, {\"median_ns\": 70, \"min_ns\": 60, "
    "\"mad_ns\": 0, \"runs\": 3}], \"end_to_end\": {\"median_ns\": 130, "
    "\"min_ns\": 120, \"mad_ns\": 5, \"runs\": 4}, \"instrumented\": "
    "{\"median_ns\": 150, \"min_ns\": 140, \"mad_ns\": 6, \"runs\": 3}, "
    "\"timer_ns\": 12.5, \"peak_gflops\": 117, \"latency_ns\": [50.5, 90], "
    "\"cpu\": \"a CPU\", \"cores\": 2, \"blas\": \"a BLAS\"}";

static void test_read(void) {
  pgopt_trial trial;
  pgopt_error error = {0};
  CHECK_EQ_I64(pgopt_trial_read(good, strlen(good), &trial, &error), PGOPT_OK);
  CHECK_EQ_I64(trial.kernel_count, 2);
  /* one timer of 12.5 ns, rounded to 13, is in each: 70 - 13, 40 - 13 */
  CHECK_EQ_I64(trial.kernels[1].median_ns, 57);
  CHECK_EQ_I64(trial.kernels[0].min_ns, 27);
  CHECK_EQ_I64(trial.kernels[0].mad_ns, 2);
  CHECK_EQ_I64(trial.end_to_end.runs, 4);
  CHECK_EQ_I64(trial.instrumented.mad_ns, 6);
  CHECK_NEAR(trial.timer_ns, 12.5, 0);
  CHECK_NEAR(trial.latency_min_ns, 50.5, 0);
  CHECK_NEAR(trial.latency_max_ns, 90, 0);
  CHECK_EQ_TEXT(trial.cpu, "a CPU");
  CHECK_EQ_TEXT(trial.blas, "a BLAS");
  CHECK_EQ_I64(trial.cores, 2);
  pgopt_trial_free(&trial);
}

/// A copy of the good answer in which `from` reads `to`.
static char *changed(const char *from, const char *to) {
  const char *place = strstr(good, from);
  size_t size = strlen(good) + strlen(to) + 1;
  char *text = malloc(size);
  snprintf(text, size, "%.*s%s%s", (int)(place - good), good, to,
           place + strlen(from));
  return text;
}

/// A timer that costs more than a kernel leaves nothing, and no negative time.
static void test_slow_timer(void) {
  pgopt_trial trial;
  pgopt_error error = {0};
  char *text = changed("\"timer_ns\": 12.5", "\"timer_ns\": 55");
  CHECK_EQ_I64(pgopt_trial_read(text, strlen(text), &trial, &error), PGOPT_OK);
  CHECK_EQ_I64(trial.kernels[0].median_ns, 0);
  CHECK_EQ_I64(trial.kernels[0].min_ns, 0);
  CHECK_EQ_I64(trial.kernels[1].median_ns, 15);
  CHECK_EQ_I64(trial.kernels[1].min_ns, 5);
  pgopt_trial_free(&trial);
  free(text);
}

static void test_read_defects(void) {
  static const struct {
    const char *from, *to, *complaint;
  } cases[] = {
      {"\"format\": 1", "\"format\": 2", "'format'"},
      {"\"kernels\": [", "\"kernel\": [", "'kernels'"},
      {"\"median_ns\": 50", "\"median_ns\": -50", "'median_ns'"},
      {"\"median_ns\": 50", "\"median_ns\": 5.5", "'median_ns'"},
      {"\"mad_ns\": 2, \"runs\": 3", "\"mad_ns\": 2, \"runs\": 0", "'runs'"},
      {"\"mad_ns\": 0, \"runs\": 3}]", "\"mad_ns\": 0}]", "'runs'"},
      {"\"timer_ns\": 12.5", "\"timer_ns\": -1", "'timer_ns'"},
      {"\"peak_gflops\": 117", "\"peak_gflops\": 1e300", "'peak_gflops'"},
      {"[50.5, 90]", "[50.5]", "'latency_ns'"},
      {"[50.5, 90]", "7", "'latency_ns'"},
      {"\"cpu\": \"a CPU\"", "\"cpu\": 7", "'cpu'"},
      {"\"cores\": 2", "\"cores\": 0", "'cores'"},
      {"\"blas\": \"a BLAS\"}", "\"blas\": ", "not JSON"},
      {"{\"format\"", "[{\"format\"", "not JSON"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    pgopt_trial trial;
    pgopt_error error = {0};
    char *text = changed(cases[i].from, cases[i].to);
    CHECK_EQ_I64(pgopt_trial_read(text, strlen(text), &trial, &error),
                 PGOPT_INVALID);
    CHECK_CONTAINS(error.message, cases[i].complaint);
    CHECK(trial.kernels == NULL);
    free(text);
  }
  pgopt_trial trial;
  pgopt_error error = {0};
  CHECK_EQ_I64(pgopt_trial_read("", 0, &trial, &error), PGOPT_INVALID);
  CHECK_EQ_I64(pgopt_trial_read("[]", 2, &trial, &error), PGOPT_INVALID);
}

static char script_path[64];

/// Runs the shell commands in the place of pgopt-runner.
static pgopt_status run_script(const char *commands, int64_t timeout_ms,
                               pgopt_trial *trial, pgopt_error *error) {
  FILE *file = fopen(script_path, "w");
  if (!CHECK(file != NULL))
    return PGOPT_IO;
  fprintf(file, "#!/bin/sh\n%s\n", commands);
  fclose(file);
  chmod(script_path, 0700);
  const pgopt_trial_request request = {.runner = script_path,
                                       .program = "the program.mlir",
                                       .entry = "forward",
                                       .budget_ms = 1500,
                                       .seed = -3,
                                       .inputs = "0:a.npy,2:b c.npy",
                                       .timeout_ms = timeout_ms};
  *error = (pgopt_error){0};
  return pgopt_trial_run(&request, trial, error);
}

static void test_run(void) {
  pgopt_trial trial;
  pgopt_error error;
  char commands[2048];
  snprintf(commands, sizeof commands, "echo warning >&2\necho '%s'", good);
  CHECK_EQ_I64(run_script(commands, 20000, &trial, &error), PGOPT_OK);
  CHECK_EQ_I64(trial.kernel_count, 2);
  pgopt_trial_free(&trial);

  /* The arguments arrive as they are. */
  CHECK_EQ_I64(run_script("printf 'error: '>&2\nprintf '[%s]' \"$@\" >&2\n"
                          "exit 1",
                          20000, &trial, &error),
               PGOPT_IO);
  CHECK_CONTAINS(error.message, "[--trial=the program.mlir][--entry=forward]"
                                "[--budget-ms=1500][--seed=-3][--input=0:a.npy]"
                                "[--input=2:b c.npy]");

  CHECK_EQ_I64(run_script("echo 'a.mlir:3:1: error: no such thing' >&2\n"
                          "echo 'note: more' >&2\nexit 7",
                          20000, &trial, &error),
               PGOPT_IO);
  CHECK_EQ_TEXT(error.message,
                "the trial run failed with exit code 7: no such thing");
  CHECK_EQ_I64(run_script("echo first >&2; echo last >&2; exit 1", 20000,
                          &trial, &error),
               PGOPT_IO);
  CHECK_EQ_TEXT(error.message, "the trial run failed with exit code 1: last");
  CHECK_EQ_I64(run_script("exit 3", 20000, &trial, &error), PGOPT_IO);
  CHECK_EQ_TEXT(error.message, "the trial run failed with exit code 3");

  CHECK_EQ_I64(run_script("kill -SEGV $$", 20000, &trial, &error), PGOPT_IO);
  CHECK_CONTAINS(error.message, "ended by signal 11 (");
  CHECK_EQ_I64(run_script("kill -KILL $$", 20000, &trial, &error), PGOPT_IO);
  CHECK_CONTAINS(error.message, "ended by signal 9 (");

  CHECK_EQ_I64(run_script("exec sleep 100", 200, &trial, &error), PGOPT_IO);
  CHECK_CONTAINS(error.message, "did not end within 200 ms");

  CHECK_EQ_I64(run_script("echo nonsense", 20000, &trial, &error),
               PGOPT_INVALID);
  CHECK_CONTAINS(error.message, "not JSON");

  unlink(script_path);
  const pgopt_trial_request missing = {.runner = script_path,
                                       .program = "x",
                                       .entry = "x",
                                       .inputs = "",
                                       .timeout_ms = 1000};
  CHECK_EQ_I64(pgopt_trial_run(&missing, &trial, &error), PGOPT_IO);
  CHECK_CONTAINS(error.message, "cannot start");
}

static void test_duration(void) {
  static const struct {
    const char *text;
    int64_t ms;
  } cases[] = {
      {"10s", 10000}, {"500ms", 500},      {"1.5s", 1500}, {"2m", 120000},
      {"1ms", 1},     {"1440m", 86400000}, {"0", -1},      {"10", -1},
      {"0s", -1},     {"-1s", -1},         {"s", -1},      {"", -1},
      {"1e9s", -1},   {"nans", -1},        {"infs", -1},   {"10 s", -1},
      {"10sec", -1},  {" 10s", -1},        {"0.4ms", -1},  {"1440.1m", -1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    int64_t ms = -1;
    pgopt_error error = {0};
    pgopt_status status = pgopt_parse_duration(cases[i].text, &ms, &error);
    if (!CHECK_EQ_I64(ms, cases[i].ms) ||
        !CHECK((status == PGOPT_OK) == (cases[i].ms >= 0)))
      fprintf(stderr, "  \"%s\"\n", cases[i].text);
  }
}

int main(void) {
  const char *folder = getenv("TMPDIR");
  snprintf(script_path, sizeof script_path, "%.30s/trial_test_%ld",
           folder && *folder ? folder : "/tmp", (long)getpid());
  test_read();
  test_slow_timer();
  test_read_defects();
  test_run();
  test_duration();
  return check_result();
}
