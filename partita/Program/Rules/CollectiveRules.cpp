//===- CollectiveRules.cpp ===//

#include "partita/Program/Rules/RuleTable.h"

namespace partita::rules {

void registerCollectiveRules(RuleTable &) {}

} // namespace partita::rules
