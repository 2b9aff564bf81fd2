//===- RaggedDotRules.h - ragged dots: rows in groups ---------------------===//
//
// Called by `registerContractionRules`; RaggedDotRules.cpp states the rules.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_RULES_RAGGEDDOTRULES_H
#define PARTITA_PROGRAM_RULES_RAGGEDDOTRULES_H

#include "partita/Program/Rooms.h"
#include "partita/Program/Rules/RuleTable.h"

namespace partita::program::rules {

void registerRaggedDotRules(RuleTable &table);

} // namespace partita::program::rules

#endif
