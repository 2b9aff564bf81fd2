//===- InlineKernels.cpp - puts the bodies of kernels in their place ------===//

#include "partita/Program/InlineKernels.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Dialect/StableHlo/StableHlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace partita::program {

/// Kernels in kernels, at most so deep: one that contains itself would never end.
static constexpr int mostLevels = 8;

static Status inlineKernel(stablehlo::CompositeOp op) {
  auto function = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, op.getDecompositionAttr());
  if (!function || !llvm::hasSingleElement(function.getBody()) ||
      function.getArgumentTypes() != op->getOperandTypes() || function.getResultTypes() != op->getResultTypes())
    return Error::unsupported(locationOf(op), "the decomposition @" + op.getDecomposition().str() +
                                                  " of the kernel has no body of its types");
  Block &body = function.getBody().front();
  OpBuilder builder(op);
  IRMapping mapping;
  mapping.map(body.getArguments(), op->getOperands());
  for (Operation &inner : body.without_terminator())
    builder.clone(inner, mapping)->walk([&](Operation *made) {
      made->setLoc(CallSiteLoc::get(made->getLoc(), op.getLoc()));
    });
  for (auto [result, value] : llvm::zip_equal(op->getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(value));
  op->erase();
  return std::nullopt;
}

Status inlineKernels(Operation *root) {
  for (int level = 0; level <= mostLevels; ++level) {
    SmallVector<stablehlo::CompositeOp> kernels;
    root->walk([&](stablehlo::CompositeOp op) { kernels.push_back(op); });
    if (kernels.empty())
      return std::nullopt;
    if (level == mostLevels)
      return Error::unsupported(locationOf(kernels.front()),
                                "kernels contain each other in more than " + std::to_string(mostLevels) + " levels");
    for (stablehlo::CompositeOp op : kernels)
      if (Status wrong = inlineKernel(op))
        return wrong;
  }
  return std::nullopt;
}

} // namespace partita::program
