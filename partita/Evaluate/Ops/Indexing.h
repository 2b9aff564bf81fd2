//===- Indexing.h - gather, scatter, select_and_scatter -------------------===//
//
// Evaluation functions that Indexing.cpp registers; each has its own source.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_OPS_INDEXING_H
#define PARTITA_EVALUATE_OPS_INDEXING_H

#include "partita/Dialect/StableHlo/IndexingOps.h"
#include "partita/Evaluate/OpTable.h"
#include "partita/Evaluate/Rooms.h"

namespace partita::evaluate {

/// Scatter.cpp
Status evaluateScatter(stablehlo::ScatterOp op, Call &call);
/// SelectAndScatter.cpp
Status evaluateSelectAndScatter(stablehlo::SelectAndScatterOp op, Call &call);

} // namespace partita::evaluate

#endif
