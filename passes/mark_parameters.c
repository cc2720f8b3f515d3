/// \file Marks arguments of the network's function as parameters: values that
/// are the same in every inference, bound once when the program is loaded.
/// Requires: nothing. Preserves: everything but the arguments' `pg.parameter`.
#include "base/memory.h"
#include "dialect_c/attributes.h"
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

/// Sets or replaces pg.parameter in an argument's dictionary.
static MlirAttribute mark(MlirContext c, MlirAttribute old, int64_t number) {
  char name[32];
  snprintf(name, sizeof name, "arg%lld", (long long)number);
  const char *spelling = pgopt_attribute_spelling(PGOPT_PARAMETER);
  intptr_t count =
      mlirAttributeIsNull(old) ? 0 : mlirDictionaryAttrGetNumElements(old);
  MlirNamedAttribute *members =
      pgopt_allocate((size_t)count + 1, sizeof *members);
  size_t kept = 0;
  for (intptr_t i = 0; i < count; ++i) {
    MlirNamedAttribute a = mlirDictionaryAttrGetElement(old, i);
    if (!pgopt_ref_is(mlirIdentifierStr(a.name), spelling))
      members[kept++] = a;
  }
  members[kept++] = pgopt_named(c, spelling, pgopt_text_attribute(c, name));
  MlirAttribute result = mlirDictionaryAttrGet(c, (intptr_t)kept, members);
  free(members);
  return result;
}

static MlirLogicalResult run(pgopt_pass *pass, MlirOperation module) {
  const options *o = pgopt_pass_options(pass);
  MlirOperation entry;
  if (mlirLogicalResultIsFailure(pgopt_find_entry(module, o->entry, &entry)))
    return mlirLogicalResultFailure();
  MlirContext c = mlirOperationGetContext(module);
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
  MlirAttribute old = pgopt_op_attribute(entry, "arg_attrs");
  MlirAttribute *all = pgopt_allocate((size_t)count, sizeof *all);
  for (intptr_t i = 0; i < count; ++i) {
    all[i] = mlirAttributeIsNull(old) ? mlirDictionaryAttrGet(c, 0, NULL)
                                      : mlirArrayAttrGetElement(old, i);
    bool array = is_array(mlirFunctionTypeGetInput(type, i));
    if (chosen[i] && array)
      all[i] = mark(c, all[i], i);
    pgopt_pass_count(pass, MARKED, chosen[i] && array);
    pgopt_pass_count(pass, SCALARS, chosen[i] && !array);
  }
  if (count)
    mlirOperationSetAttributeByName(entry, pgopt_ref("arg_attrs"),
                                    mlirArrayAttrGet(c, count, all));
  free(all);
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
