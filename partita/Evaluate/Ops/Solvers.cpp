//===- Solvers.cpp - cholesky and triangular_solve ------------------------===//

#include "partita/Evaluate/Elementwise.h"
#include "partita/Evaluate/Ops/Linalg.h"
#include "partita/Evaluate/Ops/RingDigest.h"

#include <cmath>

using namespace mlir;

namespace partita::evaluate {

static double conjugate(double value) { return value; }
static std::complex<double> conjugate(std::complex<double> value) { return std::conj(value); }

namespace {

/// A matrix in someone else's storage, possibly transposed or conjugated.
template <typename T> struct MatrixView {
  T *data;
  int64_t rowStride, columnStride;
  bool isConjugated = false;

  T get(int64_t row, int64_t column) const {
    T value = data[row * rowStride + column * columnStride];
    return isConjugated ? conjugate(value) : value;
  }
  void set(int64_t row, int64_t column, T value) const { data[row * rowStride + column * columnStride] = value; }
};

} // namespace

//===----------------------------------------------------------------------===//
// Cholesky
//===----------------------------------------------------------------------===//

/// Replaces the lower triangle of A by L with A = L * L^H; false if A is not positive definite.
template <typename T> static bool decompose(const MatrixView<T> &a, int64_t size) {
  for (int64_t j = 0; j < size; ++j) {
    T pivot = a.get(j, j);
    for (int64_t k = 0; k < j; ++k)
      pivot -= a.get(j, k) * conjugate(a.get(j, k));
    if (!(std::real(pivot) > 0))
      return false;
    double root = std::sqrt(std::real(pivot));
    a.set(j, j, root);
    for (int64_t i = j + 1; i < size; ++i) {
      T sum = a.get(i, j);
      for (int64_t k = 0; k < j; ++k)
        sum -= a.get(i, k) * conjugate(a.get(j, k));
      a.set(i, j, sum / root);
    }
  }
  return true;
}

/// Decomposes one matrix. The other triangle is zero. All elements are NaN if there is no decomposition.
template <typename T> static void evaluateMatrix(T *matrix, int64_t size, bool isLower) {
  // A = U^H * U has U = L^H: the upper triangle read by columns is L^H's, conjugated.
  MatrixView<T> view = isLower ? MatrixView<T>{matrix, size, 1} : MatrixView<T>{matrix, 1, size};
  if (!decompose(view, size)) {
    std::fill_n(matrix, size * size, T(std::nan("")));
    return;
  }
  for (int64_t row = 0; row < size; ++row)
    for (int64_t column = row + 1; column < size; ++column)
      view.set(row, column, T());
}

static Tensor hashMatrices(stablehlo::CholeskyOp op, const Tensor &a, int64_t size) {
  Tensor result(a.getType(), a.getMode());
  for (int64_t begin = 0; begin < a.size(); begin += size * size) {
    RingDigest digest(op.getLower() ? "cholesky.lower" : "cholesky.upper");
    digest.add(a, begin, size * size);
    for (int64_t i = 0; i < size * size; ++i)
      digest.store(result, begin + i, i);
  }
  return result;
}

Status evaluateCholesky(stablehlo::CholeskyOp op, Call &call) {
  const Tensor &a = call.operands[0];
  int64_t size = a.getShape().back();
  if (call.mode == Mode::Exact) {
    call.results.push_back(hashMatrices(op, a, size));
    return std::nullopt;
  }
  visitNumber(a.getElementType(), [&]<typename T>(T *) {
    std::vector<T> numbers = loadNumbers<T>(a);
    for (int64_t begin = 0; begin < a.size(); begin += size * size)
      evaluateMatrix(numbers.data() + begin, size, op.getLower());
    call.results.push_back(storeNumbers<T>(numbers, resultType(op)));
  });
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Triangular solve
//===----------------------------------------------------------------------===//

/// Solves A * X = B for one column after the other, in place; A is lower triangular as the view has it.
template <typename T>
static void substitute(const MatrixView<T> &a, const MatrixView<T> &b, int64_t size, int64_t columns, bool isUnit) {
  for (int64_t column = 0; column < columns; ++column)
    for (int64_t i = 0; i < size; ++i) {
      T sum = b.get(i, column);
      for (int64_t k = 0; k < i; ++k)
        sum -= a.get(i, k) * b.get(k, column);
      b.set(i, column, isUnit ? sum : sum / a.get(i, i));
    }
}

/// One system. All variants are brought to the form above: X * A = B is A^T * X^T = B^T, and an upper triangular
/// matrix is a lower one when rows and columns are counted from the end.
template <typename T>
static void solveSystem(stablehlo::TriangularSolveOp op, T *a, T *b, int64_t size, int64_t columns) {
  MatrixView<T> left{a, size, 1};
  MatrixView<T> right = op.getLeftSide() ? MatrixView<T>{b, columns, 1} : MatrixView<T>{b, 1, size};
  bool isTransposed = (op.getTransposeA() != stablehlo::Transpose::NO_TRANSPOSE) == op.getLeftSide();
  left.isConjugated = op.getTransposeA() == stablehlo::Transpose::ADJOINT;
  if (isTransposed)
    std::swap(left.rowStride, left.columnStride);
  bool isLower = op.getLower() != isTransposed;
  if (!isLower) {
    left = {a + size * size - 1, -left.rowStride, -left.columnStride, left.isConjugated};
    right = {right.data + (size - 1) * right.rowStride, -right.rowStride, right.columnStride};
  }
  substitute(left, right, size, columns, op.getUnitDiagonal());
}

/// Exact mode: each column of X (or row, if A is on the right) is a hash of A and of its own column of B.
static Tensor hashSystems(stablehlo::TriangularSolveOp op, const Tensor &a, const Tensor &b, int64_t size,
                          int64_t columns) {
  Tensor result(b.getType(), b.getMode());
  int64_t step = op.getLeftSide() ? columns : 1, columnStep = op.getLeftSide() ? 1 : size;
  for (int64_t batch = 0; size > 0 && columns > 0 && batch < a.size() / (size * size); ++batch)
    for (int64_t column = 0; column < columns; ++column) {
      RingDigest digest("triangular_solve");
      digest.add(op.getLeftSide() | op.getLower() << 1 | op.getUnitDiagonal() << 2 |
                 static_cast<uint64_t>(op.getTransposeA()) << 3);
      digest.add(a, batch * size * size, size * size);
      int64_t begin = batch * size * columns + column * columnStep;
      digest.add(b, begin, size, step);
      for (int64_t i = 0; i < size; ++i)
        digest.store(result, begin + i * step, i);
    }
  return result;
}

Status evaluateTriangularSolve(stablehlo::TriangularSolveOp op, Call &call) {
  const Tensor &a = call.operands[0], &b = call.operands[1];
  int64_t size = a.getShape().back(), columns = b.getDim(b.getRank() - (op.getLeftSide() ? 1 : 2));
  if (call.mode == Mode::Exact) {
    call.results.push_back(hashSystems(op, a, b, size, columns));
    return std::nullopt;
  }
  visitNumber(a.getElementType(), [&]<typename T>(T *) {
    std::vector<T> matrices = loadNumbers<T>(a), numbers = loadNumbers<T>(b);
    for (int64_t batch = 0; size > 0 && batch < a.size() / (size * size); ++batch)
      solveSystem(op, matrices.data() + batch * size * size, numbers.data() + batch * size * columns, size, columns);
    call.results.push_back(storeNumbers<T>(numbers, resultType(op)));
  });
  return std::nullopt;
}

} // namespace partita::evaluate
