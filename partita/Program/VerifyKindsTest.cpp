//===- VerifyKindsTest.cpp ------------------------------------------------===//

#include "partita/Program/VerifyKinds.h"

#include "partita/Dialect/AllDialects.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace partita::program {
namespace {

/// What is said of a program that is parsed, but not verified; empty if nothing is wrong.
class VerifyKindsTest : public testing::Test {
protected:
  VerifyKindsTest() : context(makeRegistry()) { context.loadAllAvailableDialects(); }

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  OwningOpRef<ModuleOp> parse(const std::string &body) {
    std::string text = "func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<f32>) -> tensor<4xf32> {\n" +
                       body + "  return %a : tensor<4xf32>\n}";
    return parseSourceString<ModuleOp>(text, ParserConfig(&context, /*verifyAfterParse=*/false));
  }

  template <typename Verify> std::string listen(Verify verify) {
    std::string said;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      said += diagnostic.str();
      return success();
    });
    LogicalResult result = verify();
    EXPECT_EQ(failed(result), !said.empty());
    return said;
  }

  /// The quick verifier must say what MLIR's says.
  std::string check(ModuleOp module) {
    std::string quick = listen([&] { return verifyKinds(module); });
    EXPECT_EQ(quick, listen([&] { return verify(module); }));
    return quick;
  }

  MLIRContext context;
};

constexpr const char *good = "  %0 = stablehlo.add %a, %b : tensor<4xf32>\n";
constexpr const char *sum =
    "  %1 = \"stablehlo.reduce\"(%a, %c) ({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
    "    %2 = stablehlo.add %x, %y : tensor<f32>\n    \"stablehlo.return\"(%2) : (tensor<f32>) -> ()\n"
    "  }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>\n";

TEST_F(VerifyKindsTest, GoodProgramsPass) {
  OwningOpRef<ModuleOp> module = parse(std::string(good) + sum);
  ASSERT_TRUE(module);
  EXPECT_EQ(check(*module), "");
}

TEST_F(VerifyKindsTest, AnOpOfItsOwnKindIsLookedAt) {
  // The second add has the name of the first, but other types.
  OwningOpRef<ModuleOp> module =
      parse(std::string(good) + "  %1 = \"stablehlo.add\"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<5xf32>\n");
  ASSERT_TRUE(module);
  EXPECT_NE(check(*module), "");
}

TEST_F(VerifyKindsTest, BodiesCount) {
  // The second reduction has the attributes and types of the first, but its body gives what it must not.
  std::string wrong = "  %3 = \"stablehlo.reduce\"(%a, %c) ({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
                      "    %4 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
                      "    \"stablehlo.return\"(%4) : (tensor<i1>) -> ()\n"
                      "  }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>\n";
  OwningOpRef<ModuleOp> module = parse(sum + wrong);
  ASSERT_TRUE(module);
  EXPECT_NE(check(*module), "");
}

TEST_F(VerifyKindsTest, UsesStandBehindDefinitions) {
  OwningOpRef<ModuleOp> module = parse(std::string(good) + "  %1 = stablehlo.add %0, %b : tensor<4xf32>\n");
  ASSERT_TRUE(module);
  Block &body = (*module->getOps<func::FuncOp>().begin()).getBody().front();
  body.front().moveAfter(body.front().getNextNode());
  EXPECT_NE(check(*module), "");
}

TEST_F(VerifyKindsTest, ReturnsAreLookedAt) {
  OwningOpRef<ModuleOp> module = parse(good);
  ASSERT_TRUE(module);
  Block &body = (*module->getOps<func::FuncOp>().begin()).getBody().front();
  body.back().setOperand(0, body.getArgument(2));
  EXPECT_NE(check(*module), "");
  body.back().erase();
  EXPECT_NE(listen([&] { return verifyKinds(*module); }), "");
}

} // namespace
} // namespace partita::program
