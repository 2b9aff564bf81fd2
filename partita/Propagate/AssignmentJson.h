//===- AssignmentJson.h - an assignment as JSON ---------------------------===//
//
// What `--stop-after=propagate` prints: for tests, for people who look closely,
// and for tools. docs/graph.md, "Assignments", has the members.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROPAGATE_ASSIGNMENTJSON_H
#define PARTITA_PROPAGATE_ASSIGNMENTJSON_H

#include "partita/Propagate/CellNames.h"
#include "partita/Propagate/Propagation.h"

#include "llvm/Support/raw_ostream.h"

namespace partita {

/// Shardings of all cells, factors of all ops, and which of `conflicts` nothing has decided.
void writeAssignment(const Assignment &assignment, llvm::ArrayRef<Conflict> conflicts, const CellNames &names,
                     llvm::raw_ostream &out);

} // namespace partita

#endif
