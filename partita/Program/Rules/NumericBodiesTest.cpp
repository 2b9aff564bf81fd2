//===- NumericBodiesTest.cpp ----------------------------------------------===//

#include "partita/Program/Rules/NumericBodies.h"

#include "partita/Program/Rules/FoldedBodies.h"
#include "partita/Testing/RuleTestFixture.h"

namespace partita::program {

using namespace fixtures;
namespace {

/// Bodies of scalars %a0, %a1.. and %b0, %b1.., whose results are %r0, %r1...
class NumericBodiesTest : public RuleTestFixture {
protected:
  struct Reduction {
    /// Element type and init value of each number.
    std::vector<std::pair<std::string, std::string>> numbers;
    std::string body;
    /// Elements that are constants, by their numbers; others are arguments.
    std::map<unsigned, std::string> constants = {};
  };

  stablehlo::ReduceOp parseReduction(const Reduction &reduction) {
    std::string arguments, before, operands, inits, types, initTypes, scalars, returned, results, resultTypes;
    for (auto [i, number] : llvm::enumerate(reduction.numbers)) {
      const auto &[element, init] = number;
      std::string name = std::to_string(i), comma = i == 0 ? "" : ", ", scalar = "tensor<" + element + ">";
      std::string whole = "tensor<4x6x" + element + ">";
      if (reduction.constants.contains(i))
        before += "%x" + name + " = stablehlo.constant dense<" + reduction.constants.at(i) + "> : " + whole + "\n";
      else
        arguments += (arguments.empty() ? "%x" : ", %x") + name + ": " + whole;
      before += "%i" + name + " = stablehlo.constant dense<" + init + "> : " + scalar + "\n";
      operands += comma + "%x" + name;
      inits += ", %i" + name;
      types += comma + whole;
      initTypes += ", " + scalar;
      returned += comma + "%r" + name;
      results += comma + scalar;
      resultTypes += comma + "tensor<4x" + element + ">";
    }
    for (std::string side : {"a", "b"})
      for (auto [i, number] : llvm::enumerate(reduction.numbers))
        scalars += (scalars.empty() ? "%" : ", %") + side + std::to_string(i) + ": tensor<" + number.first + ">";
    std::string count = reduction.numbers.size() > 1 ? ":" + std::to_string(reduction.numbers.size()) : "";
    mlir::Operation *op = parse(arguments, before + "%0" + count + " = \"stablehlo.reduce\"(" + operands + inits +
                                               ") <{dimensions = array<i64: 1>}> ({\n^bb0(" + scalars + "):\n" +
                                               reduction.body + "stablehlo.return " + returned + " : " + results +
                                               "\n}) : (" + types + initTypes + ") -> (" + resultTypes + ")");
    EXPECT_TRUE(op) << reduction.body;
    return mlir::dyn_cast_or_null<stablehlo::ReduceOp>(op);
  }

  /// `groups neutral commutes`, those that hold; `sum` if exact mode takes the body for one.
  std::string lawsOf(const Reduction &reduction) {
    stablehlo::ReduceOp op = parseReduction(reduction);
    if (!op)
      return "does not parse";
    rules::BodyLaws laws = rules::findBodyLaws(op);
    std::string text = laws.groups ? "groups" : "none";
    text += laws.isNeutral ? " neutral" : "";
    text += laws.commutes ? " commutes" : "";
    return text + (rules::isSumInExactMode(op.getBody()) ? " sum" : "");
  }

  static std::string step(const std::string &result, const std::string &op, const std::string &operands,
                          const std::string &element = "f32") {
    return "%" + result + " = stablehlo." + op + " " + operands + " : tensor<" + element + ">\n";
  }
};

std::string makeExponentials() {
  auto step = [](const char *result, const char *op, const char *operands) {
    return std::string("%") + result + " = stablehlo." + op + " " + operands + " : tensor<f32>\n";
  };
  return step("r0", "maximum", "%a0, %b0") + step("1", "subtract", "%a0, %r0") + step("2", "exponential", "%1") +
         step("3", "subtract", "%b0, %r0") + step("4", "exponential", "%3") + step("5", "multiply", "%a1, %2") +
         step("6", "multiply", "%b1, %4") + step("r1", "add", "%5, %6");
}

TEST_F(NumericBodiesTest, SumsOfExponentials) {
  const std::string least = "-3.40282347E+38";
  EXPECT_EQ(lawsOf({{{"f32", least}, {"f32", "0.0"}}, makeExponentials()}), "groups neutral commutes sum");
  // Counted with every piece.
  EXPECT_EQ(lawsOf({{{"f32", least}, {"f32", "1.0"}}, makeExponentials()}), "none sum");
  // An infinity less an infinity is no number, so a piece of nothing else spoils what others have.
  EXPECT_EQ(lawsOf({{{"f32", "0xFF800000"}, {"f32", "0.0"}}, makeExponentials()}), "none sum");
}

TEST_F(NumericBodiesTest, MeansAndVariances) {
  // Counts, means and sums of squared differences. The quotient is 0 / 0 if both are empty.
  std::string body = step("r0", "add", "%a0, %b0") + step("1", "subtract", "%b1, %a1") +
                     step("2", "divide", "%b0, %r0") + step("3", "multiply", "%1, %2") + step("r1", "add", "%a1, %3") +
                     step("4", "multiply", "%1, %1") + step("5", "multiply", "%4, %a0") +
                     step("6", "multiply", "%5, %2") + step("7", "add", "%a2, %b2") + step("r2", "add", "%7, %6");
  std::vector<std::pair<std::string, std::string>> zeros(3, {"f32", "0.0"});
  EXPECT_EQ(lawsOf({zeros, body, {{0, "1.0"}, {2, "0.0"}}}), "groups commutes sum");
  EXPECT_EQ(lawsOf({zeros, body}), "none sum");
  EXPECT_EQ(lawsOf({zeros, body, {{0, "0.0"}}}), "none sum");
}

TEST_F(NumericBodiesTest, AffineFunctions) {
  auto body = [](const std::string &element) {
    return step("r0", "multiply", "%a0, %b0", element) + step("1", "multiply", "%a1, %b0", element) +
           step("r1", "add", "%1, %b1", element);
  };
  EXPECT_EQ(lawsOf({{{"f32", "1.0"}, {"f32", "0.0"}}, body("f32")}), "groups neutral");
  EXPECT_EQ(lawsOf({{{"i32", "1"}, {"i32", "0"}}, body("i32")}), "groups neutral");
  EXPECT_EQ(lawsOf({{{"ui8", "1"}, {"ui8", "0"}}, body("ui8")}), "groups neutral");
  EXPECT_EQ(lawsOf({{{"f32", "1.0"}, {"f32", "1.0"}}, body("f32")}), "none");
}

TEST_F(NumericBodiesTest, SumsInSegments) {
  // A flag says that a segment begins.
  std::string body = step("r0", "or", "%a0, %b0", "i1") + step("1", "add", "%a1, %b1", "i32") +
                     "%r1 = stablehlo.select %b0, %b1, %1 : tensor<i1>, tensor<i32>\n";
  EXPECT_EQ(lawsOf({{{"i1", "false"}, {"i32", "0"}}, body}), "groups neutral");
}

TEST_F(NumericBodiesTest, LogAddExp) {
  std::string body = step("1", "maximum", "%a0, %b0") + step("2", "subtract", "%a0, %b0") +
                     "%3 = stablehlo.compare NE, %2, %2 : (tensor<f32>, tensor<f32>) -> tensor<i1>\n" +
                     step("4", "add", "%a0, %b0") + step("5", "abs", "%2") + step("6", "negate", "%5") +
                     step("7", "exponential", "%6") + step("8", "log_plus_one", "%7") + step("9", "add", "%1, %8") +
                     "%r0 = stablehlo.select %3, %4, %9 : tensor<i1>, tensor<f32>\n";
  EXPECT_EQ(lawsOf({{{"f32", "0xFF800000"}}, body}), "groups neutral commutes sum");
}

TEST_F(NumericBodiesTest, OtherBodies) {
  EXPECT_EQ(lawsOf({{{"f32", "0.0"}}, step("r0", "subtract", "%a0, %b0")}), "none");
  EXPECT_EQ(lawsOf({{{"f32", "0.0"}}, step("1", "abs", "%a0") + step("r0", "add", "%1, %b0")}), "none sum");
  EXPECT_EQ(lawsOf({{{"i32", "0"}}, step("r0", "divide", "%a0, %b0", "i32")}), "none");
  // Two that are nearly right: beyond a bound, and by one part in a million.
  std::string bound = "%1 = stablehlo.constant dense<1.0e+06> : tensor<f32>\n"
                      "%2 = stablehlo.compare GT, %a0, %1 : (tensor<f32>, tensor<f32>) -> tensor<i1>\n" +
                      step("3", "add", "%a0, %b0") + "%r0 = stablehlo.select %2, %a0, %3 : tensor<i1>, tensor<f32>\n";
  EXPECT_EQ(lawsOf({{{"f32", "0.0"}}, bound}), "none sum");
  std::string little = "%1 = stablehlo.constant dense<1.0e-06> : tensor<f32>\n" + step("2", "add", "%a0, %b0") +
                       step("3", "multiply", "%a0, %b0") + step("4", "multiply", "%3, %3") +
                       step("5", "multiply", "%4, %1") + step("r0", "add", "%2, %5");
  EXPECT_EQ(lawsOf({{{"f32", "0.0"}}, little}), "none");
}

} // namespace
} // namespace partita::program
