//===- Case.h - a random program, mesh and schedule -----------------------===//
//
// A case runs like `partita plan` and `partita verify`: flatten, apply the
// schedule, lower, execute on virtual devices, compare. It counts if something
// was split and the devices had to communicate.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_FUZZ_CASE_H
#define PARTITA_FUZZ_CASE_H

#include "partita/Fuzz/RandomActions.h"
#include "partita/Fuzz/RandomLayers.h"
#include "partita/Fuzz/Rooms.h"
#include "partita/Remat/Rematerialize.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>

namespace partita::fuzz {

/// Where the program is cut into microbatches: a dim of an argument. None if there is one microbatch.
struct DrawnMicrobatches {
  int64_t count = 1;
  uint32_t argument = 0, dim = 0;
};

struct Case {
  uint64_t seed = 0;
  /// In normal form.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Mesh mesh;
  /// The tactics are for the program that these rewrites make, in this order.
  RematRequest remat;
  DrawnMicrobatches microbatches;
  DrawnPipeline pipeline;
  std::optional<PadTactic> padding;
  std::optional<ReorderTactic> reorder;
  std::vector<DrawnTactic> tactics;
  /// Floats are exact in this program, so float results are compared too.
  bool exact = false;
  /// The local program must also pass the static check.
  bool relation = true;
};

enum class Verdict {
  /// Equal, with something split and at least one collective.
  Counted,
  /// Equal, but nothing is split or no device communicates.
  Vacuous,
  /// Refused as unsupported, with a reason.
  Rejected,
  /// The local program computes something else, or lowering gave no valid program.
  Wrong,
  /// The process died or did not end.
  Crashed,
};

llvm::StringRef getName(Verdict verdict);

struct CaseOutcome {
  Verdict verdict = Verdict::Vacuous;
  /// Why it was rejected, or what is wrong.
  std::string reason;
  /// Counts by name. `stablehlo.add parallel`: how many such ops have a factor of that kind split; 0 if one could be
  /// split but none was. `collective all_gather in a loop`: how many such collectives there are.
  std::map<std::string, int64_t> splits;
  int64_t collectives = 0;
};

/// A copy with a program of its own.
Case copyCase(const Case &input);

/// The case of a seed. An error is a defect of the generator. A portable case is exact, has at most 8 devices, and XLA
/// can run it too.
Result<Case> makeCase(uint64_t seed, mlir::MLIRContext &context, bool portable = false);

/// The programs that lowering makes of a case.
struct LoweredCase {
  /// The rewritten program, which is lowered; null if the original is.
  mlir::OwningOpRef<mlir::ModuleOp> rewritten;
  mlir::OwningOpRef<mlir::ModuleOp> local;
  /// The loop form and the annotated program of the plan; null unless asked for.
  mlir::OwningOpRef<mlir::ModuleOp> loops, annotated;
  std::map<std::string, int64_t> splits;
};

/// Lowers a case to its local program and, with `allForms`, to the other forms too.
Result<LoweredCase> lowerCase(const Case &input, bool allForms);

/// Runs the original and the lowered programs and compares their results.
CaseOutcome judgeCase(const Case &input, LoweredCase &lowered);

/// Lowers and judges a case; one case in eight in all forms.
CaseOutcome runCase(const Case &input);

/// A context that holds all dialects, for one thread.
std::unique_ptr<mlir::MLIRContext> makeFuzzContext();

} // namespace partita::fuzz

#endif
