//===- PaddingText.h - what was padded, as a text -------------------------===//

#ifndef PARTITA_REPORT_PADDINGTEXT_H
#define PARTITA_REPORT_PADDINGTEXT_H

#include "partita/Analysis/Analysis.h"
#include "partita/Cost/Plan.h"
#include "partita/Report/Rooms.h"
#include "partita/Temporal/TemporalTactics.h"

namespace partita::report {

/// `dim 0 of params/wte, 50257 -> 50264 (0.01%)`.
std::string describePadded(const PaddedDim &dim);

/// `vocabulary over model, padded 50257 -> 50264 (0.01%), dim 0 of params/wte; 61 ops compute with it, ...`; empty if
/// nothing was padded. `analysis` is that of the plan's program.
std::string describePadding(const Rewrites &rewrites, const Plan &plan, const Analysis &analysis);

} // namespace partita::report

#endif
