//===- LinalgRules.cpp ===//

#include "partita/Program/Rules/RuleTable.h"

namespace partita::rules {

void registerLinalgRules(RuleTable &) {}

} // namespace partita::rules
