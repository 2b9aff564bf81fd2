//===- VerifyKinds.cpp - verifies each kind of op once --------------------===//

#include "partita/Program/VerifyKinds.h"

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/AlikeOps.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace partita::program {

/// Ops whose bodies are programs of their own. The walk enters them op by op.
static bool isContainer(Operation *op) {
  return isa<ModuleOp, func::FuncOp, sdy::ManualComputationOp, stablehlo::WhileOp, stablehlo::CaseOp, stablehlo::IfOp>(
      op);
}

/// Whether the verdict on one op holds for its kind. It does not for shardings, which depend on the ops around them,
/// nor for sizes given by constant operands.
static bool isJudgedByKind(Operation *op) {
  using namespace stablehlo;
  if (!isa<StableHloDialect, chlo::ChloDialect>(op->getDialect()) || op->hasTrait<OpTrait::IsTerminator>() ||
      !hasSmallBodies(op))
    return false;
  // For an op without properties these are all its attributes, so some ops are verified needlessly.
  return op->getRawDictionaryAttrs().empty() &&
         !isa<DynamicBroadcastInDimOp, DynamicConvOp, DynamicGatherOp, DynamicIotaOp, DynamicPadOp, DynamicReshapeOp,
              RealDynamicSliceOp, RngOp, SetDimensionSizeOp, CompositeOp, CustomCallOp>(op);
}

namespace {

class KindVerifier {
public:
  LogicalResult verifyOp(Operation *op);

private:
  LogicalResult verifyContainer(Operation *op);
  LogicalResult verifyBlock(Block &block);
  LogicalResult verifyDominance(Operation *op);

  KindSet kinds;
  DominanceInfo dominance;
};

} // namespace

LogicalResult KindVerifier::verifyDominance(Operation *op) {
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    if (!dominance.properlyDominates(operand, op))
      return op->emitError("operand #") << index << " does not dominate this use";
  return success();
}

LogicalResult KindVerifier::verifyBlock(Block &block) {
  for (Operation &op : block)
    if (failed(verifyOp(&op)) || failed(verifyDominance(&op)))
      return failure();
  return success();
}

LogicalResult KindVerifier::verifyContainer(Operation *op) {
  for (NamedAttribute attribute : op->getDiscardableAttrs())
    if (Dialect *dialect = attribute.getNameDialect())
      if (failed(dialect->verifyOperationAttribute(op, attribute)))
        return failure();
  if (failed(op->getName().verifyInvariants(op)))
    return failure();
  for (mlir::Region &region : op->getRegions())
    for (Block &block : region) {
      if (!isa<ModuleOp>(op) && (block.empty() || !block.back().hasTrait<OpTrait::IsTerminator>()))
        return op->emitError("block with no terminator");
      if (failed(verifyBlock(block)))
        return failure();
    }
  return op->getName().verifyRegionInvariants(op);
}

LogicalResult KindVerifier::verifyOp(Operation *op) {
  if (isContainer(op))
    return verifyContainer(op);
  if (isJudgedByKind(op) && !kinds.insert(op))
    return success();
  return verify(op);
}

LogicalResult verifyKinds(ModuleOp module) { return KindVerifier().verifyOp(module); }

} // namespace partita::program
