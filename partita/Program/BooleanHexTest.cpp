//===- BooleanHexTest.cpp -------------------------------------------------===//

#include "partita/Program/BooleanHex.h"

#include <gtest/gtest.h>

namespace partita::program {
namespace {

/// What `text` is packed to; `same` if it stays.
std::string pack(llvm::StringRef text) { return packBooleanHex(text).value_or("same"); }

TEST(BooleanHexTest, PacksAByteForEach) {
  // Bits 0 and 2 of the first byte are 5. What follows stays where it was.
  EXPECT_EQ(pack("dense<\"0x010001\"> : tensor<3xi1>, x"), "dense<\"0x05\"    > : tensor<3xi1>, x");
  EXPECT_EQ(pack("dense<\"0x000000000000000001\"> : tensor<3x3xi1>"),
            "dense<\"0x0001\"              > : tensor<3x3xi1>");
  // Any byte but 0 is true.
  EXPECT_EQ(pack("dense<\"0x00FF\"> : tensor<2xi1>"), "dense<\"0x02\"  > : tensor<2xi1>");
}

TEST(BooleanHexTest, OneByteIsAllOfThem) {
  EXPECT_EQ(pack("dense<\"0x01\"> : tensor<9xi1>"), "dense<\"0xFF\"> : tensor<9xi1>");
  EXPECT_EQ(pack("dense<\"0x02\"> : tensor<i1>"), "dense<\"0xFF\"> : tensor<i1>");
  EXPECT_EQ(pack("dense<\"0x00\"> : tensor<9xi1>"), "dense<\"0x00\"> : tensor<9xi1>");
}

TEST(BooleanHexTest, LeavesOtherThings) {
  EXPECT_EQ(pack("dense<\"0xB66D\"> : tensor<16xi1>"), "same");
  EXPECT_EQ(pack("dense<\"0x010203\"> : tensor<3xi8>"), "same");
  EXPECT_EQ(pack("dense<\"0x010203\"> : tensor<3x"), "same");
  EXPECT_EQ(pack("dense<\"0x010203"), "same");
  EXPECT_EQ(pack("dense<\"0x010203\"> : tensor<99999999999x99999999999xi1>"), "same");
  EXPECT_EQ(pack("dense<\"0x\"> : tensor<0xi1>"), "dense<\"0x\"> : tensor<0xi1>");
  EXPECT_EQ(pack("dense<\"0x01\"> : tensor<?xi1>"), "same");
}

TEST(BooleanHexTest, Unpacks) {
  // 0xB2 is 10110010: from the lowest bit on 0, 1, 0, 0, 1, 1, 0, 1.
  llvm::StringRef packed = "a = dense<\"0xB201\"> : tensor<3x3xi1>, dense<\"0x01\"> : tensor<1xi1>";
  EXPECT_EQ(unpackBooleanHex(packed.str(), BooleanText::Words),
            "a = dense<[[false, true, false], [false, true, true], [false, true, true]]> : tensor<3x3xi1>, "
            "dense<[true]> : tensor<1xi1>");
  EXPECT_EQ(unpackBooleanHex(packed.str(), BooleanText::Bytes),
            "a = dense<\"0x000100000101000101\"> : tensor<3x3xi1>, dense<\"0x01\"> : tensor<1xi1>");
  EXPECT_EQ(unpackBooleanHex("dense<\"0x0102\"> : tensor<2xi8>", BooleanText::Words),
            "dense<\"0x0102\"> : tensor<2xi8>");
}

} // namespace
} // namespace partita::program
