/// \file A module from an ONNX model.
#include "import/import_files.h"
#include "tools/pgopt-translate/translate.h"

pgopt_import_files output_files(const translate_options *options) {
  return (pgopt_import_files){.module = options->output,
                              .parameters = options->parameters,
                              .is_inline = options->is_inline,
                              .is_bytecode = options->is_bytecode};
}

int import_onnx(const translate_options *options) {
  if (!options->input)
    return translate_error("--import-onnx needs a file");
  pgopt_import_files files = output_files(options);
  pgopt_error error = {0};
  if (pgopt_import_onnx(options->input, options->bind, &files, &error) !=
      PGOPT_OK)
    return translate_error("%s", error.message);
  return 0;
}
