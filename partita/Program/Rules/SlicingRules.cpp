//===- SlicingRules.cpp ===//

#include "partita/Program/Rules/RuleTable.h"

namespace partita::rules {

void registerSlicingRules(RuleTable &) {}

} // namespace partita::rules
