/// \file Imported networks as files.
#include "import/import_files.h"

#include "base/text.h"
#include "import/export_onnx.h"
#include "import/import_program.h"
#include "ir/ir.h"
#include "onnx/import_graph.h"
#include "pgopt/passes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_part(MlirStringRef part, void *file) {
  fwrite(part.data, 1, part.length, file);
}

static pgopt_status write_module(const pgopt_import_files *files,
                                 MlirModule module, pgopt_error *error) {
  FILE *file = files->module ? fopen(files->module, "wb") : stdout;
  const char *name = files->module ? files->module : "standard output";
  if (!file)
    return pgopt_fail(error, PGOPT_IO, "cannot write '%s': %s", name,
                      strerror(errno));
  MlirOperation op = mlirModuleGetOperation(module);
  if (files->is_bytecode) {
    mlirOperationWriteBytecode(op, write_part, file);
  } else {
    MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
    mlirOpPrintingFlagsEnableDebugInfo(flags, true, false);
    mlirOperationPrintWithFlags(op, flags, write_part, file);
    mlirOpPrintingFlagsDestroy(flags);
  }
  bool failed = ferror(file) || fflush(file);
  if (files->module)
    failed |= fclose(file) != 0;
  return failed ? pgopt_fail(error, PGOPT_IO, "cannot write '%s': %s", name,
                             strerror(errno))
                : PGOPT_OK;
}

static void append_parameter_path(const pgopt_import_files *files,
                                  pgopt_text *path) {
  if (files->parameters || !files->module) {
    pgopt_text_append(path, "%s", files->parameters ? files->parameters : "");
    return;
  }
  const char *slash = strrchr(files->module, '/');
  const char *dot = strrchr(files->module, '.');
  size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - files->module)
                                               : strlen(files->module);
  pgopt_text_append_bytes(path, files->module, stem);
  pgopt_text_append(path, ".safetensors");
}

/// `path` as seen from the module's folder, when it lies there.
static const char *relative(const pgopt_import_files *files, const char *path) {
  const char *slash = files->module ? strrchr(files->module, '/') : NULL;
  size_t folder = slash ? (size_t)(slash - files->module) + 1 : 0;
  return folder && !strncmp(path, files->module, folder) ? path + folder : path;
}

static pgopt_status write_imported(const pgopt_tensor_program *program,
                                   const pgopt_imported *imported,
                                   const pgopt_import_files *files,
                                   pgopt_error *error) {
  pgopt_status status = PGOPT_OK;
  if (imported->parameter_count) {
    pgopt_text path = {0};
    append_parameter_path(files, &path);
    status =
        path.size
            ? pgopt_import_write_parameters(program, imported, path.data,
                                            relative(files, path.data), error)
            : pgopt_fail(error, PGOPT_INVALID,
                         "the network has parameters: say where they go "
                         "with -o or --parameters, or use --inline");
    pgopt_text_free(&path);
  }
  if (status != PGOPT_OK)
    return status;
  if (!mlirOperationVerify(mlirModuleGetOperation(imported->module)))
    return pgopt_fail(error, PGOPT_UNSUPPORTED,
                      "the imported module does not verify; this is a defect "
                      "of pgopt");
  return write_module(files, imported->module, error);
}

/// `model` may be null.
static pgopt_status write_program(const pgopt_tensor_program *program,
                                  const pgopt_onnx_model *model,
                                  const char *function,
                                  const pgopt_import_files *files,
                                  pgopt_error *error) {
  if (pgopt_tensors_failed(program))
    return pgopt_fail(error, program->error.status, "%s",
                      program->error.message);
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  pgopt_register_dialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  mlirContextLoadAllAvailableDialects(context);
  pgopt_imported imported;
  pgopt_import_program(context, program, function, !files->is_inline,
                       &imported);
  if (model)
    pgopt_restore_annotations(model, mlirModuleGetOperation(imported.module));
  pgopt_status status = write_imported(program, &imported, files, error);
  pgopt_imported_free(&imported);
  mlirContextDestroy(context);
  return status;
}

pgopt_status pgopt_import_write(const pgopt_tensor_program *program,
                                const char *function,
                                const pgopt_import_files *files,
                                pgopt_error *error) {
  return write_program(program, NULL, function, files, error);
}

pgopt_status pgopt_import_onnx(const char *path, const char *bindings,
                               const pgopt_import_files *files,
                               pgopt_error *error) {
  pgopt_onnx_options options;
  pgopt_arena arena = {0};
  pgopt_error inner = {0};
  pgopt_onnx_model model = {0};
  pgopt_tensor_program program = {0};
  pgopt_status status =
      pgopt_onnx_read_bindings(bindings, &arena, &options, &inner);
  if (status == PGOPT_OK)
    status = pgopt_onnx_open(path, &model, &inner);
  if (status == PGOPT_OK)
    status = pgopt_onnx_import(&model, &options, &program, &inner);
  if (status == PGOPT_OK) {
    char *name = pgopt_onnx_function_name(&model);
    status = write_program(&program, &model, name, files, &inner);
    free(name);
  }
  if (status != PGOPT_OK)
    pgopt_fail(error, status, "%.100s: %s", path, inner.message);
  pgopt_tensor_program_free(&program);
  pgopt_onnx_close(&model);
  pgopt_arena_free(&arena);
  return status;
}

int pgopt_find_onnx_argument(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    size_t length = strlen(argv[i]);
    if (argv[i][0] != '-' && length > 5 &&
        !strcmp(argv[i] + length - 5, ".onnx") && strcmp(argv[i - 1], "-o"))
      return i;
  }
  return -1;
}
