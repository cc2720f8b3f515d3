/// \file Counts of hand-built networks: every expected number is written as the
/// arithmetic it comes from.
#include "check.h"

#include "flops/flops.h"

#include <stdlib.h>

enum { MAX_VALUES = 16, MAX_OPS = 8 };

/// A network under construction; values and ops of fixed storage.
typedef struct builder {
  pgopt_value values[MAX_VALUES];
  pgopt_op ops[MAX_OPS];
  int operands[MAX_OPS][8];
  pgopt_network network;
} builder;

typedef struct shape {
  size_t rank;
  int64_t extents[5];
} shape;

#define SHAPE(...)                                                             \
  ((shape){sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), {__VA_ARGS__}})

static int add_value(builder *b, pgopt_element_class element, int bits,
                     const shape *extents) {
  int number = (int)b->network.value_count++;
  b->values[number] =
      (pgopt_value){.type = {.element = element,
                             .element_bits = bits,
                             .is_shaped = extents != NULL,
                             .is_ranked = extents != NULL,
                             .rank = extents ? extents->rank : 0,
                             .extents = extents ? extents->extents : NULL,
                             .text = ""},
                    .producer = -1};
  b->network.values = b->values;
  return number;
}

/// Appends an op with up to 6 operands and one result of a new value.
static pgopt_op *add_op(builder *b, pgopt_op_kind kind, const char *name,
                        const int *operands, size_t operand_count, int result) {
  size_t number = b->network.op_count++;
  pgopt_op *op = &b->ops[number];
  for (size_t i = 0; i < operand_count; ++i)
    b->operands[number][i] = operands[i];
  b->operands[number][7] = result;
  *op = (pgopt_op){.kind = kind,
                   .name = name,
                   .location = "",
                   .attributes = "",
                   .operands = b->operands[number],
                   .operand_count = operand_count,
                   .input_count = operand_count,
                   .results = &b->operands[number][7],
                   .result_count = 1,
                   .trip_count = -1};
  b->values[result].producer = (int)number;
  b->network.ops = b->ops;
  return op;
}

static pgopt_count count_of(const builder *b, const pgopt_op *op) {
  pgopt_counter counter = {&b->network, NULL, NULL};
  pgopt_count count;
  pgopt_count_op(&counter, op, &count);
  return count;
}

/// TOSA ops on f32 tensors: name, operand shapes, result shape, operations,
/// the contraction's part, bytes.
static void test_tosa(void) {
  static const int64_t kernel[] = {2, 3};
  static const pgopt_integer_list lists[] = {{"kernel", kernel, 2}};
  const struct {
    const char *name;
    size_t operand_count;
    shape operands[3];
    shape result;
    int64_t operations, contraction, bytes;
  } cases[] = {
      /* 7*11 sums; three tensors of 4 bytes */
      {"tosa.add",
       2,
       {SHAPE(7, 11), SHAPE(7, 11)},
       SHAPE(7, 11),
       77,
       0,
       3 * 77 * 4},
      /* a broadcast operand counts its own size: 7*11 + 11 + 7*11 */
      {"tosa.sub",
       2,
       {SHAPE(7, 11), SHAPE(1, 11)},
       SHAPE(7, 11),
       77,
       0,
       (77 + 11 + 77) * 4},
      {"tosa.mul",
       2,
       {SHAPE(3, 5), SHAPE(3, 5)},
       SHAPE(3, 5),
       15,
       0,
       3 * 15 * 4},
      {"tosa.greater",
       2,
       {SHAPE(3, 5), SHAPE(3, 5)},
       SHAPE(3, 5),
       15,
       0,
       3 * 15 * 4},
      /* minimum and maximum */
      {"tosa.clamp", 1, {SHAPE(3, 5)}, SHAPE(3, 5), 2 * 15, 0, 2 * 15 * 4},
      {"tosa.exp", 1, {SHAPE(3, 5)}, SHAPE(3, 5), 20 * 15, 0, 2 * 15 * 4},
      /* negation 1, exp 20, sum 1, division 1 */
      {"tosa.sigmoid", 1, {SHAPE(3, 5)}, SHAPE(3, 5), 23 * 15, 0, 2 * 15 * 4},
      {"tosa.rsqrt", 1, {SHAPE(3, 5)}, SHAPE(3, 5), 2 * 15, 0, 2 * 15 * 4},
      {"tosa.pow",
       2,
       {SHAPE(3, 5), SHAPE(3, 5)},
       SHAPE(3, 5),
       41 * 15,
       0,
       3 * 15 * 4},
      {"tosa.cast", 1, {SHAPE(3, 5)}, SHAPE(3, 5), 0, 0, 2 * 15 * 4},
      /* one sum an element of the input */
      {"tosa.reduce_sum",
       1,
       {SHAPE(7, 11, 3)},
       SHAPE(7, 1, 3),
       231,
       0,
       (231 + 21) * 4},
      {"tosa.argmax",
       1,
       {SHAPE(7, 11, 3)},
       SHAPE(7, 3),
       231,
       0,
       (231 + 21) * 4},
      /* a window of 2*3 positions for each of 6*9*5 elements */
      {"tosa.max_pool2d",
       1,
       {SHAPE(1, 7, 11, 5)},
       SHAPE(1, 6, 9, 5),
       6 * 270,
       0,
       (385 + 270) * 4},
      /* and one division each */
      {"tosa.avg_pool2d",
       1,
       {SHAPE(1, 7, 11, 5)},
       SHAPE(1, 6, 9, 5),
       7 * 270,
       0,
       (385 + 270) * 4},
      /* [n, h, c] x [n, c, w]: 2 * 2*3*7 * 5 */
      {"tosa.matmul",
       2,
       {SHAPE(2, 3, 5), SHAPE(2, 5, 7)},
       SHAPE(2, 3, 7),
       420,
       420,
       (30 + 70 + 42) * 4},
      /* 2 * (1*7*11*5 outputs) * (3*2*3 taps); the bias is free */
      {"tosa.conv2d",
       3,
       {SHAPE(1, 7, 11, 3), SHAPE(5, 3, 2, 3), SHAPE(5)},
       SHAPE(1, 7, 11, 5),
       2 * 385 * 18,
       2 * 385 * 18,
       (231 + 90 + 5 + 385) * 4},
      /* 2 * (1*3*7*11*5) * (2*3*2*3) */
      {"tosa.conv3d",
       3,
       {SHAPE(1, 3, 7, 11, 3), SHAPE(5, 2, 3, 2, 3), SHAPE(5)},
       SHAPE(1, 3, 7, 11, 5),
       2 * 1155 * 36,
       2 * 1155 * 36,
       (693 + 180 + 5 + 1155) * 4},
      /* [kh, kw, c, m]: 2 * (1*7*11*6) * (3*2) */
      {"tosa.depthwise_conv2d",
       3,
       {SHAPE(1, 7, 11, 3), SHAPE(3, 2, 3, 2), SHAPE(6)},
       SHAPE(1, 7, 11, 6),
       2 * 462 * 6,
       2 * 462 * 6,
       (231 + 36 + 6 + 462) * 4},
      /* every one of 1*7*11*3 inputs meets 5*3*2 weights */
      {"tosa.transpose_conv2d",
       3,
       {SHAPE(1, 7, 11, 3), SHAPE(5, 3, 2, 3), SHAPE(5)},
       SHAPE(1, 9, 12, 5),
       2 * 231 * 30,
       2 * 231 * 30,
       (231 + 90 + 5 + 540) * 4},
      {"tosa.transpose", 1, {SHAPE(3, 5)}, SHAPE(5, 3), 0, 0, 2 * 15 * 4},
      /* reads the 2*3 that it selects */
      {"tosa.slice", 1, {SHAPE(7, 11)}, SHAPE(2, 3), 0, 0, 2 * 6 * 4},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    builder b = {0};
    int operands[3];
    for (size_t k = 0; k < cases[i].operand_count; ++k)
      operands[k] = add_value(&b, PGOPT_FLOAT, 32, &cases[i].operands[k]);
    int result = add_value(&b, PGOPT_FLOAT, 32, &cases[i].result);
    pgopt_op *op = add_op(&b, PGOPT_OP_TOSA, cases[i].name, operands,
                          cases[i].operand_count, result);
    op->integers = lists;
    op->integer_count = 1;
    pgopt_count count = count_of(&b, op);
    if (!CHECK_EQ_TEXT(count.unknown, "") ||
        !CHECK_EQ_I64(count.operations, cases[i].operations) ||
        !CHECK_EQ_I64(count.contraction, cases[i].contraction) ||
        !CHECK_EQ_I64(count.bytes, cases[i].bytes))
      fprintf(stderr, "  in case %s\n", cases[i].name);
  }
}

/// An i8 matmul with zero points that are constants `zero_point`.
static pgopt_count count_quantized(const char *zero_point) {
  static const shape a = {3, {1, 3, 5}}, w = {3, {1, 5, 7}}, r = {3, {1, 3, 7}},
                     one = {1, {1}};
  builder b = {0};
  int operands[4] = {add_value(&b, PGOPT_INTEGER, 8, &a),
                     add_value(&b, PGOPT_INTEGER, 8, &w),
                     add_value(&b, PGOPT_INTEGER, 8, &one), 0};
  operands[3] = operands[2];
  pgopt_op *constant =
      add_op(&b, PGOPT_OP_CONSTANT, "tosa.const", NULL, 0, operands[2]);
  constant->attributes = zero_point;
  constant->is_splat = true;
  pgopt_op *op = add_op(&b, PGOPT_OP_TOSA, "tosa.matmul", operands, 4,
                        add_value(&b, PGOPT_INTEGER, 32, &r));
  return count_of(&b, op);
}

static void test_zero_points(void) {
  /* 3*7*5 taps: product and sum, and two differences unless they are zero */
  CHECK_EQ_I64(count_quantized("values = dense<0> : tensor<1xi8>").operations,
               2 * 105);
  CHECK_EQ_I64(count_quantized("values = dense<[0]> : tensor<1xi8>").operations,
               2 * 105);
  pgopt_count shifted = count_quantized("values = dense<3> : tensor<1xi8>");
  CHECK_EQ_I64(shifted.operations, 4 * 105);
  CHECK_EQ_I64(shifted.contraction, 2 * 105);
  /* the zero points are splats; 15 + 35 bytes and 21 results of 4 */
  CHECK_EQ_I64(shifted.bytes, 15 + 35 + 21 * 4);
}

/// A matmul of m x k by k x n with the body given.
typedef struct matmul {
  builder b;
  shape a, w, c;
  int64_t extents[3];
  bool reduction[3];
  int64_t coefficients[3][2][3];
  pgopt_linear results[3][2];
  pgopt_map maps[3];
} matmul;

static pgopt_op *make_matmul(matmul *t, int64_t m, int64_t n, int64_t k,
                             const pgopt_scalar_op *body, size_t body_count,
                             const pgopt_scalar_operand *yields) {
  static const int loops[3][2] = {{0, 2}, {2, 1}, {0, 1}};
  *t = (matmul){.a = SHAPE(m, k), .w = SHAPE(k, n), .c = SHAPE(m, n)};
  const shape *shapes[] = {&t->a, &t->w, &t->c};
  int operands[3];
  memcpy(t->extents, (int64_t[]){m, n, k}, sizeof t->extents);
  t->reduction[2] = true;
  for (int i = 0; i < 3; ++i) {
    operands[i] = add_value(&t->b, PGOPT_FLOAT, 32, shapes[i]);
    for (int r = 0; r < 2; ++r) {
      t->coefficients[i][r][loops[i][r]] = 1;
      t->results[i][r] = (pgopt_linear){true, 0, t->coefficients[i][r]};
    }
    t->maps[i] = (pgopt_map){t->results[i], 2};
  }
  pgopt_op *op = add_op(&t->b, PGOPT_OP_STRUCTURED, "linalg.generic", operands,
                        3, add_value(&t->b, PGOPT_FLOAT, 32, &t->c));
  op->input_count = 2;
  op->loop_count = 3;
  op->loop_extents = t->extents;
  op->loop_is_reduction = t->reduction;
  op->maps = t->maps;
  op->body = body;
  op->body_count = body_count;
  op->yields = yields;
  return op;
}

static void test_structured(void) {
  static const pgopt_scalar_operand product[] = {{PGOPT_FROM_ARGUMENT, 0},
                                                 {PGOPT_FROM_ARGUMENT, 1}};
  static const pgopt_scalar_operand sum[] = {{PGOPT_FROM_ARGUMENT, 2},
                                             {PGOPT_FROM_BODY, 0}};
  static const pgopt_scalar_operand first[] = {{PGOPT_FROM_BODY, 0}};
  static const pgopt_scalar_operand second[] = {{PGOPT_FROM_BODY, 1}};
  static const pgopt_scalar_op body[] = {{"arith.mulf", "", "f32", product, 2},
                                         {"arith.addf", "", "f32", sum, 2}};
  matmul t;
  pgopt_op *op = make_matmul(&t, 3, 5, 7, body, 2, second);
  pgopt_count count = count_of(&t.b, op);
  /* 3*5*7 points; A, B, the init that is added to, and the result */
  CHECK_EQ_I64(count.operations, 2 * 105);
  CHECK_EQ_I64(count.contraction, 2 * 105);
  CHECK_EQ_I64(count.bytes, (21 + 35 + 15 + 15) * 4);

  /* An init that is filled needs no reading. */
  static const pgopt_scalar_operand zeroth_input[] = {{PGOPT_FROM_ARGUMENT, 0}};
  int filling[2] = {add_value(&t.b, PGOPT_FLOAT, 32, NULL), 2};
  pgopt_op *fill =
      add_op(&t.b, PGOPT_OP_STRUCTURED, "linalg.generic", filling, 2, 2);
  fill->input_count = 1;
  fill->yields = zeroth_input;
  CHECK_EQ_I64(count_of(&t.b, op).bytes, (21 + 35 + 15) * 4);
  /* One that is copied does. */
  static const shape other = {2, {3, 5}};
  filling[0] = add_value(&t.b, PGOPT_FLOAT, 32, &other);
  memcpy((int *)fill->operands, filling, sizeof filling);
  CHECK_EQ_I64(count_of(&t.b, op).bytes, (21 + 35 + 15 + 15) * 4);
  t.b.values[2].producer = -1;

  /* The same as one fused operation. */
  static const pgopt_scalar_operand fused[] = {{PGOPT_FROM_ARGUMENT, 0},
                                               {PGOPT_FROM_ARGUMENT, 1},
                                               {PGOPT_FROM_ARGUMENT, 2}};
  static const pgopt_scalar_op fma_body[] = {{"math.fma", "", "f32", fused, 3}};
  op = make_matmul(&t, 3, 5, 7, fma_body, 1, first);
  count = count_of(&t.b, op);
  CHECK_EQ_I64(count.operations, 2 * 105);
  CHECK_EQ_I64(count.contraction, 2 * 105);

  /* A maximum of products is no contraction. */
  static const pgopt_scalar_op max_body[] = {
      {"arith.mulf", "", "f32", product, 2},
      {"arith.maximumf", "", "f32", sum, 2}};
  op = make_matmul(&t, 3, 5, 7, max_body, 2, second);
  count = count_of(&t.b, op);
  CHECK_EQ_I64(count.operations, 2 * 105);
  CHECK_EQ_I64(count.contraction, 0);

  /* Index arithmetic, casts and selections are free: only mulf is left. */
  static const pgopt_scalar_operand zeroth[] = {{PGOPT_FROM_BODY, 0}};
  static const pgopt_scalar_operand pair[] = {{PGOPT_FROM_BODY, 1},
                                              {PGOPT_FROM_BODY, 1}};
  static const pgopt_scalar_op index_body[] = {
      {"linalg.index", "dim = 0", "index", NULL, 0},
      {"arith.addi", "", "index", zeroth, 1},
      {"arith.cmpi", "", "i1", pair, 2},
      {"arith.select", "", "f32", product, 2},
      {"arith.mulf", "", "f32", product, 2}};
  op = make_matmul(&t, 3, 5, 7, index_body, 5, first);
  CHECK_EQ_I64(count_of(&t.b, op).operations, 105);

  /* What is not known says why, and is never a number. */
  static const pgopt_scalar_op unknown_body[] = {
      {"other.op", "", "f32", product, 2}};
  op = make_matmul(&t, 3, 5, 7, unknown_body, 1, first);
  CHECK_EQ_TEXT(count_of(&t.b, op).unknown,
                "no operation count for 'other.op'");
  op = make_matmul(&t, PGOPT_DYNAMIC, 5, 7, body, 2, second);
  CHECK_EQ_TEXT(count_of(&t.b, op).unknown, "dynamic extent");
  CHECK_EQ_I64(count_of(&t.b, op).bytes, -1);
  /* 2^21 cubed is 2^63, one more than fits */
  op = make_matmul(&t, 1 << 21, 1 << 21, 1 << 21, body, 2, second);
  CHECK_EQ_TEXT(count_of(&t.b, op).unknown, "overflow");
  /* 2^62 points times 2 */
  op = make_matmul(&t, 1 << 21, 1 << 21, 1 << 20, body, 2, second);
  CHECK_EQ_TEXT(count_of(&t.b, op).unknown, "overflow");
  /* 2^61 points times 2 still fits */
  op = make_matmul(&t, 1 << 21, 1 << 20, 1 << 20, body, 2, second);
  CHECK_EQ_TEXT(count_of(&t.b, op).unknown, "");
  CHECK_EQ_I64(count_of(&t.b, op).operations, INT64_C(1) << 62);
}

static void test_regions(void) {
  static const shape r = {2, {3, 5}};
  builder b = {0};
  int operands[2] = {add_value(&b, PGOPT_FLOAT, 32, &r),
                     add_value(&b, PGOPT_FLOAT, 32, &r)};
  pgopt_op *add = add_op(&b, PGOPT_OP_TOSA, "tosa.add", operands, 2,
                         add_value(&b, PGOPT_FLOAT, 32, &r));
  const pgopt_region region = {add, 1};
  pgopt_op *loop = add_op(&b, PGOPT_OP_REGION, "scf.for", operands, 1,
                          add_value(&b, PGOPT_FLOAT, 32, &r));
  loop->regions = &region;
  loop->region_count = 1;
  loop->trip_count = 7;
  CHECK_EQ_I64(count_of(&b, loop).operations, 7 * 15);
  loop->trip_count = 0;
  CHECK_EQ_I64(count_of(&b, loop).operations, 0);
  CHECK_EQ_TEXT(count_of(&b, loop).unknown, "");
  loop->trip_count = INT64_MAX;
  CHECK_EQ_TEXT(count_of(&b, loop).unknown, "overflow");
  loop->trip_count = -1;
  CHECK_EQ_TEXT(count_of(&b, loop).unknown, "loop");
  loop->name = "scf.while";
  CHECK_EQ_TEXT(count_of(&b, loop).unknown, "loop");
  loop->name = "scf.if";
  CHECK_EQ_TEXT(count_of(&b, loop).unknown, "branch");
  loop->name = "scf.execute_region";
  CHECK_EQ_I64(count_of(&b, loop).operations, 15);

  /* forall (i) = (1) to (12) step (2): 6 iterations; times 5 of the other */
  static const int64_t low[] = {1, 0}, high[] = {12, 5}, step[] = {2, 1};
  static const int64_t open[] = {INT64_MIN, 5};
  pgopt_integer_list lists[] = {{"staticLowerBound", low, 2},
                                {"staticUpperBound", high, 2},
                                {"staticStep", step, 2}};
  loop->name = "scf.forall";
  loop->integers = lists;
  loop->integer_count = 3;
  CHECK_EQ_I64(count_of(&b, loop).operations, 6 * 5 * 15);
  lists[1].values = open;
  CHECK_EQ_TEXT(count_of(&b, loop).unknown, "loop");

  pgopt_op *call = add_op(&b, PGOPT_OP_CALL, "func.call", operands, 1,
                          add_value(&b, PGOPT_FLOAT, 32, &r));
  CHECK_EQ_TEXT(count_of(&b, call).unknown, "call");
}

static void test_moves(void) {
  static const shape whole = {2, {7, 11}}, part = {2, {3, 5}};
  builder b = {0};
  int w = add_value(&b, PGOPT_FLOAT, 32, &whole);
  int p = add_value(&b, PGOPT_FLOAT, 32, &part);
  int into[2] = {p, w};
  /* reads the source, and of the destination what it leaves */
  pgopt_op *insert = add_op(&b, PGOPT_OP_MOVE, "tensor.insert_slice", into, 2,
                            add_value(&b, PGOPT_FLOAT, 32, &whole));
  CHECK_EQ_I64(count_of(&b, insert).bytes, (15 + (77 - 15) + 77) * 4);
  CHECK_EQ_I64(count_of(&b, insert).operations, 0);
  /* an empty destination is not read */
  add_op(&b, PGOPT_OP_EMPTY, "tensor.empty", NULL, 0, w);
  CHECK_EQ_I64(count_of(&b, insert).bytes, (15 + 77) * 4);
  /* the same tensor twice is read once */
  int twice[2] = {p, p};
  pgopt_op *concat = add_op(&b, PGOPT_OP_MOVE, "tensor.concat", twice, 2,
                            add_value(&b, PGOPT_FLOAT, 32, &whole));
  CHECK_EQ_I64(count_of(&b, concat).bytes, (15 + 77) * 4);
  pgopt_op *view = add_op(&b, PGOPT_OP_VIEW, "tensor.cast", &p, 1,
                          add_value(&b, PGOPT_FLOAT, 32, &part));
  CHECK(!pgopt_op_is_counted(view));
  CHECK(pgopt_op_is_counted(concat));
  CHECK_EQ_I64(count_of(&b, view).bytes, 0);
}

static void test_totals(void) {
  pgopt_total total = {0};
  pgopt_count known = {.operations = 30, .contraction = 20};
  pgopt_count unknown = {.unknown = "branch"};
  pgopt_total_add(&total, &known);
  pgopt_total_add(&total, &unknown);
  pgopt_total_add(&total, &known);
  CHECK_EQ_I64(total.operations, 60);
  CHECK_EQ_I64(total.contraction, 40);
  CHECK_EQ_I64(total.counted, 3);
  CHECK_EQ_I64(total.unknown, 1);
  CHECK(!total.overflow);
  known.operations = INT64_MAX;
  pgopt_total_add(&total, &known);
  CHECK(total.overflow);
}

/// Every scalar operation that tosa.def names has a line in costs.def.
static void test_tables(void) {
  static const char *const scalars[] = {
#define PGOPT_TOSA(name, rule, text) text,
#include "flops/tosa.def"
#undef PGOPT_TOSA
  };
  for (size_t i = 0; i < sizeof scalars / sizeof *scalars; ++i) {
    char *copy = strdup(scalars[i]), *state = NULL;
    for (char *name = strtok_r(copy, " ", &state); name;
         name = strtok_r(NULL, " ", &state)) {
      int64_t cost;
      if (!CHECK(pgopt_scalar_cost(name, &cost)))
        fprintf(stderr, "  %s\n", name);
    }
    free(copy);
  }
  int64_t cost;
  CHECK(!pgopt_scalar_cost("arith.add", &cost));
  CHECK(pgopt_scalar_cost("math.fma", &cost));
  CHECK_EQ_I64(cost, 2);
}

int main(void) {
  test_tosa();
  test_zero_points();
  test_structured();
  test_regions();
  test_moves();
  test_totals();
  test_tables();
  return check_result();
}
