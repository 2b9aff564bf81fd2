//===- CustomRules.cpp ===//

#include "partita/Program/Rules/RuleTable.h"

namespace partita::rules {

void registerCustomRules(RuleTable &) {}

} // namespace partita::rules
