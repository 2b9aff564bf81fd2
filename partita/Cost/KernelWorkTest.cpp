//===- KernelWorkTest.cpp - what kernels do beside moving bytes -----------===//

#include "partita/Cost/KernelWork.h"
#include "partita/Testing/PlanningFixture.h"

namespace partita::cost {

using namespace fixtures;
namespace {

/// y = tanh(x / sum(x)), rows of 16; ops 0 to 3 are the sum, its broadcast, divide, tanh.
constexpr llvm::StringLiteral rows = R"json({"partita_graph": 1, "program": {"name": "rows", "sha256": "00"},
"regions": [{"kind": "program"}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [8, 16], "name": "x"},
  {"bits": 32, "type": "f32", "shape": [8]}, {"bits": 32, "type": "f32", "shape": [8, 16]},
  {"bits": 32, "type": "f32", "shape": [8, 16]}, {"bits": 32, "type": "f32", "shape": [8, 16]},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [8, 16]}],
"ops": [
  {"kind": "stablehlo.reduce", "class": "reduction", "operands": [0], "results": [1],
   "rule": "([a,b])->([a]) reduce(add)={b}"},
  {"kind": "stablehlo.broadcast_in_dim", "class": "movement", "operands": [1], "results": [2], "rule": "([a])->([a,b])"},
  {"kind": "stablehlo.divide", "class": "elementwise", "operands": [0, 2], "results": [3], "rule": "([a,b],[a,b])->([a,b])"},
  {"kind": "FUNCTION", "class": "elementwise", "operands": [3], "results": [4], "rule": "([a,b])->([a,b])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [4], "results": [5], "rule": "([a,b])->([a,b])"}]}
)json";

KernelWork countWork(llvm::StringRef function, const Device &device) {
  std::string text(rows);
  text.replace(text.find("FUNCTION"), 8, function.str());
  PlanningFixture fixture(text, "data=2");
  FusionPlan fusion(fixture.topology);
  EXPECT_EQ(fusion.getKernel(OpId(0)), OpId(3));
  return KernelWork(fixture.topology, fusion, device);
}

/// A byte and an operation take a picosecond.
Device makeDevice() {
  Device device;
  device.peaks = {{"f32", {1'000'000'000'000, ""}}};
  device.memoryBytesPerSecond = {1'000'000'000'000, ""};
  device.ops.arithmeticPpm = {wholePpm, ""};
  device.ops.reductionPs = {7, ""};
  return device;
}

TEST(KernelWork, OperationsCountWhereTheyTakeLonger) {
  // 2 x 512 bytes against 3 x 128 operations; of tanh there are 50.
  EXPECT_EQ(countWork("stablehlo.negate", makeDevice()).getStreamPpm(OpId(3), 32), wholePpm);
  EXPECT_EQ(countWork("stablehlo.tanh", makeDevice()).getStreamPpm(OpId(3), 32), wholePpm * 52 * 128 / 1024);
}

TEST(KernelWork, ADeviceThatDoesNotSayComputesForNothing) {
  Device device = makeDevice();
  device.ops = {};
  KernelWork work = countWork("stablehlo.tanh", device);
  EXPECT_EQ(work.getStreamPpm(OpId(3), 32), wholePpm);
  EXPECT_EQ(work.getWaitPs(OpId(3)), 0);
}

TEST(KernelWork, RowsOfSixteenBitsTakeLonger) {
  Device device = makeDevice();
  device.ops.arithmeticPpm = {0, ""};
  device.ops.timePpm[static_cast<size_t>(OpFamily::Rows)] = {1'500'000, ""};
  KernelWork work = countWork("stablehlo.negate", device);
  EXPECT_EQ(work.getStreamPpm(OpId(3), 16), 1'500'000);
  EXPECT_EQ(work.getStreamPpm(OpId(3), 32), wholePpm);
}

TEST(KernelWork, AKernelWaitsForItsReductions) {
  KernelWork work = countWork("stablehlo.negate", makeDevice());
  EXPECT_EQ(work.getWaitPs(OpId(3)), 7);
  EXPECT_EQ(work.getWaitPs(OpId(0)), 0);
}

} // namespace
} // namespace partita::cost
