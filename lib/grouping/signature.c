/// \file Canonical signatures.
///
/// A group is hashed as a normal form of what it computes, not of how it is
/// written: each result is an expression over the loops of the operation that
/// makes it. Elementwise producers inside the group are substituted into the
/// expression, so fused and unfused forms agree; reductions are definitions of
/// their own that expressions refer to. Operands are loads at linear indices:
/// duplicate and unused operands leave no trace. Loops and values from outside
/// are numbered by first use; extents of one, and what indexes them, are left
/// out; splat constants and folded casts are numbers.
#include "grouping/signature.h"

#include "base/hash.h"
#include "base/pointer_map.h"
#include "base/text.h"
#include "grouping/stem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A subexpression: its hash, and its value when it is a constant number.
typedef struct term {
  pgopt_hash hash;
  bool is_number;
  double number;
} term;

/// A linear form over the loops of the definition being written.
typedef struct form {
  int64_t constant;
  int64_t *coefficients;
} form;

typedef struct writer {
  const pgopt_network *network;
  const pgopt_group *group;
  pgopt_arena arena;
  pgopt_pointer_map outside; ///< value + 1 -> number of its first use
  int outside_count;
  pgopt_pointer_map known; ///< value + 1 -> index of its definition
  pgopt_hash *definitions;
  size_t definition_count, definition_capacity;
} writer;

/// An elementwise producer that was substituted already.
typedef struct substitution {
  int value;
  const form *loops;
  term result;
} substitution;

/// The operation whose loops an expression is over.
typedef struct space {
  const pgopt_op *op;
  int *numbers; ///< per loop its canonical number, or -1 while unused
  int next;
  substitution *done; ///< so that x + x does not write x twice
  size_t done_count, done_capacity;
} space;

static const void *key_of(int value) {
  return (const void *)(uintptr_t)(value + 1);
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

static void hash_type(pgopt_hash *hash, const pgopt_type *type) {
  /* Tensors and memrefs of one shape are the same to a kernel. */
  pgopt_hash_i64(hash, type->element);
  pgopt_hash_i64(hash, type->element_bits);
  for (size_t i = 0; i < type->rank; ++i)
    if (type->extents[i] != 1)
      pgopt_hash_i64(hash, type->extents[i]);
}

static void hash_form(pgopt_hash *hash, space *s, const form *f) {
  pgopt_hash_i64(hash, f->constant);
  /* New loops get their numbers in the order of the operation's loops. */
  for (size_t l = 0; l < s->op->loop_count; ++l)
    if (f->coefficients[l] && s->op->loop_extents[l] != 1 && s->numbers[l] < 0)
      s->numbers[l] = s->next++;
  for (int n = 0; n < s->next; ++n)
    for (size_t l = 0; l < s->op->loop_count; ++l)
      if (s->numbers[l] == n && f->coefficients[l]) {
        pgopt_hash_i64(hash, n);
        pgopt_hash_i64(hash, f->coefficients[l]);
      }
  pgopt_hash_text(hash, ";");
}

static form *new_forms(writer *w, const space *s, size_t count) {
  form *forms = pgopt_arena_allocate(&w->arena, count, sizeof *forms);
  for (size_t i = 0; i < count; ++i)
    forms[i].coefficients = pgopt_arena_allocate(&w->arena, s->op->loop_count,
                                                 sizeof *forms[i].coefficients);
  return forms;
}

/// The indices of operand `k` of `op`, whose loops are the given forms.
static form *load_forms(writer *w, const space *s, const pgopt_op *op, size_t k,
                        const form *loops) {
  const pgopt_map *map = &op->maps[k];
  form *forms = new_forms(w, s, map->result_count);
  for (size_t r = 0; r < map->result_count; ++r) {
    const pgopt_linear *e = &map->results[r];
    forms[r].constant = e->is_linear ? e->constant : INT64_MIN;
    for (size_t l = 0; l < op->loop_count && e->is_linear; ++l) {
      if (!e->coefficients[l])
        continue;
      forms[r].constant += e->coefficients[l] * loops[l].constant;
      for (size_t n = 0; n < s->op->loop_count; ++n)
        forms[r].coefficients[n] +=
            e->coefficients[l] * loops[l].coefficients[n];
    }
  }
  return forms;
}

/// A number out of "value = 1.5 : f32" or "value = dense<1.5> : tensor<...>".
static bool read_number(const char *attributes, double *number) {
  const char *text = strstr(attributes, "value");
  text = text ? strstr(text, "= ") : NULL;
  if (!text)
    return false;
  text += 2;
  text += strncmp(text, "dense<", 6) ? 0 : 6;
  char *end;
  *number = strtod(text, &end);
  if (end == text)
    return false;
  return *end == ' ' || *end == '>' || !*end;
}

static term number_term(double number) {
  term t = {
      .hash = pgopt_hash_begin("number"), .is_number = true, .number = number};
  pgopt_hash_bytes(&t.hash, &number, sizeof number);
  return t;
}

static term outside_term(writer *w, int value) {
  term t = {.hash = pgopt_hash_begin("outside")};
  int number;
  if (!pgopt_pointer_map_get(&w->outside, key_of(value), &number)) {
    number = w->outside_count++;
    pgopt_pointer_map_set(&w->outside, key_of(value), number);
    hash_type(&t.hash, &w->network->values[value].type);
  }
  pgopt_hash_i64(&t.hash, number);
  return t;
}

static pgopt_hash define(writer *w, int value);

/// A scalar that a body takes from outside.
static term scalar_term(writer *w, int value) {
  int producer = value < 0 ? -1 : w->network->values[value].producer;
  if (producer >= 0 && is_inside(w, producer)) {
    double number;
    const pgopt_op *op = &w->network->ops[producer];
    if (op->kind == PGOPT_OP_CONSTANT && read_number(op->attributes, &number))
      return number_term(number);
    return (term){.hash = define(w, value)};
  }
  return value < 0 ? (term){.hash = pgopt_hash_begin("?")}
                   : outside_term(w, value);
}

static term yield_term(writer *w, space *s, const pgopt_op *op, size_t result,
                       const form *loops);

/// Puts the loops of an elementwise producer in terms of the indices at which
/// its result is read; false when they do not follow from them.
static bool invert_output(writer *w, const space *s, const pgopt_op *producer,
                          const form *indices, form **loops) {
  const pgopt_map *out = &producer->maps[producer->input_count];
  *loops = new_forms(w, s, producer->loop_count);
  for (size_t l = 0; l < producer->loop_count; ++l) {
    int dimension =
        pgopt_map_dimension(producer, producer->input_count, (int)l);
    if (dimension >= 0)
      (*loops)[l] = indices[dimension];
    else if (producer->loop_extents[l] != 1)
      return false;
  }
  return out->result_count > 0 || producer->loop_count == 0;
}

static bool same_forms(const space *s, const form *a, const form *b,
                       size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (a[i].constant != b[i].constant ||
        memcmp(a[i].coefficients, b[i].coefficients,
               s->op->loop_count * sizeof *a[i].coefficients))
      return false;
  return true;
}

/// The producer's expression with its loops replaced by these forms.
static term substitute(writer *w, space *s, int value, const pgopt_op *producer,
                       const form *loops) {
  for (size_t i = 0; i < s->done_count; ++i)
    if (s->done[i].value == value &&
        same_forms(s, s->done[i].loops, loops, producer->loop_count))
      return s->done[i].result;
  substitution made = {value, loops, yield_term(w, s, producer, 0, loops)};
  PGOPT_APPEND(s->done, s->done_count, s->done_capacity, made);
  return made.result;
}

/// The element of a value at these indices.
static term load_term(writer *w, space *s, int value, const form *indices) {
  const pgopt_value *v = &w->network->values[value];
  const pgopt_op *producer =
      v->producer >= 0 ? &w->network->ops[v->producer] : NULL;
  double number;
  if (producer && producer->kind == PGOPT_OP_CONSTANT &&
      read_number(producer->attributes, &number))
    return number_term(number);
  bool inside = producer && is_inside(w, v->producer);
  if (inside && pgopt_op_is_fill(w->network, producer))
    return scalar_term(w, producer->operands[producer->yields[0].number]);
  form *loops;
  if (inside && pgopt_op_is_elementwise(producer) &&
      !pgopt_op_uses_loop_index(producer) &&
      invert_output(w, s, producer, indices, &loops))
    return substitute(w, s, value, producer, loops);
  term t = inside ? (term){.hash = define(w, value)} : outside_term(w, value);
  t.is_number = false;
  for (size_t r = 0; r < v->type.rank; ++r)
    if (v->type.extents[r] != 1)
      hash_form(&t.hash, s, &indices[r]);
  return t;
}

/// Casts of numbers are numbers.
static bool fold_cast(const pgopt_scalar_op *scalar, const term *operand,
                      term *result) {
  if (!operand->is_number)
    return false;
  if (!strcmp(scalar->name, "arith.truncf") && !strcmp(scalar->type, "f32")) {
    *result = number_term((double)(float)operand->number);
    return true;
  }
  if (!strcmp(scalar->name, "arith.extf") ||
      !strcmp(scalar->name, "arith.sitofp")) {
    *result = number_term(operand->number);
    return true;
  }
  return false;
}

static term yield_term(writer *w, space *s, const pgopt_op *op, size_t result,
                       const form *loops) {
  term *inputs =
      pgopt_arena_allocate(&w->arena, op->operand_count, sizeof *inputs);
  bool *loaded =
      pgopt_arena_allocate(&w->arena, op->operand_count, sizeof *loaded);
  term *body =
      pgopt_arena_allocate(&w->arena, op->body_count + 1, sizeof *body);
  const pgopt_scalar_op end = {.name = "yield",
                               .attributes = "",
                               .type = "",
                               .operands = &op->yields[result],
                               .operand_count = 1};
  for (size_t i = 0; i <= op->body_count; ++i) {
    const pgopt_scalar_op *scalar = i < op->body_count ? &op->body[i] : &end;
    pgopt_hash hash = pgopt_hash_begin(scalar->name);
    pgopt_hash_text(&hash, scalar->attributes);
    pgopt_hash_text(&hash, scalar->type);
    term operand = {0};
    for (size_t k = 0; k < scalar->operand_count; ++k) {
      pgopt_scalar_operand from = scalar->operands[k];
      size_t n = (size_t)from.number;
      if (from.source == PGOPT_FROM_BODY) {
        operand = body[n];
      } else if (from.source == PGOPT_FROM_OUTSIDE) {
        operand = scalar_term(w, from.number);
      } else if (n >= op->input_count && pgopt_op_is_reduction(op)) {
        operand = (term){.hash = pgopt_hash_begin("accumulator")};
        pgopt_hash_i64(&operand.hash, (int64_t)(n - op->input_count));
      } else {
        if (!loaded[n])
          inputs[n] = w->network->values[op->operands[n]].type.is_shaped
                          ? load_term(w, s, op->operands[n],
                                      load_forms(w, s, op, n, loops))
                          : scalar_term(w, op->operands[n]);
        loaded[n] = true;
        operand = inputs[n];
      }
      pgopt_hash_hash(&hash, &operand.hash);
    }
    body[i] = (term){.hash = hash};
    if (i == op->body_count)
      return operand;
    double number;
    if (!strcmp(scalar->name, "arith.constant") &&
        read_number(scalar->attributes, &number))
      body[i] = number_term(number);
    else if (scalar->operand_count == 1)
      fold_cast(scalar, &operand, &body[i]);
  }
  return body[op->body_count];
}

/// Loops, expressions and, for reductions, what the accumulators start from.
static void hash_structured(writer *w, pgopt_hash *hash, const pgopt_op *op) {
  space s = {.op = op};
  s.numbers =
      pgopt_arena_allocate(&w->arena, op->loop_count, sizeof *s.numbers);
  form *identity = new_forms(w, &s, op->loop_count);
  for (size_t l = 0; l < op->loop_count; ++l) {
    s.numbers[l] = -1;
    identity[l].coefficients[l] = 1;
  }
  for (size_t r = 0; r < op->result_count; ++r) {
    size_t init = op->input_count + r;
    form *out = load_forms(w, &s, op, init, identity);
    const pgopt_type *type = &w->network->values[op->operands[init]].type;
    for (size_t d = 0; d < type->rank; ++d)
      if (type->extents[d] != 1)
        hash_form(hash, &s, &out[d]);
    hash_type(hash, type);
    term value = yield_term(w, &s, op, r, identity);
    pgopt_hash_hash(hash, &value.hash);
    if (pgopt_op_is_reduction(op) && pgopt_op_reads_init(op, r)) {
      term start = load_term(w, &s, op->operands[init], out);
      pgopt_hash_hash(hash, &start.hash);
    }
  }
  for (int n = 0; n < s.next; ++n)
    for (size_t l = 0; l < op->loop_count; ++l)
      if (s.numbers[l] == n) {
        pgopt_hash_i64(hash, op->loop_is_reduction[l]);
        pgopt_hash_i64(hash, op->loop_extents[l]);
      }
  free(s.done);
}

static void hash_other(writer *w, pgopt_hash *hash, const pgopt_op *op) {
  pgopt_hash_text(hash, op->name);
  pgopt_hash_text(hash, op->attributes);
  for (size_t k = 0; k < op->operand_count + op->capture_count; ++k) {
    int value = k < op->operand_count ? op->operands[k]
                                      : op->captures[k - op->operand_count];
    term t = scalar_term(w, value);
    pgopt_hash_hash(hash, &t.hash);
  }
  for (size_t i = 0; i < op->result_count; ++i)
    hash_type(hash, &w->network->values[op->results[i]].type);
  for (size_t g = 0; g < op->region_count; ++g)
    for (size_t i = 0; i < op->regions[g].op_count; ++i) {
      const pgopt_op *inner = &op->regions[g].ops[i];
      if (inner->kind == PGOPT_OP_STRUCTURED)
        hash_structured(w, hash, inner);
      else
        hash_other(w, hash, inner);
    }
}

/// The hash of what makes a value inside the group, once.
static pgopt_hash define(writer *w, int value) {
  const pgopt_value *v = &w->network->values[value];
  int index;
  if (!pgopt_pointer_map_get(&w->known, key_of(value), &index)) {
    const pgopt_op *op = &w->network->ops[v->producer];
    pgopt_hash hash = pgopt_hash_begin("define");
    if (op->kind == PGOPT_OP_STRUCTURED)
      hash_structured(w, &hash, op);
    else
      hash_other(w, &hash, op);
    index = (int)w->definition_count;
    PGOPT_APPEND(w->definitions, w->definition_count, w->definition_capacity,
                 hash);
    pgopt_pointer_map_set(&w->known, key_of(value), index);
  }
  pgopt_hash hash = w->definitions[index];
  pgopt_hash_i64(&hash, v->result_number);
  return hash;
}

/// True when something outside the group reads the value.
static bool is_output(const writer *w, int value) {
  const pgopt_value *v = &w->network->values[value];
  for (size_t u = 0; u < v->user_count; ++u)
    if (!is_inside(w, v->users[u]))
      return true;
  return false;
}

static int descending(const void *left, const void *right) {
  int64_t l = *(const int64_t *)left, r = *(const int64_t *)right;
  return (l < r) - (l > r);
}

/// "matmul 7x13 over 11": the result's extents, and the reductions'.
static void write_head(const pgopt_network *network, const pgopt_op *core,
                       pgopt_text *head) {
  pgopt_text_append(head, "%s", pgopt_op_stem(core));
  const char *separator = " ";
  for (size_t r = 0; r < core->result_count && r < 1; ++r) {
    const pgopt_type *type = &network->values[core->results[r]].type;
    for (size_t d = 0; d < type->rank; ++d)
      if (type->extents[d] != 1) {
        pgopt_text_append(head, "%s%" PRId64, separator, type->extents[d]);
        separator = "x";
      }
  }
  int64_t *reductions = pgopt_allocate(core->loop_count, sizeof *reductions);
  size_t count = 0;
  for (size_t l = 0; l < core->loop_count; ++l)
    if (core->loop_is_reduction[l] && core->loop_extents[l] != 1)
      reductions[count++] = core->loop_extents[l];
  if (count)
    qsort(reductions, count, sizeof *reductions, descending);
  separator = " over ";
  for (size_t i = 0; i < count; ++i) {
    pgopt_text_append(head, "%s%" PRId64, separator, reductions[i]);
    separator = "x";
  }
  free(reductions);
}

const char *pgopt_group_signature(const pgopt_network *network,
                                  const pgopt_group *group,
                                  pgopt_arena *arena) {
  writer w = {.network = network, .group = group};
  pgopt_hash hash = pgopt_hash_begin("group");
  for (size_t i = 0; i < group->member_count; ++i) {
    const pgopt_op *op = &network->ops[group->members[i]];
    for (size_t r = 0; r < op->result_count; ++r)
      if (is_output(&w, op->results[r])) {
        pgopt_hash value = define(&w, op->results[r]);
        pgopt_hash_hash(&hash, &value);
      }
  }
  pgopt_text head = {0};
  write_head(network, &network->ops[group->core], &head);
  const char *signature = pgopt_arena_format(
      arena, "%s %016" PRIx64 "%016" PRIx64, head.data, hash.high, hash.low);
  pgopt_text_free(&head);
  free(w.definitions);
  pgopt_pointer_map_free(&w.known);
  pgopt_pointer_map_free(&w.outside);
  pgopt_arena_free(&w.arena);
  return signature;
}

const char *pgopt_part_signature(const char *signature, int64_t low,
                                 int64_t high, pgopt_arena *arena) {
  return pgopt_arena_format(arena, "%s [%" PRId64 ",%" PRId64 ")", signature,
                            low, high);
}
