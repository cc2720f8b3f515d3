#include "search/problem_text.h"
#include "search/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void append_ns(pgopt_text *text, double ns) {
  // Enough digits to read the same number again, no more than needed.
  char digits[32];
  for (int precision = 1; precision <= 17; ++precision) {
    snprintf(digits, sizeof digits, "%.*g", precision, ns);
    if (strtod(digits, NULL) == ns)
      break;
  }
  pgopt_text_append(text, "%s", digits);
}

static void append_price(const pgopt_search_price *price, pgopt_text *text) {
  if (!isnan(price->measured_ns))
    append_ns(text, price->measured_ns);
  if (price->measured_ns == price->estimated_ns)
    return;
  pgopt_text_append(text, "?");
  append_ns(text, price->estimated_ns);
}

/// How often each price is named; freed with `free`.
static size_t *count_uses(const pgopt_search_problem *problem) {
  size_t *uses = pgopt_allocate(problem->price_count, sizeof *uses);
  for (size_t k = 0; k < problem->kernel_count; ++k)
    for (size_t c = 0; c < problem->kernels[k].candidate_count; ++c)
      ++uses[problem->kernels[k].candidates[c].price];
  for (size_t v = 0; v < problem->value_count; ++v) {
    const pgopt_search_value *value = &problem->values[v];
    for (int i = 0; i < (int)(value->layout_count * value->layout_count); ++i) {
      int count = (int)value->layout_count;
      int price = pgopt_search_conversion_price(value, i / count, i % count);
      if (price != PGOPT_SEARCH_NO_PRICE && i / count != i % count &&
          value->place != PGOPT_SEARCH_PARAMETER)
        ++uses[price];
    }
  }
  return uses;
}

typedef struct writer {
  const pgopt_search_problem *problem;
  pgopt_text *text;
  size_t *uses; ///< per price
} writer;

static void append_reference(const writer *w, int price) {
  if (w->uses[price] > 1)
    pgopt_text_append(w->text, "@p%d", price);
  else
    append_price(&w->problem->prices[price], w->text);
}

/// A text with `_` for every character of `except`.
static void append_without(pgopt_text *text, const char *from,
                           const char *except) {
  size_t first = text->size;
  pgopt_text_append(text, "%s", from);
  for (size_t i = first; i < text->size; ++i)
    if (strchr(except, text->data[i]))
      text->data[i] = '_';
}

/// A name as one word.
static void append_word(pgopt_text *text, const char *name) {
  append_without(text, name, " \t\r\n#*");
}

/// A value's word: its index makes it unique. Names that were read already end
/// in it.
static void append_value_name(const writer *w, int value) {
  const char *name = w->problem->values[value].name;
  char index[16];
  size_t length = strlen(name);
  size_t size = (size_t)snprintf(index, sizeof index, "%%%d", value);
  append_word(w->text, name);
  if (length < size || strcmp(name + length - size, index) != 0)
    pgopt_text_append(w->text, "%s", index);
}

static const char *place_word(const pgopt_search_value *value) {
  if (value->place == PGOPT_SEARCH_PARAMETER)
    return "parameter";
  if (value->place == PGOPT_SEARCH_FREE)
    return value->returned ? "returned" : "free";
  return value->returned ? "fixed-returned" : "fixed";
}

static void append_value(const writer *w, int value) {
  const pgopt_search_value *v = &w->problem->values[value];
  pgopt_text_append(w->text, "value ");
  append_value_name(w, value);
  pgopt_text_append(w->text, " %s %lld", place_word(v), (long long)v->bytes);
  for (int i = 0; i < (int)v->layout_count; ++i) {
    pgopt_text_append(w->text, " ");
    append_word(w->text, v->layouts[i]);
    if (i == v->declared && i)
      pgopt_text_append(w->text, "*");
  }
  if (v->fixed_reason) {
    pgopt_text_append(w->text, " because ");
    append_without(w->text, v->fixed_reason, "\n#");
  }
  pgopt_text_append(w->text, "\n");
  int count = v->place == PGOPT_SEARCH_PARAMETER ? 0 : (int)v->layout_count;
  for (int i = 0; i < count * count; ++i) {
    int from = i / count, to = i % count;
    int price = pgopt_search_conversion_price(v, from, to);
    if (from == to || price == PGOPT_SEARCH_NO_PRICE)
      continue;
    pgopt_text_append(w->text, "convert ");
    append_value_name(w, value);
    pgopt_text_append(w->text, " ");
    append_word(w->text, v->layouts[from]);
    pgopt_text_append(w->text, " ");
    append_word(w->text, v->layouts[to]);
    pgopt_text_append(w->text, " ");
    append_reference(w, price);
    pgopt_text_append(w->text, "\n");
  }
}

static void append_kernel(const writer *w, const pgopt_search_kernel *k) {
  pgopt_text_append(w->text, "kernel ");
  append_word(w->text, k->name);
  for (size_t i = 0; i <= pgopt_search_slots(k); ++i) {
    if (i == k->operand_count)
      pgopt_text_append(w->text, " ->");
    if (i == pgopt_search_slots(k))
      break;
    pgopt_text_append(w->text, " ");
    append_value_name(w, pgopt_search_slot(k, i));
  }
  pgopt_text_append(w->text, "\n");
  for (size_t c = 0; c < k->candidate_count; ++c) {
    const pgopt_search_candidate *candidate = &k->candidates[c];
    pgopt_text_append(w->text, "  candidate");
    for (size_t i = 0; i < pgopt_search_slots(k); ++i) {
      const pgopt_search_value *v =
          &w->problem->values[pgopt_search_slot(k, i)];
      pgopt_text_append(w->text, i == k->operand_count ? " -> " : " ");
      append_word(w->text, v->layouts[candidate->layouts[i]]);
    }
    pgopt_text_append(w->text, k->result_count ? " " : " -> ");
    append_reference(w, candidate->price);
    if (candidate->name) {
      pgopt_text_append(w->text, " ");
      append_word(w->text, candidate->name);
    }
    pgopt_text_append(w->text, "\n");
  }
}

void pgopt_search_table_write(const pgopt_search_problem *problem,
                              pgopt_text *text) {
  writer w = {problem, text, count_uses(problem)};
  for (size_t i = 0; i < problem->price_count; ++i)
    if (w.uses[i] > 1) {
      pgopt_text_append(text, "price p%zu ", i);
      append_price(&problem->prices[i], text);
      pgopt_text_append(text, "\n");
    }
  for (int v = 0; v < (int)problem->value_count; ++v)
    append_value(&w, v);
  for (size_t k = 0; k < problem->kernel_count; ++k)
    append_kernel(&w, &problem->kernels[k]);
  free(w.uses);
}
