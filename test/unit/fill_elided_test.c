/// \file Elided constants of every place and type get data, or one error.
#include "ir/fill_elided.h"

#include "check.h"
#include "ir/ir.h"
#include "mlir-c/Diagnostics.h"
#include "pgopt/passes.h"

#include <stdlib.h>

static pgopt_text diagnostics;

static void append(MlirStringRef part, void *text) {
  pgopt_text_append_bytes(text, part.data, part.length);
}

static MlirLogicalResult record(MlirDiagnostic diagnostic, void *unused) {
  (void)unused;
  static const char *const names[] = {
      "error: ", "warning: ", "note: ", "remark: "};
  pgopt_text_append(&diagnostics, "%s",
                    names[mlirDiagnosticGetSeverity(diagnostic)]);
  mlirDiagnosticPrint(diagnostic, append, &diagnostics);
  pgopt_text_append(&diagnostics, "\n");
  return mlirLogicalResultSuccess();
}

typedef enum treatment { FILL, REFUSE, MATERIALIZE } treatment;

/// Fills the module and prints it; `*ok` says whether that succeeded.
static char *fill_text(const char *source, int64_t seed, treatment how,
                       bool *ok, int64_t *filled) {
  diagnostics.size = 0;
  pgopt_text_append(&diagnostics, "%s", "");
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  pgopt_register_dialects(registry);
  MlirContext context =
      mlirContextCreateWithRegistry(registry, /*threadingEnabled=*/false);
  mlirDialectRegistryDestroy(registry);
  mlirContextAttachDiagnosticHandler(context, record, NULL, NULL);
  MlirModule module = mlirModuleCreateParse(context, pgopt_ref(source));
  pgopt_text text = {0};
  if (CHECK(!mlirModuleIsNull(module))) {
    MlirOperation op = mlirModuleGetOperation(module);
    *ok = mlirLogicalResultIsSuccess(
        how == MATERIALIZE
            ? pgopt_materialize_elided(op, seed, filled)
            : pgopt_fill_elided(op, seed, how == REFUSE, filled));
    CHECK(mlirOperationVerify(op));
    pgopt_print_operation(op, &text);
    mlirModuleDestroy(module);
  } else {
    fprintf(stderr, "%s\n", diagnostics.data);
  }
  mlirContextDestroy(context);
  return text.data;
}

static const char places[] =
    "ml_program.global private @g(dense_resource<__elided__> : tensor<3xi16>)\n"
    "  : tensor<3xi16>\n"
    "func.func @f() attributes {extra = [{deep = dense_resource<__elided__> : "
    "tensor<2xi8>}]} {\n"
    "  %0 = arith.constant dense_resource<__elided__> : tensor<2x3xi64>\n"
    "  %1 = \"tosa.const\"() {values = dense_resource<__elided__> : "
    "tensor<9xi1>} : () -> tensor<9xi1>\n"
    "  %2 = arith.constant dense_resource<__elided__> : tensor<0x2xf32>\n"
    "  %3 = arith.constant dense_resource<__elided__> : tensor<3xindex>\n"
    "  %4 = arith.constant dense_resource<__elided__> : tensor<3xi4>\n"
    "  return\n"
    "}\n";

static void every_place_and_type_is_filled(void) {
  bool ok = false;
  int64_t filled = 0;
  char *text = fill_text(places, 7, FILL, &ok, &filled);
  CHECK(ok);
  CHECK_EQ_I64(filled, 7);
  CHECK_EQ_TEXT(diagnostics.data, "warning: 7 elided constants filled with "
                                  "values from seed 7\n");
  CHECK_CONTAINS(text, "@g(dense<[0, 1, 2]> : tensor<3xi16>)");
  CHECK_CONTAINS(text, "deep = dense<[0, 1]> : tensor<2xi8>");
  CHECK_CONTAINS(text, "dense<[[0, 1, 2], [0, 1, 2]]> : tensor<2x3xi64>");
  CHECK_CONTAINS(text, "dense<[false, true, false, true, false, true, false, "
                       "true, false]>");
  CHECK_CONTAINS(text, "dense<> : tensor<0x2xf32>");
  CHECK_CONTAINS(text, "dense<[0, 1, 2]> : tensor<3xindex>");
  CHECK_CONTAINS(text, "dense<[0, 1, 2]> : tensor<3xi4>");
  CHECK(!strstr(text, "dense_resource"));
  free(text);
}

/// Eight zeros and ones of i1 fill one packed byte, the case of a splat.
static void eight_bits_are_no_splat(void) {
  bool ok = false;
  char *text = fill_text("%0 = arith.constant dense_resource<__elided__> : "
                         "tensor<8x1xi1>\n",
                         0, FILL, &ok, NULL);
  CHECK(ok);
  CHECK_CONTAINS(text, "dense<false> : tensor<8x1xi1>");
  free(text);
}

static const char twins[] =
    "func.func @f() {\n"
    "  %0 = arith.constant dense_resource<__elided__> : tensor<2xf32>\n"
    "  %1 = arith.constant dense_resource<__elided__> : tensor<2xf32>\n"
    "  %2 = arith.constant dense_resource<other> : tensor<2xf32>\n"
    "  return\n"
    "}\n";

/// The three constants of `twins`, as text between "dense<" and ">".
static void split(const char *text, char values[3][64]) {
  for (int i = 0; i < 3; ++i) {
    text = strstr(text, "dense<");
    if (!CHECK(text != NULL))
      return;
    text += 6;
    snprintf(values[i], sizeof values[i], "%.*s", (int)strcspn(text, ">"),
             text);
  }
}

static void equal_keys_share_data_unless_materialized(void) {
  bool ok = false;
  int64_t filled = 0;
  char values[3][64] = {{0}}, again[3][64] = {{0}}, other[3][64] = {{0}};
  char *text = fill_text(twins, 1, FILL, &ok, &filled);
  split(text, values);
  free(text);
  CHECK_EQ_I64(filled, 3);
  CHECK(!strcmp(values[0], values[1]) && strcmp(values[0], values[2]));
  text = fill_text(twins, 2, FILL, &ok, &filled);
  split(text, other);
  free(text);
  CHECK(strcmp(values[0], other[0]));
  text = fill_text(twins, 1, MATERIALIZE, &ok, &filled);
  split(text, again);
  free(text);
  CHECK(ok);
  CHECK_EQ_I64(filled, 3);
  CHECK_EQ_TEXT(diagnostics.data, "");
  CHECK(strcmp(again[0], again[1]) && strcmp(again[1], again[2]));
}

static void data_that_is_there_is_left_alone(void) {
  bool ok = false;
  int64_t filled = -1;
  char *text = fill_text(
      "%0 = arith.constant dense_resource<w> : tensor<2xi8>\n"
      "%1 = arith.constant dense<5> : tensor<2xi8>\n"
      "{-# dialect_resources: {builtin: {w: \"0x010000000304\"}} #-}\n",
      1, REFUSE, &ok, &filled);
  CHECK(ok);
  CHECK_EQ_I64(filled, 0);
  CHECK_EQ_TEXT(diagnostics.data, "");
  CHECK_CONTAINS(text, "dense_resource<w>");
  CHECK_CONTAINS(text, "dense<5>");
  free(text);
}

static void expect_error(const char *source, treatment how,
                         const char *message) {
  bool ok = true;
  char *text = fill_text(source, 0, how, &ok, NULL);
  CHECK(!ok);
  CHECK_CONTAINS(diagnostics.data, message);
  const char *first = strchr(diagnostics.data, '\n');
  CHECK(first && !first[1]); // exactly one
  free(text);
}

static void what_cannot_be_filled_is_one_error(void) {
  expect_error(twins, REFUSE,
               "error: the data of the constant '__elided__' is elided");
  expect_error("%0 = arith.constant dense_resource<e> : "
               "tensor<2xcomplex<f32>>\n"
               "%1 = arith.constant dense_resource<e> : tensor<2xf80>\n",
               FILL, "'tensor<2xcomplex<f32>>' has elements that are not");
  expect_error("%0 = arith.constant dense_resource<e> : tensor<2xi17>", FILL,
               "'tensor<2xi17>' has integers of a width other than");
  expect_error("%0 = arith.constant dense_resource<e> : "
               "tensor<99999999999x99999xf32>",
               FILL, "more memory than this machine has");
}

int main(void) {
  every_place_and_type_is_filled();
  eight_bits_are_no_splat();
  equal_keys_share_data_unless_materialized();
  data_that_is_there_is_left_alone();
  what_cannot_be_filled_is_one_error();
  pgopt_text_free(&diagnostics);
  return check_result();
}
