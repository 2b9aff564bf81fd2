//===- MissingSplits.h - correct splits that a rule does not offer --------===//
//
// A candidate halves at most one dim of each operand and result. The test runs
// the same op on the halves and concatenates the results or, if no result has a
// halved dim, combines them by addition or maximum. If this equals the whole op
// on several inputs and the rule does not offer the split, the split is
// missing.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VALIDATERULES_MISSINGSPLITS_H
#define PARTITA_VALIDATERULES_MISSINGSPLITS_H

#include "partita/Graph/Rule.h"
#include "partita/ValidateRules/OpInstance.h"
#include "partita/ValidateRules/Rooms.h"

namespace partita::validate {

/// The candidates that are right on all runs and that `rule` does not offer, as rules of one factor:
/// `([a,_])->([a,_])`. `runs` must have different inputs. At most `maxCandidates` are tried.
std::vector<Rule> findMissingSplits(const OpInstance &instance, const Rule &rule, llvm::ArrayRef<WholeRun> runs,
                                    int64_t maxCandidates);

} // namespace partita::validate

#endif
