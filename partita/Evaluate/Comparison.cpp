//===- Comparison.cpp - compares tensors ----------------------------------===//

#include "partita/Evaluate/Comparison.h"

#include "partita/Evaluate/Scalars.h"

#include "llvm/ADT/StringExtras.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;

namespace partita::evaluate {

/// How often a number may be rounded, at the size of the largest one.
static constexpr double maxRoundings = 32;

static double computeTolerance(const Tensor &tensor) {
  auto element = dyn_cast<FloatType>(tensor.getElementType());
  if (!element || tensor.getMode() == Mode::Exact)
    return 0;
  double largest = 1;
  visitKind(tensor.getKind(), [&]<typename T>(T *) {
    if constexpr (std::is_floating_point_v<T>)
      for (T number : tensor.get<T>())
        largest = std::isfinite(number) ? std::max<double>(largest, std::fabs(number)) : largest;
  });
  return std::ldexp(maxRoundings * largest, 1 - static_cast<int>(element.getFPMantissaWidth()));
}

template <typename T> static bool isNear(T a, T b, double tolerance) {
  if (std::isfinite(a) && std::isfinite(b))
    return std::fabs(static_cast<double>(a) - static_cast<double>(b)) <= tolerance;
  return std::isnan(a) || std::isnan(b) ? !std::isfinite(a) && !std::isfinite(b) : a == b;
}

template <typename T> static bool isSame(T a, T b, Equality equality) {
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    if (equality != Equality::Bits && std::isnan(a) && std::isnan(b))
      return true;
    return equality == Equality::Value ? a == b : llvm::bit_cast<Bits>(a) == llvm::bit_cast<Bits>(b);
  } else {
    return a == b;
  }
}
template <typename T> static bool isSame(std::complex<T> a, std::complex<T> b, Equality equality) {
  return isSame(a.real(), b.real(), equality) && isSame(a.imag(), b.imag(), equality);
}

static void print(llvm::raw_ostream &out, uint8_t value) { out << (value ? "true" : "false"); }
static void print(llvm::raw_ostream &out, int64_t value) { out << value; }
static void print(llvm::raw_ostream &out, uint64_t value) { out << value; }
static void print(llvm::raw_ostream &out, double value) { out << llvm::format("%.17g", value); }
static void print(llvm::raw_ostream &out, float value) { out << llvm::format("%.9g", value); }
static void print(llvm::raw_ostream &out, RingPair value) { out << "(" << value.real << ", " << value.imag << ")"; }
template <typename T> static void print(llvm::raw_ostream &out, std::complex<T> value) {
  out << "(" << value.real() << ", " << value.imag() << ")";
}

template <typename T> static std::string toText(T value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  print(stream, value);
  return text;
}

std::string printIndex(ArrayRef<int64_t> shape, int64_t position) {
  SmallVector<std::string> numbers(shape.size());
  for (auto [number, size] : llvm::zip_equal(llvm::reverse(numbers), llvm::reverse(shape))) {
    number = std::to_string(position % size);
    position /= size;
  }
  return "[" + llvm::join(numbers, ", ") + "]";
}

std::string printElement(const Tensor &tensor, int64_t position) {
  return visitKind(tensor.getKind(), [&]<typename T>(T *) { return toText(tensor.get<T>()[position]); });
}

std::optional<ElementDifference> findDifference(const Tensor &expected, const Tensor &got, Equality equality) {
  std::optional<ElementDifference> found;
  double tolerance = equality == Equality::Rounded ? computeTolerance(expected) : 0;
  visitKind(expected.getKind(), [&]<typename T>(T *) {
    ArrayRef<T> left = expected.get<T>(), right = got.get<T>();
    auto isDifferent = [&](int64_t i) {
      if constexpr (std::is_floating_point_v<T>)
        if (equality == Equality::Rounded)
          return !isNear(left[i], right[i], tolerance);
      return !isSame(left[i], right[i], equality);
    };
    for (int64_t i = 0; i < expected.size() && !found; ++i)
      if (isDifferent(i))
        found = {printIndex(expected.getShape(), i), toText(left[i]), toText(right[i])};
  });
  return found;
}

static std::optional<ScalarCombiner> toScalarCombiner(graph::Combiner combiner) {
  switch (combiner) {
  case graph::Combiner::None:
    return std::nullopt;
  case graph::Combiner::Add:
    return ScalarCombiner::Add;
  case graph::Combiner::Multiply:
    return ScalarCombiner::Multiply;
  case graph::Combiner::Maximum:
    return ScalarCombiner::Maximum;
  case graph::Combiner::Minimum:
    return ScalarCombiner::Minimum;
  case graph::Combiner::And:
    return ScalarCombiner::And;
  case graph::Combiner::Or:
    return ScalarCombiner::Or;
  case graph::Combiner::Xor:
    return ScalarCombiner::Xor;
  }
  llvm_unreachable("unknown combiner");
}

void combine(graph::Combiner combiner, Tensor &accumulator, const Tensor &part) {
  std::optional<ScalarCombiner> scalar = toScalarCombiner(combiner);
  if (!scalar)
    return;
  visitCombiner(*scalar, accumulator.getElementType(), accumulator.getMode(), [&]<typename T>(T *, auto function) {
    MutableArrayRef<T> sums = accumulator.edit<T>();
    for (auto [sum, element] : llvm::zip_equal(sums, part.get<T>()))
      sum = function(sum, element);
  });
}

} // namespace partita::evaluate
