//===- AccumulateText.h - what a temporal tactic did, as text and JSON ----===//

#ifndef PARTITA_REPORT_ACCUMULATETEXT_H
#define PARTITA_REPORT_ACCUMULATETEXT_H

#include "partita/Report/Rooms.h"
#include "partita/Temporal/Accumulate.h"

#include "llvm/Support/JSON.h"

namespace partita::report {

/// `4 microbatches: ...`, a line or two.
std::string printAccumulated(const Accumulated &accumulated);

/// The members of `accumulate` in report.json.
void writeAccumulated(const Accumulated &accumulated, llvm::json::OStream &json);

/// Warns of sums in 16 bits.
void reportNarrowSums(const Accumulated &accumulated);

} // namespace partita::report

#endif
