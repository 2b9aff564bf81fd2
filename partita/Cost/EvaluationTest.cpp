//===- EvaluationTest.cpp - costs of small programs, in closed form -------===//
//
// Closed forms on a machine on which a byte or a flop takes a picosecond.
//
//===----------------------------------------------------------------------===//

#include "partita/Cost/ReshardCause.h"
#include "partita/Testing/CostFixture.h"

namespace partita::cost {

using namespace fixtures;
namespace {

/// y = relu(x @ w0) @ w1 with 8 rows, sizes 4, 6, 4.
constexpr llvm::StringLiteral mlp = R"json({"partita_graph": 1, "program": {"name": "mlp", "sha256": "00"},
"regions": [{"kind": "program"}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [8, 4], "name": "x"},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [4, 6], "name": "w0", "number": 1},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [6, 4], "name": "w1", "number": 2},
  {"bits": 32, "type": "f32", "shape": [8, 6], "name": "h", "occurrence": 0},
  {"bits": 32, "type": "f32", "shape": [8, 6], "name": "r", "occurrence": 0},
  {"bits": 32, "type": "f32", "shape": [8, 4], "name": "y", "occurrence": 0},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [8, 4], "name": "result"}],
"ops": [
  {"kind": "stablehlo.dot_general", "class": "contraction", "flops": 384, "operands": [0, 1], "results": [3],
   "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}"},
  {"kind": "stablehlo.maximum", "class": "elementwise", "operands": [3], "results": [4], "rule": "([a,b])->([a,b])"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "flops": 384, "operands": [4, 2], "results": [5],
   "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [5], "results": [6],
   "rule": "([a,b])->([a,b])"}]}
)json";

TEST(Evaluation, Whole) {
  CostFixture fixture(mlp, "data=2,model=2");
  Cost cost = fixture.evaluate();
  // Products by their bytes: 128 + 96 + 192 and 192 + 96 + 128; relu reads and writes 192.
  EXPECT_EQ(cost.computePs, 416 + 384 + 416);
  EXPECT_EQ(cost.communicationPs, 0);
  EXPECT_EQ(cost.timePs, cost.computePs);
  // Arguments 128 + 96 + 96; at the second product its operand and result, 192 + 128. relu works in place.
  EXPECT_EQ(cost.peakBytes, 320 + 320);
}

TEST(Evaluation, RowsSplit) {
  CostFixture fixture(mlp, "data=2,model=2");
  ASSERT_EQ(fixture.apply(R"({"tactics": [{"name": "BP", "axis": "data", "tile": [["x", 0]]}]})"), "");
  Cost cost = fixture.evaluate();
  EXPECT_EQ(cost.computePs, 256 + 192 + 256);
  EXPECT_EQ(cost.communicationPs, 0);
  EXPECT_EQ(cost.peakBytes, 64 + 96 + 96 + 96 + 64);
}

TEST(Evaluation, ColumnsSplitAndReduced) {
  CostFixture fixture(mlp, "data=2,model=2");
  ASSERT_EQ(fixture.apply(R"({"tactics": [{"name": "MP", "axis": "model", "tile": [["w0", 1]]}]})"), "");
  Cost cost = fixture.evaluate();
  // 128 + 48 + 96; 96 twice; 96 + 48 + 128.
  EXPECT_EQ(cost.computePs, 272 + 192 + 272);
  // An all_reduce of 128 bytes in a ring of two: 2 (n-1)/n of them. The caller waits for it.
  EXPECT_EQ(cost.communicationPs, 128);
  EXPECT_EQ(cost.exposedPs, 128);
  EXPECT_EQ(cost.timePs, 736 + 128);
  // Arguments 128 + 48 + 48; at the second product 96, the partial sum of 128 and the sum of 128.
  EXPECT_EQ(cost.peakBytes, 224 + 96 + 128 + 128);

  CostReport report = fixture.buildReport();
  ASSERT_EQ(report.collectives.size(), 1u);
  EXPECT_EQ(report.collectives[0].kind, CollectiveKind::AllReduce);
  EXPECT_EQ(report.collectives[0].count, 1);
  EXPECT_EQ(report.collectives[0].payloadBytes, 128);
  ASSERT_EQ(report.reshards.size(), 1u);
  EXPECT_EQ(findCause(fixture.buildReshards()[ReshardId(0)], fixture.planner[report.reshards[0].plan]),
            ReshardCause::Combine);
  EXPECT_EQ(report.levels[0].busyPs, 128);
  EXPECT_EQ(report.flops.total, 768);
  // 768 flops in 4 x 864 ps at 10^12 a second.
  EXPECT_DOUBLE_EQ(report.flops.computeMfu(4, 864), 768.0 / (4 * 864));
  EXPECT_EQ(report.flops.computeIdealPs(4), 768 / 4);
  // model splits the flops of both products, data none.
  EXPECT_EQ(report.splitFlopsPpm.raw(), (std::vector<int64_t>{0, wholePpm}));
  EXPECT_EQ(report.limitBytes, 900'000);
  EXPECT_TRUE(report.fits());
}

TEST(Evaluation, TrackerUndoes) {
  CostFixture fixture(mlp, "data=2,model=2");
  CostTracker tracker(fixture.model, fixture.assignment, fixture.planner);
  Cost before = tracker.getCost();
  size_t mark = fixture.assignment.mark();
  ASSERT_EQ(fixture.apply(R"({"tactics": [{"name": "BP", "axis": "data", "tile": [["x", 0]]}]})"), "");
  EXPECT_NE(tracker.update(), before);
  EXPECT_EQ(tracker.getCost(), fixture.evaluate());
  tracker.rollback(mark);
  fixture.assignment.rollback(mark);
  EXPECT_EQ(tracker.update(), before);
}

TEST(Evaluation, Proposals) {
  CostFixture fixture(mlp, "data=2,model=2");
  CostTracker tracker(fixture.model, fixture.assignment, fixture.planner);
  std::vector<AliveCell> alive = tracker.listAtPeak();
  ASSERT_EQ(alive.size(), 5u);
  // r, x, y, w0, w1.
  EXPECT_EQ(alive[0], (AliveCell{CellId(4), 192, false}));
  EXPECT_EQ(alive[1], (AliveCell{CellId(0), 128, false}));
  std::vector<OpTime> ops = tracker.listOps();
  ASSERT_EQ(ops.size(), 3u);
  EXPECT_EQ(ops[0], (OpTime{OpId(0), 416}));
}

/// A state of 4 x 16 under a step like Adam's: m' = -m + g, w' = w - m'; both are donated and tied.
constexpr llvm::StringLiteral update = R"json({"partita_graph": 1, "program": {"name": "update", "sha256": "00"},
"regions": [{"kind": "program"}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [16], "name": "w"},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [16], "name": "m", "number": 1},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [16], "name": "g", "number": 2},
  {"bits": 32, "type": "f32", "shape": [16]}, {"bits": 32, "type": "f32", "shape": [16]},
  {"bits": 32, "type": "f32", "shape": [16]},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [16]},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [16], "number": 1}],
"ops": [
  {"kind": "stablehlo.negate", "class": "elementwise", "operands": [1], "results": [3], "rule": "([a])->([a])"},
  {"kind": "stablehlo.add", "class": "elementwise", "operands": [3, 2], "results": [4], "rule": "([a],[a])->([a])"},
  {"kind": "stablehlo.subtract", "class": "elementwise", "operands": [0, 4], "results": [5], "rule": "([a],[a])->([a])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [5], "results": [6], "rule": "([a])->([a])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [4], "results": [7], "rule": "([a])->([a])"}],
"ties": [[0, 6], [1, 7]], "donated": [0, 1]}
)json";

TEST(Evaluation, ResultsAreMadeInDonatedArguments) {
  CostFixture fixture(update, "data=2");
  Cost cost = fixture.evaluate();
  // The negation stays inside the addition's kernel, which reads m and g and writes m'. The other is joined to it: it
  // reads w and writes w', and takes m' from where it was made.
  EXPECT_EQ(cost.computePs, 3 * 64 + 2 * 64);
  // Nothing beside the arguments: m' is made in m's buffer, w' in w's.
  EXPECT_EQ(cost.peakBytes, 3 * 64);
  EXPECT_EQ(fixture.buildReport().memory.aliasedBytes, 2 * 64);
}

TEST(Evaluation, ResultsOfArgumentsThatAreKept) {
  CostFixture fixture(llvm::StringRef(update).str().replace(llvm::StringRef(update).find("[0, 1]}"), 7, "[]}"),
                      "data=2");
  // Both results beside the arguments.
  EXPECT_EQ(fixture.evaluate().peakBytes, 5 * 64);
}

/// Four times c' = relu(c), which is also written into row i of a stack that starts as zeros.
constexpr llvm::StringLiteral scan = R"json({"partita_graph": 1, "program": {"name": "scan", "sha256": "00"},
"regions": [{"kind": "program"}, {"kind": "loop_body", "parent": 0, "trips": 4}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [16], "name": "x"},
  {"bits": 32, "type": "f32", "shape": [4, 16]},
  {"kind": "carried", "bits": 32, "type": "f32", "shape": [16], "region": 1},
  {"kind": "carried", "bits": 32, "type": "f32", "shape": [4, 16], "region": 1, "number": 1},
  {"bits": 32, "type": "f32", "shape": [16], "region": 1},
  {"bits": 32, "type": "f32", "shape": [1, 16], "region": 1},
  {"bits": 32, "type": "f32", "shape": [4, 16], "region": 1},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [16]},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [4, 16], "number": 1}],
"ops": [
  {"kind": "stablehlo.constant", "class": "movement", "operands": [], "results": [1], "rule": "()->([a,b])"},
  {"kind": "identity", "class": "identity", "role": "entry", "operands": [0], "results": [2], "rule": "([a])->([a])"},
  {"kind": "identity", "class": "identity", "role": "entry", "operands": [1], "results": [3], "rule": "([a,b])->([a,b])"},
  {"kind": "stablehlo.maximum", "class": "elementwise", "operands": [2], "results": [4], "region": 1, "rule": "([a])->([a])"},
  {"kind": "stablehlo.reshape", "class": "movement", "operands": [4], "results": [5], "region": 1, "rule": "([a])->([_,a])"},
  {"kind": "stablehlo.dynamic_update_slice", "class": "indexing", "operands": [3, 5], "results": [6], "region": 1,
   "rule": "([l,a],[_,a])->([l,a]) replicate={l}"},
  {"kind": "identity", "class": "identity", "role": "yield", "operands": [4], "results": [2], "region": 1, "rule": "([a])->([a])"},
  {"kind": "identity", "class": "identity", "role": "yield", "operands": [6], "results": [3], "region": 1, "rule": "([a,b])->([a,b])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [2], "results": [7], "rule": "([a])->([a])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [3], "results": [8], "rule": "([a,b])->([a,b])"}]}
)json";

TEST(Evaluation, LoopsWorkInTheBuffersThatTheyCarry) {
  CostFixture fixture(scan, "data=2");
  Cost cost = fixture.evaluate();
  // relu reads and writes 64; the update, with the reshape inside, likewise. Four times.
  EXPECT_EQ(cost.computePs, 4 * (128 + 128));
  // The argument, c and the stack: the body writes its values into these.
  EXPECT_EQ(cost.peakBytes, 64 + 64 + 256);
}

TEST(Evaluation, UnknownTripsAreAssumed) {
  std::string text(scan);
  text.replace(text.find("\"trips\": 4"), 10, "\"trips\": -1");
  CostOptions options;
  options.assumedTrips = 7;
  CostFixture fixture(text, "data=2", options);
  EXPECT_EQ(fixture.evaluate().computePs, 7 * (128 + 128));
  EXPECT_EQ(fixture.buildReport().assumedLoops, 1);
}

TEST(Evaluation, CarriedValueThatIsUsedLaterIsNotOverwritten) {
  // The update reads c itself: c' is made beside it.
  std::string text(scan);
  text.replace(text.find("\"operands\": [4], \"results\": [5]"), 15, "\"operands\": [2]");
  CostFixture fixture(text, "data=2");
  EXPECT_EQ(fixture.evaluate().peakBytes, 64 + 64 + 256 + 64);
}

/// A sum that an outer loop hands to an inner one, and takes back from it.
constexpr llvm::StringLiteral nested = R"json({"partita_graph": 1, "program": {"name": "nested", "sha256": "00"},
"regions": [{"kind": "program"}, {"kind": "loop_body", "parent": 0, "trips": 2},
            {"kind": "loop_body", "parent": 1, "trips": 4}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [16], "name": "x"},
  {"kind": "carried", "bits": 32, "type": "f32", "shape": [16], "region": 1},
  {"kind": "carried", "bits": 32, "type": "f32", "shape": [16], "region": 2},
  {"bits": 32, "type": "f32", "shape": [16], "region": 2},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [16]}],
"ops": [
  {"kind": "identity", "class": "identity", "role": "entry", "operands": [0], "results": [1], "rule": "([a])->([a])"},
  {"kind": "identity", "class": "identity", "role": "entry", "operands": [1], "results": [2], "region": 1, "rule": "([a])->([a])"},
  {"kind": "stablehlo.maximum", "class": "elementwise", "operands": [2], "results": [3], "region": 2, "rule": "([a])->([a])"},
  {"kind": "identity", "class": "identity", "role": "yield", "operands": [3], "results": [2], "region": 2, "rule": "([a])->([a])"},
  {"kind": "identity", "class": "identity", "role": "yield", "operands": [2], "results": [1], "region": 1, "rule": "([a])->([a])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [1], "results": [4], "rule": "([a])->([a])"}]}
)json";

TEST(Evaluation, AnInnerLoopWorksInTheBufferThatTheOuterOneCarries) {
  // The argument and the sum.
  EXPECT_EQ(CostFixture(nested, "data=2").evaluate().peakBytes, 64 + 64);
  // If the outer loop yields something else, there are two sums at once.
  std::string text(nested);
  text.replace(text.find("\"operands\": [2], \"results\": [1]"), 15, "\"operands\": [1]");
  EXPECT_EQ(CostFixture(text, "data=2").evaluate().peakBytes, 64 + 64 + 64);
}

/// exp(x), which passes a barrier, + scatter(zeros, i, u).
constexpr llvm::StringLiteral filled = R"json({"partita_graph": 1, "program": {"name": "filled", "sha256": "00"},
"regions": [{"kind": "program"}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [8, 16], "name": "x"},
  {"kind": "argument", "bits": 32, "type": "i32", "shape": [8, 2], "name": "i", "number": 1},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [8], "name": "u", "number": 2},
  {"bits": 32, "type": "f32", "shape": [8, 16]}, {"bits": 32, "type": "f32", "shape": [8, 16]},
  {"bits": 32, "type": "f32", "shape": [8, 16]}, {"bits": 32, "type": "f32", "shape": [8, 16]},
  {"bits": 32, "type": "f32", "shape": [8, 16]}, {"kind": "result", "bits": 32, "type": "f32", "shape": [8, 16]}],
"ops": [
  {"kind": "stablehlo.exponential", "class": "elementwise", "operands": [0], "results": [3], "rule": "([a,b])->([a,b])"},
  {"kind": "identity", "class": "identity", "role": "barrier", "operands": [3], "results": [4], "rule": "([a,b])->([a,b])"},
  {"kind": "stablehlo.constant", "class": "movement", "linearity": "zero", "operands": [], "results": [5],
   "rule": "()->([a,b])"},
  {"kind": "stablehlo.scatter", "class": "indexing", "operands": [5, 1, 2], "results": [6],
   "rule": "([a,b],[c,d],[c])->([a,b]) replicate={a,b,c,d}"},
  {"kind": "stablehlo.add", "class": "elementwise", "linearity": "sum", "operands": [4, 6], "results": [7],
   "rule": "([a,b],[a,b])->([a,b])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [7], "results": [8], "rule": "([a,b])->([a,b])"}]}
)json";

TEST(Evaluation, AScatterIntoZerosWorksInTheValueThatIsAddedToIt) {
  // Arguments 512 + 64 + 32; exp(x), the scatter into it and the sum are one buffer.
  EXPECT_EQ(CostFixture(filled, "data=2").evaluate().peakBytes, 608 + 512);
  // Not if the scatter is into something else: the zeros are a buffer beside exp(x) then.
  std::string text(filled);
  text.replace(text.find(R"json("linearity": "zero", )json"), 21, "");
  EXPECT_EQ(CostFixture(text, "data=2").evaluate().peakBytes, 608 + 2 * 512);
}

TEST(Evaluation, AScatterThatIsCutForTheSumHasABuffer) {
  CostFixture fixture(filled, "data=2");
  ASSERT_EQ(fixture.apply(R"({"tactics": [{"name": "T", "axis": "data", "tile": [["x", 0]]}]})"), "");
  // Arguments 256 + 64 + 32. At the sum, half of exp(x), the whole scatter, and half of it.
  EXPECT_EQ(fixture.evaluate().peakBytes, 352 + 256 + 512 + 256);
}

} // namespace
} // namespace partita::cost
