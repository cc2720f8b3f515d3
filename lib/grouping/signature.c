/// \file Canonical signatures.
///
/// The members of a group are written out as text in dependency order, in a
/// form that has no names in it, and the text is hashed (two 64-bit FNV-1a
/// hashes with different offsets).
#include "grouping/signature.h"

#include "base/pointer_map.h"
#include "base/text.h"
#include "grouping/stem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct writer {
  const pgopt_network *network;
  const pgopt_group *group;
  pgopt_text text;
  pgopt_pointer_map numbers; ///< value + 1 -> its number in the signature
  int next;
} writer;

static int number_of(const writer *w, int value) {
  int number = -1;
  pgopt_pointer_map_get(&w->numbers, (void *)(uintptr_t)(value + 1), &number);
  return number;
}

static int set_number(writer *w, int value) {
  pgopt_pointer_map_set(&w->numbers, (void *)(uintptr_t)(value + 1), w->next);
  return w->next++;
}

static bool is_inside(const writer *w, int op) {
  for (size_t i = 0; i < w->group->member_count; ++i)
    if (w->group->members[i] == op)
      return true;
  for (size_t i = 0; i < w->group->attached_count; ++i)
    if (w->group->attached[i] == op)
      return true;
  return false;
}

static void write_type(writer *w, const pgopt_type *type) {
  /* Tensors and memrefs of one shape are the same to a kernel. */
  static const char letters[] = {'f', 'i', 'x', '?'};
  for (size_t i = 0; i < type->rank; ++i)
    pgopt_text_append(&w->text, "%" PRId64 "x", type->extents[i]);
  pgopt_text_append(&w->text, "%c%d", letters[type->element],
                    type->element_bits);
}

static void write_op(writer *w, int number);

/// Writes a value: its number when known, else what makes it (inside the group)
/// or its type (from outside).
static void write_value(writer *w, int value) {
  if (value < 0) {
    pgopt_text_append(&w->text, "?");
    return;
  }
  const pgopt_value *v = &w->network->values[value];
  if (number_of(w, value) < 0 && v->producer >= 0 && is_inside(w, v->producer))
    write_op(w, v->producer);
  if (number_of(w, value) >= 0) {
    pgopt_text_append(&w->text, "%%%d", number_of(w, value));
    return;
  }
  pgopt_text_append(&w->text, "%%%d:", set_number(w, value));
  write_type(w, &v->type);
}

/// Numbers loops by their first appearance: in the init's map, then the
/// inputs'.
static int *number_loops(const pgopt_op *op) {
  int *numbers = pgopt_allocate(op->loop_count, sizeof *numbers);
  int next = 0;
  for (size_t l = 0; l < op->loop_count; ++l)
    numbers[l] = -1;
  for (size_t step = 0; step < op->operand_count; ++step) {
    size_t i = (op->input_count + step) % op->operand_count;
    for (size_t r = 0; r < op->maps[i].result_count; ++r)
      for (size_t l = 0; l < op->loop_count; ++l)
        if (op->maps[i].results[r].coefficients[l] && numbers[l] < 0)
          numbers[l] = next++;
  }
  for (size_t l = 0; l < op->loop_count; ++l)
    if (numbers[l] < 0)
      numbers[l] = next++;
  return numbers;
}

static void write_map(writer *w, const pgopt_op *op, size_t operand,
                      const int *loops) {
  pgopt_text_append(&w->text, "[");
  for (size_t r = 0; r < op->maps[operand].result_count; ++r) {
    const pgopt_linear *e = &op->maps[operand].results[r];
    pgopt_text_append(&w->text, r ? ",%" PRId64 : "%" PRId64, e->constant);
    /* In the order of the canonical numbers. */
    for (size_t n = 0; n < op->loop_count; ++n)
      for (size_t l = 0; l < op->loop_count; ++l)
        if (loops[l] == (int)n && e->coefficients[l])
          pgopt_text_append(&w->text, "+%" PRId64 "d%d", e->coefficients[l],
                            loops[l]);
    if (!e->is_linear)
      pgopt_text_append(&w->text, "!");
  }
  pgopt_text_append(&w->text, "]");
}

static void write_scalar(writer *w, const pgopt_scalar_operand *operand) {
  static const char letters[] = {'a', 'b'};
  if (operand->source == PGOPT_FROM_OUTSIDE)
    write_value(w, operand->number);
  else
    pgopt_text_append(&w->text, "%c%d", letters[operand->source],
                      operand->number);
}

static void write_structured(writer *w, const pgopt_op *op) {
  int *loops = number_loops(op);
  for (size_t n = 0; n < op->loop_count; ++n)
    for (size_t l = 0; l < op->loop_count; ++l)
      if (loops[l] == (int)n)
        pgopt_text_append(&w->text, "%c%" PRId64,
                          op->loop_is_reduction[l] ? 'r' : 'p',
                          op->loop_extents[l]);
  for (size_t i = 0; i < op->operand_count; ++i) {
    pgopt_text_append(&w->text, " ");
    write_value(w, op->operands[i]);
    write_map(w, op, i, loops);
  }
  for (size_t i = 0; i < op->body_count; ++i) {
    const pgopt_scalar_op *s = &op->body[i];
    pgopt_text_append(&w->text, " %s{%s}%s(", s->name, s->attributes, s->type);
    for (size_t k = 0; k < s->operand_count; ++k) {
      pgopt_text_append(&w->text, k ? "," : "");
      write_scalar(w, &s->operands[k]);
    }
    pgopt_text_append(&w->text, ")");
  }
  for (size_t i = 0; i < op->result_count; ++i) {
    pgopt_text_append(&w->text, " yield ");
    write_scalar(w, &op->yields[i]);
  }
  free(loops);
}

static void write_other(writer *w, const pgopt_op *op) {
  pgopt_text_append(&w->text, "%s{%s}", op->name, op->attributes);
  for (size_t i = 0; i < op->operand_count; ++i) {
    pgopt_text_append(&w->text, " ");
    write_value(w, op->operands[i]);
  }
  for (size_t g = 0; g < op->region_count; ++g) {
    pgopt_text_append(&w->text, " {");
    for (size_t i = 0; i < op->regions[g].op_count; ++i) {
      const pgopt_op *inner = &op->regions[g].ops[i];
      if (inner->kind == PGOPT_OP_STRUCTURED)
        write_structured(w, inner);
      else
        write_other(w, inner);
      pgopt_text_append(&w->text, ";");
    }
    pgopt_text_append(&w->text, "}");
  }
}

static void write_op(writer *w, int number) {
  const pgopt_op *op = &w->network->ops[number];
  /* Operands first, so that a body never interrupts another. */
  for (size_t i = 0; i < op->operand_count + op->capture_count; ++i) {
    int value = i < op->operand_count ? op->operands[i]
                                      : op->captures[i - op->operand_count];
    if (value >= 0 && number_of(w, value) < 0)
      write_value(w, value);
  }
  if (op->kind == PGOPT_OP_STRUCTURED)
    write_structured(w, op);
  else
    write_other(w, op);
  for (size_t i = 0; i < op->result_count; ++i) {
    int value = op->results[i];
    pgopt_text_append(&w->text, " -> %%%d:", set_number(w, value));
    write_type(w, &w->network->values[value].type);
  }
  pgopt_text_append(&w->text, "\n");
}

static uint64_t hash(const char *bytes, size_t size, uint64_t basis) {
  uint64_t value = basis;
  for (size_t i = 0; i < size; ++i)
    value = (value ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001B3);
  return value;
}

const char *pgopt_group_signature(const pgopt_network *network,
                                  const pgopt_group *group,
                                  pgopt_arena *arena) {
  writer w = {.network = network, .group = group};
  for (size_t i = 0; i < group->member_count; ++i) {
    const pgopt_op *op = &network->ops[group->members[i]];
    if (!op->result_count || number_of(&w, op->results[0]) < 0)
      write_op(&w, group->members[i]);
  }
  const pgopt_op *core = &network->ops[group->core];
  pgopt_text head = {0};
  pgopt_text_append(&head, "%s", pgopt_op_stem(core));
  for (size_t l = 0; l < core->loop_count; ++l)
    pgopt_text_append(&head, "%c%" PRId64, l ? 'x' : ' ',
                      core->loop_extents[l]);
  const char *signature = pgopt_arena_format(
      arena, "%s %016" PRIx64 "%016" PRIx64, head.data,
      hash(w.text.data, w.text.size, UINT64_C(0xCBF29CE484222325)),
      hash(w.text.data, w.text.size, UINT64_C(0x84222325CBF29CE4)));
  pgopt_text_free(&head);
  pgopt_text_free(&w.text);
  pgopt_pointer_map_free(&w.numbers);
  return signature;
}

const char *pgopt_part_signature(const char *signature, int64_t low,
                                 int64_t high, pgopt_arena *arena) {
  return pgopt_arena_format(arena, "%s [%" PRId64 ",%" PRId64 ")", signature,
                            low, high);
}
