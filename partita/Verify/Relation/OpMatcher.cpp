//===- OpMatcher.cpp - finds the original of a local op -------------------===//

#include "partita/Verify/Relation/OpMatcher.h"

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/OpTraits.h"
#include "partita/Program/PieceLocations.h"
#include "partita/Verify/Relation/EmittedOp.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace partita::verify {

static ArrayRef<int64_t> getShape(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getShape() : ArrayRef<int64_t>();
}

/// Limit of values that are searched for the operands of a local form.
static constexpr size_t maxLeafSearch = 256;
/// Limit of assignments that are tried if an op takes one value in several layouts.
static constexpr size_t maxChoices = 16;
/// Constants with more users do not help to find the op.
static constexpr size_t maxConstantUsers = 64;

//===----------------------------------------------------------------------===//
// Partial operands
//===----------------------------------------------------------------------===//

/// Whether operand `index` may be partial while those that `findLinearity` does not name are whole.
static bool isLinearIn(Operation *op, Linearity linearity, unsigned index, ArrayRef<unsigned> partial) {
  switch (linearity) {
  case Linearity::Sum:
    return true;
  case Linearity::Update:
    return index < 2;
  case Linearity::Choice:
    return index == 1 || index == 2;
  case Linearity::First:
  case Linearity::Second:
    // A product is linear in either factor while the other is whole.
    if (isa<stablehlo::MulOp>(op))
      return partial.size() == 1;
    return index == (linearity == Linearity::First ? 0 : 1);
  case Linearity::None:
  case Linearity::Zero:
    return false;
  }
  llvm_unreachable("unknown linearity");
}

/// Operands that are added up must all be partial over the same digits, or zero.
static auto listSummed(Linearity linearity, unsigned numOperands) {
  unsigned first = linearity == Linearity::Choice ? 1 : 0;
  if (linearity == Linearity::Update || linearity == Linearity::Choice)
    numOperands = first + 2;
  return llvm::seq(first, linearity == Linearity::First || linearity == Linearity::Second ? first : numOperands);
}

/// The partial digits that the results take from the operands; nothing if the op does not propagate partial sums so.
static std::optional<PieceLayout> takePartial(Operation *op, ArrayRef<std::optional<PieceLayout>> layouts,
                                              std::string &why) {
  SmallVector<unsigned> partial;
  for (auto [index, layout] : llvm::enumerate(layouts))
    if (layout && layout->isPartial())
      partial.push_back(index);
  PieceLayout taken;
  if (partial.empty())
    return taken;
  const PieceLayout &first = *layouts[partial.front()];
  Linearity linearity = findLinearity(op);
  for (unsigned index : partial)
    if (first.combiner != Combiner::Add || !isLinearIn(op, linearity, index, partial)) {
      why = "operand " + std::to_string(index) + " is partial, " + printLayout(*layouts[index]) + ", and must be whole";
      return std::nullopt;
    }
  Digits digits = first.partial;
  for (unsigned index : listSummed(linearity, layouts.size())) {
    if (!layouts[index] || layouts[index]->isZero)
      continue;
    std::optional<Digits> both = unifySets(layouts[index]->partial, digits);
    if (!both) {
      why = "operand " + std::to_string(index) + " is " + printLayout(*layouts[index]) + ", another one " +
            printLayout(first) + ": a sum of both counts one of them several times";
      return std::nullopt;
    }
    digits = std::move(*both);
  }
  taken.addPartial(digits, first.combiner);
  return taken;
}

/// Whether `op` scales zeros. A factor that is not finite makes them NaN, and a sum of NaNs is NaN too.
static bool scalesZeros(Operation *op, llvm::function_ref<bool(unsigned)> isZero) {
  if (findLinearity(op) == Linearity::None)
    return false;
  return isa<stablehlo::MulOp>(op) ? isZero(0) || isZero(1) : isa<stablehlo::DivOp>(op) && isZero(0);
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

OpMatcher::Leaves OpMatcher::collectLeaves(Operation *local, bool isLastOfSeveral) const {
  Leaves leaves;
  leaves.isLastOfSeveral = isLastOfSeveral;
  llvm::SetVector<Value> seen(local->operand_begin(), local->operand_end());
  size_t numOwn = seen.size();
  for (size_t next = 0; next < seen.size() && seen.size() < maxLeafSearch; ++next) {
    Value value = seen[next];
    Operation *op = value.getDefiningOp();
    if (facts.findRelation(value)) {
      leaves.related.push_back(value);
      // An op that was emitted beside the last one may itself have a relation; the search goes on to its operands.
      bool isBeside = op && isLastOfSeveral && (next < numOwn || getPieceLocation(op) == getPieceLocation(local));
      if (!isBeside)
        continue;
    } else if (facts.findIndex(value)) {
      continue;
    }
    if (op)
      seen.insert(op->operand_begin(), op->operand_end());
  }
  return leaves;
}

SmallVector<Operation *> OpMatcher::findCandidates(Operation *local, const Leaves &leaves) const {
  if (leaves.isLastOfSeveral || leaves.related.empty()) {
    llvm::SetVector<Operation *> all;
    for (Value leaf : leaves.related)
      if (ValueNumber number = facts.findRelation(leaf)->number;
          !numbering.isConstant(number) || numbering.getUsers(number).size() <= maxConstantUsers)
        all.insert(numbering.getUsers(number).begin(), numbering.getUsers(number).end());
    all.insert(numbering.getSources().begin(), numbering.getSources().end());
    return all.takeVector();
  }
  SmallVector<Operation *> candidates;
  // All operands are pieces of original values: take the users of the value with the fewest users.
  ArrayRef<Operation *> fewest;
  bool isFirst = true;
  for (Value operand : local->getOperands()) {
    ArrayRef<Operation *> users = numbering.getUsers(facts.findRelation(operand)->number);
    if (isFirst || users.size() < fewest.size())
      fewest = users;
    isFirst = false;
  }
  llvm::copy_if(fewest, std::back_inserter(candidates),
                [&](Operation *candidate) { return candidate->getName() == local->getName(); });
  return candidates;
}

/// Text that tells pieces of one value apart. The layout alone does not tell the sizes of uniform dims.
static std::string printPiece(Value local, const PieceLayout &layout) {
  std::string text = printLayout(layout);
  llvm::raw_string_ostream out(text);
  llvm::interleave(getShape(local), out << " ", "x");
  return text;
}

static bool isShifted(const PieceLayout &layout) {
  return llvm::any_of(layout.dims, [](const DimLayout &dim) {
    return llvm::any_of(dim.digits, [](const PieceDigit &digit) { return digit.shift != 0; });
  });
}

/// Local values that may be operand `index` of `original`: the operand at the same index, or distinct ones among the
/// leaves.
static SmallVector<Value> findOperands(Operation *local, Operation *original, unsigned index, ArrayRef<Value> leaves,
                                       const LocalFacts &facts, const Numbering &numbering) {
  ValueNumber number = numbering.get(original->getOperand(index));
  if (local->getName() == original->getName() && index < local->getNumOperands()) {
    const Relation *relation = facts.findRelation(local->getOperand(index));
    // What a permute shifted may also be a step of a local form, whose operand stands before the permute.
    if (relation && relation->number == number && !isShifted(relation->layout))
      return {local->getOperand(index)};
  }
  SmallVector<Value> found;
  llvm::StringSet<> layouts;
  for (Value leaf : leaves)
    if (const Relation *relation = facts.findRelation(leaf); relation->number == number)
      if (isa<RankedTensorType>(leaf.getType()) && layouts.insert(printPiece(leaf, relation->layout)).second)
        found.push_back(leaf);
  return found;
}

/// For each result of the original, which result of `local` is its piece. `isItself`: `local` is the op on pieces.
static SmallVector<std::optional<unsigned>> findPieces(EmittedOp &layout, Operation *local, Operation *original,
                                                       bool &isItself) {
  SmallVector<std::optional<unsigned>> pieces(original->getNumResults());
  isItself = layout.isOpItself(local);
  if (isItself) {
    for (auto [index, piece] : llvm::enumerate(pieces))
      piece = index;
    return pieces;
  }
  if (!layout.emit())
    return pieces;
  for (auto [index, piece] : llvm::enumerate(layout.getPieces())) {
    auto own = dyn_cast<OpResult>(piece);
    if (own && own.getResultNumber() < local->getNumResults() &&
        layout.isSame(piece, local->getResult(own.getResultNumber())))
      pieces[index] = own.getResultNumber();
  }
  return pieces;
}

/// Whether devices may hold what the op gives in this layout. If several dims are cut along one digit, they may if each
/// computes the op on its own pieces and on nothing else. Where the sum over such a digit is still to be made, the
/// values are terms: of a product alone, whose terms its contracted digits tell.
static bool mayGive(Operation *original, bool isItself, const PieceLayout &taken, FactorSplits &splits,
                    Relation &relation) {
  bool isPiece = relation.layout.isProper() || (isItself && relation.isPiece());
  Digits contracted = splits.getReducedDigits();
  bool isKnown =
      llvm::all_of(contracted, [](const PieceDigit &digit) { return digit.stride != 0 && digit.shift == 0; });
  bool isEqual = llvm::all_of(contracted, [](const PieceDigit &digit) { return digit.stride == 0; });
  if (!isItself || !isa<stablehlo::DotGeneralOp>(original) || taken.isPartial() || !(isKnown || (isPiece && isEqual)))
    return isPiece;
  relation.contracted = std::move(contracted);
  relation.contractedFactors = splits.getReducedFactors();
  return true;
}

std::optional<OpMatcher::Relations> OpMatcher::tryCandidate(Operation *local, Operation *original, const Leaves &leaves,
                                                            std::string &why) {
  Result<OpRule> rule = computeRule(original, userRules);
  if (!rule)
    return std::nullopt;
  SmallVector<SmallVector<Value>> choices;
  size_t count = 1;
  bool hasOperand = original->getNumOperands() == 0;
  for (unsigned index = 0; index < original->getNumOperands(); ++index) {
    choices.push_back(findOperands(local, original, index, leaves.related, facts, numbering));
    hasOperand = hasOperand || !choices.back().empty();
    count = std::min(maxChoices, count * std::max<size_t>(1, choices.back().size()));
  }
  for (size_t choice = 0; hasOperand && choice < count; ++choice) {
    // Digits of the number of the choice.
    SmallVector<Value> operands;
    size_t rest = choice;
    for (ArrayRef<Value> values : choices) {
      operands.push_back(values.empty() ? Value() : values[rest % values.size()]);
      rest /= std::max<size_t>(1, values.size());
    }
    if (std::optional<Relations> relations = tryOperands(local, original, rule->rule, operands, why))
      return relations;
  }
  return std::nullopt;
}

std::optional<OpMatcher::Relations> OpMatcher::tryOperands(Operation *local, Operation *original, const Rule &rule,
                                                           ArrayRef<Value> operands, std::string &why) {
  FactorSplits splits(original, rule);
  for (auto [index, operand] : llvm::enumerate(operands))
    if (operand && isa<RankedTensorType>(operand.getType()) &&
        !splits.addOperand(index, facts.findRelation(operand)->layout, getShape(operand), why))
      return std::nullopt;
  if (original->getNumResults() == local->getNumResults())
    for (auto [index, result] : llvm::enumerate(local->getResults()))
      if (isa<RankedTensorType>(original->getResult(index).getType()) &&
          !splits.addResult(index, getShape(result), why))
        return std::nullopt;
  EmittedOp layout(original, rule, splits, numbering, facts);
  bool isItself = false;
  SmallVector<std::optional<unsigned>> pieces = findPieces(layout, local, original, isItself);
  // What devices exchange within an op comes from devices whose pieces have another place in one dim only.
  auto isImproper = [](const std::optional<PieceLayout> &operand) { return operand && !operand->isProper(); };
  if (!isItself && llvm::any_of(layout.getOperandLayouts(), isImproper))
    return std::nullopt;
  Relations relations(local->getNumResults());
  bool found = false;
  for (auto [index, piece] : llvm::enumerate(pieces)) {
    if (!piece)
      continue;
    std::optional<PieceLayout> taken = takePartial(original, layout.getOperandLayouts(), why);
    std::optional<PieceLayout> result = taken ? splits.makeResultLayout(index) : std::nullopt;
    if (!result || !result->addPartial(taken->partial, taken->combiner))
      return std::nullopt;
    ValueNumber number = numbering.get(original->getResult(index));
    Relation relation{number, std::move(*result)};
    if (!mayGive(original, isItself, *taken, splits, relation))
      return std::nullopt;
    // If several results are computed in the same way, each local value stands for another one.
    Value own = local->getResult(*piece);
    if (relations[*piece] && owners.lookup(relations[*piece]->number) == own)
      continue;
    owners.try_emplace(number, own);
    ++numFound[number];
    counted[local].push_back(number);
    for (unsigned dim : numbering.getUniformDims(number).set_bits())
      relation.layout.dims[dim] = {/*isUniform=*/true, {}};
    // A carried value counts as zeros until something shows that it is not.
    auto isZeroLayout = [&](unsigned operand) {
      const std::optional<PieceLayout> &own = layout.getOperandLayouts()[operand];
      return own && own->isZero;
    };
    bool isZero = numbering.isZero(number) || givesZeros(original, isZeroLayout) || scalesZeros(original, isZeroLayout);
    if (isZero && relation.isPiece())
      relation.layout.setZero();
    relations[*piece] = std::move(relation);
    found = true;
  }
  if (!found)
    why = "it is not what its rule gives for operands that are cut so";
  return found ? std::optional(std::move(relations)) : std::nullopt;
}

unsigned OpMatcher::countFound(Operation *original) const {
  unsigned found = original->getNumResults() == 0 ? 0 : numFound.lookup(numbering.get(original->getResult(0)));
  return found / numbering.countCopies(original);
}

std::optional<OpMatcher::Relations> OpMatcher::tryAll(Operation *local, const Leaves &leaves, bool isAtSameLocation,
                                                      std::string &why) {
  SmallVector<Operation *> candidates = findCandidates(local, leaves);
  // Several ops of one location may give pieces of one shape (a scalar, broadcast to two sizes). Lowering emits each of
  // them, in order, so those that were found least often come first. At other locations, where equal elements may
  // belong to values of any size, ops of the same size come first.
  std::vector<std::tuple<bool, unsigned, size_t, Operation *>> ordered;
  for (auto [index, candidate] : llvm::enumerate(candidates)) {
    bool isOfOtherSize = !isAtSameLocation && candidate->getResultTypes() != local->getResultTypes();
    ordered.emplace_back(isOfOtherSize, countFound(candidate), index, candidate);
  }
  llvm::sort(ordered);
  for (auto [isOfOtherSize, count, index, candidate] : ordered) {
    if (numbering.isAt(candidate, local->getLoc()) != isAtSameLocation)
      continue;
    std::string reason;
    if (auto relations = tryCandidate(local, candidate, leaves, reason))
      return relations;
    if (why.empty())
      why = std::move(reason);
  }
  return std::nullopt;
}

std::optional<OpMatcher::Relations> OpMatcher::match(Operation *local, std::string &why) {
  // The body of a loop is matched again for other layouts of what the loop carries.
  for (ValueNumber number : counted.lookup(local))
    --numFound[number];
  counted.erase(local);
  bool areRelated = llvm::all_of(local->getOperands(), [&](Value operand) { return facts.findRelation(operand); });
  std::optional<Leaves> single, several;
  if (areRelated)
    single = collectLeaves(local, /*isLastOfSeveral=*/false);
  // An op on equal values may be a piece of several values. If locations are known, its users want the one with its
  // location.
  for (bool isAtSameLocation : {true, false}) {
    if (single)
      if (std::optional<Relations> relations = tryAll(local, *single, isAtSameLocation, why))
        return relations;
    // Most ops do not need this, and it takes time.
    if (!several)
      several = collectLeaves(local, /*isLastOfSeveral=*/true);
    if (std::optional<Relations> relations = tryAll(local, *several, isAtSameLocation, why))
      return relations;
  }
  return std::nullopt;
}

} // namespace partita::verify
