/// \file The canonical form of multiply-accumulate operations.
#include "einsum/canonical.h"

#include <stdlib.h>

static bool mentions(const pgopt_op *op, size_t operand, size_t loop) {
  for (size_t d = 0; d < op->maps[operand].result_count; ++d)
    if (op->maps[operand].results[d].coefficients[loop])
      return true;
  return false;
}

static pgopt_loop_role role_of(const pgopt_op *op, const int *inputs,
                               size_t loop) {
  bool a = mentions(op, (size_t)inputs[0], loop);
  bool b = mentions(op, (size_t)inputs[1], loop);
  if (mentions(op, op->input_count, loop))
    return a && b ? PGOPT_LOOP_BATCH
           : a    ? PGOPT_LOOP_ROW
           : b    ? PGOPT_LOOP_COLUMN
                  : PGOPT_LOOP_OTHER;
  return a && b ? PGOPT_LOOP_DEPTH : PGOPT_LOOP_OTHER;
}

static bool has_window(const pgopt_op *op) {
  for (size_t i = 0; i < op->operand_count; ++i)
    for (size_t d = 0; d < op->maps[i].result_count; ++d)
      if (pgopt_linear_single_loop(&op->maps[i].results[d], op->loop_count) < 0)
        return true;
  return false;
}

typedef struct loop_list {
  const pgopt_op *op;
  const pgopt_canonical *form;
  int *loops;
  bool *taken;
  size_t count;
} loop_list;

static void take(loop_list *list, size_t loop) {
  if (list->taken[loop])
    return;
  list->taken[loop] = true;
  list->loops[list->count++] = (int)loop;
}

/// Loops in the order in which an operand's dimensions mention them.
static void take_from(loop_list *list, size_t operand, const int *role) {
  const pgopt_map *map = &list->op->maps[operand];
  for (size_t d = 0; d < map->result_count; ++d)
    for (size_t l = 0; l < list->op->loop_count; ++l)
      if (map->results[d].coefficients[l] &&
          (!role || list->form->roles[l] == (pgopt_loop_role)*role))
        take(list, l);
}

void pgopt_canonical_make(const pgopt_op *op, pgopt_canonical *form) {
  size_t loops = op->loop_count;
  *form = (pgopt_canonical){
      .loops = pgopt_allocate(loops, sizeof *form->loops),
      .inputs = pgopt_allocate(op->input_count, sizeof *form->inputs),
      .roles = pgopt_allocate(loops, sizeof *form->roles),
      .is_product = op->input_count == 2 && !has_window(op)};
  for (size_t i = 0; i < op->input_count; ++i)
    form->inputs[i] = (int)i;
  if (op->input_count == 2) {
    for (size_t l = 0; l < loops; ++l) {
      form->roles[l] = role_of(op, form->inputs, l);
      form->is_product = form->is_product && form->roles[l] != PGOPT_LOOP_OTHER;
    }
    const pgopt_map *result = &op->maps[2];
    bool swap = false, decided = false;
    for (size_t d = 0; d < result->result_count && !decided; ++d) {
      int loop = pgopt_linear_single_loop(&result->results[d], loops);
      if (loop < 0 || form->roles[loop] == PGOPT_LOOP_BATCH)
        continue;
      decided = true;
      swap = form->roles[loop] == PGOPT_LOOP_COLUMN;
    }
    /* A convolution keeps the image first. */
    if (swap && form->is_product) {
      form->inputs[0] = 1;
      form->inputs[1] = 0;
      for (size_t l = 0; l < loops; ++l)
        form->roles[l] = role_of(op, form->inputs, l);
    }
  }
  loop_list list = {.op = op, .form = form, .loops = form->loops};
  list.taken = pgopt_allocate(loops, sizeof *list.taken);
  if (form->is_product) {
    static const int order[] = {PGOPT_LOOP_BATCH, PGOPT_LOOP_ROW,
                                PGOPT_LOOP_COLUMN};
    for (size_t i = 0; i < sizeof order / sizeof *order; ++i)
      take_from(&list, op->input_count, &order[i]);
  } else {
    take_from(&list, op->input_count, NULL);
  }
  for (size_t i = 0; i < op->input_count; ++i)
    take_from(&list, (size_t)form->inputs[i], NULL);
  for (size_t l = 0; l < loops; ++l)
    take(&list, l);
  free(list.taken);
}

void pgopt_canonical_free(pgopt_canonical *form) {
  free(form->loops);
  free(form->inputs);
  free(form->roles);
  *form = (pgopt_canonical){0};
}

bool pgopt_is_canonical(const pgopt_op *op, const pgopt_canonical *form) {
  for (size_t l = 0; l < op->loop_count; ++l)
    if (form->loops[l] != (int)l)
      return false;
  for (size_t i = 0; i < op->input_count; ++i)
    if (form->inputs[i] != (int)i)
      return false;
  return true;
}
