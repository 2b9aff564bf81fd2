//===- PerturbationTest.cpp -----------------------------------------------===//

#include "partita/Verify/Perturbation.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace partita::verify {

TEST(Perturbation, FloatsAreOffByLittle) {
  MLIRContext context;
  Tensor tensor(RankedTensorType::get({100}, Float64Type::get(&context)), Mode::Float);
  for (double &value : tensor.edit<double>())
    value = 3;
  Tensor one = perturbTensor(tensor, 0.5, 1), other = perturbTensor(tensor, 0.5, 2);
  bool isAbove = false, isBelow = false;
  for (int64_t i = 0; i < 100; ++i) {
    double value = one.get<double>()[i];
    EXPECT_GE(value, 1.5);
    EXPECT_LE(value, 4.5);
    isAbove |= value > 3.5;
    isBelow |= value < 2.5;
  }
  EXPECT_TRUE(isAbove && isBelow);
  EXPECT_FALSE(one.isIdentical(other));
  EXPECT_TRUE(one.isIdentical(perturbTensor(tensor, 0.5, 1)));
  EXPECT_EQ(tensor.get<double>()[0], 3);
}

TEST(Perturbation, IntegersStay) {
  MLIRContext context;
  Tensor tensor(RankedTensorType::get({4}, IntegerType::get(&context, 32)), Mode::Float);
  EXPECT_TRUE(tensor.isIdentical(perturbTensor(tensor, 0.5, 1)));
}

} // namespace partita::verify
