/// \file The command line of pgopt-translate.
#include "tools/pgopt-translate/options.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void print_translate_help(void) {
  fputs(
      "usage: pgopt-translate --import-onnx MODEL.onnx [-o MODULE.mlir]\n"
      "       pgopt-translate --import-einsum=EQUATION --shapes=3x5,5x7\n"
      "       pgopt-translate --export-onnx MODULE.mlir --onnx MODEL.onnx"
      " -o OUT.onnx\n"
      "\n"
      "  -o FILE              where the result goes (default: stdout)\n"
      "  --bind NAME=N,...    values of symbolic dimensions\n"
      "  --parameters FILE    parameter file to write (default: beside the\n"
      "                       output, .safetensors)\n"
      "  --inline             keep all constants in the module\n"
      "  --emit-bytecode      MLIR bytecode instead of text\n"
      "  --type TYPE          of --import-einsum: f32 (default), f64, i64 ...\n"
      "  --list-operators     the table of ONNX operators, as Markdown\n",
      stdout);
}

int translate_error(const char *format, ...) {
  fputs("pgopt-translate: ", stderr);
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  return 1;
}

/// Value of "--name=value" or "--name value"; null when it is another option.
static const char *option_value(const char *name, int argc, char **argv,
                                int *at) {
  const char *argument = argv[*at];
  size_t length = strlen(name);
  if (strncmp(argument, name, length))
    return NULL;
  if (argument[length] == '=')
    return argument + length + 1;
  if (argument[length] || *at + 1 >= argc)
    return NULL;
  return argv[++*at];
}

static bool set_mode(translate_options *options, translate_mode mode) {
  if (options->mode != TRANSLATE_NONE && options->mode != mode) {
    translate_error("only one of --import-onnx, --import-einsum, "
                    "--export-onnx and --list-operators can be done at once");
    return false;
  }
  options->mode = mode;
  return true;
}

bool parse_translate_options(int argc, char **argv,
                             translate_options *options) {
  *options = (translate_options){.type = "f32"};
  const struct {
    const char *name;
    const char **value;
    translate_mode mode;
  } with_value[] = {
      {"--import-einsum", &options->equation, TRANSLATE_IMPORT_EINSUM},
      {"--shapes", &options->shapes, TRANSLATE_NONE},
      {"--type", &options->type, TRANSLATE_NONE},
      {"--bind", &options->bind, TRANSLATE_NONE},
      {"--parameters", &options->parameters, TRANSLATE_NONE},
      {"--onnx", &options->onnx, TRANSLATE_NONE},
      {"-o", &options->output, TRANSLATE_NONE},
  };
  const struct {
    const char *name;
    bool *flag;
    translate_mode mode;
  } flags[] = {
      {"--import-onnx", NULL, TRANSLATE_IMPORT_ONNX},
      {"--export-onnx", NULL, TRANSLATE_EXPORT_ONNX},
      {"--list-operators", NULL, TRANSLATE_LIST_OPERATORS},
      {"--help", NULL, TRANSLATE_HELP},
      {"--inline", &options->is_inline, TRANSLATE_NONE},
      {"--emit-bytecode", &options->is_bytecode, TRANSLATE_NONE},
  };
  for (int i = 1; i < argc; ++i) {
    bool found = false;
    translate_mode mode = TRANSLATE_NONE;
    for (size_t k = 0; k < sizeof flags / sizeof *flags && !found; ++k)
      if (!strcmp(argv[i], flags[k].name)) {
        found = true;
        mode = flags[k].mode;
        if (flags[k].flag)
          *flags[k].flag = true;
      }
    for (size_t k = 0; k < sizeof with_value / sizeof *with_value && !found;
         ++k) {
      const char *value = option_value(with_value[k].name, argc, argv, &i);
      if (!value)
        continue;
      found = true;
      *with_value[k].value = value;
      mode = with_value[k].mode;
    }
    if (mode != TRANSLATE_NONE && !set_mode(options, mode))
      return false;
    if (found)
      continue;
    if (argv[i][0] == '-' && argv[i][1]) {
      translate_error("unknown option '%s', or its value is missing; see "
                      "--help",
                      argv[i]);
      return false;
    }
    if (options->input) {
      translate_error("two input files, '%s' and '%s'", options->input,
                      argv[i]);
      return false;
    }
    options->input = argv[i];
  }
  return true;
}
