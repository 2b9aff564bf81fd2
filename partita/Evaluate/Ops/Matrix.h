//===- Matrix.h - products of dense matrices ------------------------------===//
//
// The inner loop of every contraction: C += A * B on row-major matrices, where
// B and C may be parts of wider ones. Sums run over k in ascending order. The
// innermost loop runs along rows of B and C, so the compiler vectorizes it
// without reordering sums.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_OPS_MATRIX_H
#define PARTITA_EVALUATE_OPS_MATRIX_H

#include "partita/Evaluate/Rooms.h"
#include "partita/Evaluate/Tensor.h"

namespace partita::evaluate {

/// sum + a*b: what one step of a contraction does. Integers and ring elements wrap, bools are or-ed.
inline float multiplyAdd(float a, float b, float sum) { return sum + a * b; }
inline double multiplyAdd(double a, double b, double sum) { return sum + a * b; }
inline uint64_t multiplyAdd(uint64_t a, uint64_t b, uint64_t sum) { return sum + a * b; }
inline uint8_t multiplyAdd(uint8_t a, uint8_t b, uint8_t sum) { return sum | (a & b); }
template <typename T> std::complex<T> multiplyAdd(std::complex<T> a, std::complex<T> b, std::complex<T> sum) {
  return {sum.real() + (a.real() * b.real() - a.imag() * b.imag()),
          sum.imag() + (a.real() * b.imag() + a.imag() * b.real())};
}
inline RingPair multiplyAdd(RingPair a, RingPair b, RingPair sum) {
  return {sum.real + a.real * b.real - a.imag * b.imag, sum.imag + a.real * b.imag + a.imag * b.real};
}

/// The number that changes no product.
template <typename T> T getOne() {
  if constexpr (std::is_same_v<T, RingPair>)
    return {1, 0};
  else
    return T(1);
}

/// The start of a sum of `depth` products. A single product is the sum, including the sign of a zero: -0 + x is x.
template <typename T> T getSumBegin(int64_t depth) {
  if constexpr (std::is_same_v<T, RingPair> || std::is_integral_v<T>)
    return T();
  else if constexpr (std::is_floating_point_v<T>)
    return depth == 1 ? T(-0.0) : T();
  else
    return depth == 1 ? T(-0.0, -0.0) : T();
}

/// C[rows, columns] += A[rows, depth] * B[depth, columns]; consecutive rows are `aStride`, ... elements apart.
struct MatrixSizes {
  int64_t rows, columns, depth;
  int64_t aStride, bStride, cStride;
};

template <typename T> void multiplyRow(const T *a, const T *b, T *c, const MatrixSizes &sizes) {
  int64_t k = 0;
  for (; k + 4 <= sizes.depth; k += 4) {
    const T *b0 = b + k * sizes.bStride, *b1 = b0 + sizes.bStride, *b2 = b1 + sizes.bStride, *b3 = b2 + sizes.bStride;
    for (int64_t j = 0; j < sizes.columns; ++j)
      c[j] = multiplyAdd(a[k + 3], b3[j],
                         multiplyAdd(a[k + 2], b2[j], multiplyAdd(a[k + 1], b1[j], multiplyAdd(a[k], b0[j], c[j]))));
  }
  for (; k < sizes.depth; ++k)
    for (int64_t j = 0; j < sizes.columns; ++j)
      c[j] = multiplyAdd(a[k], b[k * sizes.bStride + j], c[j]);
}

template <typename T> void multiplyMatrices(const T *a, const T *b, T *c, const MatrixSizes &sizes) {
  // A panel of B stays in cache for all rows of A.
  constexpr int64_t panelDepth = 64, panelColumns = 256;
  for (int64_t k = 0; k < sizes.depth; k += panelDepth)
    for (int64_t j = 0; j < sizes.columns; j += panelColumns) {
      MatrixSizes panel = sizes;
      panel.depth = std::min(panelDepth, sizes.depth - k);
      panel.columns = std::min(panelColumns, sizes.columns - j);
      for (int64_t i = 0; i < sizes.rows; ++i)
        multiplyRow(a + i * sizes.aStride + k, b + k * sizes.bStride + j, c + i * sizes.cStride + j, panel);
    }
}

} // namespace partita::evaluate

#endif
