/// \file Generated copies: boxes of one array copied into boxes of another, in
/// ranges, with a border that a fill sets; exact, between guarded pages.
///
/// usage: copies_test [CASES [SEED]]
#include "kernel_check.h"

enum { RANK = 3 };

typedef struct copy_case {
  bool is_double, is_cut, is_filled;
  int64_t turn;                 ///< vectors; 0: the model's
  int64_t extents[RANK];        ///< of what is copied
  int64_t from[RANK], to[RANK]; ///< of both arrays
  int64_t from_low[RANK], to_low[RANK];
  int64_t low, high; ///< of dimension 0
} copy_case;

static int64_t product(const int64_t *extents) {
  return extents[0] * extents[1] * extents[2];
}

static void write_whole(const copy_case *c, const int64_t *extents,
                        pgopt_text *text) {
  pgopt_text_append(text, "memref<%lldx%lldx%lldx%s>", (long long)extents[0],
                    (long long)extents[1], (long long)extents[2],
                    c->is_double ? "f64" : "f32");
}

/// The box's type: dimension 0 is dynamic where a range cuts it.
static void write_box(const copy_case *c, const int64_t *extents,
                      const int64_t *low, pgopt_text *text) {
  pgopt_text_append(text, "memref<");
  for (int d = 0; d < RANK; ++d)
    if (!d && c->is_cut)
      pgopt_text_append(text, "?x");
    else
      pgopt_text_append(text, "%lldx", (long long)c->extents[d]);
  long long row = extents[2], plane = extents[1] * row;
  pgopt_text_append(text, "%s, strided<[%lld, %lld, 1], offset: ",
                    c->is_double ? "f64" : "f32", plane, row);
  if (c->is_cut)
    pgopt_text_append(text, "?>>");
  else
    pgopt_text_append(text, "%lld>>",
                      (long long)(low[0] * plane + low[1] * row + low[2]));
}

static void write_view(const copy_case *c, const char *name,
                       const int64_t *extents, const int64_t *low,
                       pgopt_text *text) {
  if (c->is_cut)
    pgopt_text_append(text,
                      "  %%%s_low = arith.constant %lld : index\n"
                      "  %%%s_at = arith.addi %%lo, %%%s_low : index\n",
                      name, (long long)low[0], name, name);
  pgopt_text_append(text, "  %%%s_box = memref.subview %%%s[", name, name);
  if (c->is_cut)
    pgopt_text_append(text, "%%%s_at", name);
  else
    pgopt_text_append(text, "%lld", (long long)low[0]);
  pgopt_text_append(text, ", %lld, %lld] [", (long long)low[1],
                    (long long)low[2]);
  if (c->is_cut)
    pgopt_text_append(text, "%%n");
  else
    pgopt_text_append(text, "%lld", (long long)c->extents[0]);
  pgopt_text_append(text,
                    ", %lld, %lld] [1, 1, 1] : ", (long long)c->extents[1],
                    (long long)c->extents[2]);
  write_whole(c, extents, text);
  pgopt_text_append(text, " to ");
  write_box(c, extents, low, text);
  pgopt_text_append(text, "\n");
}

/// func @forward(%x, %y, %lo, %hi) around a call of the kernel.
static void write_case(const copy_case *c, pgopt_text *text) {
  const char *element = c->is_double ? "f64" : "f32";
  pgopt_text arguments = {0}, types = {0};
  pgopt_text_append(&arguments, "%%x: ");
  write_whole(c, c->from, &arguments);
  pgopt_text_append(&arguments, ", %%y: ");
  write_whole(c, c->to, &arguments);
  pgopt_text_append(&arguments, ", %%lo: index, %%hi: index");
  write_whole(c, c->from, &types);
  pgopt_text_append(&types, ", ");
  write_whole(c, c->to, &types);
  pgopt_text_append(&types, ", index, index");
  pgopt_text_append(text, "func.func private @copy(%s) attributes {",
                    arguments.data);
  if (c->turn)
    pgopt_text_append(text, "pg.variant = \"copy:%lld\", ", (long long)c->turn);
  pgopt_text_append(text,
                    "pg.kernel = \"copy\"} {\n"
                    "  %%n = arith.subi %%hi, %%lo : index\n"
                    "  %%border = arith.constant 7.5 : %s\n",
                    element);
  if (c->is_filled) {
    pgopt_text_append(text,
                      "  linalg.fill ins(%%border : %s) outs(%%y : ", element);
    write_whole(c, c->to, text);
    pgopt_text_append(text, ")\n");
  }
  write_view(c, "x", c->from, c->from_low, text);
  write_view(c, "y", c->to, c->to_low, text);
  pgopt_text_append(text, "  linalg.copy ins(%%x_box : ");
  write_box(c, c->from, c->from_low, text);
  pgopt_text_append(text, ") outs(%%y_box : ");
  write_box(c, c->to, c->to_low, text);
  pgopt_text_append(text,
                    ")\n  return\n}\nfunc.func @forward(%s) {\n"
                    "  call @copy(%%x, %%y, %%lo, %%hi) : (%s) -> ()\n"
                    "  return\n}\n",
                    arguments.data, types.data);
  pgopt_text_free(&arguments);
  pgopt_text_free(&types);
}

static double get(const copy_case *c, const void *data, int64_t i) {
  return c->is_double ? ((const double *)data)[i]
                      : (double)((const float *)data)[i];
}

/// What the destination has to hold at an element.
static double expected(const copy_case *c, const void *x, const void *before,
                       const int64_t *at) {
  int64_t source[RANK];
  bool is_inside = true;
  for (int d = 0; d < RANK; ++d) {
    int64_t i = at[d] - c->to_low[d];
    is_inside &= i >= (d ? 0 : c->low) && i < (d ? c->extents[d] : c->high);
    source[d] = i + c->from_low[d];
  }
  if (is_inside)
    return get(c, x,
               (source[0] * c->from[1] + source[1]) * c->from[2] + source[2]);
  return c->is_filled
             ? 7.5
             : get(c, before, (at[0] * c->to[1] + at[1]) * c->to[2] + at[2]);
}

static int64_t count_wrong(const copy_case *c, const void *x,
                           const void *before, const void *y) {
  int64_t at[RANK], wrong = 0, i = 0;
  for (at[0] = 0; at[0] < c->to[0]; ++at[0])
    for (at[1] = 0; at[1] < c->to[1]; ++at[1])
      for (at[2] = 0; at[2] < c->to[2]; ++at[2], ++i)
        wrong += get(c, y, i) != expected(c, x, before, at);
  return wrong;
}

static void check_copy(const copy_case *c, const char *options) {
  pgopt_text text = {0};
  write_case(c, &text);
  pgopt_program *program = kernel_program_load(context, text.data, options);
  int at_end = draw(2) != 0;
  size_t bytes = c->is_double ? 8 : 4;
  int64_t elements[] = {product(c->from), product(c->to)};
  guarded buffers[2];
  kernel_case element = {.is_double = c->is_double};
  for (int i = 0; i < 2; ++i) {
    buffers[i] = guarded_create((size_t)elements[i] * bytes, at_end);
    fill(&element, buffers[i].data, elements[i]);
  }
  void *before = malloc((size_t)elements[1] * bytes);
  memcpy(before, buffers[1].data, (size_t)elements[1] * bytes);
  int64_t low = c->low, high = c->high;
  if (CHECK(program)) {
    pgopt_program_bind(program, 0, buffers[0].data);
    pgopt_program_bind(program, 1, buffers[1].data);
    pgopt_program_bind(program, 2, &low);
    pgopt_program_bind(program, 3, &high);
    pgopt_program_run(program);
    int64_t wrong = count_wrong(c, buffers[0].data, before, buffers[1].data);
    if (!CHECK_EQ_I64(wrong, 0))
      fprintf(stderr, "  %s, range %lld to %lld:\n%s", options, (long long)low,
              (long long)high, text.data);
  } else {
    fprintf(stderr, "%s", text.data);
  }
  free(before);
  for (int i = 0; i < 2; ++i)
    guarded_destroy(&buffers[i]);
  pgopt_program_destroy(program);
  pgopt_text_free(&text);
}

/// Rows of half a vector at least, of any target.
enum { LEAST_ROW = 8 };

static void check_target(const char *options, int cases) {
  for (int i = 0; i < cases; ++i) {
    copy_case c = {.is_double = draw(3) == 0,
                   .is_cut = draw(3) == 0,
                   .is_filled = draw(2)};
    for (int d = 0; d < RANK; ++d) {
      c.extents[d] = d == 2 ? draw_extent() : (int64_t)draw(7) + 1;
      bool is_whole = draw(2);
      c.from_low[d] = is_whole ? 0 : (int64_t)draw(3);
      c.to_low[d] = draw(2) ? 0 : (int64_t)draw(40);
      c.from[d] =
          c.extents[d] + c.from_low[d] + (is_whole ? 0 : (int64_t)draw(3));
      c.to[d] = c.extents[d] + c.to_low[d] + (draw(2) ? 0 : (int64_t)draw(40));
    }
    if (c.extents[2] >= LEAST_ROW && draw(2))
      c.turn = draw(2) ? 1 : 4;
    c.high = c.extents[0];
    if (c.is_cut) {
      c.low = (int64_t)draw((uint64_t)c.extents[0] + 1);
      c.high = c.low + (int64_t)draw((uint64_t)(c.extents[0] - c.low) + 1);
    }
    check_copy(&c, options);
  }
}

int main(int argc, char **argv) {
  return check_targets(argc, argv, 48, check_target);
}
