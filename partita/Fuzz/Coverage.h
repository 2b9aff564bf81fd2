//===- Coverage.h - whether random cases split every kind of op -----------===//
//
// A kind of split is an op with one of its factor kinds, `stablehlo.dot_general
// reduce`, with what devices exchange along one, `stablehlo.slice moved`, with
// partial sums that it propagates, `stablehlo.transpose sum`, or with the class of a
// remainder, `stablehlo.add uneven` (Remainders.h), where there is padding behind a
// factor's elements.
// The kinds follow from the programs that were drawn (a possible split counts
// 0) and from the table of rules: cases must split every op that has a rule,
// unless it is exempt with a reason. They must have every rewrite, too: programs
// in microbatches, with values recomputed and kept, and so on.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_FUZZ_COVERAGE_H
#define PARTITA_FUZZ_COVERAGE_H

#include "partita/Fuzz/Rooms.h"
#include "partita/Graph/Rule.h"
#include "partita/Support/Error.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <string>
#include <vector>

namespace partita::fuzz {

/// The word for a factor: what devices exchange along it, or its kind.
llvm::StringRef getKind(const Factor &factor);

/// The number of kinds of splits in `splits`, which may also contain other counts.
int64_t countKinds(const std::map<std::string, int64_t> &splits);

/// What was split fewer than `fewest` times, one line each: kinds, ops that were never drawn or never padded, exempt
/// ops that could be after all, and rewrites that are rarer.
std::vector<std::string> findUncovered(const std::map<std::string, int64_t> &splits, int64_t fewest);

void printExempt(llvm::raw_ostream &out);

/// Prints how often each kind of split occurred. An error if one occurred fewer than `fewest` times; 0 requires
/// nothing.
Status checkCoverage(const std::map<std::string, int64_t> &splits, int64_t fewest, llvm::raw_ostream &out);

} // namespace partita::fuzz

#endif
