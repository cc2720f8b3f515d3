#include "tools/pgopt-runner/onnx_suite.h"

#include "base/memory.h"
#include "base/text.h"
#include "tools/pgopt-runner/onnx_case.h"
#include "tools/pgopt-runner/terminal.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MESSAGE_SIZE = 400, SECONDS = 120 };

typedef struct expectation {
  char *name;
  bool seen;
} expectation;

typedef struct suite {
  const runner_options *options;
  expectation *expected;
  size_t expected_count, expected_capacity;
  int passed, failed, surprises;
} suite;

/// Lines "name: reason"; empty ones and those beginning with # are skipped.
static bool read_expected(suite *s, const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) {
    complain("cannot read '%s': %s", path, strerror(errno));
    return false;
  }
  char *line = NULL;
  size_t size = 0;
  bool ok = true;
  while (ok && getline(&line, &size, file) > 0) {
    line[strcspn(line, "\n")] = 0;
    if (!*line || *line == '#')
      continue;
    char *colon = strchr(line, ':');
    ok = colon && colon[strspn(colon, ": ")];
    if (!ok) {
      complain("%s: '%s' is not NAME: REASON", path, line);
      break;
    }
    *colon = 0;
    expectation e = {.name = pgopt_duplicate_text(line)};
    PGOPT_APPEND(s->expected, s->expected_count, s->expected_capacity, e);
  }
  free(line);
  fclose(file);
  return ok;
}

/// Runs a case in a child, so that whatever happens to it the others run.
static bool run_in_child(const runner_options *options, const char *directory,
                         char *message) {
  int ends[2];
  if (pipe(ends)) {
    snprintf(message, MESSAGE_SIZE, "no pipe: %s", strerror(errno));
    return false;
  }
  fflush(NULL);
  pid_t child = fork();
  if (!child) {
    close(ends[0]);
    if (!options->prints_results && !freopen("/dev/null", "w", stderr))
      _exit(3);
    alarm(SECONDS);
    char text[MESSAGE_SIZE] = "";
    bool ok = run_onnx_case(options, directory, text, sizeof text);
    ssize_t written = write(ends[1], text, strlen(text));
    _exit(ok && written >= 0 ? 0 : 1);
  }
  close(ends[1]);
  size_t length = 0;
  for (ssize_t got = 1; child > 0 && got > 0; length += (size_t)got) {
    got = read(ends[0], message + length, MESSAGE_SIZE - 1 - length);
    if (got < 0)
      break;
  }
  message[length] = 0;
  close(ends[0]);
  int status = 1;
  if (child > 0)
    waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    snprintf(message, MESSAGE_SIZE, "crashed: %s", strsignal(WTERMSIG(status)));
  return child > 0 && WIFEXITED(status) && !WEXITSTATUS(status);
}

static bool has_model(const char *directory) {
  pgopt_text path = {0};
  pgopt_text_append(&path, "%s/model.onnx", directory);
  bool found = !access(path.data, R_OK);
  pgopt_text_free(&path);
  return found;
}

static void run_one(suite *s, const char *directory, const char *name) {
  char message[MESSAGE_SIZE] = "";
  progress("%s", name);
  bool ok = run_in_child(s->options, directory, message);
  progress(NULL);
  expectation *known = NULL;
  for (size_t i = 0; i < s->expected_count; ++i)
    if (!strcmp(s->expected[i].name, name))
      known = &s->expected[i];
  if (known)
    known->seen = true;
  s->passed += ok;
  s->failed += !ok;
  if (s->options->expected && ok == !known)
    return;
  if (s->options->expected)
    ++s->surprises;
  if (ok && !s->options->expected)
    return;
  printf("%s: %s%s\n", name,
         ok ? "passes, but is listed as an expected failure" : "FAILED: ",
         message);
  fflush(stdout);
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool run_all(suite *s, const char *folder) {
  if (has_model(folder)) {
    const char *slash = strrchr(folder, '/');
    run_one(s, folder, slash ? slash + 1 : folder);
    return true;
  }
  DIR *listing = opendir(folder);
  if (!listing) {
    complain("cannot read '%s': %s", folder, strerror(errno));
    return false;
  }
  char **names = NULL;
  size_t count = 0, capacity = 0;
  for (struct dirent *entry; (entry = readdir(listing));)
    if (entry->d_name[0] != '.')
      PGOPT_APPEND(names, count, capacity, pgopt_duplicate_text(entry->d_name));
  closedir(listing);
  if (count)
    qsort(names, count, sizeof *names, by_name);
  for (size_t i = 0; i < count; ++i) {
    pgopt_text path = {0};
    pgopt_text_append(&path, "%s/%s", folder, names[i]);
    if (has_model(path.data))
      run_one(s, path.data, names[i]);
    pgopt_text_free(&path);
    free(names[i]);
  }
  free(names);
  return true;
}

int run_onnx_suite(const runner_options *options) {
  suite s = {.options = options};
  int code = EXIT_ERROR;
  if ((!options->expected || read_expected(&s, options->expected)) &&
      run_all(&s, options->onnx_tests)) {
    for (size_t i = 0; i < s.expected_count; ++i)
      if (!s.expected[i].seen) {
        printf("%s: is listed as an expected failure, but there is no such "
               "test\n",
               s.expected[i].name);
        ++s.surprises;
      }
    printf("%d passed, %d failed\n", s.passed, s.failed);
    bool fine = options->expected ? !s.surprises : !s.failed;
    code = !s.passed && !s.failed ? EXIT_ERROR : fine ? 0 : EXIT_DIFFERENT;
    if (code == EXIT_ERROR)
      complain("there is no model.onnx in '%s' or its folders",
               options->onnx_tests);
  }
  for (size_t i = 0; i < s.expected_count; ++i)
    free(s.expected[i].name);
  free(s.expected);
  return code;
}
