//===- RelationChecker.cpp - relates a local block to its original --------===//

#include "partita/Verify/Relation/RelationChecker.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Program/Rules/StageShift.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace partita::verify {

/// Limit of passes over a loop's body until its carried values have layouts: a value may move through all carried
/// positions, one after the other.
static constexpr size_t maxPasses = 16;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Blames the first op without a relation for which a reason is known.
Error RelationChecker::explain(Value local, Operation *user) {
  Operation *found = nullptr;
  llvm::SetVector<Value> seen;
  seen.insert(local);
  for (size_t next = 0; next < seen.size() && next < 1024; ++next) {
    Operation *op = seen[next].getDefiningOp();
    if (!op || facts.findRelation(seen[next]) || facts.findIndex(seen[next]))
      continue;
    if (auto reason = reasons.find(op); reason != reasons.end() && (!found || op->isBeforeInBlock(found)))
      found = op->getBlock() == user->getBlock() ? op : found;
    seen.insert(op->operand_begin(), op->operand_end());
  }
  Operation *op = found ? found : local.getDefiningOp() ? local.getDefiningOp() : user;
  auto reason = reasons.find(op);
  return Error::badInput(
      locationOf(op), "what '" + op->getName().getStringRef().str() + "' gives is no piece of a value of the original" +
                          (reason == reasons.end() || reason->second.empty() ? "" : ": " + reason->second));
}

Result<PieceLayout> RelationChecker::expect(Value local, Value original, Operation *user) {
  const Relation *relation = facts.findRelation(local);
  if (!relation)
    return explain(local, user);
  if (relation->number != numbering.get(original))
    return Error::badInput(locationOf(user), "'" + user->getName().getStringRef().str() +
                                                 "' takes another value than the original does there");
  return relation->layout;
}

/// Devices hold different things: pieces, or parts of a sum.
static bool isSplit(const PieceLayout &layout) {
  return layout.isPartial() || llvm::any_of(layout.dims, [](const DimLayout &dim) { return !dim.digits.empty(); });
}

RelationCounts RelationChecker::count(Block &local) const {
  RelationCounts counts;
  counts.values = facts.relations.size();
  local.walk([&](Operation *op) {
    bool isKnown = false, givesPiece = false;
    for (Value value : op->getResults())
      if (const Relation *relation = facts.findRelation(value)) {
        isKnown = true;
        givesPiece |= isSplit(relation->layout);
      }
    counts.ops += isKnown;
    counts.splitOps += givesPiece;
  });
  return counts;
}

Status RelationChecker::expectPredicate(Value local, Value original, Operation *user) {
  Result<PieceLayout> layout = expect(local, original, user);
  if (!layout)
    return layout.error();
  if (layout->isPartial())
    return Error::badInput(locationOf(user), "a partial value, " + printLayout(*layout) + ", decides what is run");
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// The integer of a scalar constant; nothing for i1, whose sum is a choice, and for those beyond 64 bits.
static std::optional<int64_t> readIndex(const APInt &value, RankedTensorType type) {
  bool isUnsigned = type.getElementType().isUnsignedInteger();
  if (value.getBitWidth() == 1 || (isUnsigned ? value.getActiveBits() > 63 : value.getSignificantBits() > 64))
    return std::nullopt;
  return isUnsigned ? static_cast<int64_t>(value.getZExtValue()) : value.getSExtValue();
}

void RelationChecker::checkConstant(stablehlo::ConstantOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
      dense && type.getRank() == 0 && isa<IntegerType>(type.getElementType()))
    if (std::optional<int64_t> value = readIndex(dense.getSplatValue<APInt>(), type))
      facts.indices[op] = IndexExpression(*value);
  if (std::optional<ValueNumber> number = numbering.findConstant(op.getValue()))
    setWhole(op, *number);
}

void RelationChecker::setWhole(Value local, ValueNumber number) {
  PieceLayout layout(cast<RankedTensorType>(local.getType()).getRank());
  for (unsigned dim : numbering.getUniformDims(number).set_bits())
    layout.dims[dim].isUniform = true;
  layout.isZero = numbering.isZero(number);
  facts.relations[local] = {number, std::move(layout)};
}

/// Arithmetic on scalars that depend on the device's number.
bool RelationChecker::computeIndex(Operation *op) {
  if (isa<stablehlo::PartitionIdOp>(op)) {
    facts.indices[op->getResult(0)] = IndexExpression::makeNumber(numDevices);
    return true;
  }
  SmallVector<const IndexExpression *> operands;
  for (Value operand : op->getOperands())
    operands.push_back(facts.findIndex(operand));
  if (operands.empty() || llvm::is_contained(operands, nullptr))
    return false;
  std::optional<IndexExpression> result =
      llvm::TypeSwitch<Operation *, std::optional<IndexExpression>>(op)
          .Case([&](stablehlo::ConvertOp) { return *operands[0]; })
          .Case([&](stablehlo::AddOp) { return operands[0]->add(*operands[1]); })
          .Case([&](stablehlo::MulOp) { return operands[0]->multiply(*operands[1]); })
          .Case([&](stablehlo::DivOp) { return operands[0]->divide(operands[1]->getConstant().value_or(0)); })
          .Case([&](stablehlo::RemOp) { return operands[0]->remainder(operands[1]->getConstant().value_or(0)); })
          .Default(std::nullopt);
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  auto integer = type ? dyn_cast<IntegerType>(type.getElementType()) : IntegerType();
  if (!result || !integer || integer.getWidth() == 1 || !result->fits(integer.getWidth(), integer.isUnsigned()))
    return false;
  facts.indices[op->getResult(0)] = *result;
  return !result->getConstant();
}

bool RelationChecker::checkExistingCollective(Operation *op) {
  if (op->getNumOperands() == 0 || dependence.collectives.empty())
    return false;
  for (Value operand : op->getOperands())
    if (const Relation *relation = facts.findRelation(operand); !relation || isSplit(relation->layout))
      return false;
  Operation *found = nullptr;
  for (Operation *own : numbering.getUsers(facts.findRelation(op->getOperand(0))->number)) {
    bool isSame = isSameCollective(own, op) && own->getOperandTypes() == op->getOperandTypes() &&
                  llvm::all_of_zip(own->getOperands(), op->getOperands(), [&](Value mine, Value local) {
                    return numbering.get(mine) == facts.findRelation(local)->number;
                  });
    // Among equal ones, prefer the one at the same location.
    if (isSame && (!found || own->getLoc() == op->getLoc()))
      found = own;
  }
  if (!found)
    return false;
  for (auto [local, own] : llvm::zip_equal(op->getResults(), found->getResults()))
    setArgument(local, own, PieceLayout(cast<RankedTensorType>(local.getType()).getRank()));
  return true;
}

Status RelationChecker::checkCollective(Operation *op) {
  if (checkExistingCollective(op))
    return std::nullopt;
  const Relation *relation = op->getNumOperands() == 1 ? facts.findRelation(op->getOperand(0)) : nullptr;
  if (!relation)
    return explain(op->getOperand(0), op);
  if (differingNumbers.contains(relation->number))
    return Error::badInput(locationOf(op), "'" + op->getName().getStringRef().str() +
                                               "' mixes values that are different ones on each device");
  Result<PieceLayout> layout = collectives.apply(op, relation->layout);
  if (!layout)
    return layout.error();
  Relation moved{relation->number, std::move(*layout)};
  // Terms that are equal are so on all devices.
  bool areEqual = llvm::all_of(relation->contracted, [](const PieceDigit &digit) { return digit.stride == 0; });
  if (areEqual && isa<stablehlo::CollectivePermuteOp>(op)) {
    moved.contracted = relation->contracted;
    moved.contractedFactors = relation->contractedFactors;
  }
  facts.relations[op->getResult(0)] = std::move(moved);
  return std::nullopt;
}

void RelationChecker::setSum(Value local, TermSum sum) {
  if (std::optional<Relation> complete = completeSum(sum))
    facts.relations[local] = std::move(*complete);
  else
    facts.sums[local] = std::move(sum);
}

bool RelationChecker::checkTerms(Operation *op) {
  const TermSum *first = op->getNumOperands() > 0 ? facts.findSum(op->getOperand(0)) : nullptr;
  if (!first)
    return false;
  if (auto permute = dyn_cast<stablehlo::CollectivePermuteOp>(op)) {
    Result<TermSum> moved = collectives.apply(permute, *first);
    if (moved)
      setSum(permute, std::move(*moved));
    else
      reasons[op] = moved.error().reason;
    return true;
  }
  const TermSum *second = isa<stablehlo::AddOp>(op) ? facts.findSum(op->getOperand(1)) : nullptr;
  if (!second)
    return false;
  if (std::optional<TermSum> sum = addTerms(*first, *second))
    setSum(op->getResult(0), std::move(*sum));
  else
    reasons[op] = "it adds what are not different terms of one sum";
  return true;
}

/// The digits of stride 0 that a sum is made along, as one; nothing if there is none.
static std::optional<PieceDigit> findAnyDigit(const Relation *relation) {
  if (relation)
    for (const PieceDigit &digit : relation->layout.partial)
      if (digit.stride == 0)
        return digit;
  return std::nullopt;
}

bool RelationChecker::checkPartialTerms(stablehlo::AddOp op) {
  const TermSum *first = facts.findSum(op.getLhs()), *second = facts.findSum(op.getRhs());
  std::optional<PieceDigit> digit = first    ? std::optional(first->digit)
                                    : second ? std::optional(second->digit)
                                             : findAnyDigit(facts.findRelation(op.getLhs()));
  auto findTerms = [&](Value value) -> std::optional<TermSum> {
    if (const TermSum *sum = facts.findSum(value))
      return *sum;
    const Relation *relation = facts.findRelation(value);
    bool isKnown = digit && relation && !differingNumbers.contains(relation->number);
    return isKnown ? makeTermSum(*relation, *digit) : std::nullopt;
  };
  std::optional<TermSum> mine = findTerms(op.getLhs()), other = findTerms(op.getRhs());
  std::optional<TermSum> sum = mine && other ? addTerms(*mine, *other) : std::nullopt;
  if (sum)
    setSum(op.getResult(), std::move(*sum));
  return sum.has_value();
}

bool RelationChecker::checkPartialTerms(stablehlo::CollectivePermuteOp op) {
  const Relation *relation = facts.findRelation(op.getOperand());
  if (!relation || differingNumbers.contains(relation->number))
    return false;
  for (const PieceDigit &digit : relation->layout.partial)
    if (std::optional<TermSum> sum = makeTermSum(*relation, digit)) {
      Result<TermSum> moved = collectives.apply(op, *sum);
      if (!moved)
        continue;
      setSum(op.getResult(), std::move(*moved));
      return true;
    }
  return false;
}

/// Handles a slice at an offset that depends on the device's number; false for other slices.
bool RelationChecker::checkSlice(stablehlo::DynamicSliceOp op) {
  if (std::optional<Relation> gathered = findGathered(op, facts);
      gathered && !differingNumbers.contains(gathered->number)) {
    facts.relations[op.getResult()] = std::move(*gathered);
    return true;
  }
  const Relation *relation = facts.findRelation(op.getOperand());
  SmallVector<IndexExpression> starts;
  bool dependsOnDevice = false;
  for (Value start : op.getStartIndices()) {
    const IndexExpression *index = facts.findIndex(start);
    if (!index)
      return false;
    dependsOnDevice |= !index->getConstant();
    starts.push_back(*index);
  }
  if (!relation || !dependsOnDevice)
    return false;
  if (differingNumbers.contains(relation->number)) {
    reasons[op] = "it takes a piece of a value that is another one on each device";
    return false;
  }
  Result<PieceLayout> layout = applySlice(
      op, relation->layout, starts, cast<RankedTensorType>(op.getOperand().getType()).getShape(), op.getSliceSizes());
  if (layout)
    facts.relations[op.getResult()] = {relation->number, std::move(*layout)};
  else
    reasons[op] = layout.error().reason;
  return static_cast<bool>(layout);
}

void RelationChecker::checkOther(Operation *op) {
  std::string why;
  auto relations = matcher.match(op, why);
  if (!relations) {
    reasons[op] = std::move(why);
    return;
  }
  for (auto [result, relation] : llvm::zip_equal(op->getResults(), *relations)) {
    if (!relation)
      continue;
    if (relation->isPiece())
      facts.relations[result] = std::move(*relation);
    else if (std::optional<TermSum> sum = makeTermSum(*relation); sum && !differingNumbers.contains(relation->number))
      setSum(result, std::move(*sum));
    else
      reasons[op] = "its sum is over devices that hold different pieces";
  }
}

/// Tensors without elements need no check.
bool RelationChecker::isEmpty(Operation *op) {
  if (op->getNumResults() == 0)
    return false;
  for (Value result : op->getResults())
    if (!numbering.findEmpty(result.getType()))
      return false;
  for (Value result : op->getResults())
    setWhole(result, *numbering.findEmpty(result.getType()));
  return true;
}

/// A permute that leaves some devices without a value is a part of a local form (Program/Rules/Exchanges.h), not a
/// step between two layouts.
bool RelationChecker::isShift(Operation *op) const {
  auto permute = dyn_cast<stablehlo::CollectivePermuteOp>(op);
  return permute && permute.getSourceTargetPairs().getType().getDimSize(0) < numDevices;
}

bool RelationChecker::checkExchange(stablehlo::ReshapeOp op) {
  std::optional<ExchangeSteps> exchange = findExchangeSteps(op);
  const Relation *relation = exchange ? facts.findRelation(exchange->operand) : nullptr;
  if (!relation || differingNumbers.contains(relation->number))
    return false;
  Result<PieceLayout> layout = collectives.apply(*exchange, relation->layout);
  if (layout)
    facts.relations[op.getResult()] = {relation->number, std::move(*layout)};
  else
    reasons[op] = layout.error().reason;
  return static_cast<bool>(layout);
}

/// Where the original rotates stages, a permute in a circle is what that gives, and no other layout of what it takes.
bool RelationChecker::checkRotation(Operation *op) {
  auto permute = dyn_cast<stablehlo::CollectivePermuteOp>(op);
  const Relation *relation = permute ? facts.findRelation(permute.getOperand()) : nullptr;
  if (!relation || llvm::none_of(numbering.getUsers(relation->number), isStageShift))
    return false;
  checkOther(op);
  return facts.findRelation(permute.getResult()) != nullptr;
}

Status RelationChecker::checkOp(Operation *op) {
  for (Value result : op->getResults()) {
    facts.relations.erase(result);
    facts.indices.erase(result);
    facts.sums.erase(result);
  }
  if (isEmpty(op))
    return std::nullopt;
  if (isSumCarrier(op)) {
    for (auto [operand, result] : llvm::zip_equal(op->getOperands(), op->getResults()))
      if (const Relation *relation = facts.findRelation(operand)) {
        Relation copy = *relation;
        facts.relations[result] = std::move(copy);
      }
    return std::nullopt;
  }
  if (auto constant = dyn_cast<stablehlo::ConstantOp>(op)) {
    checkConstant(constant);
    return std::nullopt;
  }
  if (checkTerms(op))
    return std::nullopt;
  if (checkRotation(op))
    return std::nullopt;
  if (isCollective(op) && !isShift(op)) {
    Status error = checkCollective(op);
    if (auto permute = dyn_cast<stablehlo::CollectivePermuteOp>(op); error && permute && checkPartialTerms(permute))
      return std::nullopt;
    // What a local form gathers or permutes (Program/Rules/Exchanges.h) is no piece of a value; nothing but that form
    // may use it. The same holds for steps of an exchange.
    bool mayBeInForm = isa<stablehlo::AllGatherOp, stablehlo::CollectivePermuteOp, stablehlo::AllToAllOp>(op);
    if (error && mayBeInForm)
      reasons[op] = error->reason;
    return mayBeInForm ? Status() : std::move(error);
  }
  if (computeIndex(op))
    return std::nullopt;
  if (auto slice = dyn_cast<stablehlo::DynamicSliceOp>(op); slice && checkSlice(slice))
    return std::nullopt;
  if (auto reshape = dyn_cast<stablehlo::ReshapeOp>(op); reshape && checkExchange(reshape))
    return std::nullopt;
  checkOther(op);
  if (auto add = dyn_cast<stablehlo::AddOp>(op); add && !facts.findRelation(add) && checkPartialTerms(add))
    reasons.erase(op);
  return std::nullopt;
}

/// Loops and branches have the same order in both programs. Those of the original without used results may be missing.
bool RelationChecker::mayStandFor(Operation *local, Operation *original) const {
  return local->getName() == original->getName() && local->getNumResults() == original->getNumResults() &&
         local->getNumOperands() == original->getNumOperands() &&
         llvm::all_of_zip(local->getOperands(), original->getOperands(), [&](Value own, Value other) {
           const Relation *relation = facts.findRelation(own);
           return !relation || relation->number == numbering.get(other);
         });
}

std::optional<BodyMatch> RelationChecker::checkManualBody(sdy::ManualComputationOp manual, Block::iterator begin) {
  auto isOperand = [&](unsigned index, Value value) {
    const Relation *relation = facts.findRelation(value);
    Result<PieceLayout> layout = body.makeLayout(manual.getInShardings().getSharding(index));
    return relation && layout && relation->number == numbering.get(manual->getOperand(index)) &&
           unifyLayouts(relation->layout, *layout);
  };
  std::optional<BodyMatch> match = matchBody(manual, begin, isOperand);
  if (!match)
    return std::nullopt;
  for (auto [index, value] : llvm::enumerate(match->results)) {
    if (findPassedOperand(manual, index))
      continue;
    Result<PieceLayout> layout = body.makeLayout(manual.getOutShardings().getSharding(index));
    if (!value || !layout)
      return std::nullopt;
    setArgument(value, manual->getResult(index), std::move(*layout));
  }
  return match;
}

/// What is wrong with a loop that carries more than those of the original.
static std::string explainCarried(Operation *local, Block &original) {
  auto loop = dyn_cast<stablehlo::WhileOp>(local);
  auto carriesLess = [&](stablehlo::WhileOp other) { return other->getNumResults() < local->getNumResults(); };
  return loop && llvm::any_of(original.getOps<stablehlo::WhileOp>(), carriesLess)
             ? ", or this one carries a value that is not what its next iteration computes"
             : "";
}

Status RelationChecker::checkBlock(Block &original, Block &local) {
  auto next = original.begin();
  PendingManuals manuals(original, local);
  for (Block::iterator it = local.begin(), end = std::prev(local.end()); it != end; ++it) {
    Operation &op = *it;
    if (sdy::ManualComputationOp manual = manuals.find(&op))
      if (std::optional<BodyMatch> match = checkManualBody(manual, it)) {
        manuals.advance();
        it = std::prev(match->end);
        continue;
      }
    if (!isStructured(&op)) {
      if (Status error = checkOp(&op))
        return error;
      continue;
    }
    next = std::find_if(next, original.end(), [&](Operation &other) { return mayStandFor(&op, &other); });
    if (next == original.end())
      return Error::badInput(locationOf(&op), "the original has no '" + op.getName().getStringRef().str() +
                                                  "' on these values here" + explainCarried(&op, original));
    auto loop = dyn_cast<stablehlo::WhileOp>(op);
    Status error = loop ? checkWhile(cast<stablehlo::WhileOp>(*next), loop) : checkBranches(&*next, &op);
    if (error)
      return error;
    ++next;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Loops and branches
//===----------------------------------------------------------------------===//

Status RelationChecker::checkLoopBlocks(stablehlo::WhileOp original, stablehlo::WhileOp local,
                                        SmallVectorImpl<PieceLayout> &layouts) {
  auto bind = [&](mlir::Region &region, mlir::Region &originalRegion) {
    for (auto [argument, value, layout] :
         llvm::zip_equal(region.getArguments(), originalRegion.getArguments(), layouts))
      setArgument(argument, value, layout);
  };
  Block &condition = original.getCond().front(), &localCondition = local.getCond().front();
  bind(local.getCond(), original.getCond());
  if (Status error = checkBlock(condition, localCondition))
    return error;
  Operation *end = localCondition.getTerminator();
  if (Status error = expectPredicate(end->getOperand(0), condition.getTerminator()->getOperand(0), end))
    return error;
  Block &body = original.getBody().front(), &localBody = local.getBody().front();
  bind(local.getBody(), original.getBody());
  if (Status error = checkBlock(body, localBody))
    return error;
  end = localBody.getTerminator();
  for (auto [index, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
    Result<PieceLayout> layout = expect(end->getOperand(index), value, end);
    if (!layout)
      return layout.error();
    layouts[index] = std::move(*layout);
  }
  return std::nullopt;
}

static bool isSame(const PieceLayout &a, const PieceLayout &b) {
  return printLayout(a) == printLayout(b) && a.isZero == b.isZero;
}

Status RelationChecker::checkWhile(stablehlo::WhileOp original, stablehlo::WhileOp local) {
  SmallVector<PieceLayout> initial;
  for (auto [value, from] : llvm::zip_equal(local->getOperands(), original->getOperands())) {
    Result<PieceLayout> layout = expect(value, from, local);
    if (!layout)
      return layout.error();
    initial.push_back(std::move(*layout));
  }
  SmallVector<PieceLayout> layouts = initial;
  for (size_t pass = 0; pass < std::min(maxPasses, layouts.size() + 3); ++pass) {
    SmallVector<PieceLayout> yielded = layouts;
    if (Status error = checkLoopBlocks(original, local, yielded))
      return error;
    bool isStable = true;
    for (auto [index, layout] : llvm::enumerate(layouts)) {
      std::optional<PieceLayout> both = unifyLayouts(initial[index], yielded[index]);
      if (!both)
        return Error::badInput(locationOf(local), "carried value " + std::to_string(index) + " starts as " +
                                                      printLayout(initial[index]) + " and comes back as " +
                                                      printLayout(yielded[index]));
      isStable = isStable && isSame(*both, layout);
      layout = std::move(*both);
    }
    if (!isStable)
      continue;
    for (auto [result, value, layout] : llvm::zip_equal(local->getResults(), original->getResults(), layouts))
      setArgument(result, value, layout);
    return std::nullopt;
  }
  return Error::badInput(locationOf(local), "what the loop carries has no sharding that its body keeps");
}

Status RelationChecker::checkBranches(Operation *original, Operation *local) {
  if (Status error = expectPredicate(local->getOperand(0), original->getOperand(0), local))
    return error;
  SmallVector<std::optional<PieceLayout>> layouts(local->getNumResults());
  for (auto [region, localRegion] : llvm::zip_equal(original->getRegions(), local->getRegions())) {
    if (Status error = checkBlock(region.front(), localRegion.front()))
      return error;
    Operation *end = localRegion.front().getTerminator();
    for (auto [index, value] : llvm::enumerate(region.front().getTerminator()->getOperands())) {
      Result<PieceLayout> layout = expect(end->getOperand(index), value, end);
      if (!layout)
        return layout.error();
      std::optional<PieceLayout> both = layouts[index] ? unifyLayouts(*layouts[index], *layout) : *layout;
      if (!both)
        return Error::badInput(locationOf(local), "result " + std::to_string(index) + " is " +
                                                      printLayout(*layouts[index]) + " in one branch and " +
                                                      printLayout(*layout) + " in another");
      layouts[index] = std::move(both);
    }
  }
  for (auto [result, value, layout] : llvm::zip_equal(local->getResults(), original->getResults(), layouts)) {
    layout->isZero = false;
    setArgument(result, value, std::move(*layout));
  }
  return std::nullopt;
}

} // namespace partita::verify
