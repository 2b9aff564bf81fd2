//===- LeadingDims.h - ops that work on each of a batch alone -------------===//

#ifndef PARTITA_PROGRAM_RULES_LEADINGDIMS_H
#define PARTITA_PROGRAM_RULES_LEADINGDIMS_H

#include "partita/Program/Rooms.h"
#include "partita/Program/Rules/RuleTable.h"

namespace partita::program::rules {

/// Whether the first `count` dims of every ranked operand and result of `op` are the same; values that are no tensors
/// make it false.
bool haveLeadingDims(mlir::Operation *op, int64_t count);

/// Adds a parallel factor for each of the first `count` dims, which every operand and result has. Other dims are kept
/// whole.
void addLeadingDims(mlir::Operation *op, OpRule &rule, int64_t count);

} // namespace partita::program::rules

#endif
