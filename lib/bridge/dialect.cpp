/// \file The `pg` dialect (attributes only; checked by a table in C), and the
/// upstream dialects that pgopt's passes create.
#include "bridge/bridge.h"

#include "bridge/registry.h"
#include "dialect_c/attributes.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "pgopt/passes.h"

using namespace mlir;

namespace {
class PgDialect final : public Dialect {
public:
  explicit PgDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<PgDialect>()) {}
  static StringRef getDialectNamespace() { return "pg"; }

  LogicalResult verifyOperationAttribute(Operation *op,
                                         NamedAttribute attr) override {
    return unwrap(
        pgopt_attribute_verify(wrap(op), wrap(attr.getName().strref()),
                               wrap(attr.getValue()), PGOPT_ON_OPERATION));
  }
  LogicalResult verifyRegionArgAttribute(Operation *op, unsigned, unsigned,
                                         NamedAttribute attr) override {
    return unwrap(
        pgopt_attribute_verify(wrap(op), wrap(attr.getName().strref()),
                               wrap(attr.getValue()), PGOPT_ON_ARGUMENT));
  }
  LogicalResult verifyRegionResultAttribute(Operation *op, unsigned, unsigned,
                                            NamedAttribute attr) override {
    return unwrap(
        pgopt_attribute_verify(wrap(op), wrap(attr.getName().strref()),
                               wrap(attr.getValue()), PGOPT_ON_RESULT));
  }
};
} // namespace

MLIR_DECLARE_EXPLICIT_TYPE_ID(PgDialect)
MLIR_DEFINE_EXPLICIT_TYPE_ID(PgDialect)

void pgopt_register_dialects(MlirDialectRegistry registry) {
  DialectRegistry &dialects = *unwrap(registry);
  dialects.insert<PgDialect, affine::AffineDialect, arith::ArithDialect,
                  bufferization::BufferizationDialect, cf::ControlFlowDialect,
                  func::FuncDialect, index::IndexDialect, LLVM::LLVMDialect,
                  linalg::LinalgDialect, math::MathDialect,
                  memref::MemRefDialect, ml_program::MLProgramDialect,
                  scf::SCFDialect, tensor::TensorDialect, tosa::TosaDialect,
                  transform::TransformDialect, ub::UBDialect,
                  vector::VectorDialect>();
  pgopt_register_interfaces(dialects);
}

void pgopt_diagnose(MlirLocation location, pgopt_severity severity,
                    const char *message) {
  Location loc = unwrap(location);
  switch (severity) {
  case PGOPT_NOTE:
    loc->getContext()->getDiagEngine().emit(loc, DiagnosticSeverity::Note)
        << message;
    break;
  case PGOPT_WARNING:
    emitWarning(loc) << message;
    break;
  case PGOPT_ERROR:
    emitError(loc) << message;
    break;
  case PGOPT_REMARK:
    emitRemark(loc) << message;
    break;
  }
}

static AsmResourceBlob *resourceBlob(MlirAttribute attribute) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(unwrap(attribute));
  return resource ? resource.getRawHandle().getBlob() : nullptr;
}

bool pgopt_resource_is_elided(MlirAttribute attribute) {
  return isa<DenseResourceElementsAttr>(unwrap(attribute)) &&
         !resourceBlob(attribute);
}

MlirStringRef pgopt_resource_key(MlirAttribute attribute) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(unwrap(attribute));
  return wrap(resource ? resource.getRawHandle().getKey() : StringRef());
}

MlirStringRef pgopt_resource_data(MlirAttribute attribute) {
  AsmResourceBlob *blob = resourceBlob(attribute);
  if (!blob)
    return mlirStringRefCreate(nullptr, 0);
  return mlirStringRefCreate(blob->getData().data(), blob->getData().size());
}
