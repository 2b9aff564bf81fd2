//===- LoopsTest.cpp ------------------------------------------------------===//

#include "partita/Program/Loops.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include "partita/Dialect/AllDialects.h"
#include "partita/Dialect/StableHlo/ControlFlowOps.h"

#include <gtest/gtest.h>

namespace partita::program {
namespace {

class LoopsTest : public testing::Test {
protected:
  LoopsTest() : context(makeRegistry()) { context.loadAllAvailableDialects(); }

  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  /// The number of iterations of `for (T i = start; i <direction> bound; i += step)`, or why it is not known.
  std::string count(const std::string &type, int start, int step, const std::string &direction, int bound) {
    auto constant = [&](int value) {
      return "stablehlo.constant dense<" + std::to_string(value) + "> : tensor<" + type + ">\n";
    };
    std::string text = "func.func @main() -> tensor<" + type + "> {\n%start = " + constant(start) +
                       "%0 = stablehlo.while(%i = %start) : tensor<" + type + "> cond {\n%bound = " + constant(bound) +
                       "%1 = stablehlo.compare " + direction + ", %i, %bound : (tensor<" + type + ">, tensor<" + type +
                       ">) -> tensor<i1>\nstablehlo.return %1 : tensor<i1>\n} do {\n%step = " + constant(step) +
                       "%1 = stablehlo.add %i, %step : tensor<" + type + ">\nstablehlo.return %1 : tensor<" + type +
                       ">\n}\nreturn %0 : tensor<" + type + ">\n}\n";
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    std::string result = "no loop";
    if (module)
      module->walk([&](stablehlo::WhileOp loop) {
        std::string whyNot;
        std::optional<CountedLoop> counted = analyzeLoop(loop, &whyNot);
        result = counted ? std::to_string(counted->tripCount) : whyNot;
      });
    return result;
  }

  mlir::MLIRContext context;
};

bool holds(int a, const std::string &direction, int b) {
  return direction == "LT"   ? a < b
         : direction == "LE" ? a <= b
         : direction == "GT" ? a > b
         : direction == "GE" ? a >= b
         : direction == "EQ" ? a == b
                             : a != b;
}

/// What the loop does when it is run without wrap-around; nothing if it wraps around or does not end.
template <typename T> std::optional<int> simulate(int start, int step, const std::string &direction, int bound) {
  int count = 0;
  for (int i = start; holds(i, direction, bound); i += step, ++count)
    if (count > 1000 || i + step < std::numeric_limits<T>::min() || i + step > std::numeric_limits<T>::max())
      return std::nullopt;
  return count;
}

TEST_F(LoopsTest, CountsAsSimulationDoes) {
  int counted = 0, refused = 0;
  for (const std::string direction : {"LT", "LE", "GT", "GE", "NE", "EQ"})
    for (int start : {-128, -7, 0, 3, 127})
      for (int step : {-100, -3, -1, 0, 1, 2, 50})
        for (int bound : {-128, -9, 0, 3, 9, 127}) {
          std::string found = count("i8", start, step, direction, bound);
          std::optional<int> truth = simulate<int8_t>(start, step, direction, bound);
          bool isNumber = !found.empty() && isdigit(found[0]);
          // Loops whose body never runs may be refused: what it would do to the counter is not known to fit.
          EXPECT_EQ(isNumber && !truth, false) << start << " " << step << " " << direction << " " << bound;
          if (isNumber && truth)
            EXPECT_EQ(found, std::to_string(*truth)) << start << " " << step << " " << direction << " " << bound;
          if (truth && *truth > 0)
            EXPECT_TRUE(isNumber) << found << ": " << start << " " << step << " " << direction << " " << bound;
          (isNumber ? counted : refused)++;
        }
  EXPECT_GT(counted, 300);
  EXPECT_GT(refused, 300);
}

TEST_F(LoopsTest, UnsignedNumbersHaveTheirOwnRange) {
  // 3, 53, ..., 253: six steps; 303 would not fit.
  EXPECT_EQ(count("ui8", 3, 50, "NE", 253), "5");
  EXPECT_EQ(count("ui8", 3, 50, "LE", 253).substr(0, 4), "what");
  EXPECT_EQ(count("ui8", 200, 50, "LT", 250), "1");
}

TEST_F(LoopsTest, SaysWhyNot) {
  EXPECT_EQ(count("i32", 0, 1, "GE", 0), "the condition never fails, unless an integer wraps around");
  EXPECT_EQ(count("i32", 0, 2, "NE", 9), "the condition never fails, unless an integer wraps around");
  EXPECT_EQ(count("i32", 0, 0, "LT", 9), "the condition never fails, unless an integer wraps around");
}

} // namespace
} // namespace partita::program
