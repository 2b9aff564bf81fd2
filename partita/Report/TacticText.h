//===- TacticText.h - what each tactic did, for people and files ----------===//

#ifndef PARTITA_REPORT_TACTICTEXT_H
#define PARTITA_REPORT_TACTICTEXT_H

#include "partita/Cost/Plan.h"
#include "partita/Report/Rooms.h"

#include "llvm/Support/JSON.h"

namespace partita::report {

/// What each tactic of a plan did: text for a terminal, which shows the first few of long lists, or a JSON object with
/// `mesh` and `tactics`.
std::string printTactics(const Plan &plan, bool asJson);

/// The whole report of one tactic as an object.
void writeTactic(const TacticReport &report, llvm::json::OStream &json);

} // namespace partita::report

#endif
