//===- Bits.cpp - ops on the bits of integers -----------------------------===//

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Evaluate/Arithmetic.h"

using namespace mlir;

namespace partita::evaluate {

namespace {

struct Not {
  static uint8_t ofBool(uint8_t a) { return !a; }
  template <typename T> static T ofInteger(T a, unsigned) { return ~a; }
};

struct PopulationCount {
  template <typename T> static T ofInteger(T a, unsigned width) { return llvm::popcount(wrapUnsigned(a, width)); }
};

struct CountLeadingZeros {
  template <typename T> static T ofInteger(T a, unsigned width) {
    return llvm::countl_zero(wrapUnsigned(a, width)) - (64 - static_cast<int>(width));
  }
};

/// The upper half of the product.
struct MultiplyHigh {
  static int64_t ofInteger(int64_t a, int64_t b, unsigned width) { return (static_cast<__int128>(a) * b) >> width; }
  static uint64_t ofInteger(uint64_t a, uint64_t b, unsigned width) {
    return (static_cast<unsigned __int128>(a) * b) >> width;
  }
};

} // namespace

void registerBits(OpTable &table) {
  addElementwise<stablehlo::NotOp, Not>(table);
  addElementwise<stablehlo::AndOp, And>(table);
  addElementwise<stablehlo::OrOp, Or>(table);
  addElementwise<stablehlo::XorOp, Xor>(table);
  addElementwise<stablehlo::ShiftLeftOp, ShiftLeft>(table);
  addElementwise<stablehlo::ShiftRightLogicalOp, ShiftRightLogical>(table);
  addElementwise<stablehlo::ShiftRightArithmeticOp, ShiftRightArithmetic>(table);
  addElementwise<stablehlo::PopulationCountOp, PopulationCount>(table);
  addElementwise<stablehlo::ClzOp, CountLeadingZeros>(table);
  addElementwise<chlo::MulhiOp, MultiplyHigh>(table);
}

} // namespace partita::evaluate
