//===- Children.h - runs cases in child processes -------------------------===//
//
// Cases run in child processes, many in each. So a crash costs one case only,
// and a case that does not end can be stopped. A child writes each outcome at
// once, so that nothing is lost when it dies.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_FUZZ_CHILDREN_H
#define PARTITA_FUZZ_CHILDREN_H

#include "partita/Fuzz/Case.h"
#include "partita/Fuzz/Rooms.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace partita::fuzz {

/// A case with more processor time counts as crashed. Waiting does not count, since the machine may be busy.
constexpr unsigned mostSecondsPerCase = 60;

using RunSeed = llvm::function_ref<CaseOutcome(uint64_t seed, mlir::MLIRContext &context)>;

/// The outcomes of the seeds [first, first + count), in order, from `jobs` children.
std::vector<CaseOutcome> runSeeds(uint64_t first, int64_t count, int64_t jobs, RunSeed run);

/// The outcome of `run` in a new child.
CaseOutcome runInChild(llvm::function_ref<CaseOutcome()> run, unsigned mostSeconds = mostSecondsPerCase);

} // namespace partita::fuzz

#endif
