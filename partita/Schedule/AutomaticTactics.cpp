//===- AutomaticTactics.cpp - what a schedule leaves to a search ----------===//

#include "partita/Schedule/AutomaticTactics.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::schedule {

bool hasAutomaticTactics(const Schedule &schedule) {
  return llvm::any_of(schedule.tactics, [](const Tactic &tactic) { return tactic.automatic.has_value(); });
}

} // namespace partita::schedule
