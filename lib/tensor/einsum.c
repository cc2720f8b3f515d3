/// \file Einsum equations as contractions of two operands each.
#include "tensor/einsum.h"

#include "tensor/nest_builder.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/// Labels are 0 to 51 for letters, 52 and up for broadcast dimensions, counted
/// from the last one.
enum {
  MAX_OPERANDS = 64,
  ELLIPSIS = 52,
  LABELS = ELLIPSIS + PGOPT_MAX_TENSOR_RANK
};

typedef struct term {
  int tensor;
  int labels[PGOPT_MAX_TENSOR_RANK];
  int rank;
} term;

typedef struct equation {
  pgopt_tensor_program *program;
  term *terms;
  int count;
  term output;
  int64_t extents[LABELS]; ///< 0 until known
  int ellipsis_rank;
  pgopt_number type;
} equation;

static int fail(equation *q, const char *what) {
  return pgopt_tensors_fail(q->program, PGOPT_INVALID, "einsum: %s", what);
}

static int letter(char c) {
  if (c >= 'a' && c <= 'z')
    return 26 + c - 'a';
  return c >= 'A' && c <= 'Z' ? c - 'A' : -1;
}

/// Reads a term up to `end`; an ellipsis stands for `ellipsis` dimensions.
static bool read_term(equation *q, const char *text, const char *end,
                      int ellipsis, term *t) {
  bool seen = false;
  t->rank = 0;
  for (; text < end; ++text) {
    if (isspace((unsigned char)*text))
      continue;
    int dims = 1, label = letter(*text);
    if (end - text >= 3 && !memcmp(text, "...", 3) && !seen && ellipsis >= 0) {
      seen = true;
      dims = ellipsis;
      label = ELLIPSIS + ellipsis - 1;
      text += 2;
    } else if (label < 0) {
      fail(q, "the equation has a character that is neither a letter nor part "
              "of one '...' a term");
      return false;
    }
    for (int i = 0; i < dims; ++i) {
      if (t->rank == PGOPT_MAX_TENSOR_RANK) {
        fail(q, "a term has too many dimensions");
        return false;
      }
      t->labels[t->rank++] = label - i;
    }
  }
  return true;
}

/// Letters of a term without its ellipsis; -1 in `*dots` when it has none.
static int count_letters(const char *text, const char *end, bool *dots) {
  int count = 0;
  *dots = memchr(text, '.', (size_t)(end - text)) != NULL;
  for (; text < end; ++text)
    count += letter(*text) >= 0;
  return count;
}

static bool bind_extents(equation *q, const term *t) {
  const pgopt_tensor *tensor = pgopt_tensors_tensor(q->program, t->tensor);
  for (int d = 0; d < t->rank; ++d) {
    int64_t extent = tensor->shape[d], *known = &q->extents[t->labels[d]];
    if (*known != extent && *known > 1 && extent != 1) {
      fail(q, "extents of one letter disagree");
      return false;
    }
    if (*known == 0 || *known == 1)
      *known = extent;
  }
  return true;
}

static bool read_operand(equation *q, const char *text, const char *end,
                         int tensor, term *t) {
  bool dots;
  int letters = count_letters(text, end, &dots);
  int rank = pgopt_tensors_tensor(q->program, tensor)->rank;
  int ellipsis = dots ? rank - letters : -1;
  if (dots ? ellipsis < 0 : letters != rank) {
    fail(q, "a term has another number of letters than its operand has "
            "dimensions");
    return false;
  }
  t->tensor = tensor;
  if (ellipsis > q->ellipsis_rank)
    q->ellipsis_rank = ellipsis;
  return read_term(q, text, end, ellipsis, t) && bind_extents(q, t);
}

/// The result's labels when the equation does not say them.
static void imply_output(equation *q) {
  int uses[LABELS] = {0};
  for (int i = 0; i < q->count; ++i)
    for (int d = 0; d < q->terms[i].rank; ++d)
      ++uses[q->terms[i].labels[d]];
  term *out = &q->output;
  for (int i = q->ellipsis_rank - 1; i >= 0; --i)
    out->labels[out->rank++] = ELLIPSIS + i;
  for (int l = 0; l < ELLIPSIS && out->rank < PGOPT_MAX_TENSOR_RANK; ++l)
    if (uses[l] == 1)
      out->labels[out->rank++] = l;
}

static bool check_output(equation *q) {
  bool in_input[LABELS] = {0}, in_output[LABELS] = {0};
  for (int i = 0; i < q->count; ++i)
    for (int d = 0; d < q->terms[i].rank; ++d)
      in_input[q->terms[i].labels[d]] = true;
  for (int d = 0; d < q->output.rank; ++d) {
    int label = q->output.labels[d];
    if (!in_input[label] || in_output[label]) {
      fail(q, "a letter of the result is in no operand, or there twice");
      return false;
    }
    in_output[label] = true;
  }
  return true;
}

static bool parse(equation *q, const char *text, const int *tensors) {
  const char *arrow = strstr(text, "->");
  const char *end = arrow ? arrow : text + strlen(text);
  const char *from = text;
  int at = 0;
  for (const char *c = text; c <= end; ++c) {
    if (c < end && *c != ',')
      continue;
    if (at == q->count) {
      fail(q, "the equation has more terms than there are operands");
      return false;
    }
    if (!read_operand(q, from, c, tensors[at], &q->terms[at]))
      return false;
    ++at;
    from = c + 1;
  }
  if (at < q->count) {
    fail(q, "the equation has fewer terms than there are operands");
    return false;
  }
  if (arrow) {
    if (!read_term(q, arrow + 2, arrow + strlen(arrow), q->ellipsis_rank,
                   &q->output))
      return false;
  } else {
    imply_output(q);
  }
  return check_output(q);
}

static int find_label(const term *t, int label) {
  for (int d = 0; d < t->rank; ++d)
    if (t->labels[d] == label)
      return d;
  return -1;
}

/// True when the result or a term other than a and b has the label.
static bool is_needed(const equation *q, int label, const term *a,
                      const term *b) {
  if (find_label(&q->output, label) >= 0)
    return true;
  for (int i = 0; i < q->count; ++i)
    if (&q->terms[i] != a && &q->terms[i] != b &&
        find_label(&q->terms[i], label) >= 0)
      return true;
  return false;
}

static void add_label(term *t, int label) {
  if (find_label(t, label) < 0 && t->rank < PGOPT_MAX_TENSOR_RANK)
    t->labels[t->rank++] = label;
}

/// Labels of the product of a and b: shared ones first, then a's, then b's.
static term product_labels(const equation *q, const term *a, const term *b) {
  term out = {.tensor = -1};
  for (int side = 0; side < 3; ++side) {
    const term *t = side == 2 ? b : a;
    for (int d = 0; d < t->rank; ++d) {
      int label = t->labels[d];
      bool shared = find_label(a, label) >= 0 && find_label(b, label) >= 0;
      if (shared == (side == 0) && is_needed(q, label, a, b))
        add_label(&out, label);
    }
  }
  return out;
}

static int read_labels(pgopt_nest_builder *n, const term *t,
                       const int *loop_of) {
  const pgopt_tensor *tensor = pgopt_tensors_tensor(n->program, t->tensor);
  int loops[PGOPT_MAX_TENSOR_RANK];
  for (int d = 0; d < t->rank; ++d)
    loops[d] = tensor->shape[d] == 1 ? -1 : loop_of[t->labels[d]];
  for (int d = 0; d < t->rank; ++d)
    if (tensor->shape[d] == 1 && n->nest.extents[loop_of[t->labels[d]]] == 1)
      loops[d] = loop_of[t->labels[d]];
  return pgopt_nest_read_loops(n, t->tensor, loops);
}

/// Loops m, n, k (or b, m, n, k) over matrices as they lie in memory.
static pgopt_nest_form matrix_form(const term *a, const term *b,
                                   const term *out, const equation *q) {
  int batch = out->rank - 2;
  if (batch < 0 || batch > 1 || a->rank != batch + 2 || b->rank != a->rank)
    return PGOPT_FORM_GENERIC;
  for (int i = 0; i < batch; ++i)
    if (a->labels[i] != out->labels[i] || b->labels[i] != out->labels[i])
      return PGOPT_FORM_GENERIC;
  int m = out->labels[batch], n = out->labels[batch + 1];
  int k = a->labels[batch + 1];
  bool fits = a->labels[batch] == m && b->labels[batch] == k &&
              b->labels[batch + 1] == n && m != n && m != k && n != k;
  // Extents of 1 that are broadcast have no named form.
  const term *both[] = {a, b};
  for (int i = 0; i < 2; ++i)
    for (int d = 0; d < both[i]->rank; ++d)
      fits &= pgopt_tensors_tensor(q->program, both[i]->tensor)->shape[d] ==
              q->extents[both[i]->labels[d]];
  if (!fits || find_label(out, k) >= 0)
    return PGOPT_FORM_GENERIC;
  return batch ? PGOPT_FORM_BATCH_MATMUL : PGOPT_FORM_MATMUL;
}

/// The product of a and b (b null: a alone) with out's labels, all others
/// summed up; -1 when an operand failed.
static int contract(const equation *q, const term *a, const term *b,
                    const term *out) {
  if (a->tensor < 0 || (b && b->tensor < 0))
    return -1;
  int loop_of[LABELS], loops = 0;
  int64_t extents[2 * PGOPT_MAX_TENSOR_RANK];
  memset(loop_of, -1, sizeof loop_of);
  for (int d = 0; d < out->rank; ++d) {
    loop_of[out->labels[d]] = loops;
    extents[loops++] = q->extents[out->labels[d]];
  }
  const term *terms[] = {a, b};
  for (int t = 0; t < (b ? 2 : 1); ++t)
    for (int d = 0; d < terms[t]->rank; ++d)
      if (loop_of[terms[t]->labels[d]] < 0) {
        loop_of[terms[t]->labels[d]] = loops;
        extents[loops++] = q->extents[terms[t]->labels[d]];
      }
  bool reduces = loops > out->rank;
  pgopt_number type = reduces ? pgopt_number_computed(q->type) : q->type;
  pgopt_nest_builder n;
  pgopt_nest_begin(&n, q->program, loops, extents, out->rank, type);
  int value = read_labels(&n, a, loop_of);
  if (b)
    value = s_mul(&n, value, read_labels(&n, b, loop_of));
  if (reduces)
    value = s_add(&n, pgopt_nest_init(&n, (pgopt_scalar_value){0}), value);
  if (b && reduces && type == q->type)
    n.nest.form = matrix_form(a, b, out, q);
  return pgopt_nest_end(&n, value);
}

/// The term alone in the order of `out`: a transpose when nothing is summed up
/// or taken twice.
static int rearrange(const equation *q, const term *t, const term *out) {
  if (t->tensor < 0)
    return -1;
  bool permutes = t->rank == out->rank;
  int permutation[PGOPT_MAX_TENSOR_RANK];
  const pgopt_tensor *tensor = pgopt_tensors_tensor(q->program, t->tensor);
  for (int d = 0; d < out->rank && permutes; ++d) {
    permutation[d] = find_label(t, out->labels[d]);
    permutes = permutation[d] >= 0 &&
               tensor->shape[permutation[d]] == q->extents[out->labels[d]];
  }
  return permutes ? pgopt_tensors_transpose(q->program, t->tensor, permutation)
                  : contract(q, t, NULL, out);
}

/// Sums labels up that no other term and not the result have, and takes
/// diagonals.
static void simplify(equation *q, term *t) {
  term out = {.tensor = -1};
  for (int d = 0; d < t->rank; ++d)
    if (is_needed(q, t->labels[d], t, t))
      add_label(&out, t->labels[d]);
  if (out.rank == t->rank)
    return;
  out.tensor = contract(q, t, NULL, &out);
  *t = out;
}

static double elements(const equation *q, const term *t) {
  double product = 1;
  for (int d = 0; d < t->rank; ++d)
    product *= (double)q->extents[t->labels[d]];
  return product;
}

/// Contracts the two terms whose product grows the least over its operands.
static void contract_best_pair(equation *q) {
  int best_a = 0, best_b = 1;
  double best = 0;
  for (int a = 0; a < q->count; ++a)
    for (int b = a + 1; b < q->count; ++b) {
      term out = product_labels(q, &q->terms[a], &q->terms[b]);
      double growth = elements(q, &out) - elements(q, &q->terms[a]) -
                      elements(q, &q->terms[b]);
      if ((!a && b == 1) || growth < best) {
        best = growth;
        best_a = a;
        best_b = b;
      }
    }
  term *a = &q->terms[best_a], *b = &q->terms[best_b];
  term out = q->count == 2 ? q->output : product_labels(q, a, b);
  out.tensor = contract(q, a, b, &out);
  *a = out;
  *b = q->terms[--q->count];
}

int pgopt_tensors_einsum(pgopt_tensor_program *p, const char *text, int count,
                         const int *tensors) {
  if (count < 1)
    return pgopt_tensors_fail(p, PGOPT_INVALID, "einsum without operands");
  if (count > MAX_OPERANDS)
    return pgopt_tensors_fail(p, PGOPT_OUT_OF_RANGE,
                              "einsum of more than %d operands", MAX_OPERANDS);
  for (int i = 0; i < count; ++i)
    if (tensors[i] < 0)
      return -1;
  equation q = {.program = p,
                .terms = pgopt_allocate((size_t)count, sizeof(term)),
                .count = count,
                .type = pgopt_tensors_tensor(p, tensors[0])->type};
  int result = -1;
  if (parse(&q, text, tensors)) {
    if (q.count > 1)
      for (int i = 0; i < q.count; ++i)
        simplify(&q, &q.terms[i]);
    while (q.count > 1 && !pgopt_tensors_failed(p))
      contract_best_pair(&q);
    result = rearrange(&q, &q.terms[0], &q.output);
    if (result >= 0)
      result = q.type == pgopt_tensors_tensor(p, result)->type
                   ? result
                   : pgopt_tensors_cast(p, result, q.type);
  }
  free(q.terms);
  return result;
}

/// The product of all but the last `kept` dimensions.
static int64_t leading(const pgopt_tensor *t, int kept) {
  int64_t product = 1;
  for (int d = 0; d < t->rank - kept; ++d)
    product *= t->shape[d];
  return product;
}

static int matmul_of_matrices(pgopt_tensor_program *p, int left, int right) {
  if (left < 0 || right < 0)
    return -1;
  const pgopt_tensor *a = pgopt_tensors_tensor(p, left);
  const pgopt_tensor *b = pgopt_tensors_tensor(p, right);
  int rank = a->rank > b->rank ? a->rank : b->rank;
  int64_t shape[PGOPT_MAX_TENSOR_RANK];
  bool same_batch = a->rank == b->rank;
  for (int d = 0; d < rank - 2; ++d) {
    int in_a = d - (rank - a->rank), in_b = d - (rank - b->rank);
    int64_t x = in_a < 0 ? 1 : a->shape[in_a],
            y = in_b < 0 ? 1 : b->shape[in_b];
    if (x != y && x != 1 && y != 1)
      return pgopt_tensors_fail(p, PGOPT_INVALID,
                                "matmul: leading extents %lld and %lld cannot "
                                "be broadcast",
                                (long long)x, (long long)y);
    shape[d] = x == 1 ? y : x;
    same_batch &= x == y;
  }
  shape[rank - 2] = a->shape[a->rank - 2];
  shape[rank - 1] = b->shape[b->rank - 1];
  int operands[] = {left, right};
  // One matrix on the right: all rows on the left are one matrix as well.
  if (leading(b, 2) == 1) {
    int64_t flat_a[] = {leading(a, 1), a->shape[a->rank - 1]};
    int64_t flat_b[] = {b->shape[b->rank - 2], b->shape[b->rank - 1]};
    operands[0] = pgopt_tensors_reshape(p, left, 2, flat_a);
    operands[1] = pgopt_tensors_reshape(p, right, 2, flat_b);
    return pgopt_tensors_reshape(
        p, pgopt_tensors_einsum(p, "mk,kn->mn", 2, operands), rank, shape);
  }
  if (!same_batch)
    return pgopt_tensors_einsum(p, "...mk,...kn->...mn", 2, operands);
  int64_t flat_a[] = {leading(a, 2), a->shape[rank - 2], a->shape[rank - 1]};
  int64_t flat_b[] = {leading(b, 2), b->shape[rank - 2], b->shape[rank - 1]};
  operands[0] = pgopt_tensors_reshape(p, left, 3, flat_a);
  operands[1] = pgopt_tensors_reshape(p, right, 3, flat_b);
  return pgopt_tensors_reshape(
      p, pgopt_tensors_einsum(p, "bmk,bkn->bmn", 2, operands), rank, shape);
}

int pgopt_tensors_matmul(pgopt_tensor_program *p, int left, int right) {
  if (left < 0 || right < 0)
    return -1;
  const pgopt_tensor *a = pgopt_tensors_tensor(p, left);
  const pgopt_tensor *b = pgopt_tensors_tensor(p, right);
  if (!a->rank || !b->rank)
    return pgopt_tensors_fail(p, PGOPT_INVALID, "matmul of a scalar");
  int64_t depth_a = a->shape[a->rank - 1];
  int64_t depth_b = b->shape[b->rank == 1 ? 0 : b->rank - 2];
  if (depth_a != depth_b)
    return pgopt_tensors_fail(p, PGOPT_INVALID,
                              "matmul sums over %lld and %lld elements",
                              (long long)depth_a, (long long)depth_b);
  if (a->rank > 1 && b->rank > 1)
    return matmul_of_matrices(p, left, right);
  // A vector is a matrix with one row or column, which the result lacks.
  int64_t row[] = {1, depth_a}, column[] = {depth_b, 1};
  int product = matmul_of_matrices(
      p, a->rank == 1 ? pgopt_tensors_reshape(p, left, 2, row) : left,
      b->rank == 1 ? pgopt_tensors_reshape(p, right, 2, column) : right);
  if (product < 0)
    return -1;
  const pgopt_tensor *full = pgopt_tensors_tensor(p, product);
  int64_t shape[PGOPT_MAX_TENSOR_RANK];
  int rank = 0;
  for (int d = 0; d < full->rank; ++d)
    if (!(a->rank == 1 && d == full->rank - 2) &&
        !(b->rank == 1 && d == full->rank - 1))
      shape[rank++] = full->shape[d];
  return pgopt_tensors_reshape(p, product, rank, shape);
}
