/// \file A module from an ONNX model.
#include "onnx/import_graph.h"
#include "tools/pgopt-translate/translate.h"

#include <stdlib.h>

int import_onnx(const translate_options *options) {
  if (!options->input)
    return translate_error("--import-onnx needs a file");
  pgopt_onnx_options import;
  pgopt_arena arena = {0};
  pgopt_error error = {0};
  pgopt_onnx_model model = {0};
  pgopt_tensor_program program = {0};
  int code;
  pgopt_status status =
      pgopt_onnx_read_bindings(options->bind, &arena, &import, &error);
  if (status == PGOPT_OK)
    status = pgopt_onnx_open(options->input, &model, &error);
  if (status == PGOPT_OK)
    status = pgopt_onnx_import(&model, &import, &program, &error);
  if (status == PGOPT_OK) {
    char *name = pgopt_onnx_function_name(&model);
    code = write_program(options, &program, name);
    free(name);
  } else {
    code = translate_error("%s: %s", options->input, error.message);
  }
  pgopt_tensor_program_free(&program);
  pgopt_onnx_close(&model);
  pgopt_arena_free(&arena);
  return code;
}
