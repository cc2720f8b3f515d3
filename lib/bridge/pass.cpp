/// \file One mlir::Pass subclass that runs a pass written in C.
#include "bridge/bridge.h"

#include "bridge/registry.h"
#include "bridge/statistics.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "pgopt/passes.h"

#include <memory>
#include <vector>

using namespace mlir;

/// Storage of one option, typed so that MLIR parses, checks and prints it.
struct BridgeOption {
  std::unique_ptr<Pass::Option<bool>> flag;
  std::unique_ptr<Pass::Option<int64_t>> number;
  std::unique_ptr<Pass::Option<std::string>> text;
};

struct pgopt_pass final : public Pass {
  const pgopt_pass_definition *definition;
  std::vector<BridgeOption> storage;
  std::vector<uint64_t> optionBytes;

  explicit pgopt_pass(const pgopt_pass_definition *d)
      : Pass(TypeID::getFromOpaquePointer(d), llvm::StringRef(d->anchor)),
        definition(d) {
    addMembers();
  }
  pgopt_pass(const pgopt_pass &other)
      : Pass(other), definition(other.definition) {
    addMembers();
    copyOptionValuesFrom(&other);
  }

  StringRef getName() const override { return definition->argument; }
  StringRef getArgument() const override { return definition->argument; }
  StringRef getDescription() const override { return definition->summary; }
  std::unique_ptr<Pass> clonePass() const override {
    return std::make_unique<pgopt_pass>(*this);
  }
  bool canScheduleOn(RegisteredOperationName name) const override {
    return name.getStringRef() == definition->anchor;
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    pgopt_register_dialects(wrap(&registry));
  }

  void runOnOperation() override {
    optionBytes.assign(definition->options_size / sizeof(uint64_t) + 1, 0);
    auto *bytes = reinterpret_cast<char *>(optionBytes.data());
    for (size_t i = 0; i < definition->option_count; ++i) {
      char *value = bytes + definition->options[i].offset;
      switch (definition->options[i].kind) {
      case PGOPT_OPTION_BOOL:
        *reinterpret_cast<bool *>(value) = *storage[i].flag;
        break;
      case PGOPT_OPTION_I64:
        *reinterpret_cast<int64_t *>(value) = *storage[i].number;
        break;
      case PGOPT_OPTION_TEXT:
        *reinterpret_cast<const char **>(value) =
            storage[i].text->getValue().c_str();
        break;
      }
    }
    for (size_t i = 0; i < definition->statistic_count; ++i)
      pgopt_statistics_count(definition, i, 0);
    if (mlirLogicalResultIsFailure(definition->run(this, wrap(getOperation()))))
      signalPassFailure();
  }

  LogicalResult runNested(OpPassManager &pipeline, Operation *op) {
    return runPipeline(pipeline, op);
  }

private:
  void addMembers() {
    for (size_t i = 0; i < definition->option_count; ++i) {
      const pgopt_option &option = definition->options[i];
      StringRef init = option.default_value;
      auto help = llvm::cl::desc(option.help);
      BridgeOption slot;
      switch (option.kind) {
      case PGOPT_OPTION_BOOL:
        slot.flag = std::make_unique<Option<bool>>(
            *this, option.name, help, llvm::cl::init(init == "true"));
        break;
      case PGOPT_OPTION_I64: {
        int64_t number = 0;
        init.getAsInteger(10, number);
        slot.number = std::make_unique<Option<int64_t>>(
            *this, option.name, help, llvm::cl::init(number));
        break;
      }
      case PGOPT_OPTION_TEXT:
        slot.text = std::make_unique<Option<std::string>>(
            *this, option.name, help, llvm::cl::init(init.str()));
        break;
      }
      storage.push_back(std::move(slot));
    }
  }
};

const void *pgopt_pass_options(const pgopt_pass *pass) {
  return pass->optionBytes.data();
}

void pgopt_pass_count(pgopt_pass *pass, size_t statistic, int64_t amount) {
  pgopt_statistics_count(pass->definition, statistic, amount);
}

MlirLogicalResult pgopt_pass_run_pipeline(pgopt_pass *pass, const char *text,
                                          MlirOperation op) {
  FailureOr<OpPassManager> pipeline = parsePassPipeline(text);
  if (failed(pipeline)) {
    emitError(unwrap(op)->getLoc())
        << "cannot parse the pipeline '" << text << "'";
    return wrap(failure());
  }
  return wrap(pass->runNested(*pipeline, unwrap(op)));
}

void pgopt_register_pass(const pgopt_pass_definition *definition) {
  registerPass([definition]() -> std::unique_ptr<Pass> {
    return std::make_unique<pgopt_pass>(definition);
  });
}

MlirPass pgopt_create_pass(const pgopt_pass_definition *definition,
                           const char *options) {
  auto pass = std::make_unique<pgopt_pass>(definition);
  auto report = [](const llvm::Twine &) { return failure(); };
  if (failed(pass->initializeOptions(options, report)))
    return {nullptr};
  return wrap(static_cast<Pass *>(pass.release()));
}
