//===- ReductionRules.cpp ===//

#include "partita/Program/Rules/RuleTable.h"

namespace partita::rules {

void registerReductionRules(RuleTable &) {}

} // namespace partita::rules
