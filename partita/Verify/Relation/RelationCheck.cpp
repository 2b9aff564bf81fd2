//===- RelationCheck.cpp - checks a local program without running it ------===//

#include "partita/Verify/Relation/RelationCheck.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Evaluate/Evaluator.h"
#include "partita/Verify/Relation/LoopRotation.h"
#include "partita/Verify/Relation/RelationChecker.h"

#include "mlir/IR/OwningOpRef.h"

using namespace mlir;

namespace partita::verify {

/// Results must have the layouts of the shardings, which are never partial.
static Status checkResult(LocalBody &body, Operation *end, unsigned index, const PieceLayout &layout) {
  Result<PieceLayout> expected = body.makeLayout(body.manual.getOutShardings().getShardings()[index]);
  if (!expected)
    return expected.error();
  if (layout.isZero || unifyLayouts(layout, *expected))
    return std::nullopt;
  return Error::badInput(locationOf(end), "result " + std::to_string(index) + " is " + printLayout(layout) +
                                              ", its sharding says " + printLayout(*expected));
}

static bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

/// Gives the arguments of the local block their relations.
static Status setArguments(RelationChecker &checker, LocalBody &body, Block &original, Block &local) {
  for (auto [index, argument] : llvm::enumerate(local.getArguments())) {
    PieceLayout layout(isTensor(argument) ? cast<RankedTensorType>(argument.getType()).getRank() : 0);
    if (body.manual && isTensor(argument)) {
      Result<PieceLayout> stated = body.makeLayout(body.manual.getInShardings().getShardings()[index]);
      if (!stated)
        return stated.error();
      layout = std::move(*stated);
    }
    checker.setArgument(argument, original.getArgument(index), std::move(layout));
  }
  return std::nullopt;
}

static Status checkResults(RelationChecker &checker, LocalBody &body, Block &original, Block &local) {
  Operation *end = local.getTerminator();
  for (auto [index, value] : llvm::enumerate(original.getTerminator()->getOperands())) {
    Result<PieceLayout> layout = checker.expect(end->getOperand(index), value, end);
    if (!layout)
      return layout.error();
    if (body.manual && isTensor(value))
      if (Status error = checkResult(body, end, index, *layout))
        return error;
  }
  return std::nullopt;
}

/// Manual computations of the original must use the mesh of the local program.
static Status checkOwnManuals(func::FuncOp main, LocalBody &body) {
  Status error;
  main.walk([&](sdy::ManualComputationOp manual) {
    if (!body.manual || findMesh(manual) != findMesh(body.manual))
      error = Error::unsupported(locationOf(manual), "the check does not know manual computations over another mesh");
    else
      error = checkManual(manual);
    return error ? WalkResult::interrupt() : WalkResult::advance();
  });
  return error;
}

Status checkRelation(ModuleOp original, ModuleOp local, const UserRules &userRules, RelationCounts *counts) {
  // A copy, if loops of it are changed first.
  OwningOpRef<ModuleOp> changed;
  Result<func::FuncOp> main = findMain(original), localMain = findMain(local);
  if (!main)
    return main.error();
  if (!localMain)
    return localMain.error();
  if (main->getFunctionType() != localMain->getFunctionType())
    return Error::badInput(locationOf(*localMain), "the local program has another signature than the original");
  Result<LocalBody> body = findLocalBody(*localMain);
  if (!body)
    return body.error();
  if (Status error = checkOwnManuals(*main, *body))
    return error;
  Block &block = main->getBody().front();
  if (hasRotated(block, body->getBlock(*localMain))) {
    changed = local.clone();
    localMain = findMain(*changed);
    body = findLocalBody(*localMain);
    unrotate(block, body->getBlock(*localMain));
  }
  Block &localBlock = body->getBlock(*localMain);
  DeviceDependence dependence = findDeviceDependence(*main);
  for (Operation *op : dependence.collectives)
    if (isa<stablehlo::PartitionIdOp>(op))
      return Error::unsupported(locationOf(op), "the check does not know programs that ask which device they run on");
  RelationChecker checker(block, dependence, *body, userRules);
  if (Status error = setArguments(checker, *body, block, localBlock))
    return error;
  if (Status error = checker.checkBlock(block, localBlock))
    return error;
  if (counts)
    *counts = checker.count(localBlock);
  return checkResults(checker, *body, block, localBlock);
}

} // namespace partita::verify
