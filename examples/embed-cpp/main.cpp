/// \file A C++ program with a pass manager of its own: once with pgopt's pass
/// as an object, once by name in a textual pipeline.
///
///     embed-cpp FILE.mlir    prints the module with its amounts of computation
#include "pgopt/passes.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

#include <memory>

int main(int argc, char **argv) {
  if (argc != 2) {
    llvm::errs() << "usage: embed-cpp FILE.mlir\n";
    return 2;
  }

  mlir::DialectRegistry registry;
  pgopt_register_dialects(wrap(&registry));
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  if (!module)
    return 1;

  mlir::PassManager manager(&context);
  manager.addPass(mlir::createCanonicalizerPass());
  MlirPass count = pgopt_create_pass_by_name("profile", "mode=static");
  if (!count.ptr) {
    llvm::errs() << "embed-cpp: no such pass, or not these options\n";
    return 1;
  }
  manager.addPass(std::unique_ptr<mlir::Pass>(unwrap(count)));
  manager.addPass(mlir::createCSEPass());
  if (failed(manager.run(*module)))
    return 1;

  pgopt_register_passes();
  mlir::registerTransformsPasses();
  mlir::PassManager again(&context);
  if (failed(mlir::parsePassPipeline("canonicalize,profile{mode=static},cse",
                                     again)) ||
      failed(again.run(*module)))
    return 1;
  module->print(llvm::outs());
  return 0;
}
