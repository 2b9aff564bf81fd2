//===- QuantityTest.cpp ---------------------------------------------------===//

#include "partita/Machine/Quantity.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace partita;
using namespace partita::machine;
using testing::HasSubstr;

static int64_t parse(llvm::StringRef text, QuantityUnit unit) {
  Result<int64_t> value = parseQuantity(text, unit);
  EXPECT_TRUE(value) << text.str() << ": " << (value ? "" : value.error().str());
  return value ? *value : -1;
}

TEST(Quantity, NumbersAreExact) {
  EXPECT_EQ(parse("3.62e14", QuantityUnit::FlopsPerSecond), 362'000'000'000'000);
  EXPECT_EQ(parse("1152921504606846976", QuantityUnit::Bytes), int64_t(1) << 60);
  // A double would give 989169999999999.9 here.
  EXPECT_EQ(parse("989.17e12", QuantityUnit::FlopsPerSecond), 989'170'000'000'000);
  EXPECT_EQ(parse("1000000000000000000000e-3", QuantityUnit::Count), 1'000'000'000'000'000'000);
  EXPECT_EQ(parse("-7", QuantityUnit::Count), -7);
  EXPECT_EQ(parse("0e999", QuantityUnit::Count), 0);
  EXPECT_EQ(parse("1.50E+1", QuantityUnit::Count), 15);
}

TEST(Quantity, UnitsAreMultiples) {
  EXPECT_EQ(parse("80 GiB", QuantityUnit::Bytes), int64_t(80) << 30);
  EXPECT_EQ(parse("80GB", QuantityUnit::Bytes), 80'000'000'000);
  EXPECT_EQ(parse("450 GB/s", QuantityUnit::BytesPerSecond), 450'000'000'000);
  EXPECT_EQ(parse("400 Gb/s", QuantityUnit::BytesPerSecond), 50'000'000'000);
  EXPECT_EQ(parse("3.5 us", QuantityUnit::Picoseconds), 3'500'000);
  EXPECT_EQ(parse("3.5 µs", QuantityUnit::Picoseconds), 3'500'000);
  EXPECT_EQ(parse("989 TFLOP/s", QuantityUnit::FlopsPerSecond), 989'000'000'000'000);
  EXPECT_EQ(parse("2 POPS", QuantityUnit::FlopsPerSecond), 2'000'000'000'000'000);
  EXPECT_EQ(parse("92.5%", QuantityUnit::Ppm), 925'000);
}

TEST(Quantity, AQuantityWithAUnitIsRounded) {
  EXPECT_EQ(parse("0.1 KiB", QuantityUnit::Bytes), 102); // 102.4
  EXPECT_EQ(parse("1e-99 GB", QuantityUnit::Bytes), 0);
  EXPECT_EQ(parse("0.5 ps", QuantityUnit::Picoseconds), 1);
}

TEST(Quantity, OtherTextIsRefusedWithTheFormsThereAre) {
  auto refuse = [](llvm::StringRef text, QuantityUnit unit) { return parseQuantity(text, unit).error().str(); };
  EXPECT_THAT(refuse("1.5", QuantityUnit::Bytes), HasSubstr("'1.5' is not a whole number\n"));
  EXPECT_THAT(refuse("1.5", QuantityUnit::Bytes), HasSubstr("\"80 GiB\""));
  EXPECT_THAT(refuse("80 GB", QuantityUnit::BytesPerSecond), HasSubstr("has no unit that is known here"));
  EXPECT_THAT(refuse("80 gib", QuantityUnit::Bytes), HasSubstr("has no unit"));
  EXPECT_THAT(refuse("8 B", QuantityUnit::Count), HasSubstr("it is a count"));
  for (llvm::StringRef text : {"", "GiB", ".5", "1.", "1e", "1e+", "--1", "0x10", "1e1001", "12345678901234567891.5"})
    EXPECT_FALSE(parseQuantity(text, QuantityUnit::Bytes)) << text.str();
  EXPECT_THAT(refuse("1e19", QuantityUnit::Bytes), HasSubstr("too large"));
  EXPECT_THAT(refuse("9e18 TiB", QuantityUnit::Bytes), HasSubstr("too large"));
  EXPECT_THAT(refuse(std::string(100000, '9'), QuantityUnit::Bytes), HasSubstr("is not a number"));
}
