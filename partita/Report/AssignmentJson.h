//===- AssignmentJson.h - an assignment as JSON ---------------------------===//
//
// What `--stop-after=propagate` prints: for tests, for people who look closely,
// and for tools. docs/graph.md, "Assignments", has the members.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_REPORT_ASSIGNMENTJSON_H
#define PARTITA_REPORT_ASSIGNMENTJSON_H

#include "partita/Cost/Plan.h"
#include "partita/Report/Rooms.h"

#include "llvm/Support/raw_ostream.h"

namespace partita::report {

/// Shardings of all cells, factors of all ops, and which of `conflicts` nothing has decided.
void writeAssignment(const Assignment &assignment, llvm::ArrayRef<Conflict> conflicts, const CellNames &names,
                     llvm::raw_ostream &out);

/// Of a plan.
std::string printAssignment(const Plan &plan);

} // namespace partita::report

#endif
