/// \file Transform scripts.
#include "ir/script.h"

#include "base/text.h"
#include "ir/ir.h"
#include "mlir-c/Diagnostics.h"
#include "mlir-c/Dialect/Transform/Interpreter.h"

#include <pthread.h>

MlirLogicalResult pgopt_apply_script(MlirOperation root, const char *steps) {
  pgopt_text text = {0};
  pgopt_text_append(
      &text,
      "module attributes {transform.with_named_sequence} {\n"
      "transform.named_sequence @script(%%root: !transform.any_op "
      "{transform.readonly}) {\n%s  transform.yield\n}\n}\n",
      steps);
  MlirModule module = mlirModuleCreateParse(mlirOperationGetContext(root),
                                            pgopt_ref(text.data));
  pgopt_text_free(&text);
  if (mlirModuleIsNull(module))
    return mlirLogicalResultFailure();
  MlirTransformOptions options = mlirTransformOptionsCreate();
  MlirOperation sequence =
      mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  MlirLogicalResult result = mlirTransformApplyNamedSequence(
      root, sequence, mlirModuleGetOperation(module), options);
  mlirTransformOptionsDestroy(options);
  mlirModuleDestroy(module);
  return result;
}

/// Takes the diagnostics of its own thread, so that those of other threads
/// reach whoever listens to them.
static MlirLogicalResult silence(MlirDiagnostic diagnostic, void *thread) {
  (void)diagnostic;
  return pthread_equal(*(pthread_t *)thread, pthread_self())
             ? mlirLogicalResultSuccess()
             : mlirLogicalResultFailure();
}

MlirLogicalResult pgopt_try_script(MlirOperation root, const char *steps) {
  MlirContext context = mlirOperationGetContext(root);
  pthread_t self = pthread_self();
  MlirDiagnosticHandlerID handler =
      mlirContextAttachDiagnosticHandler(context, silence, &self, NULL);
  MlirLogicalResult result = pgopt_apply_script(root, steps);
  // Rewrites of upstream's do not promise valid IR for every op.
  if (mlirLogicalResultIsSuccess(result) && !mlirOperationVerify(root))
    result = mlirLogicalResultFailure();
  mlirContextDetachDiagnosticHandler(context, handler);
  return result;
}
