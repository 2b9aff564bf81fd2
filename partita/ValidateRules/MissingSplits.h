//===- MissingSplits.h - splits that would be right and no rule offers ----===//
//
// A candidate halves at most one dim of each operand and result. Its meaning is
// the simplest one: the same op on the halves; the results are put side by side,
// or, where no result has a halved dim, added (or their maximum taken). If that
// equals the whole op on several inputs and the rule does not offer it, it is
// missing.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VALIDATERULES_MISSINGSPLITS_H
#define PARTITA_VALIDATERULES_MISSINGSPLITS_H

#include "partita/Graph/Rule.h"
#include "partita/ValidateRules/OpInstance.h"
#include "partita/ValidateRules/Rooms.h"

namespace partita::validate {

/// The candidates that hold on all runs and are not factors of `rule`, as rules of one factor: `([a,_])->([a,_])`.
/// `runs` are of different inputs; no more than `maxCandidates` are tried.
std::vector<Rule> findMissingSplits(const OpInstance &instance, const Rule &rule, llvm::ArrayRef<WholeRun> runs,
                                    int64_t maxCandidates);

} // namespace partita::validate

#endif
