/// \file Questions about the types and operations of a plain network.
#include "check.h"
#include "network/network.h"

static pgopt_type shaped(const int64_t *extents, size_t rank, int bits) {
  return (pgopt_type){.element = PGOPT_FLOAT,
                      .element_bits = bits,
                      .is_shaped = true,
                      .is_ranked = true,
                      .rank = rank,
                      .extents = extents};
}

static void test_types(void) {
  int64_t count = -7;
  pgopt_type type = shaped((int64_t[]){3, 5, 7}, 3, 32);
  CHECK(pgopt_type_elements(&type, &count));
  CHECK_EQ_I64(count, 3 * 5 * 7);
  CHECK(pgopt_type_bytes(&type, &count));
  CHECK_EQ_I64(count, 3 * 5 * 7 * 4);
  type.element_bits = 1; /* a byte each */
  CHECK(pgopt_type_bytes(&type, &count));
  CHECK_EQ_I64(count, 3 * 5 * 7);
  type.element = PGOPT_OTHER_ELEMENT;
  CHECK(!pgopt_type_bytes(&type, &count));

  pgopt_type scalar = {.element = PGOPT_INTEGER, .element_bits = 64};
  CHECK(pgopt_type_elements(&scalar, &count));
  CHECK_EQ_I64(count, 1);
  CHECK(pgopt_type_bytes(&scalar, &count));
  CHECK_EQ_I64(count, 8);

  type = shaped((int64_t[]){3, PGOPT_DYNAMIC}, 2, 32);
  CHECK(!pgopt_type_elements(&type, &count));
  CHECK(!pgopt_type_bytes(&type, &count));
  type = shaped(NULL, 0, 32);
  type.is_ranked = false;
  CHECK(!pgopt_type_elements(&type, &count));
  /* 2^61 elements are countable, their 2^63 bytes are not. */
  type = shaped((int64_t[]){INT64_C(1) << 31, INT64_C(1) << 30}, 2, 32);
  CHECK(pgopt_type_elements(&type, &count));
  CHECK_EQ_I64(count, INT64_C(1) << 61);
  CHECK(!pgopt_type_bytes(&type, &count));
}

static void test_single_loop(void) {
  pgopt_linear expression = {.is_linear = true,
                             .coefficients = (int64_t[]){0, 1, 0}};
  CHECK_EQ_I64(pgopt_linear_single_loop(&expression, 3), 1);
  expression.coefficients = (int64_t[]){0, 2, 0};
  CHECK_EQ_I64(pgopt_linear_single_loop(&expression, 3), -1);
  expression.coefficients = (int64_t[]){1, 1, 0};
  CHECK_EQ_I64(pgopt_linear_single_loop(&expression, 3), -1);
  expression.coefficients = (int64_t[]){0, 0, 0};
  CHECK_EQ_I64(pgopt_linear_single_loop(&expression, 3), -1);
  expression = (pgopt_linear){
      .is_linear = true, .constant = 1, .coefficients = (int64_t[]){1, 0, 0}};
  CHECK_EQ_I64(pgopt_linear_single_loop(&expression, 3), -1);
  expression = (pgopt_linear){.is_linear = false};
  CHECK_EQ_I64(pgopt_linear_single_loop(&expression, 3), -1);
}

/* A matmul of loops m, n, k as plain data, for each test to change. */

#define LINEAR(...)                                                            \
  { .is_linear = true, .coefficients = (const int64_t[]){__VA_ARGS__}, }
#define OPERAND(from, index)                                                   \
  { .source = PGOPT_FROM_##from, .number = index }

static const pgopt_linear on_m_k[] = {LINEAR(1, 0, 0), LINEAR(0, 0, 1)};
static const pgopt_linear on_k_n[] = {LINEAR(0, 0, 1), LINEAR(0, 1, 0)};
static const pgopt_linear on_m_n[] = {LINEAR(1, 0, 0), LINEAR(0, 1, 0)};
static const pgopt_linear window[] = {LINEAR(1, 0, 1)};
static const pgopt_map maps[] = {{on_m_k, 2}, {on_k_n, 2}, {on_m_n, 2}};
static const pgopt_map window_maps[] = {{window, 1}, {on_k_n, 2}, {on_m_n, 2}};
static const bool k_is_reduced[] = {false, false, true};
static const bool none_is_reduced[] = {false, false, false};
static const int operands[] = {0, 1, 2};
static const int results[] = {3};
static const pgopt_scalar_operand both_inputs[] = {OPERAND(ARGUMENT, 0),
                                                   OPERAND(ARGUMENT, 1)};
static const pgopt_scalar_operand first_twice[] = {OPERAND(ARGUMENT, 0),
                                                   OPERAND(ARGUMENT, 0)};
static const pgopt_scalar_operand with_outside[] = {OPERAND(ARGUMENT, 0),
                                                    OPERAND(OUTSIDE, 0)};
static const pgopt_scalar_operand sum_operands[] = {OPERAND(ARGUMENT, 2),
                                                    OPERAND(BODY, 0)};
static const pgopt_scalar_operand doubled_operands[] = {OPERAND(BODY, 0),
                                                        OPERAND(BODY, 0)};
static const pgopt_scalar_operand yield_sum[] = {OPERAND(BODY, 1)};
static const pgopt_scalar_operand yield_product[] = {OPERAND(BODY, 0)};

typedef struct matmul {
  pgopt_op op;
  pgopt_scalar_op body[2];
} matmul;

static void make_matmul(matmul *made) {
  made->body[0] = (pgopt_scalar_op){.name = "arith.mulf",
                                    .attributes = "",
                                    .type = "f32",
                                    .operands = both_inputs,
                                    .operand_count = 2};
  made->body[1] = (pgopt_scalar_op){.name = "arith.addf",
                                    .attributes = "",
                                    .type = "f32",
                                    .operands = sum_operands,
                                    .operand_count = 2};
  made->op = (pgopt_op){.kind = PGOPT_OP_STRUCTURED,
                        .name = "linalg.matmul",
                        .operands = operands,
                        .operand_count = 3,
                        .input_count = 2,
                        .results = results,
                        .result_count = 1,
                        .loop_count = 3,
                        .loop_is_reduction = k_is_reduced,
                        .maps = maps,
                        .body = made->body,
                        .body_count = 2,
                        .yields = yield_sum};
}

static void test_contraction(void) {
  matmul made;
  make_matmul(&made);
  CHECK(pgopt_op_is_contraction(&made.op));
  CHECK(!pgopt_op_is_convolution(&made.op));
  CHECK(pgopt_op_is_reduction(&made.op));
  CHECK(!pgopt_op_is_elementwise(&made.op));
  made.op.maps = window_maps;
  CHECK(pgopt_op_is_contraction(&made.op));
  CHECK(pgopt_op_is_convolution(&made.op));
}

static void test_not_contraction(void) {
  matmul made;
  make_matmul(&made);
  made.op.kind = PGOPT_OP_MOVE;
  CHECK(!pgopt_op_is_contraction(&made.op));

  make_matmul(&made);
  made.op.loop_is_reduction = none_is_reduced;
  CHECK(!pgopt_op_is_contraction(&made.op));
  CHECK(!pgopt_op_is_reduction(&made.op));
  CHECK(pgopt_op_is_elementwise(&made.op));

  /* A sum of squares of one input, beside another that is never read. */
  make_matmul(&made);
  made.body[0].operands = first_twice;
  CHECK(!pgopt_op_is_contraction(&made.op));

  make_matmul(&made);
  made.body[0].operands = with_outside;
  CHECK(!pgopt_op_is_contraction(&made.op));

  make_matmul(&made);
  made.body[0].name = "arith.divf";
  CHECK(!pgopt_op_is_contraction(&made.op));

  make_matmul(&made);
  made.body[1].name = "arith.maximumf";
  CHECK(!pgopt_op_is_contraction(&made.op));

  /* The accumulator is not in the sum, or the sum is not the result. */
  make_matmul(&made);
  made.body[1].operands = doubled_operands;
  CHECK(!pgopt_op_is_contraction(&made.op));

  make_matmul(&made);
  made.op.yields = yield_product;
  CHECK(!pgopt_op_is_contraction(&made.op));
}

static void test_integers(void) {
  pgopt_integer_list lists[] = {{"dilations", (int64_t[]){1, 1}, 2},
                                {"strides", (int64_t[]){3, 5}, 2}};
  pgopt_op op = {.integers = lists, .integer_count = 2};
  pgopt_integer_list found = pgopt_op_integers(&op, "strides");
  CHECK_EQ_I64(found.count, 2);
  CHECK_EQ_I64(found.values[1], 5);
  CHECK_EQ_I64(pgopt_op_integers(&op, "pad").count, 0);
}

int main(void) {
  test_types();
  test_single_loop();
  test_contraction();
  test_not_contraction();
  test_integers();
  pgopt_network network = {.op_count = 3};
  pgopt_network_free(&network);
  CHECK_EQ_I64(network.op_count, 0);
  return check_result();
}
