//===- Fft.cpp - discrete Fourier transforms ------------------------------===//
//
//   FFT    X[k] = sum over t of x[t] * e^(-2*pi*i*k*t/n)
//   IFFT   x[t] = 1/n * sum over k of X[k] * e^(2*pi*i*k*t/n)
//   RFFT   the first n/2 + 1 numbers of the FFT of n reals
//   IRFFT  the n reals whose RFFT is given
//
// over the last one to three dims, one after the other. A length is split by its
// smallest prime factor p, n = p*m (Cooley and Tukey):
//
//   X[k] = sum over r < p of e^(-2*pi*i*k*r/n) * (FFT of x[r], x[r+p], ...)[k mod m]
//
//===----------------------------------------------------------------------===//

#include "partita/Evaluate/Elementwise.h"
#include "partita/Evaluate/Ops/Linalg.h"
#include "partita/Evaluate/Ops/RingDigest.h"

#include <cmath>
#include <numbers>

using namespace mlir;

namespace partita::evaluate {

using Complex = std::complex<double>;

static int64_t getSmallestFactor(int64_t size) {
  for (int64_t factor = 2; factor * factor <= size; ++factor)
    if (size % factor == 0)
      return factor;
  return size;
}

/// roots[k] = e^(-2*pi*i*k/n), for the inverse transform e^(2*pi*i*k/n).
static std::vector<Complex> buildRoots(int64_t size, bool isInverse) {
  std::vector<Complex> roots(size);
  for (int64_t k = 0; k < size; ++k)
    roots[k] = std::polar(1.0, (isInverse ? 2 : -2) * std::numbers::pi * k / size);
  return roots;
}

/// out[k] = sum over t < size of in[t*stride] * root^(k*t), root being of order `size`.
static void transform(const Complex *in, int64_t stride, Complex *out, int64_t size, ArrayRef<Complex> roots) {
  if (size == 1) {
    *out = *in;
    return;
  }
  int64_t factor = getSmallestFactor(size), part = size / factor, rootStep = roots.size() / size;
  for (int64_t r = 0; r < factor; ++r)
    transform(in + r * stride, stride * factor, out + r * part, part, roots);
  SmallVector<Complex> terms(factor);
  for (int64_t j = 0; j < part; ++j) {
    for (int64_t r = 0; r < factor; ++r)
      terms[r] = out[r * part + j];
    // Results j, j + part, ... need the same numbers of all parts.
    for (int64_t q = 0; q < factor; ++q) {
      int64_t k = q * part + j;
      Complex sum = terms[0];
      for (int64_t r = 1; r < factor; ++r)
        sum += terms[r] * roots[k * r % size * rootStep];
      out[k] = sum;
    }
  }
}

namespace {

/// The transform of one dim: lines of `size` elements, `stride` apart.
struct Lines {
  int64_t size, stride;
};

} // namespace

static Lines getLines(ArrayRef<int64_t> shape, int64_t dim) { return {shape[dim], computeStrides(shape)[dim]}; }

/// Calls `work` with the first element of each line.
template <typename Work> static void visitLines(std::vector<Complex> &numbers, const Lines &lines, Work work) {
  int64_t block = lines.size * lines.stride;
  for (size_t begin = 0; block > 0 && begin < numbers.size(); begin += block)
    for (int64_t i = 0; i < lines.stride; ++i)
      work(numbers.data() + begin + i);
}

static void transformDim(std::vector<Complex> &numbers, ArrayRef<int64_t> shape, int64_t dim, bool isInverse) {
  Lines lines = getLines(shape, dim);
  std::vector<Complex> roots = buildRoots(lines.size, isInverse), line(lines.size);
  double scale = isInverse ? 1.0 / lines.size : 1.0;
  visitLines(numbers, lines, [&](Complex *first) {
    transform(first, lines.stride, line.data(), lines.size, roots);
    for (int64_t i = 0; i < lines.size; ++i)
      first[i * lines.stride] = line[i] * scale;
  });
}

/// Rows of another length: `convert(from, to)` fills each new row from an old one.
template <typename Convert>
static std::vector<Complex> convertRows(ArrayRef<Complex> numbers, int64_t from, int64_t to, Convert convert) {
  int64_t rows = from == 0 ? 0 : numbers.size() / from;
  std::vector<Complex> converted(rows * to);
  for (int64_t row = 0; row < rows; ++row)
    convert(numbers.slice(row * from, from), MutableArrayRef<Complex>(converted).slice(row * to, to));
  return converted;
}

static void keepFirst(ArrayRef<Complex> from, MutableArrayRef<Complex> to) {
  llvm::copy(from.take_front(to.size()), to.begin());
}

/// The whole spectrum of a real signal from its first half: X[n-k] is the conjugate of X[k].
static void mirror(ArrayRef<Complex> from, MutableArrayRef<Complex> to) {
  int64_t size = to.size();
  if (size == 0)
    return;
  for (int64_t k = 0; k < size; ++k)
    to[k] = 2 * k <= size ? from[k] : std::conj(from[size - k]);
  to[0].imag(0);
  if (size % 2 == 0)
    to[size / 2].imag(0);
}

static std::vector<Complex> transformAll(stablehlo::FftOp op, const Tensor &operand, ArrayRef<int64_t> resultShape) {
  bool isInverse = op.getFftType() == stablehlo::FftType::IFFT || op.getFftType() == stablehlo::FftType::IRFFT;
  SmallVector<int64_t> shape(operand.getShape());
  std::vector<Complex> numbers = loadNumbers<Complex>(operand);
  int64_t last = shape.size() - 1, first = shape.size() - op.getFftLength().size();
  if (op.getFftType() != stablehlo::FftType::IRFFT)
    transformDim(numbers, shape, last, isInverse);
  if (op.getFftType() == stablehlo::FftType::RFFT) {
    numbers = convertRows(numbers, shape.back(), resultShape.back(), keepFirst);
    shape.back() = resultShape.back();
  }
  for (int64_t dim = first; dim < last; ++dim)
    transformDim(numbers, shape, dim, isInverse);
  // Back to reals the last dim comes last.
  if (op.getFftType() == stablehlo::FftType::IRFFT) {
    numbers = convertRows(numbers, shape.back(), resultShape.back(), mirror);
    transformDim(numbers, resultShape, last, isInverse);
  }
  return numbers;
}

static Tensor hashTransforms(stablehlo::FftOp op, const Tensor &operand, RankedTensorType type) {
  Tensor result(type, operand.getMode());
  auto countLast = [&](ArrayRef<int64_t> shape) {
    int64_t count = 1;
    for (int64_t size : shape.take_back(op.getFftLength().size()))
      count *= size;
    return count;
  };
  int64_t from = countLast(operand.getShape()), to = countLast(type.getShape());
  for (int64_t batch = 0; to > 0 && batch < result.size() / to; ++batch) {
    RingDigest digest("fft");
    digest.add(static_cast<uint64_t>(op.getFftType()));
    digest.add(operand, batch * from, from);
    for (int64_t i = 0; i < to; ++i)
      digest.store(result, batch * to + i, i);
  }
  return result;
}

Status evaluateFft(stablehlo::FftOp op, Call &call) {
  const Tensor &operand = call.operands[0];
  RankedTensorType type = resultType(op);
  // Lengths of real transforms are held to the shape by the dialect.
  bool isReal = operand.getType() != type;
  if (!isReal && operand.getShape().take_back(op.getFftLength().size()) != op.getFftLength())
    return Error::unsupported({}, "fft_length is not the size of the transformed dims");
  if (call.mode == Mode::Exact) {
    call.results.push_back(hashTransforms(op, operand, type));
    return std::nullopt;
  }
  std::vector<Complex> numbers = transformAll(op, operand, type.getShape());
  if (isa<ComplexType>(type.getElementType())) {
    call.results.push_back(storeNumbers<Complex>(numbers, type));
    return std::nullopt;
  }
  std::vector<double> reals;
  for (Complex number : numbers)
    reals.push_back(number.real());
  call.results.push_back(storeNumbers<double>(reals, type));
  return std::nullopt;
}

} // namespace partita::evaluate
