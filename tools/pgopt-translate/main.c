/// \file pgopt-translate: other descriptions of networks into MLIR and back.
#include "tools/pgopt-translate/translate.h"

#include <stdio.h>

int main(int argc, char **argv) {
  translate_options options;
  if (!parse_translate_options(argc, argv, &options))
    return 1;
  switch (options.mode) {
  case TRANSLATE_IMPORT_EINSUM:
    return import_einsum(&options);
  case TRANSLATE_IMPORT_ONNX:
    return import_onnx(&options);
  case TRANSLATE_EXPORT_ONNX:
    return export_onnx(&options);
  case TRANSLATE_LIST_OPERATORS:
    return list_operators();
  case TRANSLATE_HELP:
    print_translate_help();
    return 0;
  default:
    print_translate_help();
    return 1;
  }
}
