//===- AdversarialInputs.cpp - arguments that expose wrong rules ----------===//

#include "partita/ValidateRules/AdversarialInputs.h"

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Evaluate/Number.h"
#include "partita/ValidateRules/IndexInputs.h"

#include <limits>

using namespace mlir;

namespace partita::validate {

llvm::StringRef getName(InputKind kind) {
  static constexpr llvm::StringRef names[] = {"exact", "special", "ring"};
  return names[static_cast<unsigned>(kind)];
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Mostly 1 and 2, of both signs: products are powers of two, and sums of hundreds are exact in bf16 too.
static double makeExactFloat(Type type, uint64_t bits) {
  static constexpr double wide[] = {1, -1, 2, -2, 4, 1, -1, 3}, narrow[] = {1, -1, 1, -1, 2, -1, 1, -2};
  if (isa<Float8E8M0FNUType>(type))
    return static_cast<double>(uint64_t(1) << (bits % 3));
  unsigned precision = APFloat::semanticsPrecision(cast<FloatType>(type).getFloatSemantics());
  return precision >= 11 ? wide[bits % 8] : narrow[bits % 8];
}

static double makeFloat(Type type, InputKind kind, uint64_t bits) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (kind == InputKind::Special && (bits >> 8) % 6 == 0) {
    const auto &semantics = cast<FloatType>(type).getFloatSemantics();
    bool hasInfinity = APFloat::semanticsHasInf(semantics), hasNaN = APFloat::semanticsHasNaN(semantics);
    switch ((bits >> 16) % 5) {
    case 0:
      return hasInfinity ? infinity : 1;
    case 1:
      return hasInfinity ? -infinity : 1;
    case 2:
      return hasNaN ? std::numeric_limits<double>::quiet_NaN() : 1;
    default:
      // FNUZ types have one zero.
      return APFloat::semanticsHasZero(semantics) && APFloat::getZero(semantics, /*Negative=*/true).isNegative() ? -0.0
                                                                                                                 : 1;
    }
  }
  return makeExactFloat(type, bits);
}

static uint64_t makeRing(Type type, InputKind, uint64_t bits) {
  return bits % 4 == 0 ? ringFromDouble(makeExactFloat(type, bits >> 8)) : ringHash(bits, bits);
}

static void fill(Type type, InputKind kind, uint64_t bits, uint8_t &element) { element = (bits >> 7) & 1; }
static void fill(Type type, InputKind kind, uint64_t bits, int64_t &element) {
  unsigned width = getIntegerWidth(type);
  int64_t lowest = -(int64_t(1) << (width - 1));
  if (kind == InputKind::Special && (bits >> 8) % 3 == 0)
    element = (bits >> 16) % 2 ? lowest : -(lowest + 1);
  else
    element = wrapSigned(bits % 4 == 0 ? bits >> 16 : (bits >> 16) % 11 - 5, width);
}
static void fill(Type type, InputKind kind, uint64_t bits, uint64_t &element) {
  if (!isa<IntegerType>(type)) {
    element = makeRing(type, kind, bits);
    return;
  }
  bool isExtreme = kind == InputKind::Special && (bits >> 8) % 3 == 0;
  element = wrapUnsigned(isExtreme ? UINT64_MAX : bits % 4 == 0 ? bits >> 16 : (bits >> 16) % 7, getIntegerWidth(type));
}
static void fill(Type type, InputKind kind, uint64_t bits, float &element) { element = makeFloat(type, kind, bits); }
static void fill(Type type, InputKind kind, uint64_t bits, double &element) { element = makeFloat(type, kind, bits); }
template <typename T> static void fill(Type type, InputKind kind, uint64_t bits, std::complex<T> &element) {
  Type part = cast<ComplexType>(type).getElementType();
  // The product of complex numbers with an infinite part depends on how it is computed.
  InputKind finite = kind == InputKind::Special ? InputKind::Exact : kind;
  element = {static_cast<T>(makeFloat(part, finite, bits)), static_cast<T>(makeFloat(part, finite, ringHash(bits, 1)))};
}
static void fill(Type type, InputKind kind, uint64_t bits, RingPair &element) {
  Type part = cast<ComplexType>(type).getElementType();
  element = {makeRing(part, kind, bits), makeRing(part, kind, ringHash(bits, 1))};
}

static Mode getMode(InputKind kind) { return kind == InputKind::Ring ? Mode::Exact : Mode::Float; }

static Tensor makeTensor(RankedTensorType type, InputKind kind, uint64_t seed) {
  Tensor tensor(type, getMode(kind));
  visitKind(tensor.getKind(), [&]<typename T>(T *) {
    for (auto [index, element] : llvm::enumerate(tensor.edit<T>()))
      fill(type.getElementType(), kind, ringHash(seed, index), element);
  });
  return tensor;
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

/// Makes the matrices of the last two dims symmetric with a diagonal that outweighs the rest.
static void makePositiveDefinite(Tensor &tensor) {
  int64_t size = tensor.getDim(tensor.getRank() - 1);
  visitKind(tensor.getKind(), [&]<typename T>(T *) {
    MutableArrayRef<T> elements = tensor.edit<T>();
    for (int64_t matrix = 0; size > 0 && matrix < tensor.size() / (size * size); ++matrix)
      for (int64_t row = 0; row < size; ++row)
        for (int64_t column = 0; column <= row; ++column) {
          T &lower = elements[(matrix * size + row) * size + column];
          if constexpr (std::is_floating_point_v<T>)
            lower = row == column ? T(8 * size + row) : lower;
          elements[(matrix * size + column) * size + row] = lower;
        }
  });
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

static bool multipliesMany(Operation *op) {
  auto multiplies = [](mlir::Region &body) { return !body.getOps<stablehlo::MulOp>().empty(); };
  return isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp>(op) && llvm::any_of(op->getRegions(), multiplies);
}

/// Products of many elements are exact if these are 1 and 2, of either sign.
static void makeSmallFactors(Tensor &tensor) {
  visitKind(tensor.getKind(), [&]<typename T>(T *) {
    for (T &element : tensor.edit<T>())
      if constexpr (std::is_floating_point_v<T>)
        element = std::copysign(std::abs(element) > 2 ? T(2) : T(1), element);
      else if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>)
        element = {std::copysign(1.0F, static_cast<float>(element.real())), 0};
  });
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

std::vector<Tensor> makeAdversarialInputs(const OpInstance &instance, InputKind kind, uint64_t seed) {
  auto main = instance.module.get().lookupSymbol<func::FuncOp>("main");
  std::vector<Tensor> arguments;
  for (BlockArgument argument : main.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type) {
      arguments.push_back(Tensor::makeToken(argument.getType()));
      continue;
    }
    uint64_t argumentSeed = ringHash(seed, argument.getArgNumber());
    Tensor tensor = makeTensor(type, kind, argumentSeed);
    fillIndices(instance.op, argument, kind == InputKind::Special, argumentSeed, tensor);
    if (isa<stablehlo::CholeskyOp>(instance.op) && kind == InputKind::Exact)
      makePositiveDefinite(tensor);
    if (multipliesMany(instance.op) && kind == InputKind::Exact)
      makeSmallFactors(tensor);
    arguments.push_back(std::move(tensor));
  }
  return arguments;
}

} // namespace partita::validate
