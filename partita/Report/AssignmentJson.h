//===- AssignmentJson.h - an assignment as JSON ---------------------------===//
//
// The output of `--stop-after=propagate`, for tests, debugging and tools.
// docs/graph.md, "Assignments", lists the members.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_REPORT_ASSIGNMENTJSON_H
#define PARTITA_REPORT_ASSIGNMENTJSON_H

#include "partita/Cost/Plan.h"
#include "partita/Report/Rooms.h"

#include "llvm/Support/raw_ostream.h"

namespace partita::report {

/// Writes the shardings of all cells, the factors of all ops, and those of `conflicts` that no step has decided.
void writeAssignment(const Assignment &assignment, llvm::ArrayRef<Conflict> conflicts, const CellNames &names,
                     llvm::raw_ostream &out);

/// The same for a plan.
std::string printAssignment(const Plan &plan);

} // namespace partita::report

#endif
