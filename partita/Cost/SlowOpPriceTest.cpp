//===- SlowOpPriceTest.cpp ------------------------------------------------===//

#include "partita/Cost/SlowOpPrice.h"

#include "gtest/gtest.h"

using namespace partita;
using namespace partita::cost;

namespace {

/// Memory of 1 TB/s: a byte takes 1 ps.
Device makeDevice() {
  Device device;
  device.peaks = {{"f32", {1'000'000'000'000, ""}}};
  device.memoryBytesPerSecond = {1'000'000'000'000, ""};
  device.launchPs = {300, ""};
  return device;
}

SlowOpPiece makeRows(int64_t rows, int64_t rowSize) {
  SlowOpPiece piece;
  piece.rows = rows;
  piece.rowSize = piece.side = rowSize;
  piece.elements = piece.results = rows * rowSize;
  piece.operandBytes = 4 * piece.elements;
  piece.trafficBytes = 8 * piece.elements;
  piece.elementBits = 32;
  return piece;
}

TEST(SlowOpPriceTest, Sort) {
  // 10 levels, 55 passes of 0.43 over 8 * 64 * 1024 bytes.
  EXPECT_EQ(computeSlowOpPs(makeDevice(), OpKind::Sort, makeRows(64, 1024)), 22 * 300 + 524'288 * 55 * 43 / 100);
  // A single row of 2^20: 210 passes of 0.43 are more than 19.
  EXPECT_EQ(computeSlowOpPs(makeDevice(), OpKind::Sort, makeRows(1, 1 << 20)), 35 * 300 + (8 << 20) * 19);
}

TEST(SlowOpPriceTest, TopK) {
  SlowOpPiece piece = makeRows(64, 4096);
  piece.results = 64 * 4;
  piece.trafficBytes = piece.operandBytes;
  EXPECT_EQ(computeSlowOpPs(makeDevice(), OpKind::TopK, piece), 2 * 300 + 4 * 64 * 4096 * 3 * 4);
  piece.results = 64 * 50;
  // As a sort: 12 levels, 78 passes over three times the operand.
  EXPECT_EQ(computeSlowOpPs(makeDevice(), OpKind::TopK, piece), 22 * 300 + 12 * 64 * 4096 * int64_t(78) * 43 / 100);
}

TEST(SlowOpPriceTest, Scatter) {
  SlowOpPiece piece = makeRows(1, 1000);
  EXPECT_EQ(computeSlowOpPs(makeDevice(), OpKind::Scatter, piece), 600 + 8'000 * 160 / 100);
  piece.elementBits = 16;
  EXPECT_EQ(computeSlowOpPs(makeDevice(), OpKind::Scatter, piece), 600 + 8'000 * 160 / 100);
  piece.adds = true;
  piece.indices = 500;
  EXPECT_EQ(computeSlowOpPs(makeDevice(), OpKind::Scatter, piece), 600 + 8'000 * 160 / 100);
  // Five that meet, on a device of several units.
  Device device = makeDevice();
  device.products.units = {4, ""};
  EXPECT_EQ(computeSlowOpPs(device, OpKind::Scatter, piece), 5 * 7'700'000);
  // One window is an update in place.
  piece = makeRows(1, 1000);
  piece.windows = 1;
  EXPECT_EQ(computeSlowOpPs(device, OpKind::Scatter, piece), 300 + 8'000);
}

TEST(SlowOpPriceTest, Transforms) {
  EXPECT_EQ(computeSlowOpPs(makeDevice(), OpKind::Fft, makeRows(2, 1000)), 300 + 16'000 * 120 / 100);
  EXPECT_EQ(computeSlowOpPs(makeDevice(), OpKind::Fft, makeRows(2, 10'000)), 900 + 160'000 * 350 / 100);
}

TEST(SlowOpPriceTest, Prefixes) {
  SlowOpPiece piece = makeRows(8, 1000);
  piece.isPrefix = true;
  EXPECT_EQ(computeSlowOpPs(makeDevice(), OpKind::Other, piece), 4 * 300 + 3 * 64'000);
}

TEST(SlowOpPriceTest, Factorizations) {
  SlowOpPiece piece = makeRows(1, 64 * 64);
  piece.side = 64;
  // 64 steps of 100 ps, and 64^3 / 3 flops at 0.7 TFLOP/s.
  EXPECT_EQ(computeSlowOpPs(makeDevice(), OpKind::Cholesky, piece), 6'400 + 124'830);
  EXPECT_EQ(computeSlowOpPs(makeDevice(), OpKind::TriangularSolve, piece), 6'400 + 374'492);
  // 64 columns of 1.5 launches, and 2/3 of 64^3 flops, rounded down, at 0.15 TFLOP/s.
  piece.otherSide = 64;
  EXPECT_EQ(computeSlowOpPs(makeDevice(), OpKind::Lu, piece), 64 * 450 + 1'165'080);
  EXPECT_EQ(computeSlowOpPs(makeDevice(), OpKind::Svd, piece), 64 * 15 * 300 + 64 * 128 * 300 / 60);
  // Six matrices: two after each other, and all flops, rounded up.
  piece.elements = 6 * 64 * 64;
  EXPECT_EQ(computeSlowOpPs(makeDevice(), OpKind::Qr, piece), 2 * 64 * 525 + 13'981'014);
}

} // namespace
