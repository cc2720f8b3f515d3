/// \file The body of `pgopt-opt`: mlir-opt plus pgopt.
#include "bridge/bridge.h"

#include "mlir/CAPI/IR.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "pgopt/passes.h"

int pgopt_opt_main(int argc, char **argv) {
  mlir::registerAllPasses();
  pgopt_register_passes();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  pgopt_register_dialects(wrap(&registry));
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "pgopt: profile-guided optimizer for deep networks\n",
      registry));
}
