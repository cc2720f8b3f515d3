/// \file Generated chains along rows, softmax and layer norm, against f64,
/// between guarded pages.
///
/// usage: rows_test [CASES [SEED]]
#include "kernel_check.h"

enum { MAX_RANK = 4 };

typedef struct rows_case {
  bool is_norm, is_double, is_cut;
  int rank, along; ///< dimensions, the last `along` of them a row's
  int64_t extents[MAX_RANK];
  int64_t low, high; ///< of dimension 0
  const char *variant;
} rows_case;

static int64_t product(const rows_case *c, int from, int to) {
  int64_t result = 1;
  for (int d = from; d < to; ++d)
    result *= c->extents[d];
  return result;
}

/// memref<...> of the first `rank` dimensions, whole or as the cut leaves them.
static void write_type(const rows_case *c, int rank, bool is_cut,
                       const char *offset, pgopt_text *text) {
  pgopt_text_append(text, "memref<");
  for (int d = 0; d < rank; ++d)
    if (d || !is_cut)
      pgopt_text_append(text, "%lldx", (long long)c->extents[d]);
    else
      pgopt_text_append(text, "?x");
  pgopt_text_append(text, c->is_double ? "f64" : "f32");
  for (int d = 0; d < rank && is_cut; ++d)
    pgopt_text_append(text, "%s%lld", d ? ", " : ", strided<[",
                      (long long)product(c, d + 1, rank));
  pgopt_text_append(text, is_cut ? "]%s>>" : ">", offset);
}

/// A buffer's name and type, after the slice that the cut makes of it.
static void write_use(const rows_case *c, const char *name, int rank,
                      bool is_scratch, pgopt_text *body, pgopt_text *type) {
  if (is_scratch) {
    pgopt_text_append(body, "  %%%s = memref.alloc() : ", name);
    write_type(c, rank, false, "", body);
    pgopt_text_append(body, "\n");
  }
  const char *offset = is_scratch ? "" : ", offset: ?";
  write_type(c, rank, c->is_cut, offset, type);
  pgopt_text_append(body, "  %%%s_use = memref.%s %%%s", name,
                    c->is_cut ? "subview" : "cast", name);
  for (int part = 0; part < 3 && c->is_cut; ++part)
    for (int d = 0; d < rank; ++d) {
      pgopt_text_append(body, d ? ", " : "[");
      if (part == 1 && d)
        pgopt_text_append(body, "%lld", (long long)c->extents[d]);
      else if (part == 1)
        pgopt_text_append(body, "%%n");
      else if (part == 0 && !d && !is_scratch)
        pgopt_text_append(body, "%%lo");
      else
        pgopt_text_append(body, "%d", part == 2);
      pgopt_text_append(body, d + 1 == rank ? "]" : "");
    }
  pgopt_text_append(body, " : ");
  write_type(c, rank, false, "", body);
  pgopt_text_append(body, " to %s\n", type->data);
}

/// A generic over `loops` of the dimensions; `maps` are separated by commas.
static void write_op(const rows_case *c, const char *maps, int loops,
                     bool reduces, const char *ins, const char *outs,
                     const char *arguments, const char *body,
                     pgopt_text *text) {
  pgopt_text_append(text,
                    "  linalg.generic {indexing_maps = [%s], "
                    "iterator_types = [",
                    maps);
  for (int l = 0; l < loops; ++l)
    pgopt_text_append(text, "%s\"%s\"", l ? ", " : "",
                      reduces && l >= c->rank - c->along ? "reduction"
                                                         : "parallel");
  const char *f = c->is_double ? "f64" : "f32";
  pgopt_text_append(text, "]} ins(%s) outs(%s) {\n  ^bb0(", ins, outs);
  for (const char *a = arguments; *a; ++a)
    pgopt_text_append(text, "%%%c: %s, ", *a, f);
  pgopt_text_append(text, "%%o: %s):\n%s    linalg.yield %%r : %s\n  }\n", f,
                    body, f);
}

/// Lines of a body: every `T` becomes the type.
static char *body_of(const rows_case *c, const char *lines) {
  char *made = malloc(strlen(lines) * 3 + 1), *to = made;
  for (; *lines; ++lines)
    to += *lines == 'T' ? sprintf(to, c->is_double ? "f64" : "f32")
                        : sprintf(to, "%c", *lines);
  return made;
}

/// func @forward(%x, %gain, %y, %lo, %hi): y = softmax(x), or the row's norm
/// times a gain along it.
static void write_case(const rows_case *c, pgopt_text *text) {
  static const char *const names[] = {"x", "y", "m", "e", "s"};
  pgopt_text types[5] = {{0}}, body = {0}, loops = {0}, row = {0}, last = {0};
  int rows = c->rank - c->along;
  for (int d = 0; d < c->rank; ++d)
    pgopt_text_append(&loops, d ? ", d%d" : "d%d", d);
  for (int d = 0; d < rows; ++d)
    pgopt_text_append(&row, d ? ", d%d" : "d%d", d);
  for (int d = rows; d < c->rank; ++d)
    pgopt_text_append(&last, d > rows ? ", d%d" : "d%d", d);
  for (int i = 0; i < 5; ++i)
    write_use(c, names[i], i == 2 || i == 4 ? rows : c->rank, i > 1, &body,
              &types[i]);
  char all[128], to_row[128], to_last[128];
  snprintf(all, sizeof all, "affine_map<(%s) -> (%s)>", loops.data, loops.data);
  snprintf(to_row, sizeof to_row, "affine_map<(%s) -> (%s)>", loops.data,
           row.data);
  snprintf(to_last, sizeof to_last, "affine_map<(%s) -> (%s)>", loops.data,
           last.data);
  const char *f = c->is_double ? "f64" : "f32";
  pgopt_text_append(text, "func.func @forward(%%x: ");
  write_type(c, c->rank, false, "", text);
  pgopt_text_append(text, ", %%gain: memref<");
  for (int d = rows; d < c->rank; ++d)
    pgopt_text_append(text, "%lldx", (long long)c->extents[d]);
  pgopt_text_append(text, "%s>, %%y: ", f);
  write_type(c, c->rank, false, "", text);
  pgopt_text_append(text,
                    ", %%lo: index, %%hi: index) attributes {%s} {\n"
                    "  %%zero = arith.constant 0.0 : %s\n"
                    "  %%infinity = arith.constant %s : %s\n"
                    "  %%low = arith.negf %%infinity : %s\n"
                    "  %%count = arith.constant %lld.0 : %s\n"
                    "  %%n = arith.subi %%hi, %%lo : index\n%s",
                    c->variant, f,
                    c->is_double ? "0x7FF0000000000000" : "0x7F800000", f, f,
                    (long long)product(c, rows, c->rank), f, body.data);
  char maps[1024], ins[512], outs[512];
  char *lines;
#define OP(map_text, over, reduces, arguments, source)                         \
  lines = body_of(c, source);                                                  \
  snprintf(maps, sizeof maps, "%s", map_text);                                 \
  write_op(c, maps, over, reduces, ins, outs, arguments, lines, text);         \
  free(lines)
  for (int pass = 0; pass < 2; ++pass) {
    int number = pass ? 4 : 2, from = pass ? 3 : 0;
    pgopt_text_append(text,
                      "  linalg.fill ins(%%%s : %s) outs(%%%s_use : %s)\n",
                      c->is_norm || pass ? "zero" : "low", f, names[number],
                      types[number].data);
    char both[600];
    snprintf(both, sizeof both, "%s, %s", all, to_row);
    snprintf(ins, sizeof ins, "%%%s_use : %s", names[from], types[from].data);
    snprintf(outs, sizeof outs, "%%%s_use : %s", names[number],
             types[number].data);
    OP(both, c->rank, true, "a",
       !c->is_norm ? (pass ? "    %r = arith.addf %o, %a : T\n"
                           : "    %r = arith.maximumf %o, %a : T\n")
       : pass      ? "    %q = arith.mulf %a, %a : T\n"
                     "    %r = arith.addf %o, %q : T\n"
                   : "    %r = arith.addf %o, %a : T\n");
    char three[900];
    snprintf(three, sizeof three, "%s, %s, %s%s%s", all, to_row,
             pass ? to_last : "", pass ? ", " : "", all);
    if (pass)
      snprintf(ins, sizeof ins, "%%e_use, %%s_use, %%gain : %s, %s, memref<%s",
               types[3].data, types[4].data, "");
    else
      snprintf(ins, sizeof ins, "%%x_use, %%m_use : %s, %s", types[0].data,
               types[2].data);
    for (int d = rows; d < c->rank && pass; ++d)
      snprintf(ins + strlen(ins), sizeof ins - strlen(ins), "%lldx",
               (long long)c->extents[d]);
    if (pass)
      snprintf(ins + strlen(ins), sizeof ins - strlen(ins), "%s>", f);
    snprintf(outs, sizeof outs, "%%%s_use : %s", pass ? "y" : "e",
             types[pass ? 1 : 3].data);
    OP(three, c->rank, false, pass ? "abg" : "ab",
       !c->is_norm ? (pass ? "    %q = arith.divf %a, %b : T\n"
                             "    %r = arith.mulf %q, %g : T\n"
                           : "    %q = arith.subf %a, %b : T\n"
                             "    %r = math.exp %q : T\n")
       : pass      ? "    %v = arith.divf %b, %count : T\n"
                     "    %one = arith.constant 1.0 : T\n"
                     "    %w = arith.addf %v, %one : T\n"
                     "    %d = math.sqrt %w : T\n"
                     "    %q = arith.divf %a, %d : T\n"
                     "    %r = arith.mulf %q, %g : T\n"
                   : "    %v = arith.divf %b, %count : T\n"
                     "    %r = arith.subf %a, %v : T\n");
  }
#undef OP
  pgopt_text_append(text, "  return\n}\n");
  for (int i = 0; i < 5; ++i)
    pgopt_text_free(&types[i]);
  pgopt_text_free(&body);
  pgopt_text_free(&loops);
  pgopt_text_free(&row);
  pgopt_text_free(&last);
}

static double get(const rows_case *c, const void *data, int64_t i) {
  return c->is_double ? ((const double *)data)[i]
                      : (double)((const float *)data)[i];
}

/// The largest error of a row, in parts of what rounding allows.
static double row_error(const rows_case *c, const void *x, const void *gain,
                        const void *y, int64_t row) {
  int64_t n = product(c, c->rank - c->along, c->rank);
  double most = -INFINITY, sum = 0, squares = 0, size = 0, worst = 0;
  for (int64_t i = 0; i < n; ++i) {
    double a = get(c, x, row * n + i);
    most = fmax(most, a);
    sum += a;
    size += fabs(a);
  }
  double middle = c->is_norm ? sum / (double)n : most;
  for (int64_t i = 0; i < n; ++i) {
    double a = get(c, x, row * n + i) - middle;
    squares += c->is_norm ? a * a : exp(a);
  }
  double scale = c->is_norm ? sqrt(squares / (double)n + 1) : squares;
  double epsilon = c->is_double ? 0x1p-52 : 0x1p-23;
  for (int64_t i = 0; i < n; ++i) {
    double a = get(c, x, row * n + i) - middle, g = get(c, gain, i);
    double b = (c->is_norm ? a : exp(a)) / scale * g;
    double bound = ((double)n + 16) * epsilon *
                   (fabs(b) + (c->is_norm ? fabs(g) * size / (double)n : 0));
    worst = fmax(worst, fabs(get(c, y, row * n + i) - b) / (bound + 1e-300));
  }
  return worst;
}

static void check_rows(const rows_case *c, const char *options) {
  pgopt_text text = {0};
  write_case(c, &text);
  pgopt_program *program = kernel_program_load(context, text.data, options);
  int rows = c->rank - c->along, at_end = draw(4) != 0;
  size_t bytes = c->is_double ? 8 : 4;
  int64_t n = product(c, rows, c->rank), all = product(c, 0, c->rank);
  int64_t elements[] = {all, n, all};
  guarded buffers[3];
  kernel_case element = {.is_double = c->is_double};
  for (int i = 0; i < 3; ++i) {
    buffers[i] = guarded_create((size_t)elements[i] * bytes, at_end);
    fill(&element, buffers[i].data, elements[i]);
  }
  void *before = malloc((size_t)all * bytes);
  memcpy(before, buffers[2].data, (size_t)all * bytes);
  int64_t low = c->low, high = c->high;
  if (CHECK(program)) {
    for (size_t i = 0; i < 3; ++i)
      pgopt_program_bind(program, i, buffers[i].data);
    pgopt_program_bind(program, 3, &low);
    pgopt_program_bind(program, 4, &high);
    pgopt_program_run(program);
    double error = 0;
    int64_t inner = product(c, 1, rows);
    for (int64_t row = 0; row < product(c, 0, rows); ++row) {
      bool inside = row / inner >= low && row / inner < high;
      const char *y = buffers[2].data;
      if (inside)
        error = fmax(error, row_error(c, buffers[0].data, buffers[1].data,
                                      buffers[2].data, row));
      else
        CHECK(!memcmp(y + (size_t)(row * n) * bytes,
                      (char *)before + (size_t)(row * n) * bytes,
                      (size_t)n * bytes));
    }
    if (!CHECK(error <= 1))
      fprintf(stderr, "  error %g of the bound, %s, range %lld to %lld:\n%s",
              error, options, (long long)low, (long long)high, text.data);
  } else {
    fprintf(stderr, "%s", text.data);
  }
  free(before);
  for (int i = 0; i < 3; ++i)
    guarded_destroy(&buffers[i]);
  pgopt_program_destroy(program);
  pgopt_text_free(&text);
}

static void check_target(const char *options, int cases) {
  for (int i = 0; i < cases; ++i) {
    rows_case c = {.is_norm = draw(2), .is_double = draw(3) == 0};
    c.along = draw(4) ? 1 : 2;
    c.rank = c.along + 1 + (int)draw(2);
    for (int d = 0; d < c.rank; ++d)
      c.extents[d] = d == c.rank - 1 ? draw_extent() : (int64_t)draw(7) + 1;
    c.is_cut = draw(2);
    c.high = c.extents[0];
    if (c.is_cut) {
      c.low = (int64_t)draw((uint64_t)c.extents[0] + 1);
      c.high = c.low + (int64_t)draw((uint64_t)(c.extents[0] - c.low) + 1);
    }
    // Rows of eight of the longest vectors, for variants that have so many.
    static const char *const variants[] = {"", "", "pg.variant = \"rows:8\"",
                                           "pg.variant = \"rows:2\"",
                                           "pg.variant = \"apart\""};
    c.variant = variants[draw(sizeof variants / sizeof *variants)];
    // exp of f64 is no vector code.
    if (c.is_double && !c.is_norm)
      c.variant = "";
    if (*c.variant)
      c.extents[c.rank - 1] = 128 + (int64_t)draw(13);
    check_rows(&c, options);
  }
}

int main(int argc, char **argv) {
  return check_targets(argc, argv, 32, check_target);
}
