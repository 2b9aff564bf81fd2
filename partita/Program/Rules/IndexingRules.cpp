//===- IndexingRules.cpp ===//

#include "partita/Program/Rules/RuleTable.h"

namespace partita::rules {

void registerIndexingRules(RuleTable &) {}

} // namespace partita::rules
