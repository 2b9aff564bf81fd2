//===- ConvolutionRules.cpp ===//

#include "partita/Program/Rules/RuleTable.h"

namespace partita::rules {

void registerConvolutionRules(RuleTable &) {}

} // namespace partita::rules
