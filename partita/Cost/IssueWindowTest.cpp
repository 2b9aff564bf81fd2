//===- IssueWindowTest.cpp - windows of ops, and the bytes they add -------===//

#include "partita/Cost/IssueWindow.h"
#include "partita/Testing/CostFixture.h"

#include <gmock/gmock.h>

namespace partita::cost {

using namespace fixtures;
using testing::ElementsAre;

namespace {

/// A letter for each op: D stands alone, e does not; those in parentheses are in a loop's body.
struct Windows {
  Windows(llvm::StringRef text, uint32_t size) {
    graph.regions.push_back({});
    graph.regions.push_back({});
    graph.regions[RegionId(1)].kind = RegionKind::LoopBody;
    graph.regions[RegionId(1)].parent = RegionId(0);
    RegionId region(0);
    for (char letter : text) {
      if (letter == '(' || letter == ')') {
        region = RegionId(letter == '(' ? 1 : 0);
        continue;
      }
      Op op;
      op.region = region;
      graph.ops.push_back(op);
      isAlone.push_back(letter == 'D');
    }
    for (OpWindow window : computeWindows(graph, isAlone, size)) {
      issue.push_back(window.issue.get());
      done.push_back(window.done.get());
    }
  }

  Graph graph;
  IdVector<OpId, uint8_t> isAlone;
  std::vector<uint32_t> issue, done;
};

TEST(IssueWindow, CountsOpsThatStandAlone) {
  Windows none("eDeD", 0);
  EXPECT_THAT(none.issue, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(none.done, ElementsAre(0, 1, 2, 3));
  Windows one("eDeDDe", 1);
  EXPECT_THAT(one.issue, ElementsAre(0, 0, 1, 1, 3, 4));
  EXPECT_THAT(one.done, ElementsAre(1, 3, 3, 4, 5, 5));
  Windows two("eDeDDe", 2);
  EXPECT_THAT(two.issue, ElementsAre(0, 0, 0, 0, 1, 3));
  EXPECT_THAT(two.done, ElementsAre(3, 4, 4, 5, 5, 5));
}

TEST(IssueWindow, EndsAtTheRegionAndTakesALoopForOneOp) {
  // Inside the loop it is clipped. From behind it, a window of one reaches the op before the loop.
  Windows one("De(DeD)eD", 1);
  EXPECT_THAT(one.issue, ElementsAre(0, 0, 2, 2, 2, 1, 1));
  EXPECT_THAT(one.done, ElementsAre(5, 5, 4, 4, 4, 6, 6));
  Windows two("De(DeD)eD", 2);
  EXPECT_THAT(two.issue, ElementsAre(0, 0, 2, 2, 2, 0, 0));
  EXPECT_THAT(two.done, ElementsAre(6, 6, 4, 4, 4, 6, 6));
}

/// y = x @ w0 @ w1 @ w2 with 8 rows of 4; w is stored in pieces and gathered for each product.
constexpr llvm::StringLiteral chain = R"json({"partita_graph": 1, "program": {"name": "chain", "sha256": "00"},
"regions": [{"kind": "program"}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [8, 4], "name": "x"},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [4, 4], "name": "w0", "number": 1},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [4, 4], "name": "w1", "number": 2},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [4, 4], "name": "w2", "number": 3},
  {"bits": 32, "type": "f32", "shape": [8, 4], "name": "h0", "occurrence": 0},
  {"bits": 32, "type": "f32", "shape": [8, 4], "name": "h1", "occurrence": 0},
  {"bits": 32, "type": "f32", "shape": [8, 4], "name": "y", "occurrence": 0},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [8, 4], "name": "result"}],
"ops": [
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [0, 1], "results": [4],
   "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [4, 2], "results": [5],
   "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [5, 3], "results": [6],
   "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [6], "results": [7],
   "rule": "([a,b])->([a,b])"}]}
)json";

static int64_t computePeak(llvm::StringRef program, llvm::StringRef schedule, int64_t issueWindow) {
  CostFixture fixture(program, "data=2", {}, issueWindow);
  EXPECT_EQ(fixture.apply(schedule), "");
  return fixture.evaluate().peakBytes;
}

TEST(IssueWindow, AGatheredParameterIsAliveFromItsIssue) {
  llvm::StringRef schedule = R"({"tactics": [{"name": "BP", "axis": "data", "tile": [["x", 0]]},
                                             {"name": "Z3", "axis": "data", "tile": [["w[012]", 0]]}]})";
  // Arguments 64 + 3 x 32. At the second product its operands and result, 64 each.
  EXPECT_EQ(computePeak(chain, schedule, 0), 160 + 3 * 64);
  // There, w2 is gathered for the third.
  EXPECT_EQ(computePeak(chain, schedule, 1), 160 + 4 * 64);
  // At the first, h0 and all three weights; at the second as before.
  EXPECT_EQ(computePeak(chain, schedule, 2), 160 + 4 * 64);
}

/// Gradients g0 = x' h and g1 = h' x of 8 rows with h = x @ w0, and the states w0 - g0 and w1 - g1.
constexpr llvm::StringLiteral gradients = R"json({"partita_graph": 1, "program": {"name": "gradients", "sha256": "00"},
"regions": [{"kind": "program"}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [8, 4], "name": "x"},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [4, 4], "name": "w0", "number": 1},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [4, 4], "name": "w1", "number": 2},
  {"bits": 32, "type": "f32", "shape": [8, 4], "name": "h", "occurrence": 0},
  {"bits": 32, "type": "f32", "shape": [4, 4], "name": "g0", "occurrence": 0},
  {"bits": 32, "type": "f32", "shape": [4, 4], "name": "g1", "occurrence": 0},
  {"bits": 32, "type": "f32", "shape": [4, 4], "name": "n0", "occurrence": 0},
  {"bits": 32, "type": "f32", "shape": [4, 4], "name": "n1", "occurrence": 0},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [4, 4], "name": "result0"},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [4, 4], "name": "result1", "number": 1}],
"ops": [
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [0, 1], "results": [3],
   "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [0, 3], "results": [4],
   "rule": "([a,b],[a,c])->([b,c]) reduce(add)={a}"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [3, 0], "results": [5],
   "rule": "([a,b],[a,c])->([b,c]) reduce(add)={a}"},
  {"kind": "stablehlo.subtract", "class": "elementwise", "phase": "update", "operands": [1, 4], "results": [6],
   "rule": "([a,b],[a,b])->([a,b])"},
  {"kind": "stablehlo.subtract", "class": "elementwise", "phase": "update", "operands": [2, 5], "results": [7],
   "rule": "([a,b],[a,b])->([a,b])"},
  {"kind": "identity", "class": "identity", "role": "result", "phase": "update", "operands": [6], "results": [8],
   "rule": "([a,b])->([a,b])"},
  {"kind": "identity", "class": "identity", "role": "result", "phase": "update", "operands": [7], "results": [9],
   "rule": "([a,b])->([a,b])"}],
"ties": [[1, 8], [2, 9]]}
)json";

TEST(IssueWindow, ALateReductionHoldsItsOperandUntilItIsDone) {
  llvm::StringRef schedule = R"({"tactics": [{"name": "BP", "axis": "data", "tile": [["x", 0]]},
                                             {"name": "Z2", "axis": "data", "tile": [["w[01]", 0]]}]})";
  // Arguments 64 + 2 x 32. At g1: h, the piece of g0, and g1 before and after its reduce_scatter.
  EXPECT_EQ(computePeak(gradients, schedule, 0), 128 + 64 + 32 + 64 + 32);
  // There, the reduce_scatter of g0 is still under way.
  EXPECT_EQ(computePeak(gradients, schedule, 1), 128 + 64 + (64 + 32) + (64 + 32));
}

static void replace(std::string &text, llvm::StringRef before, llvm::StringRef behind) {
  text.replace(text.find(before), before.size(), behind);
}

TEST(IssueWindow, AReductionStandsBehindTheBarrierThatItsOperandPasses) {
  // Behind g1 stands a barrier for g0.
  std::string text(gradients);
  replace(text, R"("name": "result1", "number": 1})",
          R"("name": "result1", "number": 1}, {"bits": 32, "type": "f32", "shape": [4, 4], "name": "b0"})");
  replace(text, R"({"kind": "stablehlo.subtract")",
          R"json({"kind": "identity", "class": "identity", "role": "barrier", "operands": [4], "results": [10],
              "rule": "([a,b])->([a,b])"}, {"kind": "stablehlo.subtract")json");
  replace(text, R"("operands": [1, 4], "results": [6])", R"("operands": [1, 10], "results": [6])");
  llvm::StringRef schedule = R"({"tactics": [{"name": "BP", "axis": "data", "tile": [["x", 0]]},
                                             {"name": "Z2", "axis": "data", "tile": [["w[01]", 0]]}]})";
  // Arguments 64 + 2 x 32. At g1: h, g0 as it is, and g1 before and after its reduce_scatter.
  EXPECT_EQ(computePeak(text, schedule, 0), 128 + 64 + 64 + (64 + 32));
  EXPECT_EQ(computePeak(text, schedule, 1), 128 + 64 + 64 + (64 + 32));
  CostFixture fixture(text, "data=2", {}, 1);
  EXPECT_EQ(fixture.model.getOverlap().getBarrier(CellId(4)), OpId(3));
  // Nothing that stands alone follows, so the reduction may be under way up to the end.
  EXPECT_EQ(fixture.model.getLiveTimes().getRanges(CellId(4), OpId(1), OpId(1), LastUse::Here, WindowPart::Behind),
            LiveRanges({{1, 7, 1}}));
}

TEST(IssueWindow, AReductionIsDoneBeforeTheNextBarrierThatItsResultPasses) {
  // g0 passes two barriers, ops 3 and 4. It is reduced between them.
  std::string text(gradients);
  replace(text, R"("name": "result1", "number": 1})",
          R"("name": "result1", "number": 1}, {"bits": 32, "type": "f32", "shape": [4, 4], "name": "b0"},
             {"bits": 32, "type": "f32", "shape": [4, 4], "name": "b1"})");
  replace(text, R"({"kind": "stablehlo.subtract")",
          R"json({"kind": "identity", "class": "identity", "role": "barrier", "operands": [4], "results": [10],
              "rule": "([a,b])->([a,b])"},
             {"kind": "identity", "class": "identity", "role": "barrier", "operands": [10], "results": [11],
              "rule": "([a,b])->([a,b])"}, {"kind": "stablehlo.subtract")json");
  replace(text, R"("operands": [1, 4], "results": [6])", R"("operands": [1, 11], "results": [6])");
  CostFixture fixture(text, "data=2", {}, 1);
  EXPECT_EQ(fixture.model.getOverlap().getBarrier(CellId(4)), OpId(3));
  EXPECT_EQ(fixture.model.getLiveTimes().getRanges(CellId(4), OpId(1), OpId(1), LastUse::Here, WindowPart::Behind),
            LiveRanges({{1, 3, 1}}));
}

TEST(IssueWindow, ReductionsThatANormWaitsForAreDoneThere) {
  // Both states are divided by the sum of g0 + g1, so that all of the update waits for both.
  std::string text(gradients);
  replace(text, R"("operands": [1, 4], "results": [6])", R"("operands": [4, 5], "results": [6])");
  replace(text, R"("operands": [2, 5], "results": [7])", R"("operands": [2, 6], "results": [7])");
  llvm::StringRef schedule = R"({"tactics": [{"name": "BP", "axis": "data", "tile": [["x", 0]]}]})";
  CostFixture plain(text, "data=2", {}, 1, 0), joined(text, "data=2", {}, 1, 8);
  ASSERT_TRUE(joined.model.getOverlap().hasJoin());
  EXPECT_EQ(plain.model.getLiveTimes().getRanges(CellId(4), OpId(1), OpId(1), LastUse::Here, WindowPart::Behind),
            LiveRanges({{1, 2, 1}}));
  EXPECT_EQ(joined.model.getLiveTimes().getRanges(CellId(4), OpId(1), OpId(1), LastUse::Here, WindowPart::Behind),
            LiveRanges({{1, joined.model.getOverlap().getJoin().get(), 1}}));
  EXPECT_EQ(joined.apply(schedule), "");
}

/// Three loops double what starts as zeros. The second and the third are of the backward pass; between the first and
/// the second stands h = relu(x).
constexpr llvm::StringLiteral zeros = R"json({"partita_graph": 1, "program": {"name": "zeros", "sha256": "00"},
"regions": [{"kind": "program"}, {"kind": "loop_body", "parent": 0, "trips": 4},
            {"kind": "loop_body", "parent": 0, "trips": 4}, {"kind": "loop_body", "parent": 0, "trips": 4}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [16], "name": "x"},
  {"bits": 32, "type": "f32", "shape": [4]},
  {"kind": "carried", "bits": 32, "type": "f32", "shape": [4], "region": 1},
  {"bits": 32, "type": "f32", "shape": [4], "region": 1},
  {"bits": 32, "type": "f32", "shape": [16]},
  {"bits": 32, "type": "f32", "shape": [4]},
  {"kind": "carried", "bits": 32, "type": "f32", "shape": [4], "region": 2},
  {"bits": 32, "type": "f32", "shape": [4], "region": 2},
  {"bits": 32, "type": "f32", "shape": [4]},
  {"kind": "carried", "bits": 32, "type": "f32", "shape": [4], "region": 3},
  {"bits": 32, "type": "f32", "shape": [4], "region": 3},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [16]},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [4], "number": 1},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [4], "number": 2},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [4], "number": 3}],
"ops": [
  {"kind": "stablehlo.constant", "class": "movement", "operands": [], "results": [1], "rule": "()->([a])"},
  {"kind": "identity", "class": "identity", "role": "entry", "operands": [1], "results": [2], "rule": "([a])->([a])"},
  {"kind": "stablehlo.add", "class": "elementwise", "operands": [2], "results": [3], "region": 1, "rule": "([a])->([a])"},
  {"kind": "identity", "class": "identity", "role": "yield", "operands": [3], "results": [2], "region": 1,
   "rule": "([a])->([a])"},
  {"kind": "stablehlo.maximum", "class": "elementwise", "operands": [0], "results": [4], "rule": "([a])->([a])"},
  {"kind": "stablehlo.constant", "class": "movement", "operands": [], "results": [5], "rule": "()->([a])"},
  {"kind": "identity", "class": "identity", "role": "entry", "phase": "backward", "operands": [5], "results": [6],
   "rule": "([a])->([a])"},
  {"kind": "stablehlo.add", "class": "elementwise", "operands": [6], "results": [7], "region": 2, "rule": "([a])->([a])"},
  {"kind": "identity", "class": "identity", "role": "yield", "operands": [7], "results": [6], "region": 2,
   "rule": "([a])->([a])"},
  {"kind": "stablehlo.constant", "class": "movement", "operands": [], "results": [8], "rule": "()->([a])"},
  {"kind": "identity", "class": "identity", "role": "entry", "phase": "backward", "operands": [8], "results": [9],
   "rule": "([a])->([a])"},
  {"kind": "stablehlo.add", "class": "elementwise", "operands": [9], "results": [10], "region": 3,
   "rule": "([a])->([a])"},
  {"kind": "identity", "class": "identity", "role": "yield", "operands": [10], "results": [9], "region": 3,
   "rule": "([a])->([a])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [4], "results": [11], "rule": "([a])->([a])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [2], "results": [12], "rule": "([a])->([a])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [6], "results": [13], "rule": "([a])->([a])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [9], "results": [14], "rule": "([a])->([a])"}]}
)json";

TEST(IssueWindow, ZerosOfLoopsAreWrittenBehindTheLoopBeforeTheFirstOfThem) {
  CostFixture plain(zeros, "data=2"), late(zeros, "data=2", {}, 0, 8);
  auto getRanges = [](const CostFixture &fixture, uint32_t cell, uint32_t entry) {
    return fixture.model.getLiveTimes().getRanges(CellId(cell), OpId(entry), OpId(entry), LastUse::Here,
                                                  WindowPart::Before);
  };
  EXPECT_EQ(getRanges(plain, 6, 6), LiveRanges({{6, 6, 1}}));
  EXPECT_EQ(getRanges(late, 2, 1), LiveRanges({{0, 1, 1}}));
  EXPECT_EQ(getRanges(late, 6, 6), LiveRanges({{4, 6, 1}}));
  // One kernel writes those of both loops.
  EXPECT_EQ(getRanges(late, 9, 10), LiveRanges({{4, 10, 1}}));
}

TEST(IssueWindow, ALateAllReduceWorksInItsOperand) {
  llvm::StringRef schedule = R"({"tactics": [{"name": "BP", "axis": "data", "tile": [["x", 0]]}]})";
  // Arguments 64 + 2 x 64. At g1: h, g0, and g1 before and after its all_reduce.
  EXPECT_EQ(computePeak(gradients, schedule, 0), 192 + 64 + 64 + 2 * 64);
  EXPECT_EQ(computePeak(gradients, schedule, 1), 192 + 64 + 64 + 64);
}

} // namespace
} // namespace partita::cost
