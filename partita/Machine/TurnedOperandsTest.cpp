//===- TurnedOperandsTest.cpp ---------------------------------------------===//

#include "partita/Machine/TurnedOperands.h"

#include "partita/Machine/Presets.h"

#include "gtest/gtest.h"

namespace partita::machine {
namespace {

int64_t price(const Machine &machine, llvm::StringRef type, int64_t m, int64_t k, int64_t n, int64_t turnedBytes) {
  ProductPricer pricer(machine.device);
  ProductPiece piece{1, m, n, k, 2 * m * n * k, m * k + k * n + m * n};
  return computeProductPs(machine.device, pricer, piece, type, ProductPrecision::Default, turnedBytes);
}

TEST(TurnedOperands, LargeOnesAreTurnedFirst) {
  Machine machine = *buildPreset("h200-sxm:1x1");
  int64_t straight = price(machine, "f8E4M3FN", 16384, 4096, 8192, 0);
  int64_t turned = price(machine, "f8E4M3FN", 16384, 4096, 8192, int64_t{4096} * 8192);
  // 2 x 33.6 MB at 0.065 of 4.8 TB/s: 215 us.
  EXPECT_NEAR(static_cast<double>(turned - straight), 215.1e6, 0.1e6);
}

TEST(TurnedOperands, OfFewRowsNothingIsTurnedFirst) {
  Machine machine = *buildPreset("h200-sxm:1x1");
  int64_t straight = price(machine, "f8E4M3FN", 512, 4096, 8192, 0);
  int64_t turned = price(machine, "f8E4M3FN", 512, 4096, 8192, int64_t{4096} * 8192);
  EXPECT_GT(turned, 2 * straight);
  EXPECT_LT(turned - straight, 215'000'000);
}

TEST(TurnedOperands, LargerOnesAreAlwaysTurnedFirst) {
  Machine machine = *buildPreset("h200-sxm:1x1");
  int64_t straight = price(machine, "f8E4M3FN", 512, 4096, 14336, 0);
  int64_t turned = price(machine, "f8E4M3FN", 512, 4096, 14336, int64_t{4096} * 14336);
  // 2 x 58.7 MB at 0.065 of 4.8 TB/s: 376.4 us, more than tiles that turn would take.
  EXPECT_NEAR(static_cast<double>(turned - straight), 376.4e6, 0.1e6);
}

TEST(TurnedOperands, ASingleRowIsNoProductOfTheLibrary) {
  Machine machine = *buildPreset("h200-sxm:1x1");
  int64_t straight = price(machine, "f8E4M3FN", 1, 4096, 14336, 0);
  int64_t turned = price(machine, "f8E4M3FN", 1, 4096, 14336, int64_t{4096} * 14336);
  EXPECT_GT(turned, straight);
  EXPECT_LT(turned - straight, 100'000'000);
  // A sum of products turns nothing.
  EXPECT_EQ(price(machine, "f8E4M3FN", 1, 512, 512, int64_t{512} * 512), price(machine, "f8E4M3FN", 1, 512, 512, 0));
}

TEST(TurnedOperands, IntegersAreTurnedInTheirTiles) {
  Machine machine = *buildPreset("h200-sxm:1x1");
  int64_t straight = price(machine, "i8", 16384, 4096, 8192, 0);
  int64_t turned = price(machine, "i8", 16384, 4096, 8192, int64_t{4096} * 8192);
  EXPECT_NEAR(static_cast<double>(turned) / static_cast<double>(straight), 1.64, 0.05);
}

TEST(TurnedOperands, OtherTypesAreTakenAsTheyLie) {
  Machine machine = *buildPreset("h200-sxm:1x1");
  EXPECT_EQ(price(machine, "bf16", 512, 4096, 8192, int64_t{4096} * 8192), price(machine, "bf16", 512, 4096, 8192, 0));
  Machine host = *buildPreset("cpu-host:1x1");
  EXPECT_EQ(price(host, "f8E4M3FN", 512, 4096, 8192, int64_t{4096} * 8192),
            price(host, "f8E4M3FN", 512, 4096, 8192, 0));
}

} // namespace
} // namespace partita::machine
