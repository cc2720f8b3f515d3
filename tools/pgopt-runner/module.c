#include "tools/pgopt-runner/module.h"

#include "base/memory.h"
#include "codegen/object.h"
#include "ir/ir.h"
#include "mlir-c/Diagnostics.h"
#include "mlir-c/Pass.h"
#include "mlir-c/RegisterEverything.h"
#include "pgopt/passes.h"
#include "tools/pgopt-runner/terminal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void append(MlirStringRef part, void *text) {
  pgopt_text_append_bytes(text, part.data, part.length);
}

/// The file, line and column that the location comes from, or what MLIR prints.
static void append_location(pgopt_text *text, MlirLocation location) {
  for (;;) {
    if (mlirLocationIsAName(location))
      location = mlirLocationNameGetChildLoc(location);
    else if (mlirLocationIsACallSite(location))
      location = mlirLocationCallSiteGetCallee(location);
    else
      break;
  }
  if (mlirLocationIsAFused(location) &&
      mlirLocationFusedGetNumLocations(location) > 0) {
    unsigned count = mlirLocationFusedGetNumLocations(location);
    MlirLocation *parts = pgopt_allocate(count, sizeof *parts);
    mlirLocationFusedGetLocations(location, parts);
    append_location(text, parts[0]);
    free(parts);
    return;
  }
  if (mlirLocationIsAFileLineColRange(location)) {
    MlirStringRef file =
        mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(location));
    pgopt_text_append(text, "%.*s:%d:%d", (int)file.length, file.data,
                      mlirLocationFileLineColRangeGetStartLine(location),
                      mlirLocationFileLineColRangeGetStartColumn(location));
    return;
  }
  mlirLocationPrint(location, append, text);
}

static void append_diagnostic(pgopt_text *text, MlirDiagnostic diagnostic) {
  static const char *const names[] = {"error", "warning", "note", "remark"};
  append_location(text, mlirDiagnosticGetLocation(diagnostic));
  pgopt_text_append(text,
                    ": %s: ", names[mlirDiagnosticGetSeverity(diagnostic)]);
  mlirDiagnosticPrint(diagnostic, append, text);
  pgopt_text_append(text, "\n");
  for (intptr_t i = 0; i < mlirDiagnosticGetNumNotes(diagnostic); ++i)
    append_diagnostic(text, mlirDiagnosticGetNote(diagnostic, i));
}

/// Remarks are for those who tune passes with pgopt-opt.
static MlirLogicalResult show(MlirDiagnostic diagnostic, void *unused) {
  (void)unused;
  if (mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticRemark)
    return mlirLogicalResultSuccess();
  pgopt_text text = {0};
  append_diagnostic(&text, diagnostic);
  progress(NULL);
  fputs(pgopt_text_get(&text), stderr);
  pgopt_text_free(&text);
  return mlirLogicalResultSuccess();
}

bool open_context(parsed_module *parsed) {
  *parsed = (parsed_module){0};
  mlirRegisterAllPasses(); // pgopt's passes name upstream's in pipelines
  pgopt_register_passes();
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  pgopt_register_dialects(registry);
  parsed->context = mlirContextCreateWithRegistry(registry, true);
  mlirDialectRegistryDestroy(registry);
  mlirContextAttachDiagnosticHandler(parsed->context, show, NULL, NULL);
  pgopt_object_prepare_context(parsed->context);
  return true;
}

bool open_module(const char *path, parsed_module *parsed) {
  *parsed = (parsed_module){0};
  struct stat status;
  if (stat(path, &status)) {
    complain("cannot read '%s': %s", path, strerror(errno));
    return false;
  }
  if (S_ISDIR(status.st_mode)) {
    complain("cannot read '%s': it is a directory", path);
    return false;
  }
  open_context(parsed);
  parsed->module =
      mlirModuleCreateParseFromFile(parsed->context, pgopt_ref(path));
  if (mlirModuleIsNull(parsed->module)) {
    complain("'%s' is not a valid MLIR module", path);
    return false;
  }
  parsed->op = mlirModuleGetOperation(parsed->module);
  return true;
}

void close_module(parsed_module *parsed) {
  if (!mlirModuleIsNull(parsed->module))
    mlirModuleDestroy(parsed->module);
  if (!mlirContextIsNull(parsed->context))
    mlirContextDestroy(parsed->context);
  *parsed = (parsed_module){0};
}

bool keep_reachable(const parsed_module *parsed, const char *name) {
  pgopt_text text = {0};
  pgopt_text_append(
      &text, "builtin.module(symbol-privatize{exclude=%s},symbol-dce)", name);
  pgopt_text message = {0};
  MlirPassManager manager = mlirPassManagerCreate(parsed->context);
  bool ok = mlirLogicalResultIsSuccess(
      mlirParsePassPipeline(mlirPassManagerGetAsOpPassManager(manager),
                            pgopt_ref(text.data), append, &message));
  if (!ok)
    complain("%s", pgopt_text_get(&message));
  ok = ok &&
       mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(manager, parsed->op));
  mlirPassManagerDestroy(manager);
  pgopt_text_free(&message);
  pgopt_text_free(&text);
  return ok;
}

bool run_pass(const parsed_module *parsed, const char *argument,
              const char *options) {
  MlirPass pass = pgopt_create_pass_by_name(argument, options);
  if (!pass.ptr) {
    complain("there is no pass '%s' that takes the options '%s'", argument,
             options);
    return false;
  }
  MlirPassManager manager = mlirPassManagerCreate(parsed->context);
  mlirPassManagerAddOwnedPass(manager, pass);
  bool ok =
      mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(manager, parsed->op));
  mlirPassManagerDestroy(manager);
  return ok;
}
