//===- LeadingDims.h - rules of ops with batch dims -----------------------===//
//
// Solvers, transforms and batched custom calls compute each element of a batch
// alone: their leading dims are parallel, all others stay whole.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_RULES_LEADINGDIMS_H
#define PARTITA_PROGRAM_RULES_LEADINGDIMS_H

#include "partita/Program/Rooms.h"
#include "partita/Program/Rules/RuleTable.h"

namespace partita::program::rules {

/// Whether every operand and result of `op` is a ranked tensor and has the same first `count` dims.
bool haveLeadingDims(mlir::Operation *op, int64_t count);

/// Adds a parallel factor for each of the first `count` dims, which every operand and result has. Other dims are kept
/// whole.
void addLeadingDims(mlir::Operation *op, OpRule &rule, int64_t count);

} // namespace partita::program::rules

#endif
