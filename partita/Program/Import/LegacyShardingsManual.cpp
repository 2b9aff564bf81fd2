//===- LegacyShardingsManual.cpp - manual computations from @SPMD... pairs ===//
//
// Between @SPMDFullToShardShape and @SPMDShardToFullShape a program is written
// for one device. Only its values show where that part begins and ends: every
// op that uses the result of an entry belongs to it, up to the exits. Ops that
// share such values form one manual computation. Constants and the like are
// copied into it. If other values enter, or manual values leave without an
// exit, the part is not well delimited and is refused.
//
//   %1 = @Sharding(%0) {devices=[2,1]<=[2]}            in_sharding
//   %2 = @SPMDFullToShardShape(%1) {manual}            entry
//   %3 = ... %2 ...                                    body
//   %4 = @SPMDShardToFullShape(%3) {devices=[2,1]...}  exit, out_sharding
//
//===----------------------------------------------------------------------===//

#include "partita/Program/Import/LegacyShardings.h"

#include "partita/Dialect/Diagnostics.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace partita::program::import {

static bool isEntry(Operation *op) { return isCustomCall(op, "SPMDFullToShardShape"); }
static bool isExit(Operation *op) { return isCustomCall(op, "SPMDShardToFullShape"); }

/// Whether `op` is a @Sharding of one value.
static bool isConstraint(Operation *op) {
  return isCustomCall(op, "Sharding") && op->getNumOperands() == 1 && op->getOperandTypes() == op->getResultTypes();
}

static Error notDelimited(Operation *op, const std::string &reason) {
  return Error::unsupported(locationOf(op), "manual code is not well delimited: " + reason)
      .withRemedy("lower the program with JAX's Shardy partitioner (jax_use_shardy_partitioner), which says where "
                  "manual code begins and ends");
}

/// What `op` uses from outside of itself.
static SmallVector<Value> findUsedValues(Operation *op) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  SmallVector<Value> used(op->getOperands());
  llvm::append_range(used, captured);
  return used;
}

namespace {

/// Ops of one block, entries and exits among them, in the order of the block.
using ManualPart = SmallVector<Operation *>;

class ManualRegions {
public:
  ManualRegions(Block &block, HloShardings &shardings) : block(block), shardings(shardings) {}

  Status convert();

private:
  Status findParts();
  Status addToPart(Operation *op);
  bool isManual(Value value);
  bool isCopyable(Value value, unsigned depth = 16);
  Status convert(const ManualPart &part);
  Status verifyOrder(const ManualPart &part);
  Result<SmallVector<StringAttr>> computeManualAxes(const ManualPart &part);
  Result<sdy::TensorShardingAttr> buildSharding(Operation *op, Operation *stated, Type global,
                                                ArrayRef<StringAttr> manualAxes);
  void moveIntoBody(const ManualPart &part, sdy::ManualComputationOp manual);

  Block &block;
  HloShardings &shardings;
  llvm::EquivalenceClasses<Operation *> classes;
  llvm::SetVector<Operation *> manualOps;
};

} // namespace

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

bool ManualRegions::isManual(Value value) {
  Operation *op = value.getDefiningOp();
  return op && manualOps.contains(op) && !isExit(op);
}

/// Whether `value` does not depend on the program's data, so that a copy of it means the same on each device.
bool ManualRegions::isCopyable(Value value, unsigned depth) {
  Operation *op = value.getDefiningOp();
  bool isFree = op && op->getNumRegions() == 0 && (isa<func::CallOp>(op) ? op->getNumOperands() == 0 : isPure(op));
  return isFree && depth > 0 &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isCopyable(operand, depth - 1); });
}

Status ManualRegions::addToPart(Operation *op) {
  SmallVector<Value> used = findUsedValues(op);
  bool usesManual = llvm::any_of(used, [&](Value value) { return isManual(value); });
  if ((isEntry(op) || isExit(op)) && (op->getNumOperands() != 1 || op->getNumResults() != 1))
    return notDelimited(op, "an entry or exit of several values");
  if (isEntry(op)) {
    if (usesManual)
      return notDelimited(op, "an entry stands inside of manual code");
    manualOps.insert(op);
    classes.insert(op);
    return std::nullopt;
  }
  if (!usesManual && !isExit(op))
    return std::nullopt;
  if (op->hasTrait<OpTrait::IsTerminator>())
    return notDelimited(op, "a value of it leaves without @SPMDShardToFullShape");
  manualOps.insert(op);
  classes.insert(op);
  for (Value value : used) {
    if (isManual(value))
      classes.unionSets(op, value.getDefiningOp());
    else if (!isCopyable(value))
      return notDelimited(op, "'" + op->getName().getStringRef().str() +
                                  "' uses a value that entered without "
                                  "@SPMDFullToShardShape");
  }
  return std::nullopt;
}

Status ManualRegions::findParts() {
  for (Operation &op : block)
    if (Status error = addToPart(&op))
      return error;
  return std::nullopt;
}

/// Checks that the part can move to its last op.
Status ManualRegions::verifyOrder(const ManualPart &part) {
  for (Operation *op : part) {
    if (!isExit(op))
      continue;
    for (Operation *user : op->getUsers()) {
      Operation *ancestor = block.findAncestorOpInBlock(*user);
      if (ancestor && ancestor->isBeforeInBlock(part.back()))
        return notDelimited(op, "its result is used before all of it has run");
    }
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

/// The sharding that entries of a part state for the values inside, which must be one and the same.
Result<SmallVector<StringAttr>> ManualRegions::computeManualAxes(const ManualPart &part) {
  std::optional<SmallVector<StringAttr>> axes;
  for (Operation *op : part) {
    // An exit states the sharding outside. The one inside, if any, is on the op before it.
    Operation *stated = isExit(op) ? op->getOperand(0).getDefiningOp() : isEntry(op) ? op : nullptr;
    if (!stated || !(isEntry(stated) || isCustomCall(stated, "Sharding")) || !getHloSharding(stated))
      continue;
    SmallVector<StringAttr> found = shardings.computeManualAxes(shardings.get(getHloSharding(stated)).front());
    if (axes && *axes != found)
      return notDelimited(op, "parts of it are manual along different axes");
    axes = std::move(found);
  }
  return axes ? *axes : shardings.computeManualAxes(HloSharding{HloSharding::Manual, 0, {}, {}, {}});
}

/// The sharding that `stated` gives. Manual axes that split no dim become replicated axes.
Result<sdy::TensorShardingAttr> ManualRegions::buildSharding(Operation *op, Operation *stated, Type global,
                                                             ArrayRef<StringAttr> manualAxes) {
  auto type = dyn_cast<RankedTensorType>(global);
  StringAttr text = stated ? getHloSharding(stated) : StringAttr();
  if (!type || !text)
    return notDelimited(op, "how the value is cut is not stated");
  ArrayRef<HloSharding> list = shardings.get(text);
  auto call = cast<stablehlo::CustomCallOp>(stated);
  Result<sdy::TensorShardingAttr> sharding = shardings.build(op, list.front(), type.getRank(), readOpenDims(call));
  if (!sharding)
    return sharding.error();
  if (!*sharding || (*sharding).getRank() != type.getRank())
    return notDelimited(op, "how the value is cut is not stated");
  llvm::DenseSet<StringRef> used;
  for (sdy::DimensionShardingAttr dim : (*sharding).getDimShardings())
    for (sdy::AxisRefAttr axis : dim.getAxes())
      used.insert(axis.getName());
  SmallVector<sdy::AxisRefAttr> replicated;
  for (StringAttr axis : manualAxes)
    if (!used.contains(axis.getValue()))
      replicated.push_back(sdy::AxisRefAttr::get(op->getContext(), axis.getValue()));
  return sdy::TensorShardingAttr::get(op->getContext(), (*sharding).getMeshOrRef(), (*sharding).getDimShardings(),
                                      replicated, (*sharding).getUnreducedAxes());
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

/// Copies `value` and the ops that compute it to `builder`'s insertion point.
static Value copyInto(OpBuilder &builder, Value value, IRMapping &copies) {
  if (Value copy = copies.lookupOrNull(value))
    return copy;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    copyInto(builder, operand, copies);
  builder.clone(*op, copies);
  return copies.lookup(value);
}

void ManualRegions::moveIntoBody(const ManualPart &part, sdy::ManualComputationOp manual) {
  Block &body = manual.getBody().front();
  OpBuilder builder = OpBuilder::atBlockEnd(&body);
  IRMapping copies;
  SmallVector<Value> returned;
  for (Operation *op : part) {
    if (isEntry(op))
      continue;
    for (Value value : findUsedValues(op))
      if (!isManual(value) && !isa<BlockArgument>(value)) {
        Value copy = copyInto(builder, value, copies);
        value.replaceUsesWithIf(copy, [&](OpOperand &use) { return op->isAncestor(use.getOwner()); });
      }
    if (isExit(op))
      returned.push_back(op->getOperand(0));
    else
      op->moveBefore(&body, body.end());
  }
  sdy::ReturnOp::create(builder, manual.getLoc(), returned);
}

Status ManualRegions::convert(const ManualPart &part) {
  if (Status error = verifyOrder(part))
    return error;
  Result<SmallVector<StringAttr>> manualAxes = computeManualAxes(part);
  if (!manualAxes)
    return manualAxes.error();
  SmallVector<Operation *> entries, exits;
  SmallVector<Value> inputs;
  SmallVector<sdy::TensorShardingAttr> inShardings, outShardings;
  for (Operation *op : part) {
    if (!isEntry(op) && !isExit(op))
      continue;
    Operation *stated = isEntry(op) ? op->getOperand(0).getDefiningOp() : op;
    bool isStated = isExit(op) || isConstraint(stated);
    Type global = isEntry(op) ? op->getOperand(0).getType() : op->getResult(0).getType();
    auto sharding = buildSharding(op, isStated ? stated : nullptr, global, *manualAxes);
    if (!sharding)
      return sharding.error();
    (isEntry(op) ? inShardings : outShardings).push_back(*sharding);
    (isEntry(op) ? entries : exits).push_back(op);
    if (isEntry(op))
      inputs.push_back(stated->getOperand(0));
  }
  MLIRContext *context = block.getParentOp()->getContext();
  OpBuilder builder(part.back());
  auto resultTypes = llvm::map_to_vector(exits, [](Operation *op) { return op->getResult(0).getType(); });
  auto manual = sdy::ManualComputationOp::create(
      builder, part.back()->getLoc(), resultTypes, inputs, sdy::TensorShardingPerValueAttr::get(context, inShardings),
      sdy::TensorShardingPerValueAttr::get(context, outShardings), sdy::ManualAxesAttr::get(context, *manualAxes));
  Block &body = manual.getBody().emplaceBlock();
  moveIntoBody(part, manual);
  for (Operation *entry : entries) {
    BlockArgument argument = body.addArgument(entry->getResult(0).getType(), entry->getLoc());
    entry->getResult(0).replaceAllUsesWith(argument);
    // The manual computation now carries the sharding of the constraint before it.
    Operation *constraint = entry->getOperand(0).getDefiningOp();
    entry->erase();
    if (constraint->use_empty())
      constraint->erase();
  }
  for (auto [exit, result] : llvm::zip(exits, manual.getResults())) {
    exit->getResult(0).replaceAllUsesWith(result);
    exit->erase();
  }
  return std::nullopt;
}

Status ManualRegions::convert() {
  if (Status error = findParts())
    return error;
  llvm::MapVector<Operation *, ManualPart> parts;
  for (Operation *op : manualOps)
    parts[classes.getLeaderValue(op)].push_back(op);
  for (auto &[leader, part] : parts)
    if (Status error = convert(part))
      return error;
  return std::nullopt;
}

Status convertManualRegions(ModuleOp module, HloShardings &shardings) {
  llvm::SetVector<Block *> blocks;
  module.walk([&](stablehlo::CustomCallOp op) {
    if (isEntry(op) || isExit(op))
      blocks.insert(op->getBlock());
  });
  for (Block *block : blocks) {
    if (shardings.empty())
      return notDelimited(block->getParentOp(), "no op states a sharding");
    if (!llvm::hasSingleElement(*block->getParent()))
      return notDelimited(block->getParentOp(), "it stands in a function of several blocks");
    if (Status error = ManualRegions(*block, shardings).convert())
      return error;
  }
  return std::nullopt;
}

} // namespace partita::program::import
