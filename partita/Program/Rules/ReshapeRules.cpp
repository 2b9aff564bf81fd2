//===- ReshapeRules.cpp ===//

#include "partita/Program/Rules/RuleTable.h"

namespace partita::rules {

void registerReshapeRules(RuleTable &) {}

} // namespace partita::rules
