/// \file Registration, creation and the generated document of the passes.
#include "passes/passes.h"

#include "base/text.h"
#include "pgopt/passes.h"

#include <stdatomic.h>
#include <string.h>

const pgopt_pass_definition *const pgopt_all_passes[] = {
#define PGOPT_PASS(name) &name,
#include "passes/passes.def"
#undef PGOPT_PASS
    NULL};

void pgopt_register_passes(void) {
  static atomic_flag registered = ATOMIC_FLAG_INIT;
  if (atomic_flag_test_and_set(&registered))
    return;
  for (size_t i = 0; pgopt_all_passes[i]; ++i)
    pgopt_register_pass(pgopt_all_passes[i]);
}

MlirPass pgopt_create_pass_by_name(const char *argument, const char *options) {
  /* Passes name one another in the pipelines that they run. */
  pgopt_register_passes();
  for (size_t i = 0; pgopt_all_passes[i]; ++i)
    if (!strcmp(pgopt_all_passes[i]->argument, argument))
      return pgopt_create_pass(pgopt_all_passes[i], options);
  return (MlirPass){NULL};
}

static const char *kind_name(pgopt_option_kind kind) {
  switch (kind) {
  case PGOPT_OPTION_BOOL:
    return "bool";
  case PGOPT_OPTION_I64:
    return "integer";
  case PGOPT_OPTION_TEXT:
    return "text";
  }
  return "";
}

char *pgopt_passes_document(void) {
  pgopt_text text = {0};
  for (size_t i = 0; pgopt_all_passes[i]; ++i) {
    const pgopt_pass_definition *pass = pgopt_all_passes[i];
    pgopt_text_append(&text, "## `--%s`\n\n%s. Runs on `%s`.\n\n",
                      pass->argument, pass->summary, pass->anchor);
    if (pass->option_count)
      pgopt_text_append(&text, "| option | kind | default | meaning |\n"
                               "|---|---|---|---|\n");
    for (size_t k = 0; k < pass->option_count; ++k)
      pgopt_text_append(&text, "| `%s` | %s | `%s` | %s |\n",
                        pass->options[k].name, kind_name(pass->options[k].kind),
                        pass->options[k].default_value, pass->options[k].help);
    if (pass->statistic_count)
      pgopt_text_append(&text, "\n| statistic | counts |\n|---|---|\n");
    for (size_t k = 0; k < pass->statistic_count; ++k)
      pgopt_text_append(&text, "| `%s` | %s |\n", pass->statistics[k].name,
                        pass->statistics[k].help);
    pgopt_text_append(&text, "\n");
  }
  return text.data;
}
