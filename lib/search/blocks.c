#include "search/strategies.h"

#include <stdlib.h>
#include <string.h>

/// Kernels of a block, and what finding its optimum may take.
enum { BLOCK_KERNELS = 10, BLOCK_NODES = 20000 };

/// A value of the problem as the block sees it.
typedef struct block_value {
  int value;
  int outside[PGOPT_SEARCH_MAX_LAYOUTS]; ///< readers that are not in the block
} block_value;

struct pgopt_search_blocks {
  pgopt_search_state *state;
  double *price_ns; ///< the state's, and 0 behind them
  int kernels[BLOCK_KERNELS];
  size_t kernel_count;
  block_value *values;
  size_t value_count, value_capacity;
  /// Kernels and values of the block have its number; where values are then.
  unsigned *kernel_block, *value_block, block;
  int *value_index;
  pgopt_arena memory; ///< of one block's problem
};

pgopt_search_blocks *pgopt_search_blocks_create(pgopt_search_state *state) {
  const pgopt_search_problem *problem = state->problem;
  pgopt_search_blocks *b = pgopt_allocate(1, sizeof *b);
  b->state = state;
  b->price_ns = pgopt_allocate(problem->price_count + 1, sizeof *b->price_ns);
  if (problem->price_count)
    memcpy(b->price_ns, state->price_ns,
           problem->price_count * sizeof *b->price_ns);
  b->kernel_block =
      pgopt_allocate(problem->kernel_count, sizeof *b->kernel_block);
  b->value_block = pgopt_allocate(problem->value_count, sizeof *b->value_block);
  b->value_index = pgopt_allocate(problem->value_count, sizeof *b->value_index);
  return b;
}

void pgopt_search_blocks_free(pgopt_search_blocks *b) {
  free(b->price_ns);
  free(b->values);
  free(b->kernel_block);
  free(b->value_block);
  free(b->value_index);
  free(b);
}

static void add_kernel(pgopt_search_blocks *b, int kernel) {
  if (kernel < 0 || b->kernel_count == BLOCK_KERNELS ||
      b->kernel_block[kernel] == b->block)
    return;
  b->kernel_block[kernel] = b->block;
  b->kernels[b->kernel_count++] = kernel;
}

static void add_kernels_at(pgopt_search_blocks *b, int value) {
  const pgopt_search_state *state = b->state;
  if (state->problem->values[value].place == PGOPT_SEARCH_PARAMETER)
    return;
  add_kernel(b, state->producer[value]);
  for (size_t u = state->first_user[value];
       u < state->first_user[value + 1] && b->kernel_count < BLOCK_KERNELS; ++u)
    add_kernel(b, state->users[u]);
}

/// The kernels nearest to the value, and their values.
static void find_block(pgopt_search_blocks *b, int value) {
  const pgopt_search_state *state = b->state;
  ++b->block;
  b->kernel_count = b->value_count = 0;
  add_kernels_at(b, value);
  for (size_t i = 0; i < b->kernel_count; ++i) {
    const pgopt_search_kernel *k = &state->problem->kernels[b->kernels[i]];
    for (size_t s = 0; s < pgopt_search_slots(k); ++s)
      add_kernels_at(b, pgopt_search_slot(k, s));
  }
  for (size_t i = 0; i < b->kernel_count; ++i) {
    int kernel = b->kernels[i];
    const pgopt_search_kernel *k = &state->problem->kernels[kernel];
    for (size_t s = 0; s < pgopt_search_slots(k); ++s) {
      int v = pgopt_search_slot(k, s);
      if (b->value_block[v] != b->block) {
        b->value_block[v] = b->block;
        b->value_index[v] = (int)b->value_count;
        block_value added = {.value = v};
        memcpy(added.outside,
               state->readers + (size_t)v * PGOPT_SEARCH_MAX_LAYOUTS,
               sizeof added.outside);
        PGOPT_APPEND(b->values, b->value_count, b->value_capacity, added);
      }
      int layout = k->candidates[state->candidate[kernel]].layouts[s];
      if (s < k->operand_count)
        --b->values[b->value_index[v]].outside[layout];
    }
  }
}

/// The value in the block's problem: what is produced outside is held.
static pgopt_search_value seen_inside(const pgopt_search_blocks *b, int value) {
  const pgopt_search_state *state = b->state;
  pgopt_search_value v = state->problem->values[value];
  int producer = state->producer[value];
  // The caller is one of the readers outside.
  v.returned = false;
  if (v.place == PGOPT_SEARCH_FREE && b->kernel_block[producer] != b->block) {
    v.place = PGOPT_SEARCH_FIXED;
    v.declared = state->stored[value];
  }
  return v;
}

static int *indices(pgopt_search_blocks *b, const int *values, size_t count) {
  int *mapped = pgopt_arena_allocate(&b->memory, count, sizeof *mapped);
  for (size_t i = 0; i < count; ++i)
    mapped[i] = b->value_index[values[i]];
  return mapped;
}

/// A kernel that does nothing but read a value as somebody outside does.
static pgopt_search_kernel reader_outside(pgopt_search_blocks *b, int index,
                                          int layout) {
  int zero = (int)b->state->problem->price_count;
  pgopt_search_candidate candidate = {
      pgopt_arena_copy(&b->memory, &layout, sizeof layout), zero, NULL};
  return (pgopt_search_kernel){
      .operands = pgopt_arena_copy(&b->memory, &index, sizeof index),
      .operand_count = 1,
      .candidates = pgopt_arena_copy(&b->memory, &candidate, sizeof candidate),
      .candidate_count = 1};
}

/// The block as a problem of its own: its kernels first, readers outside behind
/// them.
static pgopt_search_problem block_problem(pgopt_search_blocks *b) {
  size_t most = b->kernel_count + b->value_count * PGOPT_SEARCH_MAX_LAYOUTS;
  pgopt_search_value *values =
      pgopt_arena_allocate(&b->memory, b->value_count, sizeof *values);
  pgopt_search_kernel *kernels =
      pgopt_arena_allocate(&b->memory, most, sizeof *kernels);
  size_t count = 0;
  for (; count < b->kernel_count; ++count) {
    kernels[count] = b->state->problem->kernels[b->kernels[count]];
    kernels[count].operands =
        indices(b, kernels[count].operands, kernels[count].operand_count);
    kernels[count].results =
        indices(b, kernels[count].results, kernels[count].result_count);
  }
  for (size_t i = 0; i < b->value_count; ++i) {
    values[i] = seen_inside(b, b->values[i].value);
    for (int layout = 0; layout < (int)values[i].layout_count; ++layout)
      if (b->values[i].outside[layout] > 0 &&
          values[i].place != PGOPT_SEARCH_PARAMETER)
        kernels[count++] = reader_outside(b, (int)i, layout);
  }
  return (pgopt_search_problem){.values = values,
                                .value_count = b->value_count,
                                .kernels = kernels,
                                .kernel_count = count};
}

double pgopt_search_block(pgopt_search_blocks *b, int value, double gain) {
  pgopt_search_options options = {.node_budget = BLOCK_NODES};
  pgopt_search_effort effort = {0};
  find_block(b, value);
  pgopt_search_problem problem = block_problem(b);
  int *present =
      pgopt_arena_allocate(&b->memory, problem.kernel_count, sizeof *present);
  for (size_t i = 0; i < b->kernel_count; ++i)
    present[i] = b->state->candidate[b->kernels[i]];
  pgopt_search_state state;
  pgopt_search_state_create(&state, &problem, b->price_ns);
  pgopt_search_state_assign(&state, present);
  double before = pgopt_search_total_ns(&state);
  pgopt_search_exact(&state, &options, &effort);
  double saved = before - pgopt_search_total_ns(&state);
  if (saved <= gain * before)
    saved = 0;
  else
    for (size_t i = 0; i < b->kernel_count; ++i)
      pgopt_search_set(b->state, b->kernels[i], state.candidate[i]);
  pgopt_search_state_free(&state);
  pgopt_arena_free(&b->memory);
  return saved;
}
