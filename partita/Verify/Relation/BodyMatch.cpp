//===- BodyMatch.cpp - matches bodies of manual computations --------------===//

#include "partita/Verify/Relation/BodyMatch.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Verify/Relation/Numbering.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace partita::verify {

/// Sharding annotations, which the copy of a body does not have.
static bool isMark(Operation *op) { return isSumCarrier(op) && !isa<stablehlo::OptimizationBarrierOp>(op); }

static bool isSharding(StringRef name) { return name == "sdy.sharding" || name == "mhlo.sharding"; }

/// The groups with the mesh itself, without axes of one device, in place of its name.
static Attribute resolveMesh(Operation *op, stablehlo::ReplicaGroupMeshAxesAttr groups) {
  auto name = dyn_cast<FlatSymbolRefAttr>(groups.getMesh());
  auto mesh = name ? SymbolTable::lookupNearestSymbolFrom<sdy::MeshOp>(op, name) : sdy::MeshOp();
  if (!mesh)
    return groups;
  SmallVector<sdy::MeshAxisAttr> axes;
  llvm::copy_if(mesh.getMesh().getAxes(), std::back_inserter(axes),
                [](sdy::MeshAxisAttr axis) { return axis.getSize() > 1; });
  auto resolved = sdy::MeshAttr::get(op->getContext(), axes, mesh.getMesh().getDeviceIds());
  return ArrayAttr::get(op->getContext(), {resolved, groups.getAxes()});
}

/// The attributes of an op without its sharding; of a channel, only its type.
static SmallVector<NamedAttribute> collectAttributes(Operation *op) {
  SmallVector<NamedAttribute> attributes;
  for (NamedAttribute attribute : op->getAttrDictionary()) {
    if (isSharding(attribute.getName().strref()))
      continue;
    if (auto channel = dyn_cast<stablehlo::ChannelHandleAttr>(attribute.getValue()))
      attribute.setValue(
          stablehlo::ChannelHandleAttr::get(op->getContext(), channel.getHandle() > 0, channel.getType()));
    if (auto groups = dyn_cast<stablehlo::ReplicaGroupMeshAxesAttr>(attribute.getValue()))
      attribute.setValue(resolveMesh(op, groups));
    attributes.push_back(attribute);
  }
  return attributes;
}

namespace {

/// Maps values of the body to values of the copy.
class Comparison {
public:
  using IsOperand = llvm::function_ref<bool(BlockArgument, Value)>;

  explicit Comparison(IsOperand isOperand) : isOperand(isOperand) {}

  bool isSame(Value original, Value copy) {
    original = resolve(original);
    if (Value known = values.lookup(original))
      return known == copy;
    auto argument = dyn_cast<BlockArgument>(original);
    if (!argument || original.getType() != copy.getType() || !isOperand(argument, copy))
      return false;
    values[original] = copy;
    return true;
  }

  bool compare(Operation *original, Operation *copy) {
    if (original->getName() != copy->getName() || original->getNumOperands() != copy->getNumOperands() ||
        original->getNumRegions() != copy->getNumRegions() || original->getResultTypes() != copy->getResultTypes() ||
        collectAttributes(original) != collectAttributes(copy))
      return false;
    for (auto [mine, other] : llvm::zip_equal(original->getOperands(), copy->getOperands()))
      if (!isSame(mine, other))
        return false;
    for (auto [mine, other] : llvm::zip_equal(original->getRegions(), copy->getRegions()))
      if (!compare(mine, other))
        return false;
    for (auto [mine, other] : llvm::zip_equal(original->getResults(), copy->getResults()))
      values[mine] = other;
    return true;
  }

  /// Skips a sharding annotation, which the copy does not have.
  void pass(Operation *mark) {
    for (auto [operand, result] : llvm::zip_equal(mark->getOperands(), mark->getResults()))
      passed[result] = resolve(operand);
  }

  Value get(Value original) const { return values.lookup(resolve(original)); }

private:
  Value resolve(Value original) const {
    Value from = passed.lookup(original);
    return from ? from : original;
  }

  bool compare(mlir::Region &original, mlir::Region &copy) {
    if (original.getBlocks().size() != copy.getBlocks().size())
      return false;
    return llvm::all_of_zip(original, copy, [&](Block &mine, Block &other) { return compare(mine, other); });
  }

  bool compare(Block &original, Block &copy) {
    if (original.getArgumentTypes() != copy.getArgumentTypes() ||
        original.getOperations().size() != copy.getOperations().size())
      return false;
    for (auto [mine, other] : llvm::zip_equal(original.getArguments(), copy.getArguments()))
      values[mine] = other;
    return llvm::all_of_zip(original, copy, [&](Operation &mine, Operation &other) { return compare(&mine, &other); });
  }

  IsOperand isOperand;
  llvm::DenseMap<Value, Value> values;
  /// Values that annotations pass on.
  llvm::DenseMap<Value, Value> passed;
};

} // namespace

bool isSameCollective(Operation *a, Operation *b) {
  if (a->getName() != b->getName() || a->getNumRegions() != b->getNumRegions() ||
      collectAttributes(a) != collectAttributes(b))
    return false;
  auto flags = OperationEquivalence::IgnoreLocations | OperationEquivalence::IgnoreDiscardableAttrs;
  return llvm::all_of_zip(a->getRegions(), b->getRegions(), [&](mlir::Region &left, mlir::Region &right) {
    return OperationEquivalence::isRegionEquivalentTo(&left, &right, flags);
  });
}

/// What a body returns, looking through annotations.
static Value findReturned(sdy::ManualComputationOp manual, unsigned index) {
  Value value = manual.getBody().front().getTerminator()->getOperand(index);
  while (Operation *op = value.getDefiningOp()) {
    if (!isMark(op))
      break;
    value = op->getOperand(cast<OpResult>(value).getResultNumber());
  }
  return value;
}

std::optional<unsigned> findPassedOperand(sdy::ManualComputationOp manual, unsigned index) {
  auto argument = dyn_cast<BlockArgument>(findReturned(manual, index));
  if (!argument || argument.getOwner() != &manual.getBody().front())
    return std::nullopt;
  unsigned operand = argument.getArgNumber();
  sdy::TensorShardingAttr in = manual.getInShardings().getSharding(operand);
  sdy::TensorShardingAttr out = manual.getOutShardings().getSharding(index);
  bool isAlike = llvm::all_of_zip(in.getDimShardings(), out.getDimShardings(),
                                  [](auto a, auto b) { return a.getAxes() == b.getAxes(); });
  return isAlike ? std::optional(operand) : std::nullopt;
}

Status checkManual(sdy::ManualComputationOp manual) {
  llvm::SmallDenseSet<Value> returned;
  for (unsigned index = 0; index < manual->getNumResults(); ++index) {
    if (findPassedOperand(manual, index))
      continue;
    Value value = findReturned(manual, index);
    if (isa<BlockArgument>(value) || !returned.insert(value).second)
      return Error::unsupported(locationOf(manual.getOperation()),
                                "the check does not know manual computations that give one piece as two values");
  }
  return std::nullopt;
}

std::optional<BodyMatch> matchBody(sdy::ManualComputationOp manual, Block::iterator begin,
                                   llvm::function_ref<bool(unsigned, Value)> isOperand) {
  Block &body = manual.getBody().front();
  auto isTaken = [&](BlockArgument argument, Value value) {
    return argument.getOwner() == &body && isOperand(argument.getArgNumber(), value);
  };
  Comparison comparison(isTaken);
  Block::iterator next = begin;
  Block::iterator last = begin->getBlock()->end();
  for (Operation &op : body.without_terminator()) {
    if (isMark(&op)) {
      comparison.pass(&op);
      continue;
    }
    if (next == last || !comparison.compare(&op, &*next))
      return std::nullopt;
    ++next;
  }
  BodyMatch match{next, {}};
  for (unsigned index = 0; index < manual->getNumResults(); ++index)
    match.results.push_back(comparison.get(findReturned(manual, index)));
  return match;
}

PendingManuals::PendingManuals(Block &original, Block &local) {
  for (auto manual : original.getOps<sdy::ManualComputationOp>()) {
    auto ops = manual.getBody().front().without_terminator();
    auto first = llvm::find_if(ops, [](Operation &op) { return !isMark(&op); });
    if (first != ops.end())
      list.push_back({manual, &*first});
  }
  if (!list.empty())
    for (Operation &op : local)
      localLocations.insert(op.getLoc());
}

sdy::ManualComputationOp PendingManuals::find(Operation *op) const {
  if (next == list.size() || op->getName() != list[next].second->getName())
    return {};
  Location location = list[next].second->getLoc();
  return !localLocations.contains(location) || op->getLoc() == location ? list[next].first : sdy::ManualComputationOp();
}

} // namespace partita::verify
