/// \file Starts pgopt-runner and waits for its answer.
#include "profile/trial.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/// A child that writes more than this is not ours.
enum { MAX_ANSWER_BYTES = 64 << 20 };

/// A signal that comes between a look at it and the wait for the child is seen
/// this much later.
enum { POLL_MS = 500 };

/// What pgopt-runner returns after an interrupt.
enum { INTERRUPTED = 130 };

pgopt_status pgopt_parse_duration(const char *text, int64_t *ms,
                                  pgopt_error *error) {
  static const struct {
    const char *unit;
    double ms;
  } units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}};
  char *end;
  double number = strtod(text, &end);
  if (end != text && isfinite(number) && *text != ' ')
    for (size_t i = 0; i < sizeof units / sizeof *units; ++i)
      if (!strcmp(end, units[i].unit) && number * units[i].ms >= 1 &&
          number * units[i].ms <= 86400000.0) {
        *ms = (int64_t)(number * units[i].ms + 0.5);
        return PGOPT_OK;
      }
  return pgopt_fail(error, PGOPT_INVALID,
                    "'%s' is not a time; it must be a number with ms, s or m, "
                    "from 1ms to a day, as in 10s or 500ms",
                    text);
}

static bool is_program(const char *path) { return !access(path, X_OK); }

pgopt_status pgopt_trial_find_runner(char **path, pgopt_error *error) {
  static const char *const places[] = {"/../bin/pgopt-runner", "/pgopt-runner"};
  Dl_info info;
  *path = NULL;
  pgopt_text candidate = {0};
  pgopt_status (*self)(char **, pgopt_error *) = pgopt_trial_find_runner;
  void *address;
  memcpy(&address, &self, sizeof address);
  const char *slash = dladdr(address, &info) && info.dli_fname
                          ? strrchr(info.dli_fname, '/')
                          : NULL;
  for (size_t i = 0; slash && i < sizeof places / sizeof *places; ++i) {
    pgopt_text_free(&candidate);
    pgopt_text_append(&candidate, "%.*s%s", (int)(slash - info.dli_fname),
                      info.dli_fname, places[i]);
    if (is_program(candidate.data)) {
      *path = candidate.data;
      return PGOPT_OK;
    }
  }
  pgopt_text_free(&candidate);
  const char *variable = getenv("PGOPT_RUNNER");
  if (!variable || !*variable)
    return pgopt_fail(error, PGOPT_IO,
                      "pgopt-runner is neither beside %s nor named by "
                      "PGOPT_RUNNER; it is needed to measure",
                      slash ? slash + 1 : "this library");
  if (!is_program(variable))
    return pgopt_fail(error, PGOPT_IO,
                      "PGOPT_RUNNER names '%s', which cannot be executed: %s",
                      variable, strerror(errno));
  *path = pgopt_duplicate_text(variable);
  return PGOPT_OK;
}

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

typedef struct arguments {
  char **items; ///< null-terminated; all owned
  size_t count, capacity;
} arguments;

static void add_argument(arguments *list, char *text) {
  PGOPT_APPEND(list->items, list->count, list->capacity, text);
}

static char *format_i64(const char *name, int64_t value, const char *unit) {
  pgopt_text text = {0};
  pgopt_text_append(&text, "%s%" PRId64 "%s", name, value, unit);
  return text.data;
}

static char *format_text(const char *name, const char *value, size_t length) {
  pgopt_text text = {0};
  pgopt_text_append(&text, "%s%.*s", name, (int)length, value);
  return text.data;
}

static arguments make_arguments(const pgopt_trial_request *request) {
  arguments list = {0};
  add_argument(&list, pgopt_duplicate_text(request->runner));
  add_argument(&list, format_text("--trial=", request->program,
                                  strlen(request->program)));
  add_argument(&list,
               format_text("--entry=", request->entry, strlen(request->entry)));
  if (request->other)
    add_argument(&list, format_text("--compare=", request->other,
                                    strlen(request->other)));
  add_argument(&list, format_i64("--budget-ms=", request->budget_ms, ""));
  add_argument(&list, format_i64("--seed=", request->seed, ""));
  add_argument(&list,
               format_i64("--kernel-limit=", request->kernel_limit_ms, "ms"));
  if (request->memory_bytes)
    add_argument(&list,
                 format_i64("--memory-limit=", request->memory_bytes, "B"));
  if (isatty(STDERR_FILENO))
    add_argument(&list, pgopt_duplicate_text("--progress"));
  if (request->is_paired)
    add_argument(&list, pgopt_duplicate_text("--paired"));
  if (request->libraries && *request->libraries)
    add_argument(&list, format_text("--shared-libs=", request->libraries,
                                    strlen(request->libraries)));
  for (const char *input = request->inputs; *input;) {
    size_t length = strcspn(input, ",");
    if (length)
      add_argument(&list, format_text("--input=", input, length));
    input += length + (input[length] == ',');
  }
  add_argument(&list, NULL);
  return list;
}

static void free_arguments(arguments *list) {
  for (size_t i = 0; i < list->count; ++i)
    free(list->items[i]);
  free(list->items);
}

typedef struct child {
  pid_t pid;
  int out, messages; ///< its stdout and stderr, -1 when closed
  bool is_interrupted;
} child;

static void close_end(int *descriptor) {
  if (*descriptor >= 0)
    close(*descriptor);
  *descriptor = -1;
}

static pgopt_status start(const pgopt_trial_request *request, child *c,
                          pgopt_error *error) {
  int out[2] = {-1, -1}, messages[2] = {-1, -1};
  *c = (child){.out = -1, .messages = -1};
  if (pipe2(out, O_CLOEXEC) || pipe2(messages, O_CLOEXEC)) {
    int code = errno;
    close_end(&out[0]);
    close_end(&out[1]);
    return pgopt_fail(error, PGOPT_IO, "cannot make a pipe: %s",
                      strerror(code));
  }
  arguments list = make_arguments(request);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
                                   O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, messages[1], STDERR_FILENO);
  // A group of its own: the terminal's SIGINT comes through this process, once.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  int code = posix_spawn(&c->pid, request->runner, &actions, &attributes,
                         list.items, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  free_arguments(&list);
  close_end(&out[1]);
  close_end(&messages[1]);
  if (code) {
    close_end(&out[0]);
    close_end(&messages[0]);
    return pgopt_fail(error, PGOPT_IO, "cannot start '%s': %s", request->runner,
                      strerror(code));
  }
  c->out = out[0];
  c->messages = messages[0];
  return PGOPT_OK;
}

/// A SIGINT came since `take_interrupts`.
static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number) {
  (void)signal_number;
  interrupted = 1;
}

/// True for what ends the process on SIGINT: the system, or LLVM, which removes
/// the tools' unfinished files first.
static bool ends_process(const struct sigaction *action) {
  void (*handler)(int) = action->sa_handler;
  void *address;
  Dl_info info;
  if (handler == SIG_DFL || handler == SIG_IGN)
    return handler == SIG_DFL;
  memcpy(&address, &handler, sizeof address);
  return dladdr(address, &info) && info.dli_fname &&
         strstr(info.dli_fname, "libLLVM");
}

/// From here on SIGINT is noted, if it would end the process: a program that
/// handles it, or ignores it, is not interfered with.
/// \returns true when it was taken; `old` is what to give back.
static bool take_interrupts(struct sigaction *old) {
  const struct sigaction note = {.sa_handler = on_interrupt};
  interrupted = 0;
  return !sigaction(SIGINT, NULL, old) && ends_process(old) &&
         !sigaction(SIGINT, &note, NULL);
}

/// Hands the first one on; the child ends soon then.
static void pass_interrupt_on(child *c) {
  if (interrupted && !c->is_interrupted)
    kill(c->pid, SIGINT);
  c->is_interrupted = interrupted;
}

/// Hands on the child's progress: what begins with a carriage return and does
/// not end in a line feed, which messages do.
static void show_progress(const char *bytes, size_t size) {
  static const char clear[] = "\r\033[K";
  for (size_t i = 0, end; i < size; i = end) {
    for (end = i + 1; end < size && bytes[end] != '\r' && bytes[end] != '\n';)
      ++end;
    if (bytes[i] != '\r')
      continue;
    bool is_message = end < size && bytes[end] == '\n';
    if (write(STDERR_FILENO, is_message ? clear : bytes + i,
              is_message ? sizeof clear - 1 : end - i) < 0)
      return;
  }
}

/// Takes what is there; closes the descriptor at its end or when too much came.
static void drain(int *descriptor, pgopt_text *text) {
  char buffer[65536];
  ssize_t size = read(*descriptor, buffer, sizeof buffer);
  if (size < 0 && errno == EINTR)
    return;
  if (size <= 0 || text->size + (size_t)size > MAX_ANSWER_BYTES) {
    close_end(descriptor);
    return;
  }
  pgopt_text_append_bytes(text, buffer, (size_t)size);
}

/// Reads both streams until they end. False when the time is up.
static bool listen_until(child *c, int64_t end_ms, pgopt_text *answer,
                         pgopt_text *messages) {
  while (c->out >= 0 || c->messages >= 0) {
    struct pollfd ends[] = {{c->out, POLLIN, 0}, {c->messages, POLLIN, 0}};
    int64_t left = end_ms - now_ms();
    if (left <= 0)
      return false;
    pass_interrupt_on(c);
    if (poll(ends, 2, left > POLL_MS ? POLL_MS : (int)left) < 0 &&
        errno != EINTR)
      return false;
    if (c->out >= 0 && ends[0].revents)
      drain(&c->out, answer);
    if (c->messages >= 0 && ends[1].revents) {
      size_t before = messages->size;
      drain(&c->messages, messages);
      if (isatty(STDERR_FILENO))
        show_progress(pgopt_text_get(messages) + before,
                      messages->size - before);
    }
  }
  return true;
}

/// What the child complained about: from its first "error: " to the end of that
/// line, or the last line when it names no error.
static void find_message(pgopt_text *messages, char *line, size_t size) {
  const char *text = pgopt_text_get(messages);
  const char *begin = strstr(text, "error: ");
  size_t end = strlen(text);
  if (begin) {
    begin += strlen("error: ");
    end = strcspn(begin, "\n");
  } else {
    while (end && text[end - 1] == '\n')
      --end;
    for (begin = text + end; begin > text && begin[-1] != '\n';)
      --begin;
    for (const char *at = begin; (at = strstr(at, "\033[K"));)
      begin = at += 3; // behind what was progress
    end -= (size_t)(begin - text);
    static const char name[] = "pgopt-runner: ";
    if (!strncmp(begin, name, strlen(name))) {
      begin += strlen(name);
      end -= strlen(name);
    }
  }
  snprintf(line, size, "%.*s", (int)(end < size ? end : size - 1), begin);
}

/// What became of the child, in words; PGOPT_OK when it ended well.
static pgopt_status judge(int status, bool has_answer, pgopt_text *messages,
                          pgopt_error *error) {
  char said[300];
  find_message(messages, said, sizeof said);
  if (WIFSIGNALED(status))
    return pgopt_fail(
        error, PGOPT_IO, "the trial run was ended by signal %d (%s)%s%s",
        WTERMSIG(status), strsignal(WTERMSIG(status)), *said ? ": " : "", said);
  if (WIFEXITED(status) && !WEXITSTATUS(status))
    return PGOPT_OK;
  if (WIFEXITED(status) && WEXITSTATUS(status) == INTERRUPTED)
    return has_answer ? PGOPT_OK
                      : pgopt_fail(error, PGOPT_IO,
                                   "interrupted before anything was measured");
  return pgopt_fail(error, PGOPT_IO,
                    "the trial run failed with exit code %d%s%s",
                    WEXITSTATUS(status), *said ? ": " : "", said);
}

static pgopt_status run_to_end(const pgopt_trial_request *request,
                               pgopt_text *answer, pgopt_error *error) {
  child c;
  pgopt_status status = start(request, &c, error);
  if (status)
    return status;
  pgopt_text messages = {0};
  bool in_time =
      listen_until(&c, now_ms() + request->timeout_ms, answer, &messages);
  if (!in_time)
    kill(c.pid, SIGKILL);
  close_end(&c.out);
  close_end(&c.messages);
  int how = 0;
  while (waitpid(c.pid, &how, 0) < 0 && errno == EINTR)
    ;
  if (!in_time)
    status = pgopt_fail(error, PGOPT_IO,
                        "the trial run did not end within %" PRId64
                        " ms and was killed; raise the budget or cut the "
                        "network",
                        request->timeout_ms);
  else
    status = judge(how, answer->size > 0, &messages, error);
  pgopt_text_free(&messages);
  return status;
}

pgopt_status pgopt_trial_answer(const pgopt_trial_request *request,
                                pgopt_text *answer, bool *is_interrupted,
                                pgopt_error *error) {
  struct sigaction old;
  bool takes_interrupts = take_interrupts(&old);
  pgopt_status status = run_to_end(request, answer, error);
  if (takes_interrupts)
    sigaction(SIGINT, &old, NULL);
  // One that came when the child was done already counts, too.
  *is_interrupted = takes_interrupts && interrupted;
  return status;
}

pgopt_status pgopt_trial_run(const pgopt_trial_request *request,
                             pgopt_trial *trial, pgopt_error *error) {
  pgopt_text answer = {0};
  bool is_interrupted;
  *trial = (pgopt_trial){0};
  pgopt_status status =
      pgopt_trial_answer(request, &answer, &is_interrupted, error);
  if (!status)
    status =
        pgopt_trial_read(pgopt_text_get(&answer), answer.size, trial, error);
  trial->is_interrupted |= !status && is_interrupted;
  pgopt_text_free(&answer);
  return status;
}
