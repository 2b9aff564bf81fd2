//===- Expectation.cpp - what a result must be, within which bound --------===//

#include "partita/Verify/Expectation.h"

#include "partita/Evaluate/Comparison.h"
#include "partita/Verify/Widen.h"

#include "llvm/ADT/APFloat.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;

namespace partita::verify {

/// The factors of the bound: units in the last place, and multiples of the original's error.
static constexpr double allowedUlps = 4, allowedErrors = 4;

static constexpr double infinity = std::numeric_limits<double>::infinity();

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

static bool isFloat(const Tensor &tensor) {
  switch (tensor.getKind()) {
  case StorageKind::Float:
  case StorageKind::Double:
  case StorageKind::Complex64:
  case StorageKind::Complex128:
    return true;
  default:
    return false;
  }
}

static const llvm::fltSemantics &getSemantics(Type elementType) {
  if (auto complex = dyn_cast<ComplexType>(elementType))
    elementType = complex.getElementType();
  return cast<FloatType>(elementType).getFloatSemantics();
}

static unsigned getComponentsPerElement(const Tensor &tensor) {
  return isa<ComplexType>(tensor.getElementType()) ? 2 : 1;
}

static double getComponent(float value, unsigned) { return value; }
static double getComponent(double value, unsigned) { return value; }
template <typename T> static double getComponent(std::complex<T> value, unsigned part) {
  return part == 0 ? value.real() : value.imag();
}
static double getComponent(RingPair, unsigned) { llvm_unreachable("not a number"); }
template <typename T> static double getComponent(T value, unsigned) { return static_cast<double>(value); }

static double getComponent(const Tensor &tensor, int64_t position, unsigned part) {
  return visitKind(tensor.getKind(), [&]<typename T>(T *) { return getComponent(tensor.get<T>()[position], part); });
}

static std::vector<double> collectComponents(const Tensor &tensor) {
  std::vector<double> components;
  unsigned parts = getComponentsPerElement(tensor);
  components.reserve(tensor.size() * parts);
  for (int64_t position = 0; position < tensor.size(); ++position)
    for (unsigned part = 0; part < parts; ++part)
      components.push_back(getComponent(tensor, position, part));
  return components;
}

/// The distance between neighbors of the type around `value`, which is finite.
static double computeUlp(const llvm::fltSemantics &semantics, double value) {
  int smallest = llvm::APFloat::semanticsMinExponent(semantics);
  int exponent = value == 0 ? smallest : std::max(std::ilogb(value), smallest);
  return std::ldexp(1.0, exponent - static_cast<int>(llvm::APFloat::semanticsPrecision(semantics)) + 1);
}

double computeSpacing(Type elementType) { return computeUlp(getSemantics(elementType), 1.0); }

//===----------------------------------------------------------------------===//
// Expectations
//===----------------------------------------------------------------------===//

Expectation Expectation::makeExact(Tensor whole) { return Expectation(std::move(whole)); }

/// The largest magnitude of what is expected.
double Expectation::findLargest() const {
  double largest = 0;
  for (double value : reference)
    if (std::isfinite(value))
      largest = std::max(largest, std::fabs(value));
  return largest;
}

Expectation Expectation::makeTolerant(Tensor whole, double spacing) {
  Expectation expectation(std::move(whole));
  if (!isFloat(expectation.whole))
    return expectation;
  expectation.components = collectComponents(expectation.whole);
  expectation.reference = expectation.components;
  spacing = std::max(spacing, computeSpacing(expectation.whole.getElementType()));
  expectation.allowance = std::sqrt(spacing) * expectation.findLargest();
  return expectation;
}

/// The largest distance between corresponding numbers that are both finite.
static double findLargestDifference(ArrayRef<double> left, ArrayRef<double> right) {
  double largest = 0;
  for (auto [one, other] : llvm::zip_equal(left, right))
    if (std::isfinite(one) && std::isfinite(other))
      largest = std::max(largest, std::fabs(one - other));
  return largest;
}

Expectation Expectation::makeClose(Tensor whole, const Tensor &wide) {
  if (!isFloat(whole) || widenType(whole.getElementType()) == whole.getElementType())
    return makeTolerant(std::move(whole));
  Expectation expectation(std::move(whole));
  expectation.components = collectComponents(expectation.whole);
  expectation.reference = collectComponents(wide);
  expectation.ulps = allowedUlps;
  expectation.allowance = allowedErrors * findLargestDifference(expectation.components, expectation.reference);
  return expectation;
}

void Expectation::allowPerturbation(const Tensor &perturbed) {
  assert(whole.getMode() == Mode::Float && "nothing is rounded in the ring");
  std::vector<double> others = collectComponents(perturbed);
  if (isFloat(whole)) {
    allowance = std::max(allowance, allowedErrors * findLargestDifference(reference, others));
    return;
  }
  std::vector<double> own = collectComponents(whole);
  double difference = findLargestDifference(own, others);
  if (difference == 0)
    return;
  components = reference = std::move(own);
  allowance = std::max(allowance, difference);
}

double Expectation::computeBound(int64_t position) const {
  double value = reference[position];
  // A number beyond the type's range gives no bound.
  if (!std::isfinite(value))
    return infinity;
  return ulps == 0 ? allowance : allowance + ulps * computeUlp(getSemantics(whole.getElementType()), value);
}

/// 0 if equal, otherwise infinity; all NaNs are equal.
static double judgeEqual(double expected, double actual) {
  return expected == actual || (std::isnan(expected) && std::isnan(actual)) ? 0 : infinity;
}

double Expectation::judge(const Tensor &piece, int64_t position, int64_t wholePosition) const {
  if (components.empty())
    return visitKind(whole.getKind(), [&]<typename T>(T *) {
      return whole.get<T>()[wholePosition] == piece.get<T>()[position] ? 0 : infinity;
    });
  unsigned parts = getComponentsPerElement(whole);
  double worst = 0;
  for (unsigned part = 0; part < parts; ++part) {
    int64_t component = wholePosition * parts + part;
    double actual = getComponent(piece, position, part);
    if (!std::isfinite(components[component]) || !std::isfinite(actual)) {
      worst = std::max(worst, judgeEqual(components[component], actual));
      continue;
    }
    double error = std::fabs(actual - reference[component]);
    worst = std::max(worst, error == 0 || std::isnan(error) ? 0 : error / computeBound(component));
  }
  return worst;
}

WrongElement Expectation::describe(const Tensor &piece, int64_t position, int64_t wholePosition) const {
  WrongElement wrong;
  wrong.expected = printElement(whole, wholePosition);
  wrong.actual = printElement(piece, position);
  if (!components.empty())
    wrong.bound = computeBound(wholePosition * getComponentsPerElement(whole));
  return wrong;
}

std::optional<WrongElement> Expectation::check(const Tensor &piece, ArrayRef<int64_t> offsets, double &worst) const {
  SmallVector<int64_t> strides = computeStrides(whole.getShape()), index(piece.getRank());
  for (int64_t position = 0; position < piece.size(); ++position, increment(index, piece.getShape())) {
    int64_t wholePosition = 0;
    for (auto [offset, i, stride] : llvm::zip_equal(offsets, index, strides))
      wholePosition += (offset + i) * stride;
    double ratio = judge(piece, position, wholePosition);
    worst = std::max(worst, ratio);
    if (ratio <= 1)
      continue;
    WrongElement wrong = describe(piece, position, wholePosition);
    for (auto [offset, i] : llvm::zip_equal(offsets, index))
      wrong.index.push_back(offset + i);
    return wrong;
  }
  return std::nullopt;
}

} // namespace partita::verify
