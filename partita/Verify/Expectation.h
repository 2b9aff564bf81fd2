//===- Expectation.h - what a result must be, within which bound ----------===//
//
// Integers, booleans and results in exact mode must be equal. The bound for a
// float result v of the local program follows from the original's own error.
// Let w be the original's result and f the same in f64 arithmetic (Widen.h).
// For each element i
//
//   |v[i] - f[i]| <= 4 E + 4 ulp(f[i]),    E = max over i of |w[i] - f[i]|
//
// where ulp is the distance between neighbors in the result's type. E is a
// maximum over the whole result, since a single element of w is often right by
// chance while another order of summation is not.
//
// If f is not known, or if v contains nothing narrower than f64, the bound is
// fixed: |v[i] - w[i]| <= sqrt(e) max |w|, where e is the distance from 1 to
// the next number of the type.
//
// If that fails, the original runs in f64 on arguments that differ by rounding
// (Perturbation.h), and E is raised to the largest resulting difference from f.
// Results that are not floats but depend on floats (an argmax) may then differ
// by as much as they differ between these runs.
//
// Wherever w is not finite, infinities must be equal, and so must NaNs; all
// NaNs are equal.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VERIFY_EXPECTATION_H
#define PARTITA_VERIFY_EXPECTATION_H

#include "partita/Evaluate/Tensor.h"
#include "partita/Verify/Rooms.h"

#include <optional>
#include <vector>

namespace partita::verify {

/// An element that is not as expected.
struct WrongElement {
  /// Index in the whole result.
  llvm::SmallVector<int64_t> index;
  std::string expected;
  std::string actual;
  /// The largest allowed difference; 0 if it must be equal.
  double bound = 0;
};

/// The distance from 1 to the next number of a float type, or of the parts of a complex one.
double computeSpacing(mlir::Type elementType);

/// What one result must be.
class Expectation {
public:
  /// Equal to `whole`.
  static Expectation makeExact(Tensor whole);
  /// Close to `wide`. Equal to `whole` if it has no floats.
  static Expectation makeClose(Tensor whole, const Tensor &wide);
  /// Within the fixed bound of `whole`, with e at least `spacing`. Equal if it has no floats.
  static Expectation makeTolerant(Tensor whole, double spacing = 0);

  /// Widens the bound by the difference to `perturbed`, the same result for arguments that differ by rounding.
  void allowPerturbation(const Tensor &perturbed);

  /// The first element of `piece`, which lies at `offsets` of the result, that is not as expected. Raises `worst` to
  /// the largest ratio of a float's error to its bound.
  std::optional<WrongElement> check(const Tensor &piece, llvm::ArrayRef<int64_t> offsets, double &worst) const;

private:
  explicit Expectation(Tensor whole) : whole(std::move(whole)) {}

  double findLargest() const;
  /// How far component `position` of the whole may be from its reference.
  double computeBound(int64_t position) const;
  /// The error of an element divided by its bound; more than 1 if it is wrong.
  double judge(const Tensor &piece, int64_t position, int64_t wholePosition) const;
  WrongElement describe(const Tensor &piece, int64_t position, int64_t wholePosition) const;

  Tensor whole;
  /// The components (two for each complex number) of the whole, and their reference values. Empty if elements must be
  /// equal.
  std::vector<double> components, reference;
  double allowance = 0;
  double ulps = 0;
};

} // namespace partita::verify

#endif
