#include "tools/pgopt-runner/onnx_input.h"

#include "base/text.h"
#include "import/import_files.h"
#include "tools/pgopt-runner/terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *path_in(const char *folder, const char *name) {
  pgopt_text path = {0};
  pgopt_text_append(&path, "%s/%s", folder, name);
  return path.data;
}

bool open_onnx_input(runner_options *options, onnx_input *input) {
  *input = (onnx_input){0};
  size_t length = options->file ? strlen(options->file) : 0;
  if (length < 5 || strcmp(options->file + length - 5, ".onnx"))
    return true;
  const char *temporary = getenv("TMPDIR");
  input->folder = path_in(temporary ? temporary : "/tmp", "pgopt-XXXXXX");
  if (!mkdtemp(input->folder)) {
    complain("cannot make a folder '%s': %s", input->folder, strerror(errno));
    free(input->folder);
    input->folder = NULL;
    return false;
  }
  input->module = path_in(input->folder, "network.mlir");
  input->parameters = path_in(input->folder, "network.safetensors");
  pgopt_import_files files = {.module = input->module,
                              .parameters = input->parameters,
                              .is_bytecode = true};
  pgopt_error error = {0};
  if (pgopt_import_onnx(options->file, options->bind, &files, &error) !=
      PGOPT_OK) {
    complain("%s", error.message);
    return false;
  }
  options->file = input->module;
  if (!options->parameters && !access(input->parameters, R_OK))
    options->parameters = input->parameters;
  return true;
}

void close_onnx_input(onnx_input *input) {
  if (input->module)
    unlink(input->module);
  if (input->parameters)
    unlink(input->parameters);
  if (input->folder)
    rmdir(input->folder);
  free(input->module);
  free(input->parameters);
  free(input->folder);
  *input = (onnx_input){0};
}
