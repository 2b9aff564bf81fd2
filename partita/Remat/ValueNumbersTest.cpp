//===- ValueNumbersTest.cpp -----------------------------------------------===//

#include "partita/Remat/ValueNumbers.h"

#include "partita/Dialect/AllDialects.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace partita::remat {
namespace {

class ValueNumbersTest : public ::testing::Test {
protected:
  ValueNumbersTest() : context(makeRegistry(), MLIRContext::Threading::DISABLED) { context.loadAllAvailableDialects(); }

  /// The numbers of the results of @main's ops, in order, by the name of the op.
  std::vector<std::pair<std::string, ValueNumber>> number(llvm::StringRef body) {
    module = parseSourceString<ModuleOp>(
        ("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n" + body + "\n}").str(), &context);
    std::vector<std::pair<std::string, ValueNumber>> found;
    if (!module)
      return found;
    pairs = findLayerLoops(*module);
    ValueNumbers numbers(*module, pairs);
    for (Operation &op : module->lookupSymbol<func::FuncOp>("main").getBody().front())
      for (Value result : op.getResults())
        found.emplace_back(op.getName().stripDialect().str(), numbers.get(result));
    return found;
  }

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::vector<LayerLoops> pairs;
};

TEST_F(ValueNumbersTest, EqualThroughBarriersAndRoundingWithoutEffect) {
  auto found = number(R"(
    %a = stablehlo.tanh %x : tensor<4xf32>
    %r = stablehlo.reduce_precision %a, format = e8m23 : tensor<4xf32>
    %b = stablehlo.optimization_barrier %x : tensor<4xf32>
    %c = stablehlo.tanh %b : tensor<4xf32>
    %n = stablehlo.reduce_precision %a, format = e5m10 : tensor<4xf32>
    return %n : tensor<4xf32>)");
  ASSERT_EQ(found.size(), 5u);
  EXPECT_EQ(found[0].second, found[1].second);
  EXPECT_EQ(found[0].second, found[3].second);
  EXPECT_NE(found[0].second, found[4].second);
}

TEST_F(ValueNumbersTest, ConstantsAreEqualHoweverTheyAreSpread) {
  auto found = number(R"(
    %s = stablehlo.constant dense<1.0> : tensor<f32>
    %a = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %b = stablehlo.constant dense<1.0> : tensor<4xf32>
    %c = stablehlo.constant dense<2.0> : tensor<4xf32>
    return %c : tensor<4xf32>)");
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[1].second, found[2].second);
  EXPECT_NE(found[1].second, found[3].second);
}

TEST_F(ValueNumbersTest, ReshapesThereAndBackChangeNothing) {
  auto found = number(R"(
    %a = stablehlo.tanh %x : tensor<4xf32>
    %b = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %c = stablehlo.reshape %b : (tensor<1x4xf32>) -> tensor<4xf32>
    return %c : tensor<4xf32>)");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].second, found[2].second);
  EXPECT_NE(found[0].second, found[1].second);
}

/// A kernel of the forward pass gives fewer results to users than the one that runs it again.
TEST_F(ValueNumbersTest, KernelsAreEqualWhateverOfThemIsUsed) {
  auto found = number(R"(
    %a:2 = stablehlo.custom_call @kernel(%x) {backend_config = "1"} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %b:2 = stablehlo.custom_call @kernel(%x) {backend_config = "1"} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %c:2 = stablehlo.custom_call @kernel(%x) {backend_config = "2"} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %d:2 = stablehlo.custom_call @kernel(%x) {backend_config = "1", has_side_effect = true}
        : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %e = stablehlo.add %a#0, %b#1 : tensor<4xf32>
    return %e : tensor<4xf32>)");
  ASSERT_EQ(found.size(), 9u);
  EXPECT_EQ(found[0].second, found[2].second);
  EXPECT_EQ(found[1].second, found[3].second);
  EXPECT_NE(found[0].second, found[1].second);
  EXPECT_NE(found[0].second, found[4].second);
  EXPECT_NE(found[0].second, found[6].second);
}

/// Slices of a concatenation are its operands if they are cut where these were put together.
TEST_F(ValueNumbersTest, PartsOfConcatenations) {
  auto found = number(R"(
    %a = stablehlo.tanh %x : tensor<4xf32>
    %c = stablehlo.concatenate %x, %a, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
    %s = stablehlo.slice %c [4:8] : (tensor<8xf32>) -> tensor<4xf32>
    %t = stablehlo.slice %c [3:7] : (tensor<8xf32>) -> tensor<4xf32>
    %u = stablehlo.slice %c [0:8:2] : (tensor<8xf32>) -> tensor<4xf32>
    %r = stablehlo.add %t, %u : tensor<4xf32>
    return %r : tensor<4xf32>)");
  ASSERT_EQ(found.size(), 6u);
  EXPECT_EQ(found[0].second, found[2].second);
  EXPECT_NE(found[0].second, found[3].second);
  EXPECT_NE(found[0].second, found[4].second);
}

TEST_F(ValueNumbersTest, RandomNumbersAreNeverEqual) {
  auto found = number(R"(
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %o = stablehlo.constant dense<1.0> : tensor<f32>
    %n = stablehlo.constant dense<4> : tensor<1xi64>
    %a = stablehlo.rng %z, %o, %n, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
    %b = stablehlo.rng %z, %o, %n, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
    %c = stablehlo.add %a, %b : tensor<4xf32>
    return %c : tensor<4xf32>)");
  ASSERT_EQ(found.size(), 6u);
  EXPECT_NE(found[3].second, found[4].second);
}

} // namespace
} // namespace partita::remat
