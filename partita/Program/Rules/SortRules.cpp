//===- SortRules.cpp ===//

#include "partita/Program/Rules/RuleTable.h"

namespace partita::rules {

void registerSortRules(RuleTable &) {}

} // namespace partita::rules
