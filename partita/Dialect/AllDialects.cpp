//===- AllDialects.cpp - every dialect that a program may contain ---------===//

#include "partita/Dialect/AllDialects.h"

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Dialect/Part/Part.h"
#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"

namespace partita {

void registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::func::FuncDialect, mlir::quant::QuantDialect, stablehlo::StableHloDialect, chlo::ChloDialect,
                  sdy::SdyDialect, part::PartDialect>();
}

std::unique_ptr<mlir::MLIRContext> makeContext() {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  auto context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

} // namespace partita
