//===- Case.h - one random case: a program, a mesh and a schedule ---------===//
//
// A case is run as `partita plan` and `partita verify` would: flatten, apply the
// schedule, lower, execute on virtual devices, compare. It counts if something
// was split and the devices had to talk.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_FUZZ_CASE_H
#define PARTITA_FUZZ_CASE_H

#include "partita/Fuzz/RandomActions.h"
#include "partita/Fuzz/Rooms.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>

namespace partita::fuzz {

struct Case {
  uint64_t seed = 0;
  /// In normal form.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Mesh mesh;
  std::vector<DrawnTactic> tactics;
  /// Floats are exact too, so they are compared as well.
  bool exact = false;
  /// The local program must also pass the static check.
  bool relation = true;
};

enum class Verdict {
  /// Equal, with something split and at least one collective.
  Counted,
  /// Equal, but nothing is split or no device needs another.
  Vacuous,
  /// Said to be unsupported, with a reason.
  Rejected,
  /// The local program computes something else, or no valid program came out.
  Wrong,
  /// The process died, or did not end.
  Crashed,
};

llvm::StringRef getName(Verdict verdict);

struct CaseOutcome {
  Verdict verdict = Verdict::Vacuous;
  /// Why it was rejected, or what is wrong.
  std::string reason;
  /// `stablehlo.add parallel`: how many ops of the kind have a factor of the kind split, 0 where one could be.
  /// `collective all_gather in a loop`: how many of those there are.
  std::map<std::string, int64_t> splits;
  int64_t collectives = 0;
};

/// A copy with a program of its own.
Case copyCase(const Case &input);

/// The case of a seed; an error is a defect of the generator. A portable one is exact, on at most 8 devices, and XLA
/// can run it too.
Result<Case> makeCase(uint64_t seed, mlir::MLIRContext &context, bool portable = false);

/// What becomes of a case.
struct LoweredCase {
  mlir::OwningOpRef<mlir::ModuleOp> local;
  /// The other forms of the plan; null unless asked for.
  mlir::OwningOpRef<mlir::ModuleOp> loops, annotated;
  std::map<std::string, int64_t> splits;
};

/// The device-local program of a case, and with `allForms` also the others.
Result<LoweredCase> lowerCase(const Case &input, bool allForms);

/// Executes both programs and compares.
CaseOutcome judgeCase(const Case &input, LoweredCase &lowered);

/// Lowers and judges; of one case in eight all forms.
CaseOutcome runCase(const Case &input);

/// A context that holds all dialects, for one thread.
std::unique_ptr<mlir::MLIRContext> makeFuzzContext();

} // namespace partita::fuzz

#endif
