/// \file Canonical signatures.
///
/// A group is hashed as a normal form of what it computes, not of how it is
/// written: each result is an expression over the loops of the operation that
/// makes it. Elementwise producers inside the group are substituted into the
/// expression, so fused and unfused forms agree; reductions are definitions of
/// their own that expressions refer to. Operands are loads at linear indices:
/// duplicate and unused operands leave no trace. Loops and values from outside
/// are numbered by first use; extents of one, and what indexes them, are left
/// out; constants, splat or scalar, are just numbers.
#include "grouping/signature.h"

#include "base/hash.h"
#include "base/pointer_map.h"
#include "base/text.h"
#include "grouping/stem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A subexpression: its hash, and whether it is a constant number.
typedef struct term {
  pgopt_hash hash;
  bool is_number;
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

/// True for "value = 1.5 : f32" and "value = dense<1.5> : tensor<...>".
static bool is_number(const char *attributes) {
  const char *text = strstr(attributes, "value");
  text = text ? strstr(text, "= ") : NULL;
  if (!text)
    return false;
  text += 2;
  text += strncmp(text, "dense<", 6) ? 0 : 6;
  char *end;
  strtod(text, &end);
  return end > text && (*end == ' ' || *end == '>' || !*end);
}

/// Times do not depend on the number: any one is like any other.
static term number_term(void) {
  return (term){.hash = pgopt_hash_begin("number"), .is_number = true};
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
    const pgopt_op *op = &w->network->ops[producer];
    if (op->kind == PGOPT_OP_CONSTANT && is_number(op->attributes))
      return number_term();
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
  bool inside = producer && is_inside(w, v->producer);
  /* Fusion makes splats scalars, but not those that a contraction reads. */
  if (producer && producer->kind == PGOPT_OP_CONSTANT &&
      is_number(producer->attributes) &&
      (inside || !pgopt_op_is_contraction(s->op)))
    return number_term();
  if (inside && pgopt_op_is_fill(w->network, producer))
    return scalar_term(w, producer->operands[producer->yields[0].number]);
  form *loops;
  if (inside && pgopt_op_is_elementwise(producer) &&
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
static bool is_cast(const char *name) {
  return !strcmp(name, "arith.truncf") || !strcmp(name, "arith.extf") ||
         !strcmp(name, "arith.sitofp") || !strcmp(name, "arith.index_cast");
}

/// The loop that a linalg.index is the number of.
static term index_term(space *s, const pgopt_op *op,
                       const pgopt_scalar_op *scalar, const form *loops) {
  term t = {.hash = pgopt_hash_begin("index")};
  const char *dim = strstr(scalar->attributes, "dim = ");
  unsigned long loop = dim ? strtoul(dim + 6, NULL, 10) : 0;
  if (loop < op->loop_count)
    hash_form(&t.hash, s, &loops[loop]);
  return t;
}

/// One name for what reads an element of an array, on tensors and memrefs.
static const char *canonical_name(const char *name) {
  return strcmp(name, "memref.load") ? name : "tensor.extract";
}

/// A body whose loops are replaced by forms over the loops of a space.
typedef struct body_writer {
  writer *w;
  space *s;
  const pgopt_op *op;
  const form *loops;
  term *inputs; ///< per operand its element, once loaded
  bool *loaded;
  term *body; ///< per scalar operation
} body_writer;

static term operand_term(body_writer *b, pgopt_scalar_operand from) {
  size_t n = (size_t)from.number;
  if (from.source == PGOPT_FROM_BODY)
    return b->body[n];
  if (from.source == PGOPT_FROM_OUTSIDE)
    return scalar_term(b->w, from.number);
  if (n >= b->op->input_count && pgopt_op_is_reduction(b->op)) {
    term t = {.hash = pgopt_hash_begin("accumulator")};
    pgopt_hash_i64(&t.hash, (int64_t)(n - b->op->input_count));
    return t;
  }
  if (!b->loaded[n]) {
    int value = b->op->operands[n];
    b->inputs[n] = b->w->network->values[value].type.is_shaped
                       ? load_term(b->w, b->s, value,
                                   load_forms(b->w, b->s, b->op, n, b->loops))
                       : scalar_term(b->w, value);
    b->loaded[n] = true;
  }
  return b->inputs[n];
}

static bool is_commutative(const char *name) {
  static const char *const names[] = {
      "arith.addf",     "arith.addi",    "arith.mulf",     "arith.muli",
      "arith.maximumf", "arith.maxnumf", "arith.minimumf", "arith.minnumf",
      "arith.maxsi",    "arith.minsi",   "arith.andi",     "arith.ori"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (!strcmp(name, names[i]))
      return true;
  return false;
}

static term apply_term(body_writer *b, const pgopt_scalar_op *scalar) {
  if (!strcmp(scalar->name, "linalg.index"))
    return index_term(b->s, b->op, scalar, b->loops);
  if (!strcmp(scalar->name, "arith.constant") && is_number(scalar->attributes))
    return number_term();
  term first = {0};
  term result = {.hash = pgopt_hash_begin(canonical_name(scalar->name))};
  pgopt_hash_text(&result.hash, scalar->attributes);
  pgopt_hash_text(&result.hash, scalar->type);
  bool commutative = scalar->operand_count == 2 && is_commutative(scalar->name);
  for (size_t k = 0; k < scalar->operand_count; ++k) {
    term operand = operand_term(b, scalar->operands[k]);
    if (k == 0) {
      first = operand;
      /* Upstream moves numbers to the right. */
      if (commutative && first.is_number)
        continue;
    }
    pgopt_hash_hash(&result.hash, &operand.hash);
  }
  if (commutative && first.is_number)
    pgopt_hash_hash(&result.hash, &first.hash);
  if (scalar->operand_count == 1 && first.is_number && is_cast(scalar->name))
    return number_term();
  return result;
}

static term yield_term(writer *w, space *s, const pgopt_op *op, size_t result,
                       const form *loops) {
  pgopt_arena *arena = &w->arena;
  body_writer b = {
      .w = w,
      .s = s,
      .op = op,
      .loops = loops,
      .inputs =
          pgopt_arena_allocate(arena, op->operand_count, sizeof *b.inputs),
      .loaded =
          pgopt_arena_allocate(arena, op->operand_count, sizeof *b.loaded),
      .body = pgopt_arena_allocate(arena, op->body_count, sizeof *b.body)};
  for (size_t i = 0; i < op->body_count; ++i)
    b.body[i] = apply_term(&b, &op->body[i]);
  return operand_term(&b, op->yields[result]);
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

/// A constant put around a value: how often on each side.
static void hash_padding(writer *w, pgopt_hash *hash, const pgopt_op *op) {
  pgopt_integer_list low = pgopt_op_integers(op, "static_low");
  pgopt_integer_list high = pgopt_op_integers(op, "static_high");
  const pgopt_type *type = &w->network->values[op->results[0]].type;
  term source = scalar_term(w, op->operands[0]);
  pgopt_hash_text(hash, "padding");
  pgopt_hash_hash(hash, &source.hash);
  for (size_t d = 0; d < type->rank; ++d)
    if (type->extents[d] != 1) {
      pgopt_hash_i64(hash, type->extents[d]);
      pgopt_hash_i64(hash, low.values[d]);
      pgopt_hash_i64(hash, high.values[d]);
    }
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
    else if (op->is_padding)
      hash_padding(w, &hash, op);
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

const char *pgopt_variant_signature(const char *signature, const char *variant,
                                    pgopt_arena *arena) {
  return pgopt_arena_format(arena, "%s by %s", signature, variant);
}

const char *pgopt_part_signature(const char *signature, int64_t low,
                                 int64_t high, pgopt_arena *arena) {
  return pgopt_arena_format(arena, "%s [%" PRId64 ",%" PRId64 ")", signature,
                            low, high);
}
