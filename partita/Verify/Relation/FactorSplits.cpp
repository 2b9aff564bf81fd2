//===- FactorSplits.cpp - how an op is split, from its operands -----------===//

#include "partita/Verify/Relation/FactorSplits.h"

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/OpTraits.h"
#include "partita/Program/Rules/StageShift.h"

using namespace mlir;

namespace partita::verify {

bool FactorSplits::setDigits(uint8_t factor, const Digits &digits, std::string &why) {
  FactorState &state = factors[factor];
  if (!digits.empty() && !rule.factors[factor].isSplittable()) {
    why = "a dim that must be whole is cut";
    return false;
  }
  if (state.digits) {
    std::optional<Digits> both = unifyDigits(*state.digits, digits);
    if (!both) {
      why = "its operands are cut along different axes";
      return false;
    }
    state.digits = std::move(*both);
    return true;
  }
  state.digits = digits;
  state.parts = countParts(digits);
  return true;
}

/// In a uniform dim, major factors are split first.
bool FactorSplits::setParts(const DimFactors &dimFactors, int64_t size, int64_t pieceSize, std::string &why) {
  if (size == pieceSize)
    return true;
  if (pieceSize == 0 || size % pieceSize != 0) {
    why = "a piece of " + std::to_string(pieceSize) + " does not divide a dim of " + std::to_string(size);
    return false;
  }
  int64_t parts = size / pieceSize;
  for (uint8_t factor : dimFactors) {
    FactorState &state = factors[factor];
    int64_t here = state.digits ? state.parts : std::min(parts, rule.factors[factor].size);
    if (here == 0 || parts % here != 0)
      return true;
    if (!state.digits)
      state.parts = std::max(state.parts, here);
    parts /= here;
  }
  return true;
}

bool FactorSplits::addOperand(unsigned operand, const PieceLayout &layout, ArrayRef<int64_t> pieceShape,
                              std::string &why) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op->getOperand(operand).getType()).getShape();
  if (shape.size() != pieceShape.size() || layout.dims.size() != shape.size()) {
    why = "an operand has another rank";
    return false;
  }
  for (auto [dim, dimFactors] : llvm::enumerate(rule.operands[operand])) {
    for (uint8_t factor : dimFactors)
      factors[factor].isInOperand = true;
    const DimLayout &dimForm = layout.dims[dim];
    if (dimForm.isUniform) {
      if (!setParts(dimFactors, shape[dim], pieceShape[dim], why))
        return false;
      continue;
    }
    Digits rest = dimForm.digits;
    for (uint8_t factor : dimFactors) {
      int64_t parts = std::min(countParts(rest), rule.factors[factor].size);
      std::optional<Digits> own = takeMajor(rest, parts);
      if (!own || !setDigits(factor, joinDigits(*own), why)) {
        why = why.empty() ? "a dim made of several is cut across them" : why;
        return false;
      }
    }
    if (!rest.empty()) {
      why = "a dim that must be whole is cut";
      return false;
    }
  }
  return true;
}

bool FactorSplits::addResult(unsigned result, ArrayRef<int64_t> pieceShape, std::string &why) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op->getResult(result).getType()).getShape();
  if (shape.size() != pieceShape.size()) {
    why = "a result has another rank";
    return false;
  }
  for (auto [dim, dimFactors] : llvm::enumerate(rule.results[result]))
    if (!setParts(dimFactors, shape[dim], pieceShape[dim], why))
      return false;
  return true;
}

Digits FactorSplits::getDigits(uint8_t factor) const {
  const FactorState &state = factors[factor];
  if (state.digits)
    return *state.digits;
  return state.parts == 1 ? Digits() : Digits{{0, state.parts}};
}

bool FactorSplits::bindIndex(uint8_t factor, const Digits &digits) {
  FactorState &state = factors[factor];
  if (countParts(digits) != state.parts)
    return false;
  std::optional<Digits> both = unifyDigits(getDigits(factor), digits);
  if (!both)
    return false;
  state.digits = std::move(both);
  return true;
}

static bool isIn(const ValueFactors &dims, uint8_t factor) {
  return llvm::any_of(dims, [&](const DimFactors &dim) { return llvm::is_contained(dim, factor); });
}

/// Whether the op does the same at every index along a parallel factor, so that equal elements stay equal. False for
/// ops that count indices (the rows of groups), for ops with only a user's rule, and for ops that write to some indices
/// of a dim that the update does not have.
static bool keepsUniform(Operation *op, const Rule &rule, uint8_t factor) {
  using namespace stablehlo;
  // At the ends of a halo other elements come in; in reverse order equal elements are equal.
  const Factor &known = rule.factors[factor];
  if (known.kind != FactorKind::Parallel || (known.isExchanged() && !known.isReversed) ||
      classify(op) == OpClass::Opaque || classify(op) == OpClass::Random || isa<IotaOp, chlo::RaggedDotOp>(op))
    return false;
  if (isa<DynamicUpdateSliceOp>(op))
    return isIn(rule.operands[1], factor);
  // Zeros come in.
  if (isStageShift(op))
    return !llvm::is_contained(rule.operands[0].front(), factor);
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return isIn(rule.operands[scatter.getInputs().size() + 1], factor);
  return true;
}

bool FactorSplits::isUniform(uint8_t factor) const {
  if (factors[factor].digits)
    return false;
  if (auto iota = dyn_cast<stablehlo::IotaOp>(op))
    return !llvm::is_contained(rule.results[0][iota.getIotaDimension()], factor);
  return factors[factor].isInOperand ? keepsUniform(op, rule, factor)
                                     : isa<stablehlo::BroadcastInDimOp, stablehlo::BroadcastOp>(op);
}

Digits FactorSplits::getReducedDigits() const {
  Digits reduced;
  for (auto [index, factor] : llvm::enumerate(rule.factors))
    if (factor.kind == FactorKind::Reduce)
      llvm::append_range(reduced, getDigits(index));
  return joinDigits(reduced);
}

uint64_t FactorSplits::getReducedFactors() const {
  uint64_t bits = 0;
  for (auto [index, factor] : llvm::enumerate(rule.factors))
    if (factor.kind == FactorKind::Reduce && getParts(index) > 1)
      bits |= uint64_t(1) << index;
  return bits;
}

std::optional<PieceLayout> FactorSplits::makeResultLayout(unsigned result) const {
  PieceLayout layout(rule.results[result].size());
  llvm::SmallBitVector inDims(rule.factors.size());
  for (auto [dim, dimFactors] : llvm::enumerate(rule.results[result])) {
    bool allUniform = !dimFactors.empty();
    Digits digits;
    for (uint8_t factor : dimFactors) {
      inDims.set(factor);
      allUniform = allUniform && isUniform(factor);
      llvm::append_range(digits, getDigits(factor));
    }
    layout.dims[dim].isUniform = allUniform;
    if (!allUniform)
      layout.dims[dim].digits = joinDigits(digits);
  }
  for (auto [index, factor] : llvm::enumerate(rule.factors))
    if (factor.kind == FactorKind::Reduce && !inDims[index] && getParts(index) > 1)
      if (!layout.addPartial(getDigits(index), factor.combiner))
        return std::nullopt;
  return layout;
}

} // namespace partita::verify
