//===- ProductPriceTest.cpp -----------------------------------------------===//

#include "partita/Machine/ProductPrice.h"

#include "partita/Machine/Presets.h"

#include "gtest/gtest.h"

#include <random>

using namespace partita;
using namespace partita::machine;

namespace {

/// Four units of 1 TFLOP/s together, memory of 1 TB/s; a tile of 128 x 64 takes 2 * 128 * 64 * 4 / 10^12 s =
/// 65,536 ps for each step along k.
Device makeDevice() {
  Device device;
  device.peaks = {{"bf16", {1'000'000'000'000, ""}}, {"f32", {500'000'000'000, ""}}};
  device.memoryBytesPerSecond = {1'000'000'000'000, ""};
  device.products.units = {4, ""};
  device.products.launchPs = {1'000, ""};
  device.products.wavePs = {100, ""};
  device.products.splitPs = {10, ""};
  device.products.unalignedPpm = {250'000, ""};
  device.products.tiles = {{128, 64, wholePpm}};
  return device;
}

ProductPiece makePiece(int64_t batch, int64_t m, int64_t n, int64_t k) {
  return {batch, m, n, k, 2 * batch * m * n * k, 2 * batch * (m * k + k * n + m * n), true};
}

int64_t price(const Device &device, const ProductPiece &piece, llvm::StringRef type = "bf16",
              ProductPrecision precision = ProductPrecision::Default) {
  return ProductPricer(device).computeTimePs(piece, type, precision);
}

TEST(ProductPriceTest, Waves) {
  Device device = makeDevice();
  // No parts of k.
  device.products.splitPs.value = 1'000'000'000;
  // 4 tiles are one wave, 5 are two: launch + waves (1000 * 65,536 + 100).
  EXPECT_EQ(price(device, makePiece(1, 128, 256, 1000)), 1'000 + 65'536'100);
  EXPECT_EQ(price(device, makePiece(4, 128, 64, 1000)), 1'000 + 65'536'100);
  // Turned, three tiles of 64 x 128 cover 64 x 320; 192 x 192 takes six.
  EXPECT_EQ(price(device, makePiece(1, 64, 320, 1000)), 1'000 + 65'536'100);
  EXPECT_EQ(price(device, makePiece(1, 192, 192, 1000)), 1'000 + 2 * 65'536'100);
}

TEST(ProductPriceTest, UnderLoad) {
  Device device = makeDevice();
  device.products.splitPs.value = 1'000'000'000;
  device.products.sustainedPpm = {500'000, ""};
  // Steps take twice as long; launch, waves and memory do not.
  EXPECT_EQ(price(device, makePiece(1, 128, 256, 1000)), 1'000 + 2 * 65'536'000 + 100);
  // Tiles that reach less than that draw less power.
  device.products.tiles.front().ratePpm = 400'000;
  EXPECT_EQ(price(device, makePiece(1, 128, 256, 1000)), 1'000 + 163'840'000 + 100);
}

TEST(ProductPriceTest, UnitsShareTheContractedDim) {
  // One tile, 4 parts: 250 steps, 10 for the sum and 4 * 8 * 8192 bytes at 1 TB/s.
  EXPECT_EQ(price(makeDevice(), makePiece(1, 128, 64, 1000)), 1'000 + 250 * 65'536 + 100 + 10 + 4 * 65'536);
}

TEST(ProductPriceTest, Memory) {
  // Two rows by a matrix of 8 x 2^20 elements, with units that take next to no time.
  ProductPiece piece = makePiece(1, 2, int64_t(1) << 20, 8);
  Device device = makeDevice();
  device.peaks[0].flopsPerSecond.value = 1'000'000'000'000'000'000;
  EXPECT_GE(price(device, piece), 1'000 + piece.bytes);
}

TEST(ProductPriceTest, RowsThatAreNotAligned) {
  ProductPiece piece = makePiece(1, 128, 256, 1000);
  piece.isAligned = false;
  // A quarter of the rate.
  EXPECT_EQ(price(makeDevice(), piece), 1'000 + 4 * 65'536'000 + 100);
}

TEST(ProductPriceTest, ASingleRowIsASum) {
  Device device = makeDevice();
  device.launchPs = {500, ""};
  // 4 * 24 columns have something for all units; of fewer, the products are written, read and summed row by row.
  ProductPiece many = makePiece(1, 1, 96, 4096), few = makePiece(1, 1, 95, 4096), tall = makePiece(1, 1, 95, 4097);
  EXPECT_EQ(price(device, many), 500 + many.bytes);
  EXPECT_EQ(price(device, few), 1'000 + few.bytes + 4 * 95 * 4096 + 4096 * 1'200);
  EXPECT_EQ(price(device, tall), 1'000 + tall.bytes);
  few.contractsRows = true;
  EXPECT_EQ(price(device, few), 500 + few.bytes);
  // A machine's own figure for such sums.
  device.ops.timePpm[static_cast<size_t>(OpFamily::VectorProduct)] = {2'000'000, ""};
  EXPECT_EQ(price(device, many), 2 * (500 + many.bytes));
}

TEST(ProductPriceTest, ALargeMatrixIsReadOnceByTheMatrixUnits) {
  Device device = makeDevice();
  device.peaks[0].flopsPerSecond.value = 1'000'000'000'000'000'000;
  ProductPiece large = makePiece(1, 1, 63, 1 << 20);
  EXPECT_GE(price(device, large), 1'000 + large.bytes);
  EXPECT_LT(price(device, large), 2 * large.bytes);
}

TEST(ProductPriceTest, Types) {
  Device device = makeDevice();
  device.products.typeShares = {{"bf16", {500'000, ""}}};
  EXPECT_EQ(price(device, makePiece(1, 128, 256, 1000)), 1'000 + 2 * 65'536'000 + 100);
  // f32 has no tf32 here, and its own rate is half of that of bf16.
  EXPECT_EQ(price(device, makePiece(1, 128, 256, 1000), "f32"), 1'000 + 2 * 65'536'000 + 100);
}

TEST(ProductPriceTest, Precision) {
  Device device = buildPreset("h200-sxm:1x1")->device;
  ProductPiece piece = makePiece(1, 8192, 4096, 4096);
  int64_t usual = price(device, piece, "f32"), high = price(device, piece, "f32", ProductPrecision::High);
  int64_t highest = price(device, piece, "f32", ProductPrecision::Highest);
  EXPECT_EQ(usual, high);
  // 494.59 against 66.9 TFLOP/s: both reach 0.74 of that, the share that load leaves.
  EXPECT_NEAR(double(highest) / double(usual), 7.39, 0.15);
  EXPECT_EQ(price(device, piece, "bf16", ProductPrecision::Highest), price(device, piece, "bf16"));
  // A TPU adds up passes of bf16.
  Device tpu = buildPreset("tpu-v5e:4x4")->device;
  EXPECT_EQ(findProductRate(tpu, "f32", ProductPrecision::Default).passes, 1);
  EXPECT_EQ(findProductRate(tpu, "f32", ProductPrecision::High).passes, 3);
  EXPECT_EQ(findProductRate(tpu, "f32", ProductPrecision::Highest).passes, 6);
}

TEST(ProductPriceTest, APartNeverTakesLongerThanTheWhole) {
  std::mt19937 random(7);
  for (const char *name : {"h200-sxm:1x1", "a100-sxm-40:1x1", "b200:1x1"}) {
    Device device = buildPreset(name)->device;
    ProductPricer pricer(device);
    auto pick = [&](int64_t most) { return 1 + static_cast<int64_t>(random() % most); };
    for (int i = 0; i < 5'000; ++i) {
      int64_t sizes[4] = {2 * pick(random() % 2 ? 1 : 32), 2 * pick(random() % 2 ? 64 : 8192),
                          2 * pick(random() % 2 ? 64 : 8192), 2 * pick(random() % 2 ? 64 : 8192)};
      ProductPiece whole = makePiece(sizes[0], sizes[1], sizes[2], sizes[3]);
      int64_t wholePs = pricer.computeTimePs(whole, "bf16", ProductPrecision::Default);
      for (int64_t &size : sizes) {
        size /= 2;
        ProductPiece part = makePiece(sizes[0], sizes[1], sizes[2], sizes[3]);
        // A single row is another kind of kernel.
        if (std::min(part.m, part.n) > 1)
          EXPECT_LE(pricer.computeTimePs(part, "bf16", ProductPrecision::Default), wholePs);
        size *= 2;
      }
    }
  }
}

TEST(ProductPriceTest, LargeSizesSaturate) {
  ProductPiece piece{INT64_MAX / 4, INT64_MAX / 4, INT64_MAX / 4, INT64_MAX / 4, INT64_MAX, INT64_MAX, false};
  EXPECT_EQ(price(makeDevice(), piece), maxTimePs);
}

} // namespace
