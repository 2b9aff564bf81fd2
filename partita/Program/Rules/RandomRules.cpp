//===- RandomRules.cpp ===//

#include "partita/Program/Rules/RuleTable.h"

namespace partita::rules {

void registerRandomRules(RuleTable &) {}

} // namespace partita::rules
