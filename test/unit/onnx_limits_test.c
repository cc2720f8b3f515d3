/// \file The ONNX importer when adding an operation fails: every model of the
/// given folders with every smaller limit on the number of operations.
///
/// usage: onnx_limits_test FOLDER...
#include "check.h"

#include "onnx/import_graph.h"

#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>

/// Models of more operations are tried with a part of the limits.
enum { MOST_LIMITS = 300 };

static int models;

static pgopt_status import(pgopt_onnx_model *model, size_t limit,
                           size_t *nodes) {
  static const pgopt_onnx_binding bindings[] = {{"n", 3, NULL}};
  const pgopt_onnx_options options = {bindings, 1, limit};
  pgopt_tensor_program program;
  pgopt_error error = {0};
  pgopt_status status = pgopt_onnx_import(model, &options, &program, &error);
  CHECK(status == PGOPT_OK || error.message[0]);
  *nodes = program.node_count;
  pgopt_tensor_program_free(&program);
  return status;
}

static int visit(const char *path, const struct stat *status, int kind,
                 struct FTW *walk) {
  const char *name = path + walk->base, *dot = strrchr(name, '.');
  (void)status;
  // The corpus has names without an end, the others only "model.onnx".
  if (kind != FTW_F || (dot && strcmp(dot, ".onnx")))
    return 0;
  pgopt_onnx_model model;
  pgopt_error error = {0};
  size_t nodes, fewer;
  if (pgopt_onnx_open(path, &model, &error) == PGOPT_OK) {
    pgopt_status whole = import(&model, 0, &nodes);
    size_t step = nodes / MOST_LIMITS + 1;
    for (size_t limit = 1; limit < nodes; limit += step) {
      pgopt_status some = import(&model, limit, &fewer);
      CHECK(some != PGOPT_OK);
      CHECK(fewer <= limit);
    }
    models += whole == PGOPT_OK;
  }
  pgopt_onnx_close(&model);
  return 0;
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i)
    CHECK_EQ_I64(nftw(argv[i], visit, 16, FTW_PHYS), 0);
  CHECK(models > 0);
  return check_result();
}
