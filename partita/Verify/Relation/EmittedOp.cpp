//===- EmittedOp.cpp - compares emitted ops with local ops ----------------===//

#include "partita/Verify/Relation/EmittedOp.h"

#include "partita/Program/Rules/RuleTable.h"
#include "partita/Verify/Relation/LocalBody.h"

#include "mlir/IR/OperationSupport.h"

using namespace mlir;

namespace partita::verify {

static ArrayRef<int64_t> getShape(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getShape() : ArrayRef<int64_t>();
}

/// In the order in which lowering splits.
SmallVector<Split> EmittedOp::makeSplits() const {
  SmallVector<Split> result;
  for (size_t number = 0; number < rule.factors.size(); ++number) {
    auto factor = static_cast<uint8_t>(number);
    if (splits.getParts(factor) > 1)
      result.push_back({factor, splits.getParts(factor), Value()});
  }
  return result;
}

bool EmittedOp::emit() {
  SmallVector<Split> placed = makeSplits();
  if (!isValidSplit(rule, placed))
    return false;
  Location loc = original->getLoc();
  for (auto [operand, factors] : llvm::zip_equal(original->getOperands(), rule.operands)) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    Type local = type ? type.clone(computeLocalShape(type.getShape(), factors, placed)) : operand.getType();
    block.addArgument(local, loc);
  }
  OpBuilder builder(original->getContext());
  for (Split &split : placed) {
    split.index = block.addArgument(RankedTensorType::get({}, builder.getI64Type()), loc);
    splitFactors.push_back(split.factor);
  }
  builder.setInsertionPointToEnd(&block);
  operandLayouts.assign(original->getNumOperands(), std::nullopt);
  ValueRange operands = ValueRange(block.getArguments()).take_front(original->getNumOperands());
  pieces = emitLocal(builder, original, rule, operands, placed);
  return pieces.size() == original->getNumResults();
}

static bool haveSameRegions(Operation *a, Operation *b) {
  auto flags = OperationEquivalence::IgnoreLocations | OperationEquivalence::IgnoreDiscardableAttrs;
  return llvm::all_of_zip(a->getRegions(), b->getRegions(), [&](mlir::Region &own, mlir::Region &other) {
    return OperationEquivalence::isRegionEquivalentTo(&own, &other, flags);
  });
}

static bool haveSameKind(Operation *a, Operation *b) {
  return a->getName() == b->getName() && a->getNumOperands() == b->getNumOperands() &&
         a->getNumResults() == b->getNumResults() &&
         a->getName().compareOpProperties(a->getPropertiesStorage(), b->getPropertiesStorage());
}

bool EmittedOp::isResult(unsigned index, Value local, ArrayRef<Split> placed) const {
  auto type = dyn_cast<RankedTensorType>(original->getResult(index).getType());
  if (!type)
    return original->getResult(index).getType() == local.getType();
  return local.getType() == type.clone(computeLocalShape(type.getShape(), rule.results[index], placed));
}

bool EmittedOp::isOpItself(Operation *local) {
  SmallVector<Split> placed = makeSplits();
  if (rules::getRuleTable().find(original).local != rules::emitSame || !haveSameKind(original, local) ||
      !isValidSplit(rule, placed))
    return false;
  for (auto [index, operand] : llvm::enumerate(local->getOperands())) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!isOperand(index, operand))
      return false;
    ArrayRef<int64_t> whole = getShape(original->getOperand(index));
    if (type && !llvm::equal(type.getShape(), computeLocalShape(whole, rule.operands[index], placed)))
      return false;
  }
  for (auto [index, result] : llvm::enumerate(local->getResults()))
    if (!isResult(index, result, placed))
      return false;
  return haveSameRegions(original, local);
}

bool EmittedOp::isOperand(unsigned index, Value local) {
  const Relation *relation = facts.findRelation(local);
  if (!relation || relation->number != numbering.get(original->getOperand(index)))
    return false;
  for (auto [dim, factors] : llvm::enumerate(rule.operands[index])) {
    if (relation->layout.dims[dim].isUniform)
      continue;
    Digits expected;
    for (uint8_t factor : factors)
      llvm::append_range(expected, splits.getDigits(factor));
    if (!unifyDigits(expected, relation->layout.dims[dim].digits))
      return false;
  }
  // An operand that was unknown when the op was emitted may tell more.
  std::string why;
  if (isa<RankedTensorType>(local.getType()) && !splits.addOperand(index, relation->layout, getShape(local), why))
    return false;
  std::optional<PieceLayout> &known = operandLayouts[index];
  std::optional<PieceLayout> both = known ? unifyLayouts(*known, relation->layout) : relation->layout;
  if (!both)
    return false;
  known = std::move(both);
  return true;
}

/// The number of devices that the program around `op` runs on; nothing if it is not known.
static std::optional<int64_t> countDevices(Operation *op) {
  auto manual = op->getParentOfType<sdy::ManualComputationOp>();
  sdy::MeshAttr mesh = manual ? findMesh(manual) : sdy::MeshAttr();
  return mesh ? std::optional(DeviceMesh::make(mesh).getNumDevices()) : std::nullopt;
}

static bool isUnknown(const Digits &digits) {
  return llvm::any_of(digits, [](const PieceDigit &digit) { return digit.stride == 0; });
}

/// The device with zeros in place of these digits.
static int64_t getRest(int64_t device, const Digits &digits) {
  for (const PieceDigit &digit : digits)
    device -= device / digit.stride % digit.size * digit.stride;
  return device;
}

/// Whether `device` is the one of the group of `other` that has the number along the digits.
static bool isMember(int64_t device, int64_t other, int64_t number, const Digits &digits, int64_t numDevices) {
  return device >= 0 && device < numDevices && getRest(device, digits) == getRest(other, digits) &&
         computeNumber(device, digits) == number;
}

/// Devices send as `stated` says of their numbers along the digits, in all groups of devices that differ in these
/// alone. `pairs`: sources and targets in turn.
static bool isPermuteAlong(ArrayRef<int64_t> pairs, int64_t numDevices, const Digits &digits,
                           const FactorPermute &stated) {
  llvm::DenseMap<int64_t, int64_t> targets(stated.pairs.begin(), stated.pairs.end());
  llvm::DenseSet<int64_t> sources;
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    int64_t source = pairs[i];
    auto target = targets.find(computeNumber(source, digits));
    // Most lists of digits fail at the first pair.
    if (target == targets.end() || !isMember(pairs[i + 1], source, target->second, digits, numDevices) ||
        !sources.insert(source).second)
      return false;
  }
  int64_t numGroups = numDevices / countParts(digits);
  return sources.size() == stated.pairs.size() * static_cast<size_t>(numGroups);
}

/// What an exchange brings tells devices apart even if the rows that they hold are equal, and may be cut along any
/// digits: the exchange decides along which.
bool EmittedOp::bindDigits(uint8_t factor, int64_t numDevices, llvm::function_ref<bool(const Digits &)> isAlong) {
  Digits digits = splits.getDigits(factor);
  if (!isUnknown(digits))
    return isAlong(digits) && splits.bindIndex(factor, digits);
  std::optional<Digits> found = searchDigits(numDevices, splits.getParts(factor), isAlong);
  // Devices swap rows that are equal: several orders of axes fit, and none is told by the result.
  if (rule.factors[factor].isReversed)
    return found.has_value();
  return found && splits.bindIndex(factor, *found);
}

bool EmittedOp::isPermute(Operation *emitted, const FactorPermute &stated, Operation *local) {
  auto permute = dyn_cast_or_null<stablehlo::CollectivePermuteOp>(local);
  std::optional<int64_t> numDevices = permute ? countDevices(local) : std::nullopt;
  if (!numDevices || getGroupStrategy(permute) != GroupStrategy::CrossPartition ||
      emitted->getResultTypes() != local->getResultTypes() || !isSame(emitted->getOperand(0), local->getOperand(0)))
    return false;
  SmallVector<int64_t> ids;
  for (const APInt &id : permute.getSourceTargetPairs())
    ids.push_back(id.getSExtValue());
  return bindDigits(stated.factor, *numDevices,
                    [&](const Digits &digits) { return isPermuteAlong(ids, *numDevices, digits, stated); });
}

/// Each group has all devices that differ along the digits alone, in order.
static bool isGatherAlong(ArrayRef<int64_t> ids, int64_t numDevices, const Digits &digits) {
  int64_t parts = countParts(digits);
  if (static_cast<int64_t>(ids.size()) != numDevices)
    return false;
  llvm::SmallBitVector seen(static_cast<unsigned>(numDevices));
  for (auto [place, device] : llvm::enumerate(ids)) {
    int64_t number = static_cast<int64_t>(place) % parts;
    if (!isMember(device, ids[place - static_cast<size_t>(number)], number, digits, numDevices) || seen[device])
      return false;
    seen.set(static_cast<unsigned>(device));
  }
  return true;
}

bool EmittedOp::isGathered(Operation *emitted, uint8_t factor, Operation *local) {
  auto gather = dyn_cast_or_null<stablehlo::AllGatherOp>(local);
  if (!gather || getGroupStrategy(gather) != GroupStrategy::CrossPartition || gather.getOperands().size() != 1 ||
      gather.getAllGatherDim() != cast<stablehlo::AllGatherOp>(emitted).getAllGatherDim() ||
      emitted->getResultTypes() != local->getResultTypes() || !isSame(emitted->getOperand(0), local->getOperand(0)))
    return false;
  auto groups = dyn_cast<DenseIntElementsAttr>(gather.getReplicaGroups());
  std::optional<int64_t> numDevices = countDevices(local);
  if (!groups || !numDevices || groups.getType().getShape().back() != splits.getParts(factor))
    return false;
  SmallVector<int64_t> ids;
  for (const APInt &id : groups)
    ids.push_back(id.getSExtValue());
  return bindDigits(factor, *numDevices, [&](const Digits &digits) { return isGatherAlong(ids, *numDevices, digits); });
}

bool EmittedOp::isSameOp(Operation *emitted, Operation *local) {
  if (std::optional<FactorPermute> permute = findPermute(emitted))
    return isPermute(emitted, *permute, local);
  if (std::optional<uint8_t> factor = findGathered(emitted))
    return isGathered(emitted, *factor, local);
  if (!local || !haveSameKind(emitted, local) || emitted->getResultTypes() != local->getResultTypes())
    return false;
  // Indices say along which digits a piece is cut; of equal rows permutes may fit several. They stand last, but for the
  // predicate of a selection, which may depend on one.
  SmallVector<unsigned> order = llvm::to_vector(llvm::seq(0u, emitted->getNumOperands()));
  if (!isa<stablehlo::SelectOp>(emitted))
    std::reverse(order.begin(), order.end());
  for (unsigned index : order)
    if (!isSame(emitted->getOperand(index), local->getOperand(index)))
      return false;
  return haveSameRegions(emitted, local);
}

bool EmittedOp::isSame(Value emitted, Value local) {
  if (compared.lookup(emitted) == local)
    return true;
  if (emitted.getType() != local.getType())
    return false;
  bool result;
  if (auto argument = dyn_cast<BlockArgument>(emitted)) {
    unsigned number = argument.getArgNumber(), numOperands = original->getNumOperands();
    if (number < numOperands) {
      result = isOperand(number, local);
    } else {
      const IndexExpression *index = facts.findIndex(local);
      std::optional<Digits> digits = index ? index->findDigits(1) : std::nullopt;
      result = digits && splits.bindIndex(splitFactors[number - numOperands], *digits);
    }
  } else {
    auto own = cast<OpResult>(emitted);
    auto other = dyn_cast<OpResult>(local);
    result = other && own.getResultNumber() == other.getResultNumber() && isSameOp(own.getOwner(), other.getOwner());
  }
  if (result)
    compared[emitted] = local;
  return result;
}

} // namespace partita::verify
