/// \file In which order a product of several operands is contracted.
#include "einsum/contraction_path.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

typedef struct problem {
  size_t count;
  const uint64_t *operands;
  uint64_t result;
  size_t loop_count;
  const int64_t *extents;
  double limit; ///< elements of an intermediate result
  pgopt_path_step *steps;
} problem;

static double volume(const problem *p, uint64_t loops) {
  double product = 1;
  for (size_t l = 0; l < p->loop_count; ++l)
    if (loops >> l & 1)
      product *= (double)p->extents[l];
  return product;
}

/// Loops that the product of the operands in `set` still has: those that the
/// result or an operand outside needs.
static uint64_t kept(const problem *p, unsigned set) {
  uint64_t inside = 0, outside = p->result;
  for (size_t i = 0; i < p->count; ++i)
    *(set >> i & 1 ? &inside : &outside) |= p->operands[i];
  return inside & outside;
}

typedef struct best {
  double cost;
  unsigned left; ///< subset that is contracted with the rest
} best;

static int emit(const problem *p, const best *table, unsigned set,
                size_t *step) {
  if (!(set & (set - 1)))
    return __builtin_ctz(set);
  int left = emit(p, table, table[set].left, step);
  int right = emit(p, table, set & ~table[set].left, step);
  p->steps[*step] = (pgopt_path_step){left, right, kept(p, set)};
  return (int)(p->count + (*step)++);
}

/// Best cost of every subset from those of its halves.
static double find_exact(const problem *p) {
  unsigned all = (1u << p->count) - 1;
  best *table = pgopt_allocate((size_t)all + 1, sizeof *table);
  for (unsigned set = 1; set <= all; ++set) {
    if (!(set & (set - 1)))
      continue;
    table[set].cost = INFINITY;
    bool too_large = set != all && volume(p, kept(p, set)) > p->limit;
    /* Halves with the lowest operand on the left: each split once. */
    unsigned low = set & -set;
    for (unsigned left = (set - 1) & set; left && !too_large;
         left = (left - 1) & set) {
      if (!(left & low))
        continue;
      unsigned right = set & ~left;
      uint64_t loops = kept(p, left) | kept(p, right);
      if (!(left & (left - 1)))
        loops |= p->operands[__builtin_ctz(left)];
      if (!(right & (right - 1)))
        loops |= p->operands[__builtin_ctz(right)];
      double cost = table[left].cost + table[right].cost + volume(p, loops);
      if (cost < table[set].cost)
        table[set] = (best){cost, left};
    }
  }
  double cost = table[all].cost;
  size_t step = 0;
  if (isfinite(cost))
    emit(p, table, all, &step);
  free(table);
  return cost;
}

typedef struct live {
  int operand;
  uint64_t loops;
} live;

static uint64_t kept_pair(const problem *p, const live *values, size_t count,
                          size_t i, size_t j) {
  uint64_t outside = p->result;
  for (size_t k = 0; k < count; ++k)
    if (k != i && k != j)
      outside |= values[k].loops;
  return (values[i].loops | values[j].loops) & outside;
}

static double find_greedy(const problem *p) {
  live *values = pgopt_allocate(p->count, sizeof *values);
  size_t count = p->count;
  for (size_t i = 0; i < count; ++i)
    values[i] = (live){(int)i, p->operands[i]};
  double total = 0;
  for (size_t step = 0; count > 1; ++step) {
    size_t left = 0, right = 1;
    double least = INFINITY;
    for (size_t i = 0; i < count; ++i)
      for (size_t j = i + 1; j < count; ++j) {
        double made = volume(p, kept_pair(p, values, count, i, j));
        double score =
            made - volume(p, values[i].loops) - volume(p, values[j].loops);
        if (count > 2 && made > p->limit)
          score += made; /* the last resort */
        if (score < least) {
          least = score;
          left = i;
          right = j;
        }
      }
    uint64_t loops = kept_pair(p, values, count, left, right);
    total += volume(p, values[left].loops | values[right].loops);
    p->steps[step] =
        (pgopt_path_step){values[left].operand, values[right].operand, loops};
    values[left] = (live){(int)(p->count + step), loops};
    values[right] = values[--count];
  }
  free(values);
  return total;
}

double pgopt_contraction_path(size_t input_count, const uint64_t *operands,
                              uint64_t result, size_t loop_count,
                              const int64_t *extents, int64_t max_elements,
                              pgopt_path_step *steps) {
  problem p = {input_count, operands,
               result,      loop_count,
               extents,     max_elements ? (double)max_elements : INFINITY,
               steps};
  if (input_count > PGOPT_PATH_EXACT)
    return find_greedy(&p);
  double cost = find_exact(&p);
  if (!isfinite(cost)) {
    p.limit = INFINITY;
    cost = find_exact(&p);
  }
  return cost;
}
