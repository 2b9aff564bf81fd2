//===- ShapeRules.cpp ===//

#include "partita/Program/Rules/RuleTable.h"

namespace partita::rules {

void registerShapeRules(RuleTable &) {}

} // namespace partita::rules
