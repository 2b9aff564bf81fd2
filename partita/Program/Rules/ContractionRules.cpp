//===- ContractionRules.cpp ===//

#include "partita/Program/Rules/RuleTable.h"

namespace partita::rules {

void registerContractionRules(RuleTable &) {}

} // namespace partita::rules
