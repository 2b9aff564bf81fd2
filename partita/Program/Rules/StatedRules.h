//===- StatedRules.h - rules that users and programs state ----------------===//
//
// A rule in einsum text, from the command line or a composite's attributes, and
// the rule that an op carries as `sdy.sharding_rule`. What is stated is trusted
// as far as it can be meant: the op on the pieces gives the pieces.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_RULES_STATEDRULES_H
#define PARTITA_PROGRAM_RULES_STATEDRULES_H

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Program/Rooms.h"
#include "partita/Program/Rules/RuleTable.h"

namespace partita::program::rules {

/// The rule that `text` gives `op`; an error if it is no rule for values of these shapes, or one that no op on pieces
/// can have: a factor twice in one value, a parallel factor that is not in operands and results, a reduced one in a
/// result.
Result<Rule> parseStatedRule(llvm::StringRef text, mlir::Operation *op);

/// The rule that `stated` gives `op`, which it is verified for: factors that reduce are summed; what is not in operands
/// and results, does not make up its dims, or is said to need the whole is kept whole.
Rule convertShardingRule(sdy::OpShardingRuleAttr stated, mlir::Operation *op);

} // namespace partita::program::rules

#endif
