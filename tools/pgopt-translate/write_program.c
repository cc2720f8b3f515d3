/// \file Tensor programs as files: the module and its parameters.
#include "base/text.h"
#include "bridge/bridge.h"
#include "import/import_program.h"
#include "ir/ir.h"
#include "pgopt/passes.h"
#include "tools/pgopt-translate/translate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_part(MlirStringRef part, void *file) {
  fwrite(part.data, 1, part.length, file);
}

static int write_module(const translate_options *options, MlirModule module) {
  FILE *file = options->output ? fopen(options->output, "wb") : stdout;
  if (!file)
    return translate_error("cannot write '%s': %s", options->output,
                           strerror(errno));
  MlirOperation op = mlirModuleGetOperation(module);
  if (options->is_bytecode) {
    mlirOperationWriteBytecode(op, write_part, file);
  } else {
    MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
    mlirOpPrintingFlagsEnableDebugInfo(flags, true, false);
    mlirOperationPrintWithFlags(op, flags, write_part, file);
    mlirOpPrintingFlagsDestroy(flags);
  }
  bool failed = ferror(file) || fflush(file);
  if (options->output)
    failed |= fclose(file) != 0;
  return failed ? translate_error("cannot write '%s': %s",
                                  options->output ? options->output : "stdout",
                                  strerror(errno))
                : 0;
}

/// The parameter file: as told, or the output's name with another suffix.
static void parameter_path(const translate_options *options, pgopt_text *path) {
  if (options->parameters || !options->output) {
    pgopt_text_append(path, "%s",
                      options->parameters ? options->parameters : "");
    return;
  }
  const char *slash = strrchr(options->output, '/');
  const char *dot = strrchr(options->output, '.');
  size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - options->output)
                                               : strlen(options->output);
  pgopt_text_append_bytes(path, options->output, stem);
  pgopt_text_append(path, ".safetensors");
}

/// `path` as seen from the module's folder, when it lies there.
static const char *relative(const translate_options *options,
                            const char *path) {
  const char *slash = options->output ? strrchr(options->output, '/') : NULL;
  size_t folder = slash ? (size_t)(slash - options->output) + 1 : 0;
  return folder && !strncmp(path, options->output, folder) ? path + folder
                                                           : path;
}

static int write_imported(const translate_options *options,
                          const pgopt_tensor_program *program,
                          const pgopt_imported *imported) {
  if (imported->parameter_count) {
    pgopt_text path = {0};
    parameter_path(options, &path);
    pgopt_error error = {0};
    pgopt_status status =
        path.size ? pgopt_import_write_parameters(program, imported, path.data,
                                                  relative(options, path.data),
                                                  &error)
                  : pgopt_fail(&error, PGOPT_INVALID,
                               "the network has parameters: say where they go "
                               "with -o or --parameters, or use --inline");
    pgopt_text_free(&path);
    if (status != PGOPT_OK)
      return translate_error("%s", error.message);
  }
  if (!mlirOperationVerify(mlirModuleGetOperation(imported->module)))
    return translate_error("the imported module does not verify; this is a "
                           "defect of pgopt");
  return write_module(options, imported->module);
}

int write_program(const translate_options *options,
                  const pgopt_tensor_program *program, const char *name) {
  if (pgopt_tensors_failed(program))
    return translate_error("%s", program->error.message);
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  pgopt_register_dialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  mlirContextLoadAllAvailableDialects(context);
  pgopt_imported imported;
  pgopt_import_program(context, program, name, !options->is_inline, &imported);
  int code = write_imported(options, program, &imported);
  pgopt_imported_free(&imported);
  mlirContextDestroy(context);
  return code;
}
