//===- ReshapeRulesTest.cpp -----------------------------------------------===//

#include "partita/Testing/RuleFixture.h"

#include <random>

namespace partita::program {

using namespace fixtures;
namespace {

using Sizes = std::vector<int64_t>;

class ReshapeRulesTest : public RuleFixture {
protected:
  static std::string getType(const Sizes &shape) {
    std::string text;
    for (int64_t size : shape)
      text += std::to_string(size) + "x";
    return text + "f32";
  }

  static std::string getReshape(const Sizes &from, const Sizes &to) {
    return "stablehlo.reshape %0 : (tensor<" + getType(from) + ">) -> tensor<" + getType(to) + ">";
  }

  std::string reshape(const Sizes &from, const Sizes &to) { return getRule({getType(from)}, getReshape(from, to)); }
};

TEST_F(ReshapeRulesTest, SplitsAndMerges) {
  EXPECT_EQ(reshape({6, 4}, {24}), "([a,b])->([(ab)])");
  EXPECT_EQ(reshape({24}, {6, 4}), "([(ab)])->([a,b])");
  EXPECT_EQ(reshape({24}, {2, 3, 4}), "([(abc)])->([a,b,c])");
  EXPECT_EQ(reshape({8, 6}, {4, 12}), "([(ab),c])->([a,(bc)])");
  EXPECT_EQ(reshape({2, 3, 4, 5}, {6, 20}), "([a,b,c,d])->([(ab),(cd)])");
  EXPECT_EQ(reshape({4, 6}, {4, 6}), "([a,b])->([a,b])");
}

TEST_F(ReshapeRulesTest, SizeOneAnywhere) {
  EXPECT_EQ(reshape({4, 1, 6}, {1, 4, 6, 1}), "([a,_,b])->([_,a,b,_])");
  EXPECT_EQ(reshape({1}, {}), "([_])->([])");
  EXPECT_EQ(reshape({}, {1, 1}), "([])->([_,_])");
  EXPECT_EQ(reshape({1, 24, 1}, {6, 1, 4}), "([_,(ab),_])->([a,_,b])");
}

TEST_F(ReshapeRulesTest, WhatDoesNotAlignStaysWhole) {
  // 6 and 4 share their major 2; then 3 and 2 share nothing until both have read all.
  EXPECT_EQ(reshape({6, 4}, {4, 6}), "([(ab),c])->([(ad),e]) replicate={b,c,d,e}");
  EXPECT_EQ(reshape({2, 3}, {3, 2}), "([a,b])->([c,d]) replicate={a,b,c,d}");
  // The block ends where both have read 6; what follows is shared again.
  EXPECT_EQ(reshape({5, 2, 3, 7}, {5, 3, 2, 7}), "([a,b,c,d])->([a,e,f,d]) replicate={b,c,e,f}");
  EXPECT_EQ(reshape({2, 15}, {3, 10}), "([a,b])->([c,d]) replicate={a,b,c,d}");
}

TEST_F(ReshapeRulesTest, Empty) {
  EXPECT_EQ(reshape({4, 0}, {4, 0, 3}), "([a,_])->([a,_,b])");
  EXPECT_EQ(reshape({4, 0}, {0, 7}), "([a,_])->([_,b])");
}

TEST_F(ReshapeRulesTest, FactorsMultiplyToDims) {
  mlir::Operation *op = parse({"48x10xf32"}, "%r = " + getReshape({48, 10}, {16, 30}));
  Result<OpRule> rule = computeRule(op, {});
  for (auto [dim, size] : llvm::zip_equal(rule->rule.operands[0], Sizes{48, 10})) {
    int64_t product = 1;
    for (uint8_t factor : dim)
      product *= rule->rule.factors[factor].size;
    EXPECT_EQ(product, size);
  }
}

//===----------------------------------------------------------------------===//
// Pieces, element by element
//===----------------------------------------------------------------------===//

/// The elements, numbered row by row in the whole, of the piece that has `indices` of the factors split in `parts`, in
/// the piece's own row order.
Sizes getPiece(const Sizes &shape, const ValueFactors &factors, const Sizes &parts, const Sizes &indices) {
  Sizes elements = {0};
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    int64_t numPieces = 1, piece = 0;
    for (uint8_t factor : factors[dim]) {
      numPieces *= parts[factor];
      piece = piece * parts[factor] + indices[factor];
    }
    int64_t length = shape[dim] / numPieces;
    Sizes next;
    for (int64_t element : elements)
      for (int64_t i = 0; i < length; ++i)
        next.push_back(element * shape[dim] + piece * length + i);
    elements = std::move(next);
  }
  return elements;
}

/// A divisor of `size`, often 1 or `size`.
int64_t chooseParts(int64_t size, std::mt19937 &random) {
  int64_t parts = 1 + int64_t(random() % size);
  return random() % 3 == 0 ? 1 : size % parts == 0 ? parts : size;
}

/// Both shapes from one list of primes, so that they share some boundaries and not others.
std::pair<Sizes, Sizes> makeShapes(std::mt19937 &random) {
  Sizes primes;
  for (int n = std::uniform_int_distribution<>(1, 6)(random); n > 0; --n)
    primes.push_back(std::vector{2, 2, 3, 5}[random() % 4]);
  auto group = [&] {
    Sizes shape = {1};
    for (int64_t prime : primes) {
      if (random() % 2)
        shape.push_back(1);
      shape.back() *= prime;
    }
    return shape;
  };
  Sizes from = group();
  if (random() % 2)
    std::shuffle(primes.begin(), primes.end(), random);
  return {from, group()};
}

TEST_F(ReshapeRulesTest, ReshapedPiecesArePiecesOfTheReshaped) {
  std::mt19937 random(7);
  int numChecked = 0;
  for (int round = 0; round < 400; ++round) {
    auto [from, to] = makeShapes(random);
    mlir::Operation *op = parse({getType(from)}, "%r = " + getReshape(from, to));
    ASSERT_TRUE(op);
    Result<OpRule> computed = computeRule(op, {});
    ASSERT_TRUE(bool(computed));
    const Rule &rule = computed->rule;
    for (int attempt = 0; attempt < 20; ++attempt) {
      Sizes parts, indices;
      llvm::SmallVector<Split> splits;
      for (auto [index, factor] : llvm::enumerate(rule.factors)) {
        parts.push_back(factor.isSplittable() ? chooseParts(factor.size, random) : 1);
        indices.push_back(random() % parts.back());
        if (parts.back() > 1)
          splits.push_back({uint8_t(index), parts.back(), {}});
      }
      if (splits.empty() || !isValidSplit(rule, splits))
        continue;
      ++numChecked;
      // Row by row, a reshape keeps the elements' order: the local reshape gives the operand's piece.
      EXPECT_EQ(getPiece(from, rule.operands[0], parts, indices), getPiece(to, rule.results[0], parts, indices))
          << getReshape(from, to);
    }
  }
  EXPECT_GT(numChecked, 1000);
}

/// A digit of both shapes that the rule missed: the operand's and the result's front cut in two, element by element.
TEST_F(ReshapeRulesTest, NoSplitOfAFrontDimIsMissed) {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    auto [from, to] = makeShapes(random);
    Result<OpRule> computed = computeRule(parse({getType(from)}, "%r = " + getReshape(from, to)), {});
    const Rule &rule = computed->rule;
    for (size_t a = 0; a < from.size(); ++a)
      for (size_t b = 0; b < to.size(); ++b)
        for (int64_t parts : {2, 3, 5}) {
          if (from[a] % parts != 0 || to[b] % parts != 0)
            continue;
          ValueFactors operand(from.size()), result(to.size());
          operand[a] = {0};
          result[b] = {0};
          if (getPiece(from, operand, {parts}, {1}) != getPiece(to, result, {parts}, {1}))
            continue;
          ASSERT_FALSE(rule.operands[0][a].empty());
          uint8_t front = rule.operands[0][a].front();
          EXPECT_TRUE(rule.factors[front].isSplittable() && rule.factors[front].size % parts == 0)
              << getReshape(from, to) << " " << printRule(rule);
          EXPECT_EQ(rule.results[0][b].front(), front);
        }
  }
}

} // namespace
} // namespace partita::program
