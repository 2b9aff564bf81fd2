//===- KernelCallsTest.cpp ------------------------------------------------===//

#include "partita/Program/Rules/KernelCalls.h"
#include "partita/Testing/RuleTestFixture.h"

namespace partita::program {

using namespace fixtures;
namespace {

class KernelCallsTest : public RuleTestFixture {
protected:
  /// A quote inside of a string of MLIR.
  static std::string quote(const std::string &text) {
    std::string result;
    for (char letter : text)
      result += letter == '\'' ? "\\22" : std::string(1, letter);
    return result;
  }

  /// What JAX hands over to cuDNN, as far as it matters. Quotes are written as '.
  static std::string config(bool isBackward, const std::string &more = "", bool headsFirst = false) {
    std::string product = isBackward ? "bmm1_grad_gemm2_dot_dimension_numbers" : "bmm1_dot_dimension_numbers";
    return "backend_config = \"" +
           quote("{'cudnn_fmha_backend_config': {'intermediate_tensor_shape': {'dimensions': ['4', '8', '64', '64']}, "
                 "'mask_type': 'NO_MASK', '" +
                 product + "': {'rhs_batch_dimensions': ['0', '" + (headsFirst ? "1" : "2") + "']}" + more + "}}") +
           "\"";
  }

  static std::string replace(std::string text, const std::string &from, const std::string &to) {
    size_t at = text.find(from);
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
  }

  struct Known {
    std::string rule, whole;
    int64_t flops = -1;
    bool isUnpriced = false, isUnknown = false;
  };

  Known find(const std::string &arguments, const std::string &op) {
    mlir::Operation *call = parse(arguments, op);
    while (!mlir::isa<stablehlo::CustomCallOp>(call))
      call = call->getPrevNode();
    Result<OpRule> rule = computeRule(call, {});
    if (!rule)
      return {rule.error().str(), ""};
    return {printRule(rule->rule), rule->whole, rule->flops.value_or(-1), rule->isUnpriced, rule->isUnknown};
  }

  static constexpr const char *operands =
      "%q: tensor<4x64x8x16xbf16>, %k: tensor<4x64x2x16xbf16>, %s: tensor<4x8x64xf32>, %b: tensor<1x8x64x64xbf16>";

  static std::string forward(const std::string &attributes, const std::string &target = "__cudnn$fmhaSoftmax") {
    return "%0:3 = stablehlo.custom_call @" + target + "(%q, %k, %k) {" + attributes +
           "} : (tensor<4x64x8x16xbf16>, tensor<4x64x2x16xbf16>, tensor<4x64x2x16xbf16>) -> "
           "(tensor<4x8x64x16xbf16>, tensor<4x8x64xf32>, tensor<0xui8>)";
  }

  static std::string backward(const std::string &attributes) {
    return "%0:4 = stablehlo.custom_call @__cudnn$fmhaSoftmaxBackward(%q, %k, %k, %s, %q, %q) {" + attributes +
           "} : (tensor<4x64x8x16xbf16>, tensor<4x64x2x16xbf16>, tensor<4x64x2x16xbf16>, tensor<4x8x64xf32>, "
           "tensor<4x64x8x16xbf16>, tensor<4x64x8x16xbf16>) -> (tensor<4x8x64x16xbf16>, tensor<4x2x64x16xbf16>, "
           "tensor<4x2x64x16xbf16>, tensor<0xui8>)";
  }

  /// With a bias [1, 8, 64, 64] and its gradient.
  static std::string biased(const std::string &attributes, bool isUsed) {
    return "%0:5 = stablehlo.custom_call @__cudnn$fmhaScaleBiasSoftmaxBackward(%q, %k, %k, %s, %q, %b, %q) {" +
           attributes +
           "} : (tensor<4x64x8x16xbf16>, tensor<4x64x2x16xbf16>, tensor<4x64x2x16xbf16>, tensor<4x8x64xf32>, "
           "tensor<4x64x8x16xbf16>, tensor<1x8x64x64xbf16>, tensor<4x64x8x16xbf16>) -> (tensor<4x8x64x16xbf16>, "
           "tensor<4x2x64x16xbf16>, tensor<4x2x64x16xbf16>, tensor<1x8x64x64xbf16>, tensor<0xui8>)" +
           (isUsed ? "\n%1 = stablehlo.negate %0#3 : tensor<1x8x64x64xbf16>" : "");
  }
};

TEST_F(KernelCallsTest, CudnnIsSplitOverBatchAndHeads) {
  Known known = find(operands, forward(config(false)));
  // Eight heads share two of the keys': (hg). The workspace is empty.
  EXPECT_EQ(known.rule, "([a,b,(cd),e],[a,f,c,g],[a,h,c,i])->([a,(cd),j,k],[a,(cd),l],[_]) "
                        "replicate={b,e,f,g,h,i,j,k,l}");
  // 2 * 4 * 8 * 64 * 64 * (16 + 16)
  EXPECT_EQ(known.flops, 8388608);
  EXPECT_FALSE(known.isUnpriced || known.isUnknown);
  EXPECT_EQ(known.whole, "all but batch and heads");
}

TEST_F(KernelCallsTest, MasksAndWindowsTakeLess) {
  std::string causal = replace(config(false), "NO_MASK", "CAUSAL");
  EXPECT_EQ(find(operands, forward(causal)).flops, 8388608 / 2);
  // Each query sees 16 of 64 keys.
  std::string window = replace(config(false, ", 'sliding_window_length': 16"), "NO_MASK", "CAUSAL");
  EXPECT_EQ(find(operands, forward(window)).flops, 8388608 / 4);
}

TEST_F(KernelCallsTest, BackwardSumsOverHeadsThatShareKeys) {
  Known known = find(operands, backward(config(true)));
  // d, the heads that share keys, stays whole: the gradient of the keys is a sum over them.
  EXPECT_EQ(known.rule, "([a,b,(cd),e],[a,f,c,g],[a,h,c,i],[a,(cd),j],[a,k,(cd),l],[a,m,(cd),n])->"
                        "([a,(cd),o,p],[a,c,q,r],[a,c,s,t],[_]) replicate={b,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t}");
  EXPECT_EQ(known.flops, 8388608 / 2 * 5);
}

TEST_F(KernelCallsTest, AGradientOfABiasThatIsUsedKeepsTheBatchWhole) {
  // Factor a, the batch, is replicated only where the sum over it is wanted.
  EXPECT_NE(find(operands, biased(config(true), true)).rule.find("replicate={a,"), std::string::npos);
  EXPECT_NE(find(operands, biased(config(true), false)).rule.find("replicate={b,"), std::string::npos);
}

TEST_F(KernelCallsTest, WhatPiecesWouldComputeOtherwiseIsPricedAndWhole) {
  for (const char *target : {"__cudnn$fmhaSoftmaxDropout", "__cudnn$fmhaSoftmaxF8"}) {
    Known known = find(operands, forward(config(false), target));
    EXPECT_EQ(known.flops, 8388608);
    // That it is whole is reported.
    EXPECT_TRUE(known.isUnknown && !known.isUnpriced);
    EXPECT_NE(known.rule.find("replicate={a,b,c,d,"), std::string::npos) << known.rule;
  }
  Known packed = find(operands, forward(config(false, ", 'max_seg_per_batch': 3")));
  EXPECT_EQ(packed.whole, "everything: packed sequences are numbered through the batch");
}

TEST_F(KernelCallsTest, CallsThatDoNotLieAsKnownHaveNoPrice) {
  for (const std::string &attributes :
       {std::string(), std::string("backend_config = \"no json\""), config(false, "", /*headsFirst=*/true)}) {
    Known known = find(operands, forward(attributes));
    EXPECT_TRUE(known.isUnpriced && known.isUnknown) << attributes;
  }
  std::string deep = "backend_config = \"" + std::string(100000, '[') + "\"";
  EXPECT_TRUE(find(operands, forward(deep)).isUnpriced);
}

TEST_F(KernelCallsTest, PiecesHaveTheirSizesInTheConfiguration) {
  auto call = mlir::cast<stablehlo::CustomCallOp>(parse(operands, forward(config(false))));
  std::optional<rules::KernelCall> known = rules::findKernelCall(call);
  ASSERT_TRUE(known);
  // Half of the batch, one of the keys' heads.
  std::string piece = forward(config(false));
  for (const auto &[from, to] :
       {std::pair("4x64x8x16", "2x64x4x16"), std::pair("4x64x2x16", "2x64x1x16"), std::pair("4x64x2x16", "2x64x1x16"),
        std::pair("4x8x64x16", "2x4x64x16"), std::pair("4x8x64xf", "2x4x64xf")})
    piece = replace(piece, from, to);
  std::string arguments = replace(replace(operands, "4x64x8x16", "2x64x4x16"), "4x64x2x16", "2x64x1x16");
  auto local = mlir::cast<stablehlo::CustomCallOp>(parse(arguments, piece));
  rules::adaptKernelSizes(local, *known);
  llvm::StringRef text = mlir::cast<mlir::StringAttr>(local.getBackendConfigAttr()).getValue();
  EXPECT_NE(text.find("\"dimensions\": [\"2\", \"4\", \"64\", \"64\"]"), llvm::StringRef::npos) << text.str();
}

TEST_F(KernelCallsTest, TransformerEngineIsSplitOverHeads) {
  const char *arguments = "%q: tensor<4x64x8x16xbf16>, %k: tensor<4x64x2x16xbf16>, %b: tensor<0xbf16>";
  std::string call =
      "%0:4 = stablehlo.custom_call @te_fused_attn_forward_ffi(%q, %k, %k, %b) {api_version = 4 : i32, backend_config "
      "= {attn_heads = 8 : i64, num_gqa_groups = 2 : i64, input_batch = 4 : i64, q_max_seqlen = 64 : i64, "
      "kv_max_seqlen = 64 : i64, head_dim = 16 : i64, bias_heads = 0 : i64, mask_type = 2 : i64, "
      "dropout_probability = 0.0 : f64, window_size_left = -1 : i64}} : (tensor<4x64x8x16xbf16>, "
      "tensor<4x64x2x16xbf16>, tensor<4x64x2x16xbf16>, tensor<0xbf16>) -> (tensor<4x64x8x16xbf16>, "
      "tensor<4x8x64x1xf32>, tensor<2x4xui32>, tensor<128xui8>)";
  Known known = find(arguments, call);
  EXPECT_EQ(known.flops, 8388608 / 2);
  EXPECT_FALSE(known.isUnpriced);
  // Attributes that no call can have.
  EXPECT_TRUE(find(arguments, replace(call, "head_dim = 16", "head_dim = 9223372036854775807")).isUnpriced);
  EXPECT_TRUE(find(arguments, replace(call, "input_batch = 4", "input_batch = 0")).isUnpriced);
  EXPECT_EQ(find(arguments, replace(call, "left = -1", "left = 9223372036854775807")).flops, 8388608 / 2);
  EXPECT_NE(known.rule.find("([a,b,(cd),e],[f,g,c,h],[i,j,c,k],[_])->([l,m,(cd),n],[o,(cd),p,_]"), std::string::npos)
      << known.rule;
}

TEST_F(KernelCallsTest, MosaicKernelsCostWhatTheirAuthorSays) {
  auto call = [](const std::string &attributes) {
    return "%0 = stablehlo.custom_call @tpu_custom_call(%x, %x) {" + attributes +
           "} : (tensor<8x64x16xbf16>, tensor<8x64x16xbf16>) -> tensor<8x64x16xbf16>";
  };
  const char *argument = "%x: tensor<8x64x16xbf16>";
  Known stated = find(
      argument, call("backend_config = \"" + quote("{'custom_call_config': {'cost_estimate': {'flops': 77}}}") + "\""));
  EXPECT_EQ(stated.flops, 77);
  EXPECT_FALSE(stated.isUnpriced);
  EXPECT_EQ(stated.rule, "([a,b,c],[d,e,f])->([g,h,i]) replicate={a,b,c,d,e,f,g,h,i}");
  // Two products of 8 * 64 * 64 * 16.
  EXPECT_EQ(find(argument, call("kernel_name = \"splash_mha_fwd_no_residuals\"")).flops, 2097152);
  EXPECT_TRUE(find(argument, call("kernel_name = \"mine\"")).isUnpriced);
}

} // namespace
} // namespace partita::program
