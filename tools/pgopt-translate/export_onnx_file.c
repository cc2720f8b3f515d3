/// \file An ONNX model with the profile of an annotated module.
#include "import/export_onnx.h"
#include "tools/pgopt-translate/translate.h"

int export_onnx(const translate_options *options) {
  if (!options->input || !options->onnx || !options->output)
    return translate_error("--export-onnx needs the annotated module, "
                           "--onnx MODEL.onnx and -o OUT.onnx");
  pgopt_error error = {0};
  if (pgopt_export_onnx(options->input, options->onnx, options->output,
                        &error) != PGOPT_OK)
    return translate_error("%s", error.message);
  return 0;
}
