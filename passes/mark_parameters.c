/// \file Marks arguments of the network's function as parameters: values that
/// are the same in every inference, bound once when the program is loaded.
/// Requires: nothing. Preserves: everything but the arguments' `pg.parameter`.
#include "base/memory.h"
#include "ir/argument_attributes.h"
#include "ir/entry.h"
#include "ir/ir.h"
#include "passes/passes.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct options {
  const char *entry;
  const char *args;
} options;

static const pgopt_option option_table[] = {
    {"entry", PGOPT_OPTION_TEXT, offsetof(options, entry), "",
     "the network's function; default: the only public one with tensors"},
    {"args", PGOPT_OPTION_TEXT, offsetof(options, args), "1-",
     "arguments to mark, from 0: numbers and ranges (3, 1-4, 2-) joined by "
     "'+'"},
};

enum { MARKED, SCALARS };

static const pgopt_statistic statistic_table[] = {
    {"marked", "arguments marked as parameters"},
    {"scalars", "arguments in range left alone because they are no arrays"},
};

static bool is_number(const char *c) { return isdigit((unsigned char)*c); }

/// Sets chosen[i] for every argument that the list names; false when it is not
/// a list, or names an argument beyond `count`.
static bool read_list(const char *list, int64_t count, bool *chosen) {
  const char *c = list;
  while (is_number(c)) {
    char *end;
    int64_t first = strtoll(c, &end, 10), last = first;
    c = end;
    if (*c == '-') {
      last = count - 1;
      if (is_number(++c)) {
        last = strtoll(c, &end, 10);
        c = end;
      }
    }
    /* "2-" is empty, not wrong, when there are two arguments. */
    if (first > count || last >= count)
      return false;
    for (int64_t i = first; i <= last; ++i)
      chosen[i] = true;
    if (*c != '+')
      return !*c;
    ++c;
  }
  return false;
}

static bool is_array(MlirType type) {
  return mlirTypeIsATensor(type) || mlirTypeIsAMemRef(type);
}

/// Sets or replaces pg.parameter; one that is packed keeps its name, which says
/// how, and is not counted.
static bool mark(MlirOperation entry, intptr_t number) {
  char name[32];
  if (!mlirAttributeIsNull(
          pgopt_argument_attribute(entry, number, PGOPT_LAYOUT)))
    return false;
  snprintf(name, sizeof name, "arg%lld", (long long)number);
  pgopt_set_argument_attribute(
      entry, number, PGOPT_PARAMETER,
      pgopt_text_attribute(mlirOperationGetContext(entry), name));
  return true;
}

static MlirLogicalResult run(pgopt_pass *pass, MlirOperation module) {
  const options *o = pgopt_pass_options(pass);
  MlirOperation entry;
  if (mlirLogicalResultIsFailure(pgopt_find_entry(module, o->entry, &entry)))
    return mlirLogicalResultFailure();
  MlirType type = pgopt_function_type(entry);
  intptr_t count = mlirFunctionTypeGetNumInputs(type);
  bool *chosen = pgopt_allocate((size_t)count + 1, sizeof *chosen);
  if (!read_list(o->args, count, chosen)) {
    free(chosen);
    return pgopt_emit_error(entry,
                            "args is '%s'; it must list arguments from 0 to "
                            "%lld, as in 0+2-4 or 1-",
                            o->args, (long long)count - 1);
  }
  for (intptr_t i = 0; i < count; ++i) {
    bool array = is_array(mlirFunctionTypeGetInput(type, i));
    pgopt_pass_count(pass, MARKED, chosen[i] && array && mark(entry, i));
    pgopt_pass_count(pass, SCALARS, chosen[i] && !array);
  }
  free(chosen);
  return mlirLogicalResultSuccess();
}

const pgopt_pass_definition pgopt_mark_parameters = {
    .argument = "mark-parameters",
    .summary = "Mark arguments of the network's function as parameters",
    .anchor = "builtin.module",
    .options = option_table,
    .option_count = sizeof option_table / sizeof *option_table,
    .options_size = sizeof(options),
    .statistics = statistic_table,
    .statistic_count = sizeof statistic_table / sizeof *statistic_table,
    .run = run};
