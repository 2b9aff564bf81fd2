//===- CustomRulesTest.cpp ------------------------------------------------===//

#include "partita/Program/Rules/CustomTargets.h"
#include "partita/Testing/RuleTestFixture.h"

namespace partita::program {

using namespace fixtures;
namespace {

class CustomRulesTest : public RuleTestFixture {
protected:
  static constexpr const char *argument = "%x: tensor<4x6x6xf32>";

  static std::string call(const std::string &target, const std::string &results, const std::string &attributes = "") {
    return "%0:2 = stablehlo.custom_call @\"" + target + "\"(%x) {" + attributes + "} : (tensor<4x6x6xf32>) -> (" +
           results + ")";
  }

  std::string callRule(const std::string &target, const std::string &attributes = "", const UserRules &rules = {}) {
    return ruleOf(argument, call(target, "tensor<4x6x6xf32>, tensor<4xi32>", attributes), rules);
  }

  bool isUnknown(const std::string &target) {
    Result<OpRule> rule = computeRule(parse(argument, call(target, "tensor<4x6x6xf32>, tensor<4xi32>")), {});
    return rule && rule->isUnknown;
  }
};

const char *const batched = "([a,b,c])->([a,d,e],[a]) replicate={b,c,d,e}";
const char *const whole = "([a,b,c])->([d,e,f],[g]) replicate={a,b,c,d,e,f,g}";

TEST_F(CustomRulesTest, Targets) {
  using rules::findCustomTarget;
  using rules::TargetKind;
  EXPECT_EQ(findCustomTarget("lapack_sgetrf_ffi").coreRank, 2);
  EXPECT_EQ(findCustomTarget("lapack_zgtsv_ffi").coreRank, 1);
  EXPECT_EQ(findCustomTarget("hipsolver_syevd_ffi").kind, TargetKind::Batched);
  EXPECT_EQ(findCustomTarget("cu_threefry2x32_ffi").kind, TargetKind::Elementwise);
  // Its descriptor holds the batch size.
  EXPECT_EQ(findCustomTarget("cusolver_getrf").kind, TargetKind::Unknown);
  EXPECT_EQ(findCustomTarget("lapack_").kind, TargetKind::Unknown);
  EXPECT_EQ(findCustomTarget("mosaic_gpu_v2").kind, TargetKind::ShapeBaked);
  EXPECT_EQ(findCustomTarget("__cudnn$fmhaSoftmax").kind, TargetKind::ShapeBaked);
}

TEST_F(CustomRulesTest, KnownTargetsSplitTheirBatch) {
  EXPECT_EQ(callRule("lapack_spotrf_ffi"), batched);
  EXPECT_EQ(callRule("Qr"), batched);
  EXPECT_EQ(callRule("mine", "mhlo.frontend_attributes = {num_batch_dims = \"1\"}"), batched);
  EXPECT_EQ(callRule("mine", "mhlo.frontend_attributes = {num_batch_dims = \"2\"}"), whole);
  EXPECT_EQ(callRule("lapack_spotrf_ffi", "has_side_effect = true"), whole);
  EXPECT_GT(countLocalForms(argument, call("lapack_spotrf_ffi", "tensor<4x6x6xf32>, tensor<4xi32>")), 0);
  EXPECT_EQ(ruleOf("%x: tensor<4x6xf32>",
                   "%0 = stablehlo.custom_call @annotate_device_placement(%x) {has_side_effect = "
                   "true} : (tensor<4x6xf32>) -> tensor<4x6xf32>"),
            "([a,b])->([a,b])");
}

TEST_F(CustomRulesTest, KnownTargetsArePriced) {
  auto price = [&](const std::string &target, const std::string &attributes = "", const char *second = "4xi32") {
    std::string results = std::string("tensor<4x6x6xf32>, tensor<") + second + ">";
    return *computeRule(parse(argument, call(target, results, attributes)), {});
  };
  EXPECT_EQ(price("cusolver_potrf_ffi").opName, "call.cholesky");
  EXPECT_EQ(price("lapack_sgetrf_ffi").opName, "call.lu");
  EXPECT_EQ(price("Eigh").opName, "call.eigh");
  // What JAX states of its dims says nothing of its work.
  OpRule stated = price("cusolver_syevd_ffi", "sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k], [i]) "
                                              "{i=4, j=6, k=6} need_replication={j, k}, custom>");
  EXPECT_EQ(stated.opName, "call.eigh");
  EXPECT_FALSE(stated.isUnpriced);
  EXPECT_EQ(price("sparse_gtsv2_ffi").flops, std::nullopt);
  EXPECT_EQ(price("cusparse_gtsv2_ffi", "", "4x6xi32").flops, 4 * 6 * 6);
  EXPECT_TRUE(price("mine").isUnpriced);
}

TEST_F(CustomRulesTest, CallsOfAllStagesHaveOneMoreFactor) {
  auto stages = [](const std::string &attributes) {
    return "%0 = stablehlo.custom_call @mine(%x, %w) {part.stages = {call = {call_target_name = \"mine\"" + attributes +
           "}, staged = array<i1: true, false>}} : (tensor<4x6x8xf32>, tensor<8xf32>) -> tensor<4x6x8xf32>";
  };
  UserRules rules;
  rules["mine"] = "([b,d],[d])->([b,d]) replicate={d} flops=100";
  const char *arguments = "%x: tensor<4x6x8xf32>, %w: tensor<8xf32>";
  EXPECT_EQ(ruleOf(arguments, stages(""), rules), "([a,b,c],[c])->([a,b,c]) replicate={c}");
  // Four stages make the call.
  EXPECT_EQ(computeRule(parse(arguments, stages("")), rules)->flops, 400);
  std::string piece = ", mhlo.frontend_attributes = {partita_piece_flops = \"25\"}";
  EXPECT_EQ(computeRule(parse(arguments, stages(piece)), rules)->flops, 100);
}

TEST_F(CustomRulesTest, UnknownTargetsAreWholeAndSaySo) {
  EXPECT_EQ(callRule("mine"), whole);
  EXPECT_TRUE(isUnknown("mine"));
  EXPECT_FALSE(isUnknown("lapack_spotrf_ffi"));
  EXPECT_TRUE(isUnknown("tpu_custom_call"));
}

TEST_F(CustomRulesTest, UserRules) {
  UserRules rules;
  rules["mine"] = "([b,i,k])->([b,i,k],[b]) replicate={k}";
  EXPECT_EQ(callRule("mine", "", rules), "([a,b,c])->([a,b,c],[a]) replicate={c}");
  rules["mine"] = "([b,i,k])->([b,i,_],[b])";
  EXPECT_NE(callRule("mine", "", rules).find("stands in no result and is not reduced"), std::string::npos);
  rules["mine"] = "([b,i,i])->([b,i,_],[b])";
  EXPECT_NE(callRule("mine", "", rules).find("stands twice in one value"), std::string::npos);
  rules["mine"] = "([b,_,_])->([b,i,_],[b])";
  EXPECT_NE(callRule("mine", "", rules).find("stands in no operand"), std::string::npos);
  rules["mine"] = "([b,i])->([b],[b])";
  EXPECT_NE(callRule("mine", "", rules).find("operand 0 has 3 dims"), std::string::npos);
}

TEST_F(CustomRulesTest, RulesOnShapeBakedKernelsAreRefused) {
  UserRules rules;
  rules["tpu_custom_call"] = "([b,i,k])->([b,i,k],[b])";
  mlir::Operation *op = parse(argument, call("tpu_custom_call", "tensor<4x6x6xf32>, tensor<4xi32>"));
  Result<OpRule> rule = computeRule(op, rules);
  ASSERT_FALSE(bool(rule));
  EXPECT_EQ(rule.error().code, ExitCode::Unsupported);
}

TEST_F(CustomRulesTest, ShardingRules) {
  auto rule = [&](const std::string &text) {
    return callRule("mine", "sdy.sharding_rule = #sdy.op_sharding_rule<" + text + ">");
  };
  EXPECT_EQ(rule("([i, j, k])->([i, l, m], [i]) {i=4, j=6, k=6, l=6, m=6}, custom"), batched);
  EXPECT_EQ(rule("([i, j, k])->([i, j, l], [i]) {i=4, j=6, k=6, l=6} reduction={k}, custom"),
            "([a,b,c])->([a,b,d],[a]) reduce(add)={c} replicate={d}");
  // A factor that is not as large as its dim says nothing about pieces.
  EXPECT_EQ(rule("([i, j, k])->([i, l, m], [i]) {i=2, j=6, k=6, l=6, m=6}, custom")
                .find("([a,b,c])->([a,d,e],[a]) replicate={a"),
            0u);
}

TEST_F(CustomRulesTest, Composites) {
  auto rule = [&](const std::string &name, const std::string &attributes) {
    module = mlir::parseSourceString<mlir::ModuleOp>(
        "func.func @main(%x: tensor<4x6xf32>) {\n%0 = stablehlo.composite \"" + name +
            "\" %x {composite_attributes = {" + attributes +
            "}, decomposition = @body} : (tensor<4x6xf32>) -> tensor<4x6xf32>\nreturn\n}\n" +
            "func.func private @body(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {\nreturn %x : tensor<4x6xf32>\n}",
        &context);
    if (!module)
      return std::string("does not parse");
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    Result<OpRule> found = computeRule(&function.getBody().front().front(), {});
    return found ? printRule(found->rule) + (found->isUnknown ? " unknown" : "") : found.error().str();
  };
  std::string text = "rule = \"([b,i])->([b,i]) replicate={i}\"";
  EXPECT_EQ(rule("partita.kernel.norm", text), "([a,b])->([a,b]) replicate={b}");
  EXPECT_EQ(rule("partita.kernel.norm", ""), "([a,b])->([c,d]) replicate={a,b,c,d} unknown");
  EXPECT_EQ(rule("other.norm", text), "([a,b])->([c,d]) replicate={a,b,c,d} unknown");
}

} // namespace
} // namespace partita::program
