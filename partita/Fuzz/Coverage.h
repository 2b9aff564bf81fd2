//===- Coverage.h - whether random cases split all that can be split ------===//
//
// A kind of split is an op with a kind of its factors, `stablehlo.dot_general
// reduce`, or with partial sums that it passes on, `stablehlo.transpose sum`.
// Which kinds there are follows from the programs that were drawn (what could have
// been split counts for 0) and from the table of rules: an op that has a rule must
// be split in some way, unless it is listed here with the reason why not.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_FUZZ_COVERAGE_H
#define PARTITA_FUZZ_COVERAGE_H

#include "partita/Fuzz/Rooms.h"
#include "partita/Support/Error.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <string>
#include <vector>

namespace partita::fuzz {

/// Ops that random cases do not split.
struct ExemptOp {
  llvm::StringRef name;
  llvm::StringRef reason;
};

llvm::ArrayRef<ExemptOp> getExemptOps();

/// How many kinds of splits there are among `splits`, which may also count other things.
int64_t countKinds(const std::map<std::string, int64_t> &splits);

/// What was split fewer than `fewest` times, a line each: kinds, ops that were not drawn at all, and ops that are
/// exempt without being so.
std::vector<std::string> findUncovered(const std::map<std::string, int64_t> &splits, int64_t fewest);

void printExempt(llvm::raw_ostream &out);

/// Prints how often each kind of split was seen; an error if one was seen fewer than `fewest` times. 0 asks for
/// nothing.
Status checkCoverage(const std::map<std::string, int64_t> &splits, int64_t fewest, llvm::raw_ostream &out);

} // namespace partita::fuzz

#endif
