//===- TacticText.h - what each tactic did, as text and as JSON -----------===//

#ifndef PARTITA_REPORT_TACTICTEXT_H
#define PARTITA_REPORT_TACTICTEXT_H

#include "partita/Cost/Plan.h"
#include "partita/Report/Rooms.h"

#include "llvm/Support/JSON.h"

namespace partita::report {

/// What each tactic of a plan did: text for a terminal, with the first few entries of long lists, or a JSON object with
/// `mesh` and `tactics`.
std::string printTactics(const Plan &plan, bool asJson);

/// What a tactic left undecided, where, and what to add to it to decide it.
void printConflict(const ConflictReport &conflict, llvm::raw_ostream &out);

/// Writes the whole report of one tactic as an object.
void writeTactic(const TacticReport &report, llvm::json::OStream &json);

} // namespace partita::report

#endif
