//===- RandomProgramTest.cpp - generated programs are valid ---------------===//

#include "partita/Fuzz/RandomProgram.h"

#include "partita/Dialect/AllDialects.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Evaluate/Evaluator.h"
#include "partita/Evaluate/Inputs.h"
#include "partita/Fuzz/RandomActions.h"
#include "partita/Program/Flatten.h"
#include "partita/Program/Import/Import.h"
#include "partita/Program/Rules/Combiners.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringMap.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace partita::fuzz {

namespace {

class RandomProgramTest : public testing::Test {
protected:
  RandomProgramTest() : context(makeRegistry(), MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
  }

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  static std::string print(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module.print(stream);
    return text;
  }

  /// The program's results in exact mode.
  Result<std::vector<evaluate::DeviceValues>> run(ModuleOp module, bool ring) {
    evaluate::EvaluatorOptions options;
    options.exact = ring;
    auto inputs = evaluate::makeInputs("seed:1", module, options, {});
    if (!inputs)
      return inputs.error();
    return evaluate::evaluate(module, std::move(*inputs), options);
  }

  MLIRContext context;
};

} // namespace

static ProgramOptions drawOptions(uint64_t seed) {
  ProgramOptions options;
  options.exact = seed % 4 == 1;
  options.portable = seed % 4 == 2;
  options.mesh = Mesh{{{"a", 2}, {"b", 3}}};
  options.constraints = seed % 3 == 0;
  return options;
}

TEST_F(RandomProgramTest, ProgramsVerifyImportAndFlatten) {
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    auto module = makeRandomProgram(seed, drawOptions(seed), context);
    ASSERT_TRUE(bool(module)) << seed << ": " << module.error().str();
    Status error = importProgram(**module, {}, {});
    ASSERT_FALSE(error) << seed << ": " << error->str() << print(**module);
    auto flattened = flatten(**module, {});
    ASSERT_TRUE(bool(flattened)) << seed << ": " << flattened.error().str() << print(**module);
    error = verifyGraph(flattened->graph);
    ASSERT_FALSE(error) << seed << ": " << error->str() << print(**module);
  }
}

TEST_F(RandomProgramTest, ImportKeepsTheMeaningAndTheEvaluatorRunsAll) {
  for (uint64_t seed = 0; seed < 600; ++seed) {
    auto module = makeRandomProgram(seed, drawOptions(seed), context);
    ASSERT_TRUE(bool(module)) << seed << ": " << module.error().str();
    bool ring = !drawOptions(seed).exact;
    auto before = run(**module, ring);
    ASSERT_TRUE(before) << seed << ": " << before.error().str() << print(**module);
    ASSERT_FALSE(importProgram(**module, {}, {})) << seed;
    auto after = run(**module, ring);
    ASSERT_TRUE(after) << seed << ": " << after.error().str();
    for (auto [left, right] : llvm::zip_equal(before->front(), after->front()))
      EXPECT_TRUE(left.isIdentical(right)) << seed;
  }
}

TEST_F(RandomProgramTest, TheSameSeedGivesTheSameProgram) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    auto first = makeRandomProgram(seed, {}, context), second = makeRandomProgram(seed, {}, context);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(print(**first), print(**second));
  }
}

TEST_F(RandomProgramTest, EveryOpOccurs) {
  llvm::StringMap<int> counts;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    auto module = makeRandomProgram(seed, drawOptions(seed), context);
    ASSERT_TRUE(bool(module));
    (*module)->walk([&](Operation *op) { ++counts[op->getName().getStringRef()]; });
  }
  for (StringRef op : {"add",
                       "dot_general",
                       "dot",
                       "convolution",
                       "broadcast_in_dim",
                       "iota",
                       "transpose",
                       "reverse",
                       "reshape",
                       "concatenate",
                       "slice",
                       "pad",
                       "dynamic_slice",
                       "dynamic_update_slice",
                       "gather",
                       "scatter",
                       "reduce",
                       "reduce_window",
                       "select_and_scatter",
                       "sort",
                       "map",
                       "fft",
                       "cholesky",
                       "triangular_solve",
                       "batch_norm_training",
                       "batch_norm_inference",
                       "batch_norm_grad",
                       "rng_bit_generator",
                       "while",
                       "case",
                       "if",
                       "optimization_barrier",
                       "custom_call",
                       "select",
                       "compare",
                       "clamp",
                       "convert",
                       "bitcast_convert",
                       "complex",
                       "real"})
    EXPECT_GE(counts[("stablehlo." + op).str()], 15) << op.str();
  for (StringRef op : {"chlo.top_k", "chlo.ragged_dot", "chlo.broadcast_add", "chlo.erf", "chlo.scan",
                       "chlo.constant_like", "chlo.broadcast_select", "sdy.sharding_constraint"})
    EXPECT_GE(counts[op], 15) << op.str();
}

//===----------------------------------------------------------------------===//
// What partitioners are known to be wrong about
//===----------------------------------------------------------------------===//

using Features = std::map<std::string, int>;

static void countTypes(Operation &op, int64_t largestAxis, Features &found) {
  for (Type type : op.getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      continue;
    std::string element;
    llvm::raw_string_ostream(element) << tensor.getElementType();
    ++found[element];
    for (int64_t size : tensor.getShape()) {
      ++found["dim of " + std::to_string(size)];
      if (size > 1 && size < largestAxis)
        ++found["dim below the axis"];
    }
  }
}

static bool isAnyBelow(DenseElementsAttr values, int64_t least) {
  return isa<IntegerType>(values.getElementType()) &&
         llvm::any_of(values.getValues<APInt>(), [&](const APInt &value) { return value.slt(least); });
}

static void countIndices(Operation &op, Features &found) {
  if (!isa<stablehlo::GatherOp, stablehlo::ScatterOp, stablehlo::DynamicSliceOp, stablehlo::DynamicUpdateSliceOp>(op))
    return;
  for (Value operand : op.getOperands()) {
    auto constant = operand.getDefiningOp<stablehlo::ConstantOp>();
    auto values = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
    if (values && isAnyBelow(values, 0))
      ++found["index out of range"];
  }
}

static void countShapes(Operation &op, Features &found) {
  if (auto pad = dyn_cast<stablehlo::PadOp>(op)) {
    found["interior padding"] += llvm::any_of(pad.getInteriorPadding(), [](int64_t size) { return size > 0; });
    found["negative padding"] += llvm::any_of(pad.getEdgePaddingLow(), [](int64_t size) { return size < 0; });
  }
  if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op)) {
    found["variadic reducer"] += reduce.getInputs().size() > 1;
    found["reducer other than add"] += rules::findCombiner(reduce.getBody()) != Combiner::Add;
  }
  Operation *parent = op.getParentOp();
  found["op in a loop"] += isa_and_nonnull<stablehlo::WhileOp>(parent);
  found["op in a branch"] += isa_and_nonnull<stablehlo::CaseOp, stablehlo::IfOp>(parent);
  found["operand twice"] += op.getNumOperands() == 2 && op.getOperand(0) == op.getOperand(1);
}

TEST_F(RandomProgramTest, DrawsWhatIsKnownToBeHard) {
  Features found;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    RandomChoice random(seed);
    ProgramOptions options;
    options.mesh = drawMesh(random, 16);
    int64_t largest = 1;
    for (const MeshAxis &axis : options.mesh.axes) {
      largest = std::max(largest, axis.size);
      found["axis of one device"] += axis.size == 1;
    }
    auto module = makeRandomProgram(seed, options, context);
    ASSERT_TRUE(bool(module));
    (*module)->walk([&](Operation *op) {
      countTypes(*op, largest, found);
      countIndices(*op, found);
      countShapes(*op, found);
    });
  }
  for (int64_t size : {0, 1, 2, 3, 5, 7, 8, 12, 16})
    EXPECT_GE(found["dim of " + std::to_string(size)], 30) << size;
  for (StringRef name : {"i1", "i8", "f16", "bf16", "dim below the axis", "axis of one device", "index out of range",
                         "variadic reducer", "reducer other than add", "interior padding", "negative padding",
                         "op in a loop", "op in a branch", "operand twice"})
    EXPECT_GE(found[name.str()], 30) << name.str();
}

} // namespace partita::fuzz
