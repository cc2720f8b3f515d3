#include "base/hash.h"
#include "search/problem.h"
#include "search/problem_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Most words of a line.
enum { MOST_WORDS = 4096 };

/// Indices by name: open addressing, a power of two of places.
typedef struct name_table {
  const char **names; ///< null: free
  int *indices;
  size_t count, places;
} name_table;

typedef struct reader {
  pgopt_search_table *table;
  pgopt_error *error;
  size_t line;
  char **words; ///< of the line
  size_t count;
  pgopt_search_value *values;
  pgopt_search_kernel *kernels;
  pgopt_search_candidate *candidates; ///< of the last kernel
  pgopt_search_price *prices;
  size_t value_count, kernel_count, candidate_count, price_count;
  size_t value_capacity, kernel_capacity, candidate_capacity, price_capacity;
  name_table value_names, price_names;
} reader;

/// The place of a name, or the free one where it belongs.
static size_t find_place(const name_table *table, const char *name) {
  pgopt_hash hash = pgopt_hash_begin("name");
  pgopt_hash_text(&hash, name);
  size_t place = hash.low & (table->places - 1);
  while (table->names[place] && strcmp(table->names[place], name) != 0)
    place = (place + 1) & (table->places - 1);
  return place;
}

/// \returns -1 when there is none of that name.
static int find_name(const name_table *table, const char *name) {
  if (!table->places)
    return -1;
  size_t place = find_place(table, name);
  return table->names[place] ? table->indices[place] : -1;
}

static void free_names(name_table *table) {
  free(table->names);
  free(table->indices);
}

/// `name` is none of the table's, and borrowed.
static void add_name(name_table *table, const char *name, int index) {
  if (2 * (table->count + 1) > table->places) {
    name_table grown = {.count = table->count,
                        .places = table->places ? 2 * table->places : 64};
    grown.names = pgopt_allocate(grown.places, sizeof *grown.names);
    grown.indices = pgopt_allocate(grown.places, sizeof *grown.indices);
    for (size_t i = 0; i < table->places; ++i)
      if (table->names[i]) {
        size_t place = find_place(&grown, table->names[i]);
        grown.names[place] = table->names[i];
        grown.indices[place] = table->indices[i];
      }
    free_names(table);
    *table = grown;
  }
  size_t place = find_place(table, name);
  table->names[place] = name;
  table->indices[place] = index;
  ++table->count;
}

static pgopt_status fail(const reader *r, const char *what, const char *found) {
  return pgopt_fail(r->error, PGOPT_INVALID, "line %zu: %s, found '%.60s'",
                    r->line, what, found);
}

/// The word at `index`, "" behind the last.
static const char *word(const reader *r, size_t index) {
  return index < r->count ? r->words[index] : "";
}

/// A time of `size` characters; false for anything else.
static bool read_time(const char *text, size_t size, double *ns) {
  char copy[64], *end;
  if (!size || size >= sizeof copy)
    return false;
  memcpy(copy, text, size);
  copy[size] = '\0';
  *ns = strtod(copy, &end);
  return !*end && *ns >= 0;
}

static pgopt_status read_price(reader *r, const char *text, int *price) {
  if (*text == '@') {
    *price = find_name(&r->price_names, text + 1);
    return *price >= 0 ? PGOPT_OK
                       : fail(r, "expected a price that is named above", text);
  }
  const char *mark = strchr(text, '?');
  size_t measured = mark ? (size_t)(mark - text) : strlen(text);
  pgopt_search_price read = {NAN, INFINITY};
  if ((measured || !mark) && !read_time(text, measured, &read.measured_ns))
    return fail(r, "expected a price such as 1200, ?900, 1200?900 or @name",
                text);
  if (!mark)
    read.estimated_ns = read.measured_ns;
  else if (!read_time(mark + 1, strlen(mark + 1), &read.estimated_ns))
    return fail(r, "expected an estimate in ns behind '?'", text);
  *price = (int)r->price_count;
  PGOPT_APPEND(r->prices, r->price_count, r->price_capacity, read);
  return PGOPT_OK;
}

static const char *keep(reader *r, const char *text) {
  return pgopt_arena_text(&r->table->memory, text, strlen(text));
}

static pgopt_status add_price(reader *r) {
  if (r->count != 3 || find_name(&r->price_names, r->words[1]) >= 0)
    return fail(r, "expected 'price NAME PRICE' with a new name", word(r, 1));
  int price;
  pgopt_status status = read_price(r, r->words[2], &price);
  if (status == PGOPT_OK)
    add_name(&r->price_names, keep(r, r->words[1]), price);
  return status;
}

static int find_value(const reader *r, const char *name) {
  return find_name(&r->value_names, name);
}

static int find_layout(const pgopt_search_value *value, const char *name) {
  for (size_t i = 0; i < value->layout_count; ++i)
    if (!strcmp(value->layouts[i], name))
      return (int)i;
  return -1;
}

static pgopt_status read_place(const reader *r, const char *text,
                               pgopt_search_value *value) {
  value->returned =
      !strcmp(text, "returned") || !strcmp(text, "fixed-returned");
  if (!strcmp(text, "free") || !strcmp(text, "returned"))
    value->place = PGOPT_SEARCH_FREE;
  else if (!strcmp(text, "fixed") || !strcmp(text, "fixed-returned"))
    value->place = PGOPT_SEARCH_FIXED;
  else if (!strcmp(text, "parameter"))
    value->place = PGOPT_SEARCH_PARAMETER;
  else
    return fail(
        r, "expected free, returned, fixed, fixed-returned or parameter", text);
  return PGOPT_OK;
}

/// The words from `first` on, with one blank between.
static const char *rest_of_line(reader *r, size_t first) {
  pgopt_text text = {0};
  for (size_t i = first; i < r->count; ++i)
    pgopt_text_append(&text, "%s%s", i > first ? " " : "", r->words[i]);
  const char *kept = keep(r, pgopt_text_get(&text));
  pgopt_text_free(&text);
  return kept;
}

static pgopt_status read_layouts(reader *r, pgopt_search_value *value) {
  const char *layouts[PGOPT_SEARCH_MAX_LAYOUTS];
  size_t count = 0;
  for (size_t i = 4; i < r->count; ++i) {
    if (!strcmp(r->words[i], "because")) {
      value->fixed_reason = rest_of_line(r, i + 1);
      break;
    }
    if (count == PGOPT_SEARCH_MAX_LAYOUTS)
      return fail(r, "expected at most 16 layouts", r->words[i]);
    char *name = r->words[i];
    size_t length = strlen(name);
    if (length > 1 && name[length - 1] == '*') {
      name[length - 1] = '\0';
      value->declared = (int)count;
    }
    layouts[count++] = keep(r, name);
  }
  value->layouts =
      pgopt_arena_copy(&r->table->memory, layouts, count * sizeof *layouts);
  value->layout_count = count;
  return PGOPT_OK;
}

static pgopt_status add_value(reader *r) {
  if (r->count < 5)
    return fail(r, "expected 'value NAME PLACE BYTES LAYOUT...'", word(r, 1));
  pgopt_search_value value = {.name = keep(r, r->words[1])};
  if (find_value(r, value.name) >= 0)
    return fail(r, "expected a name that no value above has", value.name);
  pgopt_status status = read_place(r, r->words[2], &value);
  if (status != PGOPT_OK)
    return status;
  char *end;
  value.bytes = strtoll(r->words[3], &end, 10);
  if (*end)
    return fail(r, "expected a number of bytes", r->words[3]);
  status = read_layouts(r, &value);
  if (status != PGOPT_OK)
    return status;
  size_t pairs = value.layout_count * value.layout_count;
  int *conversions =
      pgopt_arena_allocate(&r->table->memory, pairs, sizeof *conversions);
  for (size_t i = 0; i < pairs; ++i)
    conversions[i] = PGOPT_SEARCH_NO_PRICE;
  value.conversions = conversions;
  add_name(&r->value_names, value.name, (int)r->value_count);
  PGOPT_APPEND(r->values, r->value_count, r->value_capacity, value);
  return PGOPT_OK;
}

static pgopt_status add_conversion(reader *r) {
  int value = find_value(r, word(r, 1));
  if (r->count != 5 || value < 0)
    return fail(r, "expected 'convert VALUE FROM TO PRICE' of a value above",
                word(r, 1));
  const pgopt_search_value *v = &r->values[value];
  int from = find_layout(v, r->words[2]), to = find_layout(v, r->words[3]);
  if (from < 0 || to < 0)
    return fail(r, "expected layouts of the value", r->words[from < 0 ? 2 : 3]);
  int *conversions = (int *)v->conversions;
  return read_price(r, r->words[4],
                    &conversions[(size_t)from * v->layout_count + (size_t)to]);
}

/// The last kernel's candidates are complete.
static void end_kernel(reader *r) {
  if (!r->kernel_count)
    return;
  pgopt_search_kernel *kernel = &r->kernels[r->kernel_count - 1];
  kernel->candidates =
      pgopt_arena_copy(&r->table->memory, r->candidates,
                       r->candidate_count * sizeof *r->candidates);
  kernel->candidate_count = r->candidate_count;
  r->candidate_count = 0;
}

static pgopt_status add_kernel(reader *r) {
  end_kernel(r);
  int *slots = pgopt_arena_allocate(&r->table->memory, r->count, sizeof *slots);
  size_t count = 0, operands = 0;
  bool arrow = false;
  for (size_t i = 2; i < r->count; ++i) {
    if (!arrow && !strcmp(r->words[i], "->")) {
      arrow = true;
      operands = count;
      continue;
    }
    int value = find_value(r, r->words[i]);
    if (value < 0)
      return fail(r, "expected a value above", r->words[i]);
    slots[count++] = value;
  }
  if (!arrow)
    return fail(r, "expected 'kernel NAME OPERAND... -> RESULT...'",
                word(r, 1));
  pgopt_search_kernel kernel = {.name = keep(r, word(r, 1)),
                                .operands = slots,
                                .operand_count = operands,
                                .results = slots + operands,
                                .result_count = count - operands};
  PGOPT_APPEND(r->kernels, r->kernel_count, r->kernel_capacity, kernel);
  return PGOPT_OK;
}

static pgopt_status add_candidate(reader *r) {
  if (!r->kernel_count)
    return fail(r, "expected a kernel before its candidates", word(r, 0));
  const pgopt_search_kernel *kernel = &r->kernels[r->kernel_count - 1];
  size_t slots = kernel->operand_count + kernel->result_count;
  // The keyword, the slots, an arrow among them, the price.
  if (r->count < slots + 3 || r->count > slots + 4 ||
      strcmp(r->words[kernel->operand_count + 1], "->"))
    return fail(r,
                "expected 'candidate LAYOUT... -> LAYOUT... PRICE [VARIANT]'"
                ", a layout for each slot of the kernel",
                word(r, 1));
  int *layouts =
      pgopt_arena_allocate(&r->table->memory, slots, sizeof *layouts);
  for (size_t i = 0; i < slots; ++i) {
    bool is_operand = i < kernel->operand_count;
    const char *name = r->words[i + (is_operand ? 1 : 2)];
    int value = is_operand ? kernel->operands[i]
                           : kernel->results[i - kernel->operand_count];
    layouts[i] = find_layout(&r->values[value], name);
    if (layouts[i] < 0)
      return fail(r, "expected a layout of the slot's value", name);
  }
  pgopt_search_candidate candidate = {.layouts = layouts};
  if (r->count == slots + 4)
    candidate.name = keep(r, r->words[slots + 3]);
  pgopt_status status = read_price(r, r->words[slots + 2], &candidate.price);
  if (status == PGOPT_OK)
    PGOPT_APPEND(r->candidates, r->candidate_count, r->candidate_capacity,
                 candidate);
  return status;
}

static pgopt_status read_line(reader *r) {
  static const struct {
    const char *keyword;
    pgopt_status (*read)(reader *r);
  } lines[] = {{"price", add_price},
               {"value", add_value},
               {"convert", add_conversion},
               {"kernel", add_kernel},
               {"candidate", add_candidate}};
  if (!r->count)
    return PGOPT_OK;
  for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i)
    if (!strcmp(lines[i].keyword, r->words[0]))
      return lines[i].read(r);
  return fail(r, "expected price, value, convert, kernel or candidate",
              r->words[0]);
}

/// Splits a line, which is changed, into words.
static pgopt_status split_line(reader *r, char *line) {
  char *rest = NULL;
  r->count = 0;
  for (char *next = strtok_r(line, " \t\r", &rest); next && *next != '#';
       next = strtok_r(NULL, " \t\r", &rest)) {
    if (r->count == MOST_WORDS)
      return fail(r, "expected at most 4096 words on a line", next);
    r->words[r->count++] = next;
  }
  return PGOPT_OK;
}

static pgopt_status read_lines(reader *r, char *text) {
  pgopt_status status = PGOPT_OK;
  for (char *line = text; line && status == PGOPT_OK;) {
    char *end = strchr(line, '\n');
    if (end)
      *end = '\0';
    ++r->line;
    status = split_line(r, line);
    if (status == PGOPT_OK)
      status = read_line(r);
    line = end ? end + 1 : NULL;
  }
  end_kernel(r);
  return status;
}

pgopt_status pgopt_search_table_read(const char *text, size_t size,
                                     pgopt_search_table *table,
                                     pgopt_error *error) {
  *table = (pgopt_search_table){0};
  if (memchr(text, '\0', size))
    return pgopt_fail(error, PGOPT_INVALID,
                      "a cost table is text, there is a zero byte in it");
  reader r = {.table = table,
              .error = error,
              .words = pgopt_allocate(MOST_WORDS, sizeof *r.words)};
  char *copy = pgopt_allocate(size + 1, 1);
  memcpy(copy, text, size);
  pgopt_status status = read_lines(&r, copy);
  pgopt_arena *memory = &table->memory;
  table->problem = (pgopt_search_problem){
      .values =
          pgopt_arena_copy(memory, r.values, r.value_count * sizeof *r.values),
      .value_count = r.value_count,
      .kernels = pgopt_arena_copy(memory, r.kernels,
                                  r.kernel_count * sizeof *r.kernels),
      .kernel_count = r.kernel_count,
      .prices =
          pgopt_arena_copy(memory, r.prices, r.price_count * sizeof *r.prices),
      .price_count = r.price_count};
  free(copy);
  free(r.words);
  free(r.values);
  free(r.kernels);
  free(r.candidates);
  free(r.prices);
  free_names(&r.value_names);
  free_names(&r.price_names);
  return status == PGOPT_OK ? pgopt_search_check(&table->problem, error)
                            : status;
}

void pgopt_search_table_free(pgopt_search_table *table) {
  pgopt_arena_free(&table->memory);
  *table = (pgopt_search_table){0};
}
