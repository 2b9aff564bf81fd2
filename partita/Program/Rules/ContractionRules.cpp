//===- ContractionRules.cpp - dot products and einsum ---------------------===//
//
//   dot_general:  ([b,i,k],[b,k,j])->([b,i,j]) reduce(add)={k}
//   einsum:       the factors are its letters; those that the result does not have are summed
//
// A sum of booleans is `or`: it is what XLA computes for dots of i1.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/StableHlo/DotShape.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/RaggedDotRules.h"
#include "partita/Program/Rules/RuleBuilder.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace partita::program::rules {

//===----------------------------------------------------------------------===//
// dot, dot_general
//===----------------------------------------------------------------------===//

static constexpr StringRef quantizedDotWhy =
    "sums that are rounded to a quantized result, and dims with scales of their own, stay whole";

/// The result has the batching dims, then the free dims of lhs, then those of rhs.
static OpRule makeDotRule(Operation *op, const stablehlo::DotDims &dims) {
  RuleBuilder rule(op);
  ArrayRef<int64_t> lhs = getShape(op->getOperand(0)), rhs = getShape(op->getOperand(1));
  int64_t resultDim = 0;
  for (auto [lhsDim, rhsDim] : llvm::zip_equal(dims.lhsBatching, dims.rhsBatching))
    rule.addParallel(lhs[lhsDim], {ofOperand(0, lhsDim), ofOperand(1, rhsDim), ofResult(0, resultDim++)});
  for (int64_t dim : stablehlo::getOtherDims(lhs.size(), {dims.lhsBatching, dims.lhsContracting}))
    rule.addParallel(lhs[dim], {ofOperand(0, dim), ofResult(0, resultDim++)});
  for (int64_t dim : stablehlo::getOtherDims(rhs.size(), {dims.rhsBatching, dims.rhsContracting}))
    rule.addParallel(rhs[dim], {ofOperand(1, dim), ofResult(0, resultDim++)});
  for (auto [lhsDim, rhsDim] : llvm::zip_equal(dims.lhsContracting, dims.rhsContracting))
    rule.addSum(lhs[lhsDim], {ofOperand(0, lhsDim), ofOperand(1, rhsDim)});
  return rule.finish(quantizedDotWhy);
}

static OpRule ruleOfDotGeneral(stablehlo::DotGeneralOp op, RuleContext &) {
  return makeDotRule(op, stablehlo::getDotDims(op.getDotDimensionNumbers()));
}

static OpRule ruleOfDot(stablehlo::DotOp op, RuleContext &) {
  int64_t lhsContracting = int64_t(getShape(op.getLhs()).size()) - 1, rhsContracting = 0;
  return makeDotRule(op, {{}, {}, lhsContracting, rhsContracting});
}

//===----------------------------------------------------------------------===//
// einsum, unary_einsum
//===----------------------------------------------------------------------===//

namespace {

/// `ab,bc->ac`: one word of letters for each value.
struct EinsumWords {
  SmallVector<StringRef> operands;
  StringRef result;
};

} // namespace

/// Nothing unless each word is a list of distinct letters, one for each dim. An ellipsis or a diagonal is not.
static std::optional<EinsumWords> readEinsum(Operation *op, StringRef config) {
  auto [left, right] = config.split("->");
  EinsumWords words;
  left.split(words.operands, ',');
  for (StringRef &word : words.operands)
    word = word.trim();
  words.result = right.trim();
  auto fits = [](StringRef word, Value value) {
    llvm::SmallDenseSet<char> letters(word.begin(), word.end());
    return word.size() == getShape(value).size() && letters.size() == word.size() && llvm::all_of(word, llvm::isAlpha);
  };
  if (words.operands.size() != op->getNumOperands() || !fits(words.result, op->getResult(0)))
    return std::nullopt;
  for (auto [word, operand] : llvm::zip_equal(words.operands, op->getOperands()))
    if (!fits(word, operand))
      return std::nullopt;
  return words;
}

/// Collects the operand dims of a letter. False if it has two sizes.
static bool collectDims(Operation *op, const EinsumWords &words, char letter, SmallVectorImpl<DimRef> &dims,
                        int64_t &size) {
  for (auto [index, word] : llvm::enumerate(words.operands)) {
    size_t dim = word.find(letter);
    if (dim == StringRef::npos)
      continue;
    int64_t found = getShape(op->getOperand(index))[dim];
    if (!dims.empty() && found != size)
      return false;
    size = found;
    dims.push_back(ofOperand(index, dim));
  }
  return true;
}

/// Adds the factor of one letter. False if its sizes do not agree or the result has it alone.
static bool addLetter(Operation *op, const EinsumWords &words, char letter, RuleBuilder &rule) {
  SmallVector<DimRef> dims;
  int64_t size = 1;
  if (!collectDims(op, words, letter, dims, size) || dims.empty())
    return false;
  size_t resultDim = words.result.find(letter);
  if (resultDim == StringRef::npos) {
    rule.addSum(size, dims);
    return true;
  }
  dims.push_back(ofResult(0, resultDim));
  rule.addParallel(size, dims);
  return getShape(op->getResult(0))[resultDim] == size;
}

static OpRule makeEinsumRule(Operation *op, StringRef config) {
  static constexpr StringRef why = "an einsum with an ellipsis, a diagonal or sizes that broadcast stays whole";
  std::optional<EinsumWords> words = readEinsum(op, config);
  if (!words || !hasStaticShapes(op))
    return RuleBuilder(op).finish(why);
  RuleBuilder rule(op);
  std::string letters;
  for (StringRef word : words->operands)
    letters += word;
  letters += words->result;
  for (auto [index, letter] : llvm::enumerate(letters))
    if (letters.find(letter) == index && !addLetter(op, *words, letter, rule))
      return RuleBuilder(op).finish(why);
  return rule.finish(quantizedDotWhy);
}

template <typename OpT> static OpRule ruleOfEinsum(OpT op, RuleContext &) {
  return makeEinsumRule(op, op.getEinsumConfig());
}

void registerContractionRules(RuleTable &table) {
  using namespace stablehlo;
  table.add<DotGeneralOp, ruleOfDotGeneral>();
  table.add<DotOp, ruleOfDot>();
  table.add<EinsumOp, ruleOfEinsum<EinsumOp>>();
  table.add<UnaryEinsumOp, ruleOfEinsum<UnaryEinsumOp>>();
  registerRaggedDotRules(table);
}

} // namespace partita::program::rules
