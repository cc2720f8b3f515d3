/// \file Lists of shapes as text, good and bad.
#include "network/shapes.h"

#include "check.h"

static void accepts(void) {
  pgopt_arena arena = {0};
  pgopt_shapes shapes;
  pgopt_error error = {0};
  CHECK_EQ_I64(
      pgopt_shapes_parse("arg0:1x3x224x224,arg12:7", &arena, &shapes, &error),
      PGOPT_OK);
  CHECK_EQ_I64(shapes.count, 2);
  CHECK_EQ_I64(shapes.shapes[0].argument, 0);
  CHECK_EQ_I64(shapes.shapes[0].rank, 4);
  CHECK_EQ_I64(shapes.shapes[0].extents[1], 3);
  CHECK_EQ_I64(shapes.shapes[0].extents[3], 224);
  CHECK_EQ_I64(shapes.shapes[1].argument, 12);
  CHECK_EQ_I64(shapes.shapes[1].rank, 1);
  CHECK_EQ_I64(shapes.shapes[1].extents[0], 7);
  CHECK_EQ_I64(pgopt_shapes_parse("", &arena, &shapes, &error), PGOPT_OK);
  CHECK_EQ_I64(shapes.count, 0);
  CHECK_EQ_I64(pgopt_shapes_parse("arg0:2147483647", &arena, &shapes, &error),
               PGOPT_OK);
  pgopt_arena_free(&arena);
}

static void refuses(void) {
  static const char *const texts[] = {",",
                                      "arg",
                                      "arg0",
                                      "arg0:",
                                      "arg0:x",
                                      "arg0:1x",
                                      "arg0:1xx2",
                                      "arg0:0",
                                      "arg0:-1",
                                      "arg0:2147483648",
                                      "arg-1:3",
                                      "arg0:1,",
                                      "arg0:1,,arg1:1",
                                      "arg0:1 ,arg1:1",
                                      "arg0:1,arg0:2",
                                      "arg0:?",
                                      "0:1",
                                      "arg99999999999999999999:1",
                                      "arg0:99999999999999999999",
                                      "arg0:1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1"};
  pgopt_arena arena = {0};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    pgopt_shapes shapes;
    pgopt_error error = {0};
    CHECK_EQ_I64(pgopt_shapes_parse(texts[i], &arena, &shapes, &error),
                 PGOPT_INVALID);
    CHECK_EQ_I64(shapes.count, 0);
    CHECK(strstr(error.message, "is not a list of shapes") != NULL);
  }
  pgopt_arena_free(&arena);
}

int main(void) {
  accepts();
  refuses();
  return check_result();
}
