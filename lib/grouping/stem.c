/// \file Short names for operations, by what they do and not by their dialect.
#include "grouping/stem.h"

#include "grouping/grouping.h"

#include <string.h>

/// Word of a scalar operation that names the whole; null when it does not.
static const char *scalar_word(const char *name) {
  static const struct {
    const char *name, *word;
  } words[] = {
      {"arith.addf", "add"},        {"arith.addi", "add"},
      {"arith.subf", "sub"},        {"arith.subi", "sub"},
      {"arith.mulf", "mul"},        {"arith.muli", "mul"},
      {"arith.divf", "div"},        {"arith.divsi", "div"},
      {"arith.maximumf", "max"},    {"arith.maxnumf", "max"},
      {"arith.maxsi", "max"},       {"arith.minimumf", "min"},
      {"arith.minnumf", "min"},     {"arith.minsi", "min"},
      {"arith.negf", "neg"},        {"arith.select", "select"},
      {"tensor.extract", "gather"}, {"memref.load", "gather"},
  };
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
    if (!strcmp(name, words[i].name))
      return words[i].word;
  return strncmp(name, "math.", 5) ? NULL : name + 5;
}

/// The last telling scalar operation of the body.
static const char *body_word(const pgopt_op *op) {
  for (size_t i = op->body_count; i-- > 0;) {
    const char *word = scalar_word(op->body[i].name);
    if (word)
      return word;
  }
  return NULL;
}

static const char *contraction_stem(const pgopt_op *op) {
  if (pgopt_op_is_convolution(op)) {
    for (size_t l = 0; l < op->loop_count; ++l)
      if (op->loop_is_reduction[l] && op->loop_extents[l] != 1 &&
          pgopt_map_dimension(op, 0, (int)l) >= 0)
        return "conv";
    return "depthwise_conv";
  }
  return op->input_count == 2 ? "matmul" : "einsum";
}

static const char *reduction_stem(const pgopt_op *op) {
  for (size_t i = 0; i < op->maps[0].result_count; ++i)
    if (pgopt_linear_single_loop(&op->maps[0].results[i], op->loop_count) < 0 &&
        op->input_count == 2)
      return "pool";
  const char *word = body_word(op);
  static const struct {
    const char *word, *stem;
  } stems[] = {{"add", "reduce_add"},
               {"max", "reduce_max"},
               {"min", "reduce_min"},
               {"mul", "reduce_mul"},
               {"select", "arg_reduce"}};
  for (size_t i = 0; word && i < sizeof stems / sizeof *stems; ++i)
    if (!strcmp(word, stems[i].word))
      return stems[i].stem;
  return "reduce";
}

static const char *copy_stem(const pgopt_op *op) {
  const pgopt_map *from = &op->maps[0], *to = &op->maps[1];
  if (from->result_count < to->result_count)
    return "broadcast";
  for (size_t i = 0; i < from->result_count && i < to->result_count; ++i)
    if (memcmp(from->results[i].coefficients, to->results[i].coefficients,
               op->loop_count * sizeof(int64_t))) {
      int loop = pgopt_linear_single_loop(&from->results[i], op->loop_count);
      return loop < 0 ? "broadcast" : "transpose";
    }
  return "copy";
}

const char *pgopt_op_stem(const pgopt_op *op) {
  if (op->kind != PGOPT_OP_STRUCTURED) {
    const char *dot = strchr(op->name, '.');
    return dot && !strchr(dot + 1, '.') ? dot + 1 : "kernel";
  }
  if (pgopt_op_is_contraction(op))
    return contraction_stem(op);
  if (pgopt_op_is_reduction(op))
    return reduction_stem(op);
  if (pgopt_op_is_copy(op))
    return copy_stem(op);
  const char *word = body_word(op);
  return word ? word : op->body_count ? "elementwise" : "fill";
}
