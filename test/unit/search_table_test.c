/// \file Cost tables as text: what is written is read again, what is no table
/// is refused with its line.
#include "check.h"
#include "search/problem_text.h"
#include "search_graphs.h"

static const char *const small =
    "# two convolutions\n"
    "price relu 300?250\n"
    "value image fixed 600 nchw nhwc because argument\n"
    "value a free 600 nhwc nchw*\n"
    "value w parameter 30 oihw hwio\n"
    "value b returned 600 nchw nhwc\n"
    "convert image nchw nhwc 100\n"
    "convert b nhwc nchw ?90\n"
    "kernel conv image w -> a\n"
    "  candidate nchw oihw -> nchw 1000?900 direct\n"
    "  candidate nhwc hwio -> nhwc 600\n"
    "kernel relu a -> b\n"
    "  candidate nchw -> nchw @relu\n"
    "  candidate nhwc -> nhwc @relu  # the same\n";

static bool read_text(const char *text, pgopt_search_table *table,
                      pgopt_error *error) {
  return pgopt_search_table_read(text, strlen(text), table, error) == PGOPT_OK;
}

static void tables_are_read(void) {
  pgopt_search_table table;
  pgopt_error error = {0};
  if (!CHECK(read_text(small, &table, &error)))
    return;
  const pgopt_search_problem *problem = &table.problem;
  CHECK_EQ_I64(problem->value_count, 4);
  CHECK_EQ_I64(problem->values[1].declared, 1);
  CHECK_EQ_TEXT(problem->values[0].fixed_reason, "argument");
  CHECK(problem->values[3].returned);
  CHECK_EQ_I64(problem->kernel_count, 2);
  CHECK_EQ_I64(problem->kernels[0].operand_count, 2);
  CHECK_EQ_TEXT(problem->kernels[0].candidates[0].name, "direct");
  CHECK_EQ_I64(problem->kernels[0].candidates[1].layouts[1], 1);
  CHECK_EQ_I64(problem->kernels[1].candidates[0].price,
               problem->kernels[1].candidates[1].price);
  int price = problem->values[3].conversions[2];
  CHECK(isnan(problem->prices[price].measured_ns));
  CHECK_NEAR(problem->prices[price].estimated_ns, 90, 0);
  CHECK_EQ_I64(problem->values[3].conversions[1], PGOPT_SEARCH_NO_PRICE);
  pgopt_search_options options = pgopt_search_defaults();
  pgopt_search_result result;
  CHECK(pgopt_search(problem, &options, &result, &error) == PGOPT_OK);
  CHECK_NEAR(result.start_ns, 1300, 1e-9);
  CHECK_NEAR(result.cost_ns, 100 + 600 + 300 + 90, 1e-9);
  pgopt_search_result_free(&result);
  pgopt_search_table_free(&table);
}

static void tables_come_back(void) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    search_graph g;
    graph_generate(&g, (graph_shape)(seed % GRAPH_SHAPES), 20, 3, seed);
    // Some prices shared, some unknown, some impossible.
    for (size_t i = 0; i < g.problem.price_count; i += 5)
      g.problem.prices[i].measured_ns = i % 2 ? NAN : INFINITY;
    ((pgopt_search_candidate *)g.kernels[0].candidates)[0].price =
        g.kernels[1].candidates[0].price;
    pgopt_text text = {0}, again = {0};
    pgopt_search_table_write(&g.problem, &text);
    pgopt_search_table table;
    pgopt_error error = {0};
    if (!CHECK(read_text(pgopt_text_get(&text), &table, &error)))
      fprintf(stderr, "  %s\n", error.message);
    for (int strategy = 0; strategy <= PGOPT_SEARCH_EXACT; ++strategy) {
      pgopt_search_options options = pgopt_search_defaults();
      options.strategy = (pgopt_search_strategy)strategy;
      pgopt_search_result a, b;
      CHECK(pgopt_search(&g.problem, &options, &a, &error) == PGOPT_OK);
      CHECK(pgopt_search(&table.problem, &options, &b, &error) == PGOPT_OK);
      CHECK(a.cost_ns == b.cost_ns && a.start_ns == b.start_ns);
      CHECK(!memcmp(a.candidate, b.candidate,
                    g.problem.kernel_count * sizeof *a.candidate));
      pgopt_search_result_free(&a);
      pgopt_search_result_free(&b);
    }
    pgopt_search_table_write(&table.problem, &again);
    pgopt_search_table_free(&table);
    CHECK(read_text(pgopt_text_get(&again), &table, &error));
    pgopt_text_free(&text);
    pgopt_search_table_write(&table.problem, &text);
    CHECK_EQ_TEXT(pgopt_text_get(&again), pgopt_text_get(&text));
    pgopt_text_free(&text);
    pgopt_text_free(&again);
    pgopt_search_table_free(&table);
    graph_free(&g);
  }
}

static void check_refused(const char *text, const char *message) {
  pgopt_search_table table;
  pgopt_error error = {0};
  CHECK(!read_text(text, &table, &error));
  CHECK_CONTAINS(error.message, message);
  pgopt_search_table_free(&table);
}

static void other_texts_are_refused(void) {
  check_refused("kernels", "line 1: expected price, value, convert, kernel or "
                           "candidate, found 'kernels'");
  check_refused("\n\nprice a", "line 3: expected 'price NAME PRICE'");
  check_refused("price a 1\nprice a 2", "line 2: expected 'price NAME PRICE' "
                                        "with a new name, found 'a'");
  check_refused("price a -1", "expected a price such as 1200, ?900");
  check_refused("price a nan", "expected a price such as 1200, ?900");
  check_refused("price a 1?x", "expected an estimate in ns behind '?'");
  check_refused("price a @b", "expected a price that is named above");
  check_refused("value a free 1",
                "expected 'value NAME PLACE BYTES LAYOUT...'");
  check_refused("value a here 1 x", "expected free, returned, fixed");
  check_refused("value a fixed many x", "expected a number of bytes");
  check_refused("value a fixed 1 x\nvalue a fixed 1 x",
                "line 2: expected a name that no value above has");
  check_refused("value a fixed 1 because", "value 'a' has 0 layouts");
  check_refused("value a fixed 1 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17",
                "expected at most 16 layouts, found '17'");
  check_refused("convert a x y 1", "of a value above, found 'a'");
  check_refused("value a fixed 1 x y\nconvert a x z 1",
                "expected layouts of the value, found 'z'");
  check_refused("kernel k a -> b", "expected a value above, found 'a'");
  check_refused("value a fixed 1 x\nkernel k a", "RESULT...', found 'k'");
  check_refused("candidate x", "expected a kernel before its candidates");
  check_refused("value a fixed 1 x\nkernel k a ->\ncandidate y -> 1",
                "expected a layout of the slot's value, found 'y'");
  check_refused("value a fixed 1 x\nkernel k a ->\ncandidate x 1",
                "a layout for each slot of the kernel, found 'x'");
  check_refused("value a fixed 1 x\nkernel k a ->",
                "kernel 'k' has no candidate");
  pgopt_search_table table;
  pgopt_error error = {0};
  CHECK(pgopt_search_table_read("a\0b", 3, &table, &error) == PGOPT_INVALID);
  CHECK_CONTAINS(error.message, "zero byte");
  pgopt_search_table_free(&table);
}

int main(void) {
  tables_are_read();
  tables_come_back();
  other_texts_are_refused();
  return check_result();
}
