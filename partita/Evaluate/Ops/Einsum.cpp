//===- Einsum.cpp - sums of products by their formula ---------------------===//
//
// In `ij,jk->ik` each letter is an index. Letters that the result does not have
// are summed. A letter that an operand has twice walks along its diagonal. JAX
// does not emit these ops and the dialect does not verify them, so the checks
// are here.
//
//===----------------------------------------------------------------------===//

#include "partita/Evaluate/Elementwise.h"
#include "partita/Evaluate/Ops/Accumulation.h"
#include "partita/Evaluate/Ops/Contraction.h"
#include "partita/Evaluate/Ops/Matrix.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace partita::evaluate {

namespace {

/// A formula with the sizes of its letters.
struct Formula {
  SmallVector<StringRef> operands;
  StringRef result;
  llvm::MapVector<char, int64_t> sizes;
};

} // namespace

static bool addSizes(Formula &formula, StringRef letters, ArrayRef<int64_t> shape) {
  if (letters.size() != shape.size() || !llvm::all_of(letters, llvm::isAlpha))
    return false;
  for (auto [letter, size] : llvm::zip_equal(letters, shape))
    if (formula.sizes.try_emplace(letter, size).first->second != size)
      return false;
  return true;
}

/// The formula, if it fits the operands and the result.
static std::optional<Formula> parseFormula(StringRef text, ArrayRef<Tensor> operands, RankedTensorType type) {
  Formula formula;
  auto [left, right] = text.split("->");
  left.split(formula.operands, ',');
  formula.result = right;
  if (formula.operands.size() != operands.size())
    return std::nullopt;
  for (auto [letters, operand] : llvm::zip_equal(formula.operands, operands))
    if (!addSizes(formula, letters, operand.getShape()))
      return std::nullopt;
  size_t numLetters = formula.sizes.size();
  // The result has letters of the operands only, each once.
  bool fits = addSizes(formula, formula.result, type.getShape()) && formula.sizes.size() == numLetters &&
              llvm::all_of(formula.result, [&](char letter) { return formula.result.count(letter) == 1; });
  return fits ? std::optional(formula) : std::nullopt;
}

/// How far each of `indices` moves in a tensor of `letters`.
static SmallVector<int64_t> getStrides(StringRef letters, ArrayRef<int64_t> shape, ArrayRef<char> indices) {
  SmallVector<int64_t> strides(indices.size(), 0);
  for (auto [letter, stride] : llvm::zip_equal(letters, computeStrides(shape)))
    for (auto [index, moved] : llvm::zip_equal(indices, strides))
      if (index == letter)
        moved += stride;
  return strides;
}

/// Sums the products of the operands' elements, in row-major order of the result's letters, then of the others.
static Tensor computeEinsum(const Formula &formula, ArrayRef<Tensor> operands, RankedTensorType type) {
  SmallVector<char> indices(formula.result.begin(), formula.result.end());
  for (auto [letter, size] : formula.sizes)
    if (!formula.result.contains(letter))
      indices.push_back(letter);
  SmallVector<int64_t> shape;
  for (char index : indices)
    shape.push_back(formula.sizes.lookup(index));
  const Tensor &lhs = operands.front(), &rhs = operands.back();
  SmallVector<int64_t> to = getStrides(formula.result, type.getShape(), indices);
  SmallVector<int64_t> left = getStrides(formula.operands.front(), lhs.getShape(), indices);
  SmallVector<int64_t> right = getStrides(formula.operands.back(), rhs.getShape(), indices);
  bool isBinary = operands.size() == 2;
  return visitAccumulator(getAccumulatorKind(lhs, rhs, type.getElementType()), [&]<typename T>(T *) {
    std::vector<T> sums(type.getNumElements());
    PackedElements<T> a(lhs, llvm::to_vector(llvm::seq<int64_t>(0, lhs.getRank())));
    PackedElements<T> b(rhs, llvm::to_vector(llvm::seq<int64_t>(0, rhs.getRank())));
    for (BoxWalk walk(shape, {to, left, right}); walk.isInside(); walk.next()) {
      T &sum = sums[walk.offset(0)];
      T factor = isBinary ? b.data()[walk.offset(2)] : getOne<T>();
      sum = multiplyAdd(a.data()[walk.offset(1)], factor, sum);
    }
    return unpackElements<T>(sums, type, lhs.getMode());
  });
}

static Status evaluateFormula(Operation *op, StringRef text, Call &call) {
  RankedTensorType type = resultType(op);
  std::optional<Formula> formula = parseFormula(text, call.operands, type);
  if (!formula)
    return Error::unsupported({}, "the formula '" + text.str() + "' does not fit its operands and result");
  call.results.push_back(computeEinsum(*formula, call.operands, type));
  return std::nullopt;
}

Status evaluateEinsum(stablehlo::EinsumOp op, Call &call) { return evaluateFormula(op, op.getEinsumConfig(), call); }

Status evaluateUnaryEinsum(stablehlo::UnaryEinsumOp op, Call &call) {
  return evaluateFormula(op, op.getEinsumConfig(), call);
}

} // namespace partita::evaluate
