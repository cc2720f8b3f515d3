#include "tools/pgopt-runner/show_variants.h"

#include "store/choice_report.h"
#include "store/store_file.h"
#include "tools/pgopt-runner/module.h"
#include "tools/pgopt-runner/show_store.h"
#include "tools/pgopt-runner/terminal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Has the profile measure what the store has no choice for.
static bool measure(const runner_options *options, const char *path) {
  parsed_module parsed;
  pgopt_text text = {0};
  if (strpbrk(path, " \t\n'\"{}(),=") ||
      strpbrk(options->entry, " '\"{}(),=")) {
    complain("--variants: the names '%s' and '%s' cannot be given to a pass; "
             "rename the store or the entry",
             path, options->entry);
    return false;
  }
  pgopt_text_append(&text,
                    "variants=measure report=none store=%s budget=%" PRId64
                    "ms kernel-limit=%" PRId64 "ms seed=%" PRId64
                    " fuse=auto entry=%s",
                    path, options->budget_ms, options->kernel_limit_ms,
                    options->seed, options->entry);
  progress("measuring the variants of %s", options->file);
  bool ok = open_module(options->file, &parsed) &&
            run_pass(&parsed, "profile", text.data);
  progress(NULL);
  close_module(&parsed);
  pgopt_text_free(&text);
  return ok;
}

int show_variants(const runner_options *options) {
  const char *path = store_path(options);
  pgopt_store store;
  pgopt_error error = {0};
  bool exists;
  if (!path) {
    complain("--variants: --store=FILE or $PGOPT_STORE must name the store");
    return EXIT_ERROR;
  }
  if (options->file && !measure(options, path))
    return EXIT_ERROR;
  if (pgopt_store_load(path, &store, &exists, &error)) {
    complain("%s", error.message);
    return EXIT_ERROR;
  }
  pgopt_text text = {0};
  size_t count = pgopt_choice_report(&store, options->variants,
                                     options->report_is_json, &text);
  pgopt_store_free(&store);
  if (!count)
    complain("--variants: the store '%s' has no choice for a signature that "
             "begins with '%s'",
             path, options->variants);
  bool failed = fputs(pgopt_text_get(&text), stdout) < 0 || fflush(stdout);
  pgopt_text_free(&text);
  if (failed)
    complain("cannot write to the standard output");
  return failed || !count ? EXIT_ERROR : 0;
}
