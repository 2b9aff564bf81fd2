//===- RewriteText.h - what tactics did to the program, as text and JSON --===//

#ifndef PARTITA_REPORT_REWRITETEXT_H
#define PARTITA_REPORT_REWRITETEXT_H

#include "partita/Cost/Plan.h"
#include "partita/Report/Rooms.h"
#include "partita/Temporal/TemporalTactics.h"

#include "llvm/Support/JSON.h"

namespace partita::report {

/// First all in a few words, `4 microbatches; attention/exp recomputed, everything else kept`, then details, a line or
/// two for each rewrite. Empty if nothing was rewritten.
std::vector<std::string> describeRewrites(const Rewrites &rewrites);

/// `params/wte dim 0: 50257 -> 50264 (0.01%); ...`; empty if nothing was padded.
std::string describePadding(const Rewrites &rewrites);

/// The members `remat`, `accumulate` and `padding` of report.json, if there was such a rewrite.
void writeRewrites(const Rewrites &rewrites, llvm::json::OStream &json);

/// Warns of sums over microbatches in 16 bits, and of microbatches that the axes on the batch do not divide.
void warnOfRewrites(const Rewrites &rewrites, const Plan &plan);

/// The classes of values that can be recomputed or kept, as a table.
std::string printRematClasses(llvm::ArrayRef<RematClass> classes);

/// One object for each class.
void writeRematClasses(llvm::ArrayRef<RematClass> classes, llvm::json::OStream &json);

} // namespace partita::report

#endif
