//===- Children.h - cases in processes of their own -----------------------===//
//
// A crash in one case must cost that case alone, and a case that never ends must
// end: cases run in child processes, many in each. What a child has found it
// writes down case by case, so that nothing is lost when it dies.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_FUZZ_CHILDREN_H
#define PARTITA_FUZZ_CHILDREN_H

#include "partita/Fuzz/Case.h"
#include "partita/Fuzz/Rooms.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace partita::fuzz {

/// A case that computes for longer is given up as crashed. Waiting does not count: the machine may be busy.
constexpr unsigned mostSecondsPerCase = 60;

using RunSeed = llvm::function_ref<CaseOutcome(uint64_t seed, mlir::MLIRContext &context)>;

/// The outcomes of the seeds [first, first + count), in order, from `jobs` children.
std::vector<CaseOutcome> runSeeds(uint64_t first, int64_t count, int64_t jobs, RunSeed run);

/// The outcome of `run` in a child of its own.
CaseOutcome runInChild(llvm::function_ref<CaseOutcome()> run, unsigned mostSeconds = mostSecondsPerCase);

} // namespace partita::fuzz

#endif
