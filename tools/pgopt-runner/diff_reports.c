#include "tools/pgopt-runner/diff_reports.h"

#include "base/file.h"
#include "profile/report_diff.h"
#include "tools/pgopt-runner/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_report(const char *path, pgopt_reported *reported) {
  void *bytes;
  size_t size;
  pgopt_error error = {0};
  *reported = (pgopt_reported){0};
  if (pgopt_file_read(path, &bytes, &size, &error)) {
    complain("--diff: %s", error.message);
    return false;
  }
  bool ok = !pgopt_reported_read(bytes, size, reported, &error);
  if (!ok)
    complain("--diff: '%s' %s", path, error.message);
  free(bytes);
  return ok;
}

int diff_reports(const runner_options *options) {
  pgopt_reported before = {0}, after = {0};
  int code = EXIT_ERROR;
  if (!options->file)
    complain("--diff: two reports are needed, --diff A.json B.json");
  else if (read_report(options->diff, &before) &&
           read_report(options->file, &after)) {
    if (strcmp(before.cpu, after.cpu))
      complain("warning: '%s' is of '%s', '%s' of '%s'", options->diff,
               before.cpu, options->file, after.cpu);
    pgopt_text text = {0};
    pgopt_reported_diff(&before, &after, &text);
    bool failed = fputs(pgopt_text_get(&text), stdout) < 0 || fflush(stdout);
    pgopt_text_free(&text);
    if (failed)
      complain("cannot write to the standard output");
    else
      code = 0;
  }
  pgopt_reported_free(&before);
  pgopt_reported_free(&after);
  return code;
}
