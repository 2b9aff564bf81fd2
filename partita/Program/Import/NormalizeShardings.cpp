//===- NormalizeShardings.cpp - drops shardings that mean nothing ---------===//
//
// Named computations are inlined. Shardings over a mesh of one device, or of no
// axes, mean nothing (JAX writes them for programs that nobody sharded) and are
// dropped, and so are constraints by them. Shardy's own reshards, of a program that
// it has partitioned in part, are requests to reshard: their types are global.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Diagnostics.h"
#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Program/Import/Steps.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace partita::program::import {

namespace {

/// Decides which shardings have a meaning.
class Meaning {
public:
  Meaning(ModuleOp module, bool ignoreAll) : symbols(module), ignoreAll(ignoreAll) {}

  bool isMeaningless(sdy::TensorShardingAttr sharding) {
    if (ignoreAll)
      return true;
    Attribute mesh = sharding.getMeshOrRef();
    if (auto symbol = dyn_cast<FlatSymbolRefAttr>(mesh)) {
      auto op = symbols.lookup<sdy::MeshOp>(symbol.getValue());
      return op && isOneDevice(op.getMesh());
    }
    return isOneDevice(cast<sdy::MeshAttr>(mesh));
  }

private:
  static bool isOneDevice(sdy::MeshAttr mesh) {
    return llvm::all_of(mesh.getAxes(), [](sdy::MeshAxisAttr axis) { return axis.getSize() == 1; });
  }

  SymbolTable symbols;
  bool ignoreAll;
};

} // namespace

static void dropFunctionShardings(func::FuncOp main, Meaning &meaning) {
  auto isDropped = [&](Attribute attribute) {
    auto sharding = dyn_cast_or_null<sdy::TensorShardingAttr>(attribute);
    return sharding && meaning.isMeaningless(sharding);
  };
  for (unsigned index = 0; index < main.getNumArguments(); ++index)
    if (isDropped(main.getArgAttr(index, "sdy.sharding")))
      main.removeArgAttr(index, "sdy.sharding");
  for (unsigned index = 0; index < main.getNumResults(); ++index)
    if (isDropped(main.getResultAttr(index, "sdy.sharding")))
      main.removeResultAttr(index, StringAttr::get(main.getContext(), "sdy.sharding"));
}

/// Replaces a region op by its body. The op's operands match the block's arguments.
static void inlineRegionOp(Operation *op) {
  Block &body = op->getRegion(0).front();
  for (auto [argument, operand] : llvm::zip(body.getArguments(), op->getOperands()))
    argument.replaceAllUsesWith(operand);
  Operation *terminator = body.getTerminator();
  op->replaceAllUsesWith(terminator->getOperands());
  op->getBlock()->getOperations().splice(op->getIterator(), body.getOperations(), body.begin(),
                                         terminator->getIterator());
  op->erase();
}

static void dropOpShardings(func::FuncOp main, Meaning &meaning) {
  main.walk([&](Operation *op) {
    if (isa<sdy::ShardingConstraintOp, sdy::ReshardOp>(op)) {
      if (meaning.isMeaningless(sdy::getSharding(op->getResult(0)))) {
        op->getResult(0).replaceAllUsesWith(op->getOperand(0));
        op->erase();
      }
      return;
    }
    auto perValue = op->getAttrOfType<sdy::TensorShardingPerValueAttr>("sdy.sharding");
    if (perValue && llvm::all_of(perValue.getShardings(), [&](auto s) { return meaning.isMeaningless(s); }))
      op->removeAttr("sdy.sharding");
  });
}

/// The sharding that an op of Shardy's moves a value to, outside of manual computations; null for other ops.
static sdy::TensorShardingAttr findMovedTo(Operation *op) {
  bool moves = isa<sdy::AllGatherOp, sdy::AllSliceOp, sdy::AllToAllOp, sdy::CollectivePermuteOp>(op);
  if (!moves || op->getParentOfType<sdy::ManualComputationOp>())
    return {};
  return op->getAttrOfType<sdy::TensorShardingAttr>("out_sharding");
}

static void turnIntoReshards(func::FuncOp main) {
  main.walk([](Operation *op) {
    sdy::TensorShardingAttr sharding = findMovedTo(op);
    if (!sharding)
      return;
    OpBuilder builder(op);
    Type type = op->getResult(0).getType();
    op->replaceAllUsesWith(sdy::ReshardOp::create(builder, op->getLoc(), type, op->getOperand(0), sharding));
    op->erase();
  });
}

/// A manual computation over no axis of more than one device is just its body.
static bool isTrivial(sdy::ManualComputationOp op, Meaning &meaning) {
  auto areMeaningless = [&](sdy::TensorShardingPerValueAttr shardings) {
    return llvm::all_of(shardings.getShardings(), [&](auto s) { return meaning.isMeaningless(s); });
  };
  bool sameTypes = llvm::equal(op->getOperandTypes(), op.getBody().front().getArgumentTypes());
  return sameTypes && areMeaningless(op.getInShardings()) && areMeaningless(op.getOutShardings());
}

Status normalizeShardings(ModuleOp module, bool ignoreAll) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  turnIntoReshards(main);
  SmallVector<sdy::NamedComputationOp> named;
  main.walk([&](sdy::NamedComputationOp op) { named.push_back(op); });
  for (sdy::NamedComputationOp op : named)
    inlineRegionOp(op);
  // Manual computations are code, not advice, so those over several devices always stay.
  Meaning oneDevice(module, /*ignoreAll=*/false);
  SmallVector<sdy::ManualComputationOp> manual;
  main.walk([&](sdy::ManualComputationOp op) {
    if (isTrivial(op, oneDevice))
      manual.push_back(op);
  });
  for (sdy::ManualComputationOp op : manual)
    inlineRegionOp(op);
  Meaning meaning(module, ignoreAll);
  dropFunctionShardings(main, meaning);
  dropOpShardings(main, meaning);
  return std::nullopt;
}

} // namespace partita::program::import
