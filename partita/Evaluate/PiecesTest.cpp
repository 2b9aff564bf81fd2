//===- PiecesTest.cpp -----------------------------------------------------===//

#include "partita/Evaluate/Pieces.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlir;
using testing::ElementsAre;

namespace partita::evaluate {
namespace {

class PiecesTest : public testing::Test {
protected:
  /// 0, 1, 2, ...
  Tensor count(ArrayRef<int64_t> shape) {
    Tensor tensor(RankedTensorType::get(shape, IntegerType::get(&context, 32)), Mode::Float);
    for (auto [index, element] : llvm::enumerate(tensor.edit<int64_t>()))
      element = index;
    return tensor;
  }

  MLIRContext context;
};

TEST_F(PiecesTest, PartsAreWhatTheWholeIsMadeOf) {
  Tensor whole = count({2, 6});
  Tensor part = extractPart(whole, 1, 1, 3);
  EXPECT_THAT(part.get<int64_t>(), ElementsAre(2, 3, 8, 9));
  SmallVector<Tensor> parts;
  for (int64_t index = 0; index < 3; ++index)
    parts.push_back(extractPart(whole, 1, index, 3));
  EXPECT_TRUE(concatenate(parts, 1).isIdentical(whole));
}

TEST_F(PiecesTest, InsertWritesOnlyThePiece) {
  Tensor whole = count({3, 3}), shared = whole;
  insertPiece(whole, {1, 1}, count({2, 1}));
  EXPECT_THAT(whole.get<int64_t>(), ElementsAre(0, 1, 2, 3, 0, 5, 6, 1, 8));
  // A copy that shared the storage does not change.
  EXPECT_THAT(shared.get<int64_t>().slice(3, 3), ElementsAre(3, 4, 5));
}

TEST_F(PiecesTest, ScalarsAndNothing) {
  EXPECT_TRUE(extractPiece(count({}), {}, {}).isIdentical(count({})));
  EXPECT_EQ(extractPiece(count({4, 2}), {2, 0}, {0, 2}).size(), 0);
  Tensor empty = count({0, 3});
  EXPECT_EQ(concatenate({empty, empty}, 0).size(), 0);
}

TEST_F(PiecesTest, StorageIsCountedOnce) {
  int64_t before = getLiveBytes();
  {
    Tensor tensor = count({100}), copy = tensor;
    EXPECT_EQ(getLiveBytes() - before, 800);
    copy.edit<int64_t>()[0] = 1;
    EXPECT_EQ(getLiveBytes() - before, 1600);
  }
  EXPECT_EQ(getLiveBytes(), before);
}

} // namespace
} // namespace partita::evaluate
