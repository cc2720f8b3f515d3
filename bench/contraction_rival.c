/// \file Every order of the merged dimensions is tried on paper: rows as A or C
/// has them, columns as B or C, depth as A or B, and either of these outermost.
#include "contraction_rival.h"

#include "huge_pages.h"
#include "openblas_core.h"
#include "pgopt/runtime.h"

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { A, B, C, OPERANDS, CHOICES = 6 };

void contraction_term(const contraction *c, int operand,
                      char term[TRANSPOSE_RANK + 1]) {
  const char *at = c->name;
  for (int i = 0; i < (operand + 1) % OPERANDS; ++i)
    at = strchr(at, '-') + 1;
  size_t rank = strcspn(at, "-");
  for (size_t i = 0; i < rank; ++i)
    term[i] = at[rank - 1 - i];
  term[rank] = 0;
}

static int64_t count_elements(const contraction *c, const char *letters) {
  int64_t elements = 1;
  for (; *letters; ++letters)
    elements *= c->extents[*letters - 'a'];
  return elements;
}

double contraction_operations(const contraction *c) {
  double operations = 2;
  for (int l = 0; l < CONTRACTION_LETTERS; ++l)
    operations *= c->extents[l] ? (double)c->extents[l] : 1;
  return operations;
}

int64_t contraction_elements(const contraction *c, int operand) {
  char term[TRANSPOSE_RANK + 1];
  contraction_term(c, operand, term);
  return count_elements(c, term);
}

/// The letters that both terms have, as the first has them.
static void find_common(const char *first, const char *second, char *common) {
  for (; *first; ++first)
    if (strchr(second, *first))
      *common++ = *first;
  *common = 0;
}

static void concatenate(char *both, const char *outer, const char *inner) {
  stpcpy(stpcpy(both, outer), inner);
}

/// Fills in what a number of bits chooses; \returns what its transposes cost:
/// elements, of which those count less whose innermost dimension stays.
static double choose(const contraction *c, char terms[OPERANDS][9],
                     unsigned bits, contraction_rival *r) {
  char rows[9], columns[9], depth[9];
  *r = (contraction_rival){0};
  bits & 1 ? find_common(terms[A], terms[C], rows)
           : find_common(terms[C], terms[A], rows);
  bits & 2 ? find_common(terms[B], terms[C], columns)
           : find_common(terms[C], terms[B], columns);
  bits & 4 ? find_common(terms[A], terms[B], depth)
           : find_common(terms[B], terms[A], depth);
  r->has_depth_first = bits & 8;
  r->has_columns_first = bits & 16;
  r->is_turned = bits & 32;
  concatenate(r->stored[A], r->has_depth_first ? depth : rows,
              r->has_depth_first ? rows : depth);
  concatenate(r->stored[B], r->has_columns_first ? columns : depth,
              r->has_columns_first ? depth : columns);
  concatenate(r->stored[C], r->is_turned ? columns : rows,
              r->is_turned ? rows : columns);
  r->m = (int)count_elements(c, rows);
  r->n = (int)count_elements(c, columns);
  r->k = (int)count_elements(c, depth);
  double cost = 0;
  for (int i = 0; i < OPERANDS; ++i) {
    size_t last = strlen(terms[i]) - 1;
    r->is_moved[i] = strcmp(r->stored[i], terms[i]) != 0;
    if (r->is_moved[i])
      cost += (double)count_elements(c, terms[i]) *
              (r->stored[i][last] == terms[i][last] ? 1 : 1.001);
  }
  return cost;
}

static void move(const contraction_rival *r, int operand,
                 float *const *operands) {
  bool is_result = operand == C;
  tensor_transpose_run(&r->moves[operand],
                       is_result ? r->copies[C] : operands[operand],
                       is_result ? operands[C] : r->copies[operand]);
}

static void plan_move(const contraction *c, const char *term, int operand,
                      float *const *operands, contraction_rival *r) {
  tensor_transpose ways[2];
  int64_t ns[2];
  for (int way = 0; way < 2; ++way) {
    tensor_transpose_plan(operand == C ? r->stored[C] : term,
                          operand == C ? term : r->stored[operand], c->extents,
                          way, &ways[way]);
    r->moves[operand] = ways[way];
    int64_t start = pgopt_rt_now_ns();
    move(r, operand, operands);
    ns[way] = pgopt_rt_now_ns() - start;
  }
  bool reads_in_order = ns[1] < ns[0];
  r->moves[operand] = ways[reads_in_order];
  r->moves_ns += ns[reads_in_order];
}

static void plan_moves(const contraction *c, char terms[OPERANDS][9],
                       float *const *operands, contraction_rival *r) {
  for (int i = 0; i < OPERANDS; ++i) {
    if (!r->is_moved[i])
      continue;
    r->copies[i] = huge_pages_allocate(count_elements(c, terms[i]));
    plan_move(c, terms[i], i, operands, r);
  }
}

typedef struct rival_run {
  const contraction_rival *rival;
  float *const *operands;
} rival_run;

static int64_t time_run(void *data) {
  const rival_run *run = data;
  int64_t start = pgopt_rt_now_ns();
  contraction_rival_run(run->rival, run->operands);
  return pgopt_rt_now_ns() - start;
}

static bool is_same(const contraction_rival *a, const contraction_rival *b) {
  return !memcmp(a->stored, b->stored, sizeof a->stored) &&
         a->has_depth_first == b->has_depth_first &&
         a->has_columns_first == b->has_columns_first &&
         a->is_turned == b->is_turned;
}

/// The cheapest ones on paper, each once.
static size_t find_cheapest(const contraction *c, char terms[OPERANDS][9],
                            contraction_rival *all) {
  double least = INFINITY;
  size_t count = 0;
  for (unsigned bits = 0; bits < 1u << CHOICES; ++bits) {
    double cost = choose(c, terms, bits, &all[count]);
    if (cost > least)
      continue;
    if (cost < least) {
      all[0] = all[count];
      count = 0;
    }
    least = cost;
    size_t k = 0;
    while (k < count && !is_same(&all[k], &all[count]))
      ++k;
    count += k == count;
  }
  return count;
}

void contraction_rival_create(const contraction *c, float *const *operands,
                              contraction_rival *rival) {
  char terms[OPERANDS][TRANSPOSE_RANK + 1];
  contraction_rival all[1 << CHOICES];
  int64_t best_ns = INT64_MAX;
  for (int i = 0; i < OPERANDS; ++i)
    contraction_term(c, i, terms[i]);
  size_t count = find_cheapest(c, terms, all);
  bool is_long = contraction_operations(c) > 1e11;
  for (size_t i = 0; i < (is_long ? 1 : count); ++i) {
    plan_moves(c, terms, operands, &all[i]);
    rival_run run = {&all[i], operands};
    int64_t ns = is_long ? 0 : time_run(&run);
    if (ns < best_ns) {
      if (best_ns < INT64_MAX)
        contraction_rival_destroy(rival);
      best_ns = ns;
      *rival = all[i];
    } else {
      contraction_rival_destroy(&all[i]);
    }
  }
  rival_run run = {rival, operands};
  if (!is_long)
    openblas_choose_core(time_run, &run, 1);
}

void contraction_rival_destroy(contraction_rival *rival) {
  for (int i = 0; i < OPERANDS; ++i)
    free(rival->copies[i]);
}

void contraction_rival_run(const contraction_rival *r, float *const *operands) {
  const float *in[C];
  for (int i = 0; i < C; ++i) {
    if (r->is_moved[i])
      move(r, i, operands);
    in[i] = r->is_moved[i] ? r->copies[i] : operands[i];
  }
  float *out = r->is_moved[C] ? r->copies[C] : operands[C];
  int lda = r->has_depth_first ? r->m : r->k;
  int ldb = r->has_columns_first ? r->k : r->n;
  if (r->is_turned)
    cblas_sgemm(CblasRowMajor, r->has_columns_first ? CblasNoTrans : CblasTrans,
                r->has_depth_first ? CblasNoTrans : CblasTrans, r->n, r->m,
                r->k, 1, in[B], ldb, in[A], lda, 0, out, r->m);
  else
    cblas_sgemm(CblasRowMajor, r->has_depth_first ? CblasTrans : CblasNoTrans,
                r->has_columns_first ? CblasTrans : CblasNoTrans, r->m, r->n,
                r->k, 1, in[A], lda, in[B], ldb, 0, out, r->n);
  if (r->is_moved[C])
    move(r, C, operands);
}
