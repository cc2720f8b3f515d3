/// \file Trial runs by children that are shell scripts: good answers, bad ones,
/// failures, signals, and no end.
#include "check.h"

#include "profile/trial_pair.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char good[] =
    "{\"format\": 2, \"interrupted\": false, \"kernels\": [{\"median_ns\": 50, "
    "\"min_ns\": 40, \"mad_ns\": 2, \"runs\": 3, \"dropped\": 1, "
    "\"samples_ns\": [50, 40, 53]}, {\"median_ns\": 70, \"min_ns\": 60, "
    "\"mad_ns\": 0, \"runs\": 3, \"dropped\": 0, \"cold_ns\": 90, "
    "\"samples_ns\": []}, {\"failure\": \"trapped: SIGFPE\"}], "
    "\"end_to_end\": {\"median_ns\": 130, \"min_ns\": 120, \"mad_ns\": 5, "
    "\"runs\": 4, \"dropped\": 2}, \"instrumented\": {\"median_ns\": 150, "
    "\"min_ns\": 140, \"mad_ns\": 6, \"runs\": 3, \"dropped\": 0}, "
    "\"cold\": {\"median_ns\": 250, \"min_ns\": 240, \"mad_ns\": 7, "
    "\"runs\": 5, \"dropped\": 0}, \"overhead\": 1.04, \"rest\": "
    "{\"entry_ns\": 11, \"waits_ns\": 12, \"page_faults\": 13, "
    "\"page_fault_ns\": 14}, \"timer_ns\": 12.5, \"peak_gflops\": 117, "
    "\"latency_ns\": [50.5, 90], \"cpu\": \"a CPU\", \"cores\": 2, "
    "\"blas\": \"a BLAS\"}";

static void test_read(void) {
  pgopt_trial trial;
  pgopt_error error = {0};
  CHECK_EQ_I64(pgopt_trial_read(good, strlen(good), &trial, &error), PGOPT_OK);
  CHECK_EQ_I64(trial.kernel_count, 3);
  /* one timer of 12.5 ns, rounded to 13, is in each: 70 - 13, 40 - 13 */
  CHECK_EQ_I64(trial.kernels[1].time.median_ns, 57);
  CHECK_EQ_I64(trial.kernels[0].time.min_ns, 27);
  CHECK_EQ_I64(trial.kernels[0].time.mad_ns, 2);
  CHECK_EQ_I64(trial.kernels[0].dropped, 1);
  CHECK_EQ_I64(trial.kernels[0].sample_count, 3);
  CHECK_EQ_I64(trial.kernels[0].samples[2], 40);
  CHECK_EQ_I64(trial.kernels[0].cold_ns, -1);
  CHECK_EQ_I64(trial.kernels[1].cold_ns, 77);
  CHECK(trial.kernels[1].failure == NULL);
  CHECK_EQ_TEXT(trial.kernels[2].failure, "trapped: SIGFPE");
  CHECK_EQ_I64(trial.end_to_end.time.runs, 4);
  CHECK_EQ_I64(trial.end_to_end.dropped, 2);
  CHECK_EQ_I64(trial.instrumented.time.mad_ns, 6);
  CHECK_EQ_I64(trial.cold.time.median_ns, 250);
  CHECK_NEAR(trial.overhead, 1.04, 0);
  CHECK_EQ_I64(trial.entry_ns, 11);
  CHECK_EQ_I64(trial.waits_ns, 12);
  CHECK_EQ_I64(trial.page_faults, 13);
  CHECK_EQ_I64(trial.page_fault_ns, 14);
  CHECK(!trial.is_interrupted);
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
  CHECK_EQ_I64(trial.kernels[0].time.median_ns, 0);
  CHECK_EQ_I64(trial.kernels[0].time.min_ns, 0);
  CHECK_EQ_I64(trial.kernels[1].time.median_ns, 15);
  CHECK_EQ_I64(trial.kernels[1].time.min_ns, 5);
  pgopt_trial_free(&trial);
  free(text);
}

static void test_read_defects(void) {
  static const struct {
    const char *from, *to, *complaint;
  } cases[] = {
      {"\"format\": 2", "\"format\": 1", "'format'"},
      {"\"kernels\": [", "\"kernel\": [", "'kernels'"},
      {"\"median_ns\": 50", "\"median_ns\": -50", "'median_ns'"},
      {"\"median_ns\": 50", "\"median_ns\": 5.5", "'median_ns'"},
      {"\"mad_ns\": 2, \"runs\": 3", "\"mad_ns\": 2, \"runs\": 0", "'runs'"},
      {"\"mad_ns\": 0, \"runs\": 3,", "\"mad_ns\": 0,", "'runs'"},
      {"\"dropped\": 1", "\"dropped\": -1", "'dropped'"},
      {"\"samples_ns\": []", "\"samples_ns\": 7", "'samples_ns'"},
      {"[50, 40, 53]", "[50, -40, 53]", "'samples_ns'"},
      {"\"cold_ns\": 90", "\"cold_ns\": \"90\"", "'cold_ns'"},
      {"\"trapped: SIGFPE\"", "7", "'failure'"},
      {"\"overhead\": 1.04", "\"overhead\": -1", "'overhead'"},
      {"\"entry_ns\": 11", "\"entry_ns\": null", "'entry_ns'"},
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
                                       .kernel_limit_ms = 700,
                                       .memory_bytes = 4096,
                                       .timeout_ms = timeout_ms};
  *error = (pgopt_error){0};
  return pgopt_trial_run(&request, trial, error);
}

static void test_run(void) {
  pgopt_trial trial;
  pgopt_error error;
  char commands[4096];
  snprintf(commands, sizeof commands, "echo warning >&2\necho '%s'", good);
  CHECK_EQ_I64(run_script(commands, 20000, &trial, &error), PGOPT_OK);
  CHECK_EQ_I64(trial.kernel_count, 3);
  pgopt_trial_free(&trial);

  /* The arguments arrive as they are. */
  CHECK_EQ_I64(run_script("printf 'error: '>&2\nprintf '[%s]' \"$@\" >&2\n"
                          "exit 1",
                          20000, &trial, &error),
               PGOPT_IO);
  CHECK_CONTAINS(error.message, "[--trial=the program.mlir][--entry=forward]"
                                "[--budget-ms=1500][--seed=-3]"
                                "[--kernel-limit=700ms][--memory-limit=4096B]"
                                "[--input=0:a.npy]"
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

/// A child that gets a SIGINT through this process, from its own parent here.
static void test_interrupt(void) {
  pgopt_trial trial;
  pgopt_error error;
  char commands[4096];
  char path[80];
  snprintf(path, sizeof path, "%.60s.json", script_path);
  FILE *file = fopen(path, "w");
  if (!CHECK(file != NULL))
    return;
  fputs(good, file);
  fclose(file);
  snprintf(commands, sizeof commands,
           "trap \"cat %s; exit 130\" INT\nkill -INT $PPID\n"
           "while :; do sleep 0.05; done",
           path);
  CHECK_EQ_I64(run_script(commands, 60000, &trial, &error), PGOPT_OK);
  CHECK(trial.is_interrupted);
  CHECK_EQ_I64(trial.kernels[0].time.runs, 3);
  pgopt_trial_free(&trial);
  unlink(path);
  CHECK_EQ_I64(run_script("trap 'exit 130' INT\nkill -INT $PPID\n"
                          "while :; do sleep 0.05; done",
                          60000, &trial, &error),
               PGOPT_IO);
  CHECK_EQ_TEXT(error.message, "interrupted before anything was measured");
  unlink(script_path);
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

static void test_pairs_are_read(void) {
  static const char pairs[] =
      "{\"format\": 1, \"interrupted\": false, \"latency_before_ns\": [90, "
      "91.5],"
      "\"latency_after_ns\": [0, 200], \"first_ns\": [5, 7, 6], \"second_ns\": "
      "[10, 14, 12]}";
  static const char *const bad[] = {
      "",
      "[]",
      "{\"format\": 2}",
      "{\"format\": 1, \"first_ns\": [1], \"second_ns\": [1, 2]}",
      "{\"format\": 1, \"first_ns\": [0], \"second_ns\": [1]}",
      "{\"format\": 1, \"first_ns\": [1.5], \"second_ns\": [1]}",
      "{\"format\": 1, \"first_ns\": [1], \"second_ns\": [\"a\"]}",
      "{\"format\": 1, \"first_ns\": [1], \"second_ns\": [1]}",
      ("{\"format\": 1, \"first_ns\": [], \"second_ns\": [], "
       "\"latency_before_ns\": [1, -1], \"latency_after_ns\": [1, 1]}")};
  pgopt_trial_pair pair;
  pgopt_error error = {0};
  CHECK(pgopt_trial_pair_read(pairs, strlen(pairs), &pair, &error) == PGOPT_OK);
  CHECK_EQ_I64(pair.runs, 3);
  CHECK_EQ_I64(pair.first.median_ns, 6);
  CHECK_EQ_I64(pair.second.median_ns, 12);
  CHECK_NEAR(pair.pairing.ratio, 0.5, 1e-12);
  CHECK_NEAR(pair.before_ns[1], 91.5, 0);
  CHECK_NEAR(pair.after_ns[1], 200, 0);
  CHECK(!*pair.failure && !pair.is_interrupted);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    CHECK(pgopt_trial_pair_read(bad[i], strlen(bad[i]), &pair, &error) ==
          PGOPT_INVALID);
    CHECK_EQ_I64(pair.runs, 0);
  }
}

int main(void) {
  test_pairs_are_read();
  const char *folder = getenv("TMPDIR");
  snprintf(script_path, sizeof script_path, "%.30s/trial_test_%ld",
           folder && *folder ? folder : "/tmp", (long)getpid());
  test_read();
  test_slow_timer();
  test_read_defects();
  test_run();
  test_interrupt();
  test_duration();
  return check_result();
}
