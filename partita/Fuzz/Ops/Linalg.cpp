//===- Linalg.cpp - FFT, solvers, batch norm, random bits -----------------===//

#include "partita/Fuzz/Families.h"
#include "partita/Fuzz/ProgramWriter.h"

#include "partita/Dialect/StableHlo/StableHlo.h"

using namespace mlir;

namespace partita::fuzz {

static Shape append(ArrayRef<int64_t> batch, ArrayRef<int64_t> rest) {
  Shape shape(batch);
  shape.append(rest.begin(), rest.end());
  return shape;
}

static Type drawWideFloat(ProgramWriter &writer) {
  return writer.random.chance(75) ? Type(writer.builder.getF32Type()) : Type(writer.builder.getF64Type());
}

void writeFft(ProgramWriter &writer) {
  Shape batch = writer.drawShape(0, 2, 24), length = {writer.random.pick({2, 3, 4, 6, 8})};
  auto kind = static_cast<stablehlo::FftType>(writer.random.below(4));
  Shape half = {length.back() / 2 + 1};
  Type real = writer.builder.getF32Type(), complex = ComplexType::get(real);
  bool toComplex = kind == stablehlo::FftType::RFFT, toReal = kind == stablehlo::FftType::IRFFT;
  Value operand = writer.obtain(writer.getType(append(batch, toReal ? half : length), toComplex ? real : complex));
  writer.emit("stablehlo.fft", operand,
              writer.getType(append(batch, toComplex ? half : length), toReal ? real : complex),
              {writer.attribute("fft_type", stablehlo::FftTypeAttr::get(writer.builder.getContext(), kind)),
               writer.attribute("fft_length", length)});
}

void writeCholesky(ProgramWriter &writer) {
  Shape batch = writer.drawShape(0, 2, 24);
  int64_t size = writer.random.pick({1, 2, 3, 4});
  Value operand = writer.obtain(writer.getType(append(batch, {size, size}), drawWideFloat(writer)));
  writer.emit("stablehlo.cholesky", operand, operand.getType(), writer.boolean("lower", writer.random.chance(50)));
}

void writeTriangularSolve(ProgramWriter &writer) {
  Shape batch = writer.drawShape(0, 2, 24);
  int64_t size = writer.random.pick({1, 2, 3, 4}), columns = writer.drawDim();
  bool isLeft = writer.random.chance(50);
  Type element = drawWideFloat(writer);
  Value matrix = writer.obtain(writer.getType(append(batch, {size, size}), element));
  Value right =
      writer.obtain(writer.getType(append(batch, isLeft ? Shape{size, columns} : Shape{columns, size}), element));
  auto transpose = static_cast<stablehlo::Transpose>(writer.random.between(1, 3));
  writer.emit("stablehlo.triangular_solve", {matrix, right}, right.getType(),
              {writer.boolean("left_side", isLeft), writer.boolean("lower", writer.random.chance(50)),
               writer.boolean("unit_diagonal", writer.random.chance(50)),
               writer.attribute("transpose_a", stablehlo::TransposeAttr::get(writer.builder.getContext(), transpose))});
}

void writeBatchNorm(ProgramWriter &writer) {
  Value operand = writer.draw(Elements::Floats, 1, 4);
  int64_t feature = writer.random.below(typeOf(operand).getRank());
  RankedTensorType vector = typeOf(operand).clone({typeOf(operand).getDimSize(feature)});
  auto drawVectors = [&](size_t count) {
    Values vectors;
    for (size_t i = 0; i < count; ++i)
      vectors.push_back(writer.obtain(vector));
    return vectors;
  };
  Values operands = {operand};
  SmallVector<NamedAttribute> attributes = {writer.attribute("epsilon", writer.builder.getF32FloatAttr(0.5)),
                                            writer.integer("feature_index", feature)};
  switch (writer.random.below(3)) {
  case 0:
    operands.append(drawVectors(4));
    writer.emit("stablehlo.batch_norm_inference", operands, operand.getType(), attributes);
    return;
  case 1:
    operands.append(drawVectors(2));
    writer.emit("stablehlo.batch_norm_training", operands, {operand.getType(), vector, vector}, attributes);
    return;
  default:
    operands.append(drawVectors(3));
    operands.push_back(writer.obtain(typeOf(operand)));
    writer.emit("stablehlo.batch_norm_grad", operands, {operand.getType(), vector, vector}, attributes);
  }
}

void writeRandomBits(ProgramWriter &writer) {
  MLIRContext *context = writer.builder.getContext();
  auto makeUnsigned = [&](unsigned width) { return IntegerType::get(context, width, IntegerType::Unsigned); };
  bool isPhilox = writer.random.chance(40);
  RankedTensorType state = writer.getType({isPhilox ? 3 : 2}, makeUnsigned(64));
  RankedTensorType bits = writer.getType(writer.drawShape(0, 3), makeUnsigned(writer.random.pick({8, 32, 64})));
  auto algorithm = stablehlo::RngAlgorithmAttr::get(context, isPhilox ? stablehlo::RngAlgorithm::PHILOX
                                                                      : stablehlo::RngAlgorithm::THREE_FRY);
  writer.emit("stablehlo.rng_bit_generator", writer.obtain(state), {state, bits},
              writer.attribute("rng_algorithm", algorithm));
}

} // namespace partita::fuzz
