/// \file The transform script that vectorizes one linalg op.
///
/// A vector runs along the loop over which the destination is contiguous, and
/// along the one over which an input is, when that is another: a transposition
/// is done in square tiles, a row's reduction in long vectors. A loop whose
/// extent is no multiple of the vector is split, so that both parts are static;
/// one of unknown extent is masked.
#include "codegen/vector_script.h"

#include "codegen/emit.h"

#include <string.h>

enum {
  VECTOR_BYTES = 64,
  LEAST_LANES = 4,       ///< shorter vectors are not worth their shuffles
  REDUCTION_VECTORS = 4, ///< vectors of a row that are reduced at a time
  MAX_LOOPS = 32,
};

/// The op, or a part of it after splits.
typedef struct piece {
  int handle; ///< of the transform dialect, %h<number>
  int64_t extents[MAX_LOOPS];
} piece;

typedef struct writer {
  pgopt_text *steps;
  int handle_count;
  int64_t lanes[MAX_LOOPS]; ///< vector's extent along each loop; 1 for none
} writer;

/// Elements that the loop's step moves in the operand.
static int64_t loop_stride(const pgopt_generic_operand *operand, size_t loop) {
  int64_t stride = 0;
  for (size_t d = 0; d < operand->rank; ++d)
    stride += operand->map.results[d].coefficients[loop] * operand->strides[d];
  return stride;
}

/// The loop over which the operand's elements follow one another, a parallel
/// one where windows offer two; -1 for none.
static int contiguous_loop(const pgopt_generic *generic,
                           const pgopt_generic_operand *operand) {
  int found = -1;
  for (size_t l = 0; l < generic->loop_count && operand->strides; ++l)
    if (generic->extents[l] != 1 && loop_stride(operand, l) == 1 &&
        (found < 0 || generic->is_reduction[found]))
      found = (int)l;
  return found;
}

/// The destination's loop to run along when it is not contiguous: the longest.
static int longest_loop(const pgopt_generic *generic,
                        const pgopt_generic_operand *operand) {
  int found = -1;
  for (size_t l = 0; l < generic->loop_count && operand->strides; ++l)
    if (generic->extents[l] != 1 && loop_stride(operand, l) > 0 &&
        (found < 0 || generic->extents[l] > generic->extents[found]))
      found = (int)l;
  return found;
}

static int64_t vector_width(const pgopt_generic *generic) {
  int64_t widest = 1;
  for (size_t i = 0; i < generic->operand_count; ++i)
    if (generic->operands[i].rank) {
      int64_t bytes = pgopt_element_storage(generic->operands[i].element);
      widest = bytes > widest ? bytes : widest;
    }
  return VECTOR_BYTES / widest;
}

/// No vector is longer than the loop; false when all are too short.
static bool limit_lanes(size_t count, const int64_t *extents, int64_t *lanes) {
  int64_t best = 1;
  for (size_t l = 0; l < count; ++l) {
    if (extents[l] != PGOPT_DYNAMIC && extents[l] < lanes[l])
      lanes[l] = extents[l];
    best = lanes[l] > best ? lanes[l] : best;
  }
  return best >= LEAST_LANES;
}

static int64_t flat_extent(const pgopt_generic *generic) {
  int64_t extent = 1;
  for (size_t l = 0; l < generic->loop_count; ++l)
    extent *= generic->extents[l];
  return extent;
}

bool pgopt_choose_lanes(const pgopt_generic *generic, int64_t *lanes) {
  int64_t width = vector_width(generic);
  if (pgopt_is_flat(generic)) {
    int64_t extent = flat_extent(generic);
    lanes[0] = width;
    return limit_lanes(1, &extent, lanes);
  }
  const pgopt_generic_operand *destination =
      &generic->operands[generic->operand_count - 1];
  int out = contiguous_loop(generic, destination);
  if (out < 0)
    out = longest_loop(generic, destination);
  int crossing = -1, reduced = -1;
  bool some_input_agrees = false;
  for (size_t i = 0; i < generic->input_count; ++i) {
    const pgopt_generic_operand *input = &generic->operands[i];
    int loop = contiguous_loop(generic, input);
    if (loop < 0)
      continue;
    if (loop == out)
      some_input_agrees = true;
    else if (generic->is_reduction[loop])
      reduced = loop;
    else if (out >= 0 && loop_stride(input, (size_t)out))
      crossing = loop;
  }
  for (size_t l = 0; l < generic->loop_count; ++l)
    lanes[l] = 1;
  bool rows = reduced >= 0 && !some_input_agrees &&
              (out < 0 || generic->extents[reduced] >= width);
  if (rows) {
    lanes[reduced] = width * REDUCTION_VECTORS;
  } else {
    if (out >= 0)
      lanes[out] = width;
    if (crossing >= 0)
      lanes[crossing] = width;
  }
  return limit_lanes(generic->loop_count, generic->extents, lanes);
}

bool pgopt_is_flat(const pgopt_generic *generic) {
  if (generic->loop_count < 2)
    return false;
  for (size_t i = 0; i < generic->operand_count; ++i) {
    const pgopt_generic_operand *operand = &generic->operands[i];
    if (!operand->is_memref || !operand->strides ||
        operand->rank != generic->loop_count)
      return false;
    int64_t dense = 1;
    for (size_t d = operand->rank; d-- > 0;) {
      if (generic->is_reduction[d] || operand->strides[d] != dense ||
          pgopt_linear_single_loop(&operand->map.results[d],
                                   generic->loop_count) != (int)d ||
          generic->extents[d] == PGOPT_DYNAMIC)
        return false;
      dense *= generic->extents[d];
    }
  }
  return true;
}

static void write_numbers(pgopt_text *steps, const int64_t *numbers,
                          size_t count) {
  for (size_t i = 0; i < count; ++i)
    pgopt_text_append(steps, "%s%lld", i ? ", " : "", (long long)numbers[i]);
}

/// Tiles the piece so that only the vector's extents are left, and vectorizes.
static void write_piece(writer *w, const piece *part, size_t loop_count) {
  int64_t tiles[MAX_LOOPS];
  size_t tiled = 0;
  bool is_masked = false;
  for (size_t l = 0; l < loop_count; ++l) {
    tiles[l] = part->extents[l] == w->lanes[l] ? 0 : w->lanes[l];
    tiled += tiles[l] != 0;
    is_masked |= part->extents[l] == PGOPT_DYNAMIC && w->lanes[l] > 1;
  }
  int handle = part->handle;
  if (tiled) {
    handle = w->handle_count++;
    pgopt_text_append(w->steps,
                      "  %%h%d, %%l%d:%zu = "
                      "transform.structured.tile_using_for %%h%d "
                      "tile_sizes [",
                      handle, handle, tiled, part->handle);
    write_numbers(w->steps, tiles, loop_count);
    pgopt_text_append(w->steps,
                      "] : (!transform.any_op) -> (!transform.any_op");
    for (size_t i = 0; i < tiled; ++i)
      pgopt_text_append(w->steps, ", !transform.any_op");
    pgopt_text_append(w->steps, ")\n");
  }
  pgopt_text_append(w->steps, "  transform.structured.vectorize %%h%d", handle);
  if (is_masked) {
    pgopt_text_append(w->steps, " vector_sizes [");
    write_numbers(w->steps, w->lanes, loop_count);
    pgopt_text_append(w->steps, "]");
  }
  pgopt_text_append(w->steps, " : !transform.any_op\n");
}

/// Splits the piece along `loop` and those after it, and writes what results.
static void write_split(writer *w, const piece *part, size_t loop,
                        size_t loop_count) {
  while (loop < loop_count &&
         (w->lanes[loop] == 1 || part->extents[loop] == PGOPT_DYNAMIC ||
          part->extents[loop] % w->lanes[loop] == 0))
    ++loop;
  if (loop == loop_count) {
    write_piece(w, part, loop_count);
    return;
  }
  int64_t extent = part->extents[loop], lanes = w->lanes[loop];
  piece main = *part, rest = *part;
  int list = w->handle_count++;
  main.handle = w->handle_count++;
  rest.handle = w->handle_count++;
  main.extents[loop] = extent - extent % lanes;
  rest.extents[loop] = extent % lanes;
  pgopt_text_append(w->steps,
                    "  %%h%d = transform.structured.split %%h%d after %lld "
                    "{dimension = %zu} : !transform.any_op\n"
                    "  %%h%d, %%h%d = transform.split_handle %%h%d : "
                    "(!transform.any_op) -> (!transform.any_op, "
                    "!transform.any_op)\n",
                    list, part->handle, (long long)main.extents[loop], loop,
                    main.handle, rest.handle, list);
  write_split(w, &main, loop + 1, loop_count);
  w->lanes[loop] = rest.extents[loop];
  write_split(w, &rest, loop + 1, loop_count);
  w->lanes[loop] = lanes;
}

// First what turns masks, reductions and permutations into plain transfers,
// then what takes transfers and shapes of more than one dimension apart.
static const char lowering[] =
    "  transform.apply_patterns to %root {\n"
    "    transform.apply_patterns.vector.lower_masked_transfers\n"
    "    transform.apply_patterns.vector.lower_multi_reduction "
    "lowering_strategy = \"innerreduction\"\n"
    "    transform.apply_patterns.vector.transfer_permutation_patterns\n"
    "  } : !transform.any_op\n"
    "  transform.apply_patterns to %root {\n"
    "    transform.apply_patterns.vector.lower_transpose "
    "lowering_strategy = \"shuffle_16x16\"\n"
    "    transform.apply_patterns.vector.lower_shape_cast\n"
    "    transform.apply_patterns.vector.lower_broadcast\n"
    "    transform.apply_patterns.vector.lower_masks\n"
    "    transform.apply_patterns.vector.transfer_to_scf full_unroll = true "
    "max_transfer_rank = 1\n"
    "    transform.apply_patterns.vector.lower_transfer "
    "max_transfer_rank = 1\n"
    "  } : !transform.any_op\n";

void pgopt_write_vector_script(const pgopt_generic *generic,
                               const int64_t *lanes, pgopt_text *steps) {
  writer w = {.steps = steps, .handle_count = 1};
  piece whole = {.handle = 0};
  size_t loop_count = generic->loop_count;
  pgopt_text_append(steps, "  %%h0 = transform.structured.match "
                           "ops{[\"linalg.generic\"]} in %%root : "
                           "(!transform.any_op) -> !transform.any_op\n");
  memcpy(whole.extents, generic->extents, loop_count * sizeof *whole.extents);
  if (pgopt_is_flat(generic)) {
    whole.extents[0] = flat_extent(generic);
    loop_count = 1;
    whole.handle = w.handle_count++;
    pgopt_text_append(steps,
                      "  %%h%d = transform.structured.flatten_elementwise %%h0 "
                      ": (!transform.any_op) -> !transform.any_op\n",
                      whole.handle);
  }
  memcpy(w.lanes, lanes, loop_count * sizeof *lanes);
  write_split(&w, &whole, 0, loop_count);
  pgopt_text_append(steps, "%s", lowering);
}
