/// \file The equation of a multiply-accumulate operation, from its maps.
#include "einsum/equation.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_SIZE = 16 };

typedef struct names {
  const pgopt_op *op;
  char (*of)[NAME_SIZE]; ///< one a loop
} names;

static bool in_window(const pgopt_op *op, size_t loop) {
  for (size_t i = 0; i < op->input_count; ++i)
    for (size_t d = 0; d < op->maps[i].result_count; ++d)
      if (op->maps[i].results[d].coefficients[loop] &&
          pgopt_linear_single_loop(&op->maps[i].results[d], op->loop_count) < 0)
        return true;
  return false;
}

/// Names for up to three of a kind; more are numbered.
static const char *kind_letters(const pgopt_op *op, const pgopt_canonical *form,
                                size_t loop, bool windows) {
  if (in_window(op, loop))
    return op->loop_is_reduction[loop] ? "rst" : "yxz";
  switch (form->roles[loop]) {
  case PGOPT_LOOP_BATCH:
    return windows ? "g" : "b";
  case PGOPT_LOOP_ROW:
    return windows ? "n" : "m";
  case PGOPT_LOOP_COLUMN:
    return windows ? "o" : "n";
  case PGOPT_LOOP_DEPTH:
    return windows ? "c" : "k";
  case PGOPT_LOOP_OTHER:
    break;
  }
  return op->loop_is_reduction[loop] ? "k" : "i";
}

static void name_loops(names *n, const pgopt_canonical *form) {
  const pgopt_op *op = n->op;
  bool windows = false;
  for (size_t l = 0; l < op->loop_count; ++l)
    windows = windows || in_window(op, l);
  int used[128] = {0};
  for (size_t i = 0; i < op->loop_count; ++i) {
    size_t loop = (size_t)form->loops[i];
    const char *letters = kind_letters(op, form, loop, windows);
    int number = used[(int)letters[0]]++, available = 0;
    while (letters[available])
      ++available;
    if (number < available)
      snprintf(n->of[loop], NAME_SIZE, "%c", letters[number]);
    else
      snprintf(n->of[loop], NAME_SIZE, "%c%d", letters[0],
               number - available + 2);
  }
}

static void append_index(const names *n, const pgopt_linear *form,
                         pgopt_text *text) {
  bool first = true;
  for (size_t l = 0; l < n->op->loop_count; ++l) {
    int64_t factor = form->coefficients[l];
    if (!factor)
      continue;
    if (!first && factor > 0)
      pgopt_text_append(text, "+");
    if (factor == -1)
      pgopt_text_append(text, "-");
    else if (factor != 1)
      pgopt_text_append(text, "%" PRId64, factor);
    pgopt_text_append(text, "%s", n->of[l]);
    first = false;
  }
  if (first)
    pgopt_text_append(text, "%" PRId64, form->constant);
  else if (form->constant)
    pgopt_text_append(text, "%+" PRId64, form->constant);
}

static void append_term(const names *n, size_t operand, pgopt_text *text) {
  const pgopt_map *map = &n->op->maps[operand];
  for (size_t d = 0; d < map->result_count; ++d) {
    if (d)
      pgopt_text_append(text, " ");
    append_index(n, &map->results[d], text);
  }
}

void pgopt_equation(const pgopt_op *op, const pgopt_canonical *form,
                    pgopt_text *text) {
  names n = {.op = op, .of = pgopt_allocate(op->loop_count, NAME_SIZE)};
  name_loops(&n, form);
  for (size_t i = 0; i < op->input_count; ++i) {
    if (i)
      pgopt_text_append(text, ", ");
    append_term(&n, (size_t)form->inputs[i], text);
  }
  pgopt_text_append(text, " -> ");
  append_term(&n, op->input_count, text);
  free(n.of);
}
