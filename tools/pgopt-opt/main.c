/// \file pgopt-opt: mlir-opt plus pgopt's passes and the pg dialect. An input
/// that is an ONNX file is imported first.
#include "base/text.h"
#include "bridge/bridge.h"
#include "import/import_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// Takes `name`=... (or `name` ...) out of the command line; null without one.
static const char *take_option(const char *name, int *argc, char **argv) {
  size_t length = strlen(name);
  for (int i = 1; i < *argc; ++i) {
    if (strncmp(argv[i], name, length))
      continue;
    bool joined = argv[i][length] == '=';
    if (!joined && (argv[i][length] || i + 1 == *argc))
      continue;
    const char *value = joined ? argv[i] + length + 1 : argv[i + 1];
    int taken = joined ? 1 : 2;
    memmove(argv + i, argv + i + taken,
            (size_t)(*argc - i - taken + 1) * sizeof *argv);
    *argc -= taken;
    return value;
  }
  return NULL;
}

/// Without --parameters the parameter file goes where the output goes, else
/// into the current folder, under the model's name.
static void append_parameter_path(pgopt_text *path, int argc, char **argv,
                                  const char *model) {
  const char *output = NULL;
  for (int i = 1; i + 1 < argc; ++i)
    if (!strcmp(argv[i], "-o"))
      output = argv[i + 1];
  const char *slash = output ? strrchr(output, '/') : NULL;
  if (slash)
    pgopt_text_append_bytes(path, output, (size_t)(slash - output) + 1);
  const char *name = strrchr(model, '/') ? strrchr(model, '/') + 1 : model;
  pgopt_text_append(path, "%.*s.safetensors", (int)(strlen(name) - 5), name);
}

static int run_on_onnx(int argc, char **argv, int model) {
  const char *folder = getenv("TMPDIR");
  pgopt_text module = {0}, parameters = {0};
  pgopt_text_append(&module, "%s/pgopt-XXXXXX", folder ? folder : "/tmp");
  int file = mkstemp(module.data);
  if (file < 0) {
    fprintf(stderr, "pgopt-opt: cannot write '%s'\n", module.data);
    return 1;
  }
  close(file);
  const char *bind = take_option("--bind", &argc, argv);
  const char *chosen = take_option("--parameters", &argc, argv);
  model = pgopt_find_onnx_argument(argc, argv);
  if (chosen)
    pgopt_text_append(&parameters, "%s", chosen);
  else
    append_parameter_path(&parameters, argc, argv, argv[model]);
  pgopt_import_files files = {.module = module.data,
                              .parameters = parameters.data,
                              .is_bytecode = true};
  pgopt_error error = {0};
  int code = 1;
  if (pgopt_import_onnx(argv[model], bind, &files, &error) == PGOPT_OK) {
    argv[model] = module.data;
    code = pgopt_opt_main(argc, argv);
  } else {
    fprintf(stderr, "pgopt-opt: %s\n", error.message);
  }
  unlink(module.data);
  pgopt_text_free(&module);
  pgopt_text_free(&parameters);
  return code;
}

int main(int argc, char **argv) {
  int model = pgopt_find_onnx_argument(argc, argv);
  return model < 0 ? pgopt_opt_main(argc, argv)
                   : run_on_onnx(argc, argv, model);
}
