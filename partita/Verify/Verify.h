//===- Verify.h - runs a local program against the original ---------------===//
//
// Runs both programs on the same inputs, the local one on all devices of its
// mesh, and compares every device's piece of every result:
//
//   exact mode   (integers mod 2^64) results must be equal: no order of summation
//                and no rounding can excuse a difference;
//   floats       results must be within the bounds of Expectation.h. This finds what
//                exact mode cannot see: NaNs, infinities, a sum in too narrow a type.
//
// Exact mode decides equality. In floats, results may differ by as much as
// rounding of the arguments changes them: a result may be badly conditioned,
// such as the first step of an optimizer that divides gradients by their size.
//
// In reports and messages exact mode is called `ring`.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VERIFY_VERIFY_H
#define PARTITA_VERIFY_VERIFY_H

#include "partita/Evaluate/Evaluator.h"
#include "partita/Support/Limits.h"
#include "partita/Verify/Rooms.h"

namespace partita::verify {

/// The first difference that was found.
struct Mismatch {
  /// Which comparison found it: `ring` (exact mode), `wide` (f64 reference), `jitter` (perturbed arguments) or
  /// `tolerance` (fixed bound).
  std::string mode;
  /// Number and name of the result. If the name is empty, the result is not known and `note` says all.
  unsigned result = 0;
  std::string name = {};
  /// -1 if the program changes the assembled result after the manual computation.
  int64_t device = -1;
  /// Index in the whole result.
  llvm::SmallVector<int64_t> index = {};
  std::string expected = {};
  std::string actual = {};
  /// Bound of a float's error; 0 if values must be equal.
  double bound = 0;
  /// The location of the op that gives the result in the original.
  SourceLocation location = {};
  /// Further facts, such as the first wrong op if the static check (Relation/) finds it. May be empty.
  std::string note;

  std::string str() const;
};

struct Verification {
  /// Which comparisons were made: `ring`, `ring+wide`, `ring+tolerance`, or `ring+jitter` if a result is badly
  /// conditioned.
  std::string mode;
  /// The largest ratio of a float's error to its bound; infinite for a wrong value without a bound.
  double worst = 0;
  /// Number of ops of the local program whose result has a dim and differs between devices.
  int64_t splitOps = 0;
  /// Collectives in the local program.
  int64_t collectives = 0;
  std::optional<Mismatch> mismatch;

  bool isEqual() const { return !mismatch; }
  bool isVacuous() const { return splitOps == 0; }
};

/// The number of collectives in a program.
int64_t countCollectiveOps(mlir::ModuleOp module);

/// Compares two programs in normal form. `inputs` are for the original (Inputs.h); `options.exact` leaves out the float
/// runs. An error if the signatures differ (65), if a program cannot run (69) or exceeds a limit (75), or if devices of
/// the local program wait for each other forever (65). If it `mayBeStored`, its arguments and results may be longer
/// than those of the original (StoredBorder.h).
Result<Verification> verifyLocal(mlir::ModuleOp original, mlir::ModuleOp local, llvm::StringRef inputs,
                                 const EvaluatorOptions &options, const Limits &limits, bool mayBeStored = true);

/// Whether the program was lowered for devices: it has a manual computation.
bool isForDevices(mlir::ModuleOp module);

} // namespace partita::verify

#endif
