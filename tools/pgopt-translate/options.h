/// \file The command line of pgopt-translate.
#ifndef PGOPT_TRANSLATE_OPTIONS_H
#define PGOPT_TRANSLATE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum translate_mode {
  TRANSLATE_NONE,
  TRANSLATE_IMPORT_ONNX,
  TRANSLATE_IMPORT_EINSUM,
  TRANSLATE_EXPORT_ONNX,
  TRANSLATE_LIST_OPERATORS,
  TRANSLATE_HELP,
} translate_mode;

typedef struct translate_options {
  translate_mode mode;
  const char *input;      ///< file of an import, annotated module of an export
  const char *equation;   ///< of --import-einsum
  const char *shapes;     ///< "3x5,5x7"
  const char *type;       ///< element type of --import-einsum
  const char *output;     ///< -o; null for stdout
  const char *onnx;       ///< model that --export-onnx annotates
  const char *bind;       ///< "batch=1,height=320"
  const char *parameters; ///< safetensors file to write; null: beside output
  bool is_inline;         ///< all constants in the module
  bool is_bytecode;
} translate_options;

/// Parses the command line; arguments are borrowed from `argv`.
/// \returns false after a message on stderr.
bool parse_translate_options(int argc, char **argv, translate_options *options);

void print_translate_help(void);

/// Prints "pgopt-translate: ..." and a newline on stderr; returns 1.
int translate_error(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

#endif // PGOPT_TRANSLATE_OPTIONS_H
