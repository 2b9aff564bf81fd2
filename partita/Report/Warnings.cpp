//===- Warnings.cpp - warnings about a plan, on standard error ------------===//

#include "partita/Report/Warnings.h"

#include "partita/Cost/CostOptions.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/CustomTargets.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

namespace partita::report {

/// Why an op is kept whole, and what the user can do about it.
static llvm::StringRef explainUnknown(const UnknownOp &entry) {
  if (entry.target.empty())
    return "no rule is known, so it is not split";
  if (rules::findCustomTarget(entry.target).kind == rules::TargetKind::ShapeBaked)
    return "a kernel compiled for these shapes, so it is not split; partita.kernel (in a program, a composite "
           "partita.kernel.* around it) gives it a rule and lets it be compiled for others";
  return "no rule is known, so it is not split; --rule gives it one";
}

void reportBaselineKept() {
  llvm::errs() << "partita: warning: the search found nothing better than the baseline, which is the plan\n";
}

void reportUnknown(llvm::ArrayRef<UnknownOp> unknown) {
  for (const UnknownOp &entry : unknown) {
    if (!entry.isWhole)
      continue;
    std::string location = entry.location.str();
    llvm::errs() << "partita: warning: " << entry.count << " x " << entry.op
                 << (entry.target.empty() ? "" : " @" + entry.target) << ": " << explainUnknown(entry)
                 << (location.empty() ? "" : " (" + location + ")") << "\n";
  }
}

void reportUncalled(mlir::ModuleOp module, llvm::ArrayRef<std::string> rules) {
  if (rules.empty())
    return;
  llvm::StringSet<> called;
  module.walk([&](stablehlo::CustomCallOp op) { called.insert(op.getCallTargetName()); });
  for (llvm::StringRef rule : rules)
    // The Python package passes the rules of all kernels that it traced, including those whose results are not used.
    if (llvm::StringRef target = rule.split('=').first;
        !called.contains(target) && !target.starts_with("partita.kernel."))
      llvm::errs() << "partita: warning: --rule names '" << target << "', but the program has no such custom call\n";
}

void reportDropped(const Graph &graph, llvm::ArrayRef<unsigned> dropped) {
  for (unsigned argument : dropped)
    llvm::errs() << "partita: warning: the buffer of " << graph.getName(graph.cells[graph.arguments[argument]].name)
                 << " is donated, but no result of the same type and sharding is left to take it\n";
}

void reportAssumedTrips(const Score &score) {
  bool isGiven = score.prices && score.prices->assumedTrips != cost::CostOptions().assumedTrips;
  if (std::string assumed = describeAssumedTrips(score); !assumed.empty() && !isGiven)
    llvm::errs() << "partita: warning: " << assumed << "\n";
}

} // namespace partita::report
