/// \file The profile of an annotated module in the ONNX model it came from.
#ifndef PGOPT_IMPORT_EXPORT_ONNX_H
#define PGOPT_IMPORT_EXPORT_ONNX_H

#include "mlir-c/IR.h"
#include "onnx/model.h"

/// Adds metadata_props to nodes (pgopt.lflops, .bytes, .timing_ns, .kernel,
/// .core, .slot) and to the model (totals, machine, pgopt.profile), in place of
/// those an earlier export added. Operations are matched with nodes by the
/// names in their locations; what several of them say of one node is summed,
/// or listed with commas.
/// \returns PGOPT_INVALID when no annotated operation names a node.
pgopt_status pgopt_export_annotations(MlirOperation module,
                                      pgopt_onnx_model *model,
                                      pgopt_error *error);

/// Reads a module, annotates the model with it and writes the result. All else
/// of the model stays as it is, fields that pgopt does not know included.
pgopt_status pgopt_export_onnx(const char *module_path, const char *model_path,
                               const char *output, pgopt_error *error);

/// Attributes of the module that an export left in the model: pg.profile and
/// pg.machine. What does not parse or verify is left out.
void pgopt_restore_annotations(const pgopt_onnx_model *model,
                               MlirOperation module);

#endif // PGOPT_IMPORT_EXPORT_ONNX_H
