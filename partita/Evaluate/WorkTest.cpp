//===- WorkTest.cpp -------------------------------------------------------===//

#include "partita/Evaluate/Work.h"

#include "partita/Dialect/AllDialects.h"
#include "partita/Evaluate/Evaluator.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace partita::evaluate {
namespace {

class WorkTest : public testing::Test {
protected:
  WorkTest() : context(makeRegistry()) { context.loadAllAvailableDialects(); }

  OwningOpRef<ModuleOp> parse(const std::string &text) { return parseSourceString<ModuleOp>(text, &context); }

  /// The work of the last op of a function that takes `%a` and `%b` of the given types.
  int64_t estimate(const std::string &a, const std::string &b, const std::string &op) {
    OwningOpRef<ModuleOp> module =
        parse("func.func @main(%a: tensor<" + a + ">, %b: tensor<" + b + ">) {\n" + op + "\nreturn\n}");
    if (!module)
      return -1;
    auto main = module->lookupSymbol<func::FuncOp>("main");
    return estimateWork(main.getBody().front().getTerminator()->getPrevNode());
  }

  /// What ends the program, which may do `maxWork` on each of `devices` devices.
  Result<std::vector<DeviceValues>> run(const std::string &body, int64_t devices = 1, int64_t maxWork = 1'000'000) {
    OwningOpRef<ModuleOp> module = parse("func.func @main() -> tensor<4xf32> {\n"
                                         "%true = stablehlo.constant dense<true> : tensor<i1>\n"
                                         "%a = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>\n" +
                                         body + "\nreturn %r : tensor<4xf32>\n}");
    if (!module)
      return Error::internal("the test's program is not valid");
    EvaluatorOptions options;
    options.devices = devices;
    options.maxWork = maxWork;
    return evaluate(*module, std::vector<DeviceValues>(devices), options);
  }

  void expectStopped(const std::string &body, int64_t devices = 1) {
    Result<std::vector<DeviceValues>> results = run(body, devices);
    ASSERT_FALSE(results) << body;
    const Error &error = results.error();
    EXPECT_EQ(error.code, ExitCode::Limit) << error.str();
    EXPECT_TRUE(StringRef(error.remedy).contains("--max-work")) << error.str();
    EXPECT_NE(error.location.line, 0u);
  }

private:
  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  MLIRContext context;
};

std::string loop(const std::string &condition, const std::string &body, const std::string &name = "r") {
  return "%" + name + " = stablehlo.while(%x = %a) : tensor<4xf32>\ncond {\n" + condition + "\n} do {\n" + body + "\n}";
}

const char *const always = "stablehlo.return %true : tensor<i1>";

TEST_F(WorkTest, CountsProducts) {
  // 256 for the op, 16 for each of three values, 4 x 8 x 3 products.
  EXPECT_EQ(estimate("4x8xf32", "8x3xf32",
                     "%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x8xf32>, "
                     "tensor<8x3xf32>) -> tensor<4x3xf32>"),
            256 + 3 * 16 + 96);
  // The formula has the letters i, j, k.
  EXPECT_EQ(estimate("4x8xf32", "8x3xf32",
                     R"(%0 = "stablehlo.einsum"(%a, %b) {einsum_config = "ij,jk->ik"} : (tensor<4x8xf32>,
                        tensor<8x3xf32>) -> tensor<4x3xf32>)"),
            256 + 3 * 16 + 96);
  // 36 outputs see a kernel of 3 x 3.
  EXPECT_EQ(estimate("1x8x8x1xf32", "3x3x1x1xf32",
                     R"(%0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
                        window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} :
                        (tensor<1x8x8x1xf32>, tensor<3x3x1x1xf32>) -> tensor<1x6x6x1xf32>)"),
            256 + 3 * 16 + 36 * 9);
}

TEST_F(WorkTest, CountsElements) {
  // Two operands of 100 elements each.
  EXPECT_EQ(estimate("100xf32", "100xf32", "%0 = stablehlo.add %a, %b : tensor<100xf32>"), 256 + 3 * 16 + 8 * 200);
  // An update is made in place.
  EXPECT_EQ(estimate("1000xf32", "10xf32",
                     "%i = stablehlo.constant dense<0> : tensor<i32>\n%0 = stablehlo.dynamic_update_slice %a, %b, %i : "
                     "(tensor<1000xf32>, tensor<10xf32>, tensor<i32>) -> tensor<1000xf32>"),
            256 + 4 * 16 + 8 * 10);
  // 93 windows of 8 elements, two ops for each.
  EXPECT_EQ(estimate("100xf32", "f32", R"(%0 = "stablehlo.reduce_window"(%a, %b) ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {window_dimensions = array<i64: 8>} : (tensor<100xf32>, tensor<f32>) -> tensor<93xf32>)"),
            256 + 3 * 16 + 93 * 8 * 2 * 8);
  // Beyond 64 bits.
  EXPECT_EQ(estimate("1099511627776xf32", "1099511627776xf32",
                     "%0 = stablehlo.dot_general %a, %b, contracting_dims = [] x [] : (tensor<1099511627776xf32>, "
                     "tensor<1099511627776xf32>) -> tensor<1099511627776x1099511627776xf32>"),
            INT64_MAX);
}

TEST_F(WorkTest, LoopsWithoutEndAreStopped) {
  for (int64_t devices : {1, 3}) {
    expectStopped(loop(always, "stablehlo.return %x : tensor<4xf32>"), devices);
    expectStopped(loop(always, "%y = stablehlo.add %x, %x : tensor<4xf32>\nstablehlo.return %y : tensor<4xf32>"),
                  devices);
    // The inner loop ends, the outer does not; and the other way round.
    std::string never = "%false = stablehlo.constant dense<false> : tensor<i1>\nstablehlo.return %false : tensor<i1>";
    std::string inner = "%y = stablehlo.while(%z = %x) : tensor<4xf32>\ncond {\n" + never +
                        "\n} do {\nstablehlo.return %z : tensor<4xf32>\n}\nstablehlo.return %y : tensor<4xf32>";
    expectStopped(loop(always, inner), devices);
    std::string endless = "%y = stablehlo.while(%z = %x) : tensor<4xf32>\ncond {\n" + std::string(always) +
                          "\n} do {\nstablehlo.return %z : tensor<4xf32>\n}\nstablehlo.return %y : tensor<4xf32>";
    expectStopped(loop(always, endless), devices);
  }
}

TEST_F(WorkTest, LoopsInRegionsOfOpsAreStopped) {
  // Run for single elements, as reducers and comparators are.
  std::string spin = R"(
      %w = stablehlo.while(%z = %p) : tensor<f32>
      cond {
        %t = stablehlo.constant dense<true> : tensor<i1>
        stablehlo.return %t : tensor<i1>
      } do {
        stablehlo.return %z : tensor<f32>
      })";
  expectStopped("%init = stablehlo.constant dense<0.0> : tensor<f32>\n"
                R"(%s = "stablehlo.reduce"(%a, %init) ({
                   ^bb0(%p: tensor<f32>, %q: tensor<f32>):)" +
                spin + R"(
                     stablehlo.return %w : tensor<f32>
                   }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
                   %r = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<4xf32>)");
  expectStopped(R"(%r = "stablehlo.sort"(%a) ({
                   ^bb0(%p: tensor<f32>, %q: tensor<f32>):)" +
                spin + R"(
                     %l = stablehlo.compare LT, %w, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
                     stablehlo.return %l : tensor<i1>
                   }) {dimension = 0 : i64, is_stable = true} : (tensor<4xf32>) -> tensor<4xf32>)");
}

TEST_F(WorkTest, SaysWhichLoop) {
  Result<std::vector<DeviceValues>> results =
      run(loop(always, "%y = stablehlo.add %x, %x : tensor<4xf32>\nstablehlo.return %y : tensor<4xf32>"));
  ASSERT_FALSE(results);
  EXPECT_TRUE(StringRef(results.error().reason).contains(" iterations of the loop at ")) << results.error().reason;
}

TEST_F(WorkTest, AnOpThatIsTooMuchIsNotBegun) {
  // 2^40 products take hours; the operands are little work.
  Result<std::vector<DeviceValues>> results =
      run("%i = stablehlo.iota dim = 0 : tensor<1048576xf32>\n"
          R"(%s = "stablehlo.einsum"(%i, %i) {einsum_config = "i,j->"} : (tensor<1048576xf32>, tensor<1048576xf32>)
             -> tensor<f32>
             %r = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<4xf32>)",
          1, 1'000'000'000);
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().code, ExitCode::Limit);
  EXPECT_TRUE(StringRef(results.error().reason).contains("'stablehlo.einsum'")) << results.error().reason;
}

TEST_F(WorkTest, CopiesCount) {
  // The update is small, but the operand is used again, so that each iteration copies 4 MB.
  std::string body = R"(
    %big = stablehlo.iota dim = 0 : tensor<1048576xf32>
    %i = stablehlo.constant dense<0> : tensor<i32>
    %n = stablehlo.constant dense<100> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %l:2 = stablehlo.while(%x = %a, %j = %i) : tensor<4xf32>, tensor<i32>
    cond {
      %c = stablehlo.compare LT, %j, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %u = stablehlo.dynamic_update_slice %big, %x, %j : (tensor<1048576xf32>, tensor<4xf32>, tensor<i32>) -> tensor<1048576xf32>
      %s = stablehlo.slice %u [0:4] : (tensor<1048576xf32>) -> tensor<4xf32>
      %k = stablehlo.add %j, %one : tensor<i32>
      stablehlo.return %s, %k : tensor<4xf32>, tensor<i32>
    }
    %r = stablehlo.add %l#0, %a : tensor<4xf32>)";
  // 100 copies of 4 MiB and little else.
  EXPECT_TRUE(run(body, 1, 450'000'000));
  EXPECT_FALSE(run(body, 1, 400'000'000));
}

} // namespace
} // namespace partita::evaluate
