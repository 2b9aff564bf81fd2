//===- StatedRules.h - rules that users and programs state ----------------===//
//
// Reads a rule in einsum text, from the command line or a composite's
// attributes, and the rule that an op carries as `sdy.sharding_rule`. A stated
// rule is trusted if it is possible at all: the op on the pieces then gives the
// pieces.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_RULES_STATEDRULES_H
#define PARTITA_PROGRAM_RULES_STATEDRULES_H

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Program/Rooms.h"
#include "partita/Program/Rules/RuleTable.h"

namespace partita::program::rules {

/// The rule that `text` gives `op`. An error if it does not fit the shapes, or if no op on pieces can have it: a factor
/// twice in one value, a parallel factor that is not in both operands and results, a reduced factor in a result.
Result<Rule> parseStatedRule(llvm::StringRef text, mlir::Operation *op);

/// The rule that `stated`, verified for `op`, gives it. Reduction factors are summed. A factor stays whole if it is not
/// in both operands and results, does not make up its dims, or is marked as needing replication.
Rule convertShardingRule(sdy::OpShardingRuleAttr stated, mlir::Operation *op);

} // namespace partita::program::rules

#endif
