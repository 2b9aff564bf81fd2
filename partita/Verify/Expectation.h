//===- Expectation.h - what a result must be, and how closely -------------===//
//
// Integers, booleans and ring elements must be equal. A float result v of the
// local program is judged by the original's own error. With w the original's
// result and f the same in f64 arithmetic (Widen.h), for each element i
//
//   |v[i] - f[i]| <= 4 E + 4 ulp(f[i]),    E = max over i of |w[i] - f[i]|
//
// where ulp is the distance between neighbours in the result's type. E belongs to
// the whole result: a single element of w is often right by chance, and another
// order of summation is not.
//
// Where f is not known, or v has nothing narrower than f64 in it, the bound is
// stated instead: |v[i] - w[i]| <= sqrt(e) max |w|, e being the distance from 1 to
// the next number of the type.
//
// Where that fails, the original is run in f64 on arguments that differ by rounding
// (Perturbation.h): E is raised to the largest difference from f that this makes. Results
// that are no floats, but are made of some (an argmax), may then differ by as much
// as that makes them differ, if it does.
//
// Infinities must be equal wherever w is not finite, and so must NaNs, of which
// all are equal.
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
  /// In the whole result.
  llvm::SmallVector<int64_t> index;
  std::string expected;
  std::string actual;
  /// How far it may be from what is expected; 0 where it must be equal.
  double bound = 0;
};

/// The distance from 1 to the next number of a float type, or of the parts of a complex one.
double computeSpacing(mlir::Type elementType);

/// What one result must be.
class Expectation {
public:
  /// Equal to `whole`.
  static Expectation makeExact(Tensor whole);
  /// Close to `wide`; equal to `whole` where it is not made of floats.
  static Expectation makeClose(Tensor whole, const Tensor &wide);
  /// Within the stated tolerance of `whole`, e being at least `spacing`; equal where it is not made of floats.
  static Expectation makeTolerant(Tensor whole, double spacing = 0);

  /// Allows for what `perturbed`, the same result of arguments that differ by rounding, differs by.
  void allowPerturbation(const Tensor &perturbed);

  /// The first element of `piece`, which lies at `offsets` of the result, that is not as expected. `worst` is raised to
  /// the largest ratio of a float's error to its bound.
  std::optional<WrongElement> check(const Tensor &piece, llvm::ArrayRef<int64_t> offsets, double &worst) const;

private:
  explicit Expectation(Tensor whole) : whole(std::move(whole)) {}

  double findLargest() const;
  /// How far component `position` of the whole may be from its reference.
  double computeBound(int64_t position) const;
  /// The error of an element in parts of its bound; more than 1 if it is wrong.
  double judge(const Tensor &piece, int64_t position, int64_t wholePosition) const;
  WrongElement describe(const Tensor &piece, int64_t position, int64_t wholePosition) const;

  Tensor whole;
  /// The components (two for each complex number) of the whole, and what they should be; empty where elements must be
  /// equal.
  std::vector<double> components, reference;
  double allowance = 0;
  double ulps = 0;
};

} // namespace partita::verify

#endif
