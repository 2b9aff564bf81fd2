//===- Verify.h - whether a local program computes what the original does -===//
//
// Both programs are executed on the same inputs, the local one on all devices of
// its mesh, and every device's piece of every result is compared:
//
//   in ring mode    exactly: no order of summation, no rounding can excuse a
//                   difference;
//   in floats       within the bounds of Expectation.h, which catches what ring
//                   mode cannot see: NaNs, infinities, a sum in too narrow a type.
//
// Whether they are equal is decided in the ring. In floats, what rounding of the
// arguments can change may differ by as much: a result may be badly conditioned,
// such as the first step of an optimizer that divides gradients by their size.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VERIFY_VERIFY_H
#define PARTITA_VERIFY_VERIFY_H

#include "partita/Evaluate/Evaluator.h"
#include "partita/Support/Limits.h"
#include "partita/Verify/Rooms.h"

namespace partita::verify {

/// Where the local program is first found to be wrong.
struct Mismatch {
  /// `ring`, `wide`, `jitter` or `tolerance`: which comparison found it.
  std::string mode;
  /// Number and name of the result; without a name, it is not known which, and `note` says all.
  unsigned result = 0;
  std::string name = {};
  /// -1 where the devices' pieces, put together, are changed again after the manual computation.
  int64_t device = -1;
  /// In the whole result.
  llvm::SmallVector<int64_t> index = {};
  std::string expected = {};
  std::string actual = {};
  /// Of a float's error; 0 where values must be equal.
  double bound = 0;
  /// The source of the op that gives the result in the original.
  SourceLocation location = {};
  /// What else is known: which op is the first wrong one, if the static check (Relation/) finds it. May be empty.
  std::string note;

  std::string str() const;
};

struct Verification {
  /// Which comparisons were made: `ring`, `ring+wide`, `ring+tolerance`; `ring+jitter` where a result is badly
  /// conditioned.
  std::string mode;
  /// The largest error of a float in parts of its bound; infinite for a wrong value without a bound.
  double worst = 0;
  /// Ops of the local program whose result, of at least one dim, is not the same on all devices.
  int64_t splitOps = 0;
  /// Collectives in the local program.
  int64_t collectives = 0;
  std::optional<Mismatch> mismatch;

  bool isEqual() const { return !mismatch; }
  bool isVacuous() const { return splitOps == 0; }
};

/// Collectives that stand in a program.
int64_t countCollectives(mlir::ModuleOp module);

/// Compares two programs in normal form. `inputs` are for the original (Inputs.h); `options.exact` leaves out the float
/// runs. An error where the signatures differ (65), where a program cannot be run (69) or runs into a limit (75), or
/// where the local one is no program at all: devices that wait for each other for ever (65).
Result<Verification> verifyLocal(mlir::ModuleOp original, mlir::ModuleOp local, llvm::StringRef inputs,
                                 const EvaluatorOptions &options, const Limits &limits);

} // namespace partita::verify

#endif
