//===- RuleValidatorTest.cpp - the validator can fail ---------------------===//
//
// Each case is an op whose rule is right, and a wrong rule or local form for it,
// of a kind that people write. The validator must accept the one and catch the
// other.
//
//===----------------------------------------------------------------------===//

#include "partita/ValidateRules/RuleValidator.h"

#include "partita/Dialect/AllDialects.h"
#include "partita/Dialect/StableHlo/StableHlo.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace partita::validate {
namespace {

using rules::LocalContext;
using rules::Pieces;
using rules::RuleContext;
using rules::RuleTable;

/// A wrong rule, as text.
template <typename OpT, const char *text> OpRule stated(OpT op, RuleContext &context) {
  std::vector<SmallVector<int64_t>> operands, results;
  for (Value operand : op->getOperands())
    operands.emplace_back(rules::getShape(operand));
  for (Value result : op->getResults())
    results.emplace_back(rules::getShape(result));
  Result<Rule> rule = parseRule(text, operands, results, SourceLocation{"test", 0, 0});
  if (!rule) {
    context.error = rule.error();
    return {};
  }
  return {*rule, "", false};
}

/// The op's right rule, with the op itself as its local form.
template <typename OpT> OpRule builtIn(OpT op, RuleContext &context) { return *computeRule(op, context.userRules); }

/// Indices of all splits moved on by one.
template <typename OpT> Pieces offByOne(OpT op, const LocalContext &local) {
  SmallVector<Split> splits(local.splits);
  OpBuilder &builder = local.builder;
  auto scalar = RankedTensorType::get({}, builder.getI64Type());
  for (Split &split : splits) {
    Value one = stablehlo::ConstantOp::create(builder, op.getLoc(), DenseElementsAttr::get(scalar, int64_t(1)));
    split.index = stablehlo::AddOp::create(builder, op.getLoc(), scalar, split.index, one);
  }
  return emitLocal(builder, op, local.rule, local.operands, splits);
}

/// The right local form with all group counts as they were.
Pieces keepGroups(stablehlo::ConvolutionOp op, const LocalContext &local) { return rules::emitSame(op, local); }

constexpr char sumForMax[] = "([a,b],[])->([a]) reduce(add)={b}";
constexpr char maxForSum[] = "([a,k],[k,b])->([a,b]) reduce(maximum)={k}";
constexpr char missingCombiner[] = "([a,b],[])->([a])";
constexpr char wrongDim[] = "([a,b])->([a,b])";
constexpr char swappedCompound[] = "([(ab)])->([b,a])";
constexpr char mixedRows[] = "([a,k],[k,a])->([a,_]) reduce(add)={k}";
constexpr char joinedDim[] = "([a],[_])->([_]) reduce(add)={a}";
constexpr char wholeRank1[] = "([a])->([a])";
constexpr char windowDim[] = "([a],[])->([a])";
constexpr char forgottenOperand[] = "([_],[a],[a])->([a])";
constexpr char splitStream[] = "([_])->([_],[a])";
constexpr char unmaskedUpdate[] = "([a],[_],[])->([a])";
constexpr char slicedPart[] = "([a],[])->([_]) reduce(add)={a}";

/// What the validator says of parts that can be computed, and do not make up the whole; of partial results that nobody
/// combines; of pieces that the op does not take, by the op's own verifier.
constexpr char differs[] = "the result differs", disagrees[] = "devices that must have the same result differ";
constexpr char mistyped[] = "are incompatible with return type(s) of operation",
               squared[] = "requires a result of shape";
constexpr char ungrouped[] = "must be divisible by feature_group_count = 4", unequal[] = "requires pred to be a scalar";

struct RuleCase {
  const char *name;
  /// Why the wrong rule is refused: part of what is said of the first split that is.
  const char *reason;
  const char *program;
  void (*inject)(RuleTable &table);
};

std::ostream &operator<<(std::ostream &out, const RuleCase &testCase) { return out << testCase.name; }

/// `OP (OPERANDS) : TYPES` in a function is what each program below is; the last op before `return` is meant.
const RuleCase cases[] = {
    {"SumForMax", differs,
     R"(func.func @main(%x: tensor<4x6xf32>, %i: tensor<f32>) {
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.maximum across dimensions = [1]
    : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  return })",
     [](RuleTable &table) { table.add<stablehlo::ReduceOp, stated<stablehlo::ReduceOp, sumForMax>>(); }},
    {"MaxForSum", differs,
     R"(func.func @main(%x: tensor<4x6xf32>, %y: tensor<6x8xf32>) {
  %0 = stablehlo.dot %x, %y : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return })",
     [](RuleTable &table) { table.add<stablehlo::DotOp, stated<stablehlo::DotOp, maxForSum>>(); }},
    {"MissingCombiner", disagrees,
     R"(func.func @main(%x: tensor<4x6xf32>, %i: tensor<f32>) {
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [1]
    : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  return })",
     [](RuleTable &table) { table.add<stablehlo::ReduceOp, stated<stablehlo::ReduceOp, missingCombiner>>(); }},
    {"InitOnEveryDevice", differs,
     R"(func.func @main(%x: tensor<4x6xf32>, %i: tensor<f32>) {
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [1]
    : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  return })",
     [](RuleTable &table) { table.add<stablehlo::ReduceOp, builtIn<stablehlo::ReduceOp>>(); }},
    {"WrongDim", mistyped,
     R"(func.func @main(%x: tensor<4x4xi32>) {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x4xi32>) -> tensor<4x4xi32>
  return })",
     [](RuleTable &table) { table.add<stablehlo::TransposeOp, stated<stablehlo::TransposeOp, wrongDim>>(); }},
    {"SwappedCompound", differs,
     R"(func.func @main(%x: tensor<12xf32>) {
  %0 = stablehlo.reshape %x : (tensor<12xf32>) -> tensor<2x6xf32>
  return })",
     [](RuleTable &table) { table.add<stablehlo::ReshapeOp, stated<stablehlo::ReshapeOp, swappedCompound>>(); }},
    {"MixedRowsAndColumns", squared,
     R"(func.func @main(%x: tensor<4x6xf32>, %y: tensor<6x4xf32>) {
  %0 = stablehlo.dot %x, %y : (tensor<4x6xf32>, tensor<6x4xf32>) -> tensor<4x4xf32>
  return })",
     [](RuleTable &table) { table.add<stablehlo::DotOp, stated<stablehlo::DotOp, mixedRows>>(); }},
    {"DroppedOffset", differs,
     R"(func.func @main() {
  %0 = stablehlo.iota dim = 0 : tensor<8xi32>
  return })",
     [](RuleTable &table) { table.add<stablehlo::IotaOp, builtIn<stablehlo::IotaOp>>(); }},
    {"OffByOne", differs,
     R"(func.func @main() {
  %0 = stablehlo.iota dim = 0 : tensor<8xi32>
  return })",
     [](RuleTable &table) { table.add<stablehlo::IotaOp, builtIn<stablehlo::IotaOp>, offByOne<stablehlo::IotaOp>>(); }},
    {"WrongGroupCount", ungrouped,
     R"(func.func @main(%x: tensor<2x6x4xf32>, %k: tensor<3x1x4xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 4 : i64}
    : (tensor<2x6x4xf32>, tensor<3x1x4xf32>) -> tensor<2x4x4xf32>
  return })",
     [](RuleTable &table) { table.add<stablehlo::ConvolutionOp, builtIn<stablehlo::ConvolutionOp>, keepGroups>(); }},
    {"DroppedMask", differs,
     R"(func.func @main(%x: tensor<8xf32>, %i: tensor<5x1xi32>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0],
    start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}>
    : (tensor<8xf32>, tensor<5x1xi32>) -> tensor<5xf32>
  return })",
     [](RuleTable &table) { table.add<stablehlo::GatherOp, builtIn<stablehlo::GatherOp>>(); }},
    {"DroppedMaskOffset", differs,
     R"(func.func @main(%x: tensor<8xf32>, %i: tensor<5x1xi32>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0],
    start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}>
    : (tensor<8xf32>, tensor<5x1xi32>) -> tensor<5xf32>
  return })",
     [](RuleTable &table) {
       table.add<stablehlo::GatherOp, builtIn<stablehlo::GatherOp>, offByOne<stablehlo::GatherOp>>();
     }},
    {"InputOnEveryDevice", differs,
     R"(func.func @main(%x: tensor<8xf32>, %i: tensor<6x1xi32>, %u: tensor<6xf32>) {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
    scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) : (tensor<8xf32>, tensor<6x1xi32>, tensor<6xf32>) -> tensor<8xf32>
  return })",
     [](RuleTable &table) { table.add<stablehlo::ScatterOp, builtIn<stablehlo::ScatterOp>>(); }},
    {"UnmaskedUpdate", differs,
     R"(func.func @main(%x: tensor<8xf32>, %u: tensor<1xf32>, %i: tensor<i32>) {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<8xf32>, tensor<1xf32>, tensor<i32>) -> tensor<8xf32>
  return })",
     [](RuleTable &table) {
       table.add<stablehlo::DynamicUpdateSliceOp, stated<stablehlo::DynamicUpdateSliceOp, unmaskedUpdate>>();
     }},
    {"SortedDim", differs,
     R"(func.func @main(%x: tensor<8xf32>) {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %s : tensor<i1>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return })",
     [](RuleTable &table) { table.add<stablehlo::SortOp, stated<stablehlo::SortOp, wholeRank1>>(); }},
    {"JoinedDim", mistyped,
     R"(func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return })",
     [](RuleTable &table) { table.add<stablehlo::ConcatenateOp, stated<stablehlo::ConcatenateOp, joinedDim>>(); }},
    {"ReversedDim", differs,
     R"(func.func @main(%x: tensor<8xf32>) {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<8xf32>
  return })",
     [](RuleTable &table) { table.add<stablehlo::ReverseOp, stated<stablehlo::ReverseOp, wholeRank1>>(); }},
    {"RunningSum", differs,
     R"(func.func @main(%x: tensor<8xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 8>,
    padding = dense<[[7, 0]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return })",
     [](RuleTable &table) { table.add<stablehlo::ReduceWindowOp, stated<stablehlo::ReduceWindowOp, windowDim>>(); }},
    {"ForgottenOperand", unequal,
     R"(func.func @main(%p: tensor<8xi1>, %x: tensor<8xf32>, %y: tensor<8xf32>) {
  %0 = stablehlo.select %p, %x, %y : tensor<8xi1>, tensor<8xf32>
  return })",
     [](RuleTable &table) { table.add<stablehlo::SelectOp, stated<stablehlo::SelectOp, forgottenOperand>>(); }},
    {"StreamPerDevice", differs,
     R"(func.func @main(%s: tensor<2xui64>) {
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xui32>)
  return })",
     [](RuleTable &table) {
       table.add<stablehlo::RngBitGeneratorOp, stated<stablehlo::RngBitGeneratorOp, splitStream>>();
     }},
    {"SlicedInPart", differs,
     R"(func.func @main(%x: tensor<8xf32>, %i: tensor<i32>) {
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [4] : (tensor<8xf32>, tensor<i32>) -> tensor<4xf32>
  return })",
     [](RuleTable &table) { table.add<stablehlo::DynamicSliceOp, stated<stablehlo::DynamicSliceOp, slicedPart>>(); }},
};

class WrongRules : public testing::TestWithParam<RuleCase> {
protected:
  WrongRules() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    module = parseSourceString<ModuleOp>(GetParam().program, &context);
  }

  InstanceReport validate(const RuleTable &table) {
    func::FuncOp main = module->lookupSymbol<func::FuncOp>("main");
    Operation *op = main.getBody().front().getTerminator()->getPrevNode();
    return validateOp(op, {table, userRules, {}});
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
  UserRules userRules;
};

TEST_P(WrongRules, TheBuiltInRuleIsRight) {
  ASSERT_TRUE(module);
  InstanceReport report = validate(rules::getRuleTable());
  EXPECT_EQ(report.skipped, "");
  EXPECT_TRUE(report.wrong.empty()) << printReport(report);
}

TEST_P(WrongRules, TheWrongOneIsCaught) {
  ASSERT_TRUE(module);
  RuleTable table = rules::getRuleTable();
  GetParam().inject(table);
  InstanceReport report = validate(table);
  EXPECT_EQ(report.skipped, "");
  EXPECT_GT(report.splits, 0);
  ASSERT_FALSE(report.wrong.empty()) << printReport(report);
  EXPECT_NE(report.wrong.front().difference.reason.find(GetParam().reason), std::string::npos) << printReport(report);
}

INSTANTIATE_TEST_SUITE_P(Each, WrongRules, testing::ValuesIn(cases),
                         [](const testing::TestParamInfo<RuleCase> &info) { return std::string(info.param.name); });

//===----------------------------------------------------------------------===//
// Splits
//===----------------------------------------------------------------------===//

TEST(EnumerateSplits, MinorFactorsNeedTheirMajorsWhole) {
  // 12 = (a=2, b=6): b alone is never split; a/2 b/2, a/2 b/3 are, and a/2 alone.
  Result<Rule> rule =
      parseRule("([(ab)])->([a,b])", {SmallVector<int64_t>{12}}, {SmallVector<int64_t>{2, 6}}, SourceLocation{});
  ASSERT_TRUE(static_cast<bool>(rule));
  std::vector<std::string> found;
  for (ArrayRef<Split> splits : enumerateSplits(*rule, 64))
    found.push_back(printSplits(splits));
  EXPECT_EQ(found, (std::vector<std::string>{"a/2", "a/2 b/2", "a/2 b/3"}));
}

TEST(EnumerateSplits, KeepsTheLimit) {
  Rule rule;
  ValueFactors dims;
  for (int i = 0; i < 5; ++i)
    dims.push_back({rule.addFactor(FactorKind::Parallel, 12)});
  rule.operands = {dims};
  rule.results = {dims};
  EXPECT_EQ(enumerateSplits(rule, 20).size(), 20u);
}

//===----------------------------------------------------------------------===//
// Missing splits
//===----------------------------------------------------------------------===//

TEST(MissingSplits, AreFoundWhereARuleOffersTooLittle) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  auto module = parseSourceString<ModuleOp>(R"(func.func @main(%x: tensor<4x6xf32>, %y: tensor<6x8xf32>) {
  %0 = stablehlo.dot %x, %y : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return })",
                                            &context);
  ASSERT_TRUE(module);
  static constexpr char onlyRows[] = "([a,_],[_,_])->([a,_])";
  RuleTable table = rules::getRuleTable();
  table.add<stablehlo::DotOp, stated<stablehlo::DotOp, onlyRows>>();
  UserRules userRules;
  auto main = module->lookupSymbol<func::FuncOp>("main");
  Operation *op = &main.getBody().front().front();
  InstanceReport report = validateOp(op, {table, userRules, {}});
  std::sort(report.missing.begin(), report.missing.end());
  EXPECT_EQ(report.missing,
            (std::vector<std::string>{"([_,_],[_,a])->([_,a])", "([_,a],[a,_])->([_,_]) reduce(add)={a}"}));
  EXPECT_TRUE(validateOp(op, {rules::getRuleTable(), userRules, {}}).missing.empty());
}

} // namespace
} // namespace partita::validate
