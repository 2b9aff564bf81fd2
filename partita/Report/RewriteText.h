//===- RewriteText.h - what tactics did to the program, as text and JSON --===//

#ifndef PARTITA_REPORT_REWRITETEXT_H
#define PARTITA_REPORT_REWRITETEXT_H

#include "partita/Cost/Plan.h"
#include "partita/Report/Rooms.h"
#include "partita/Temporal/TemporalTactics.h"

#include "llvm/Support/JSON.h"

namespace partita::report {

/// In a few words, `4 microbatches; 3 activations recomputed`; empty if nothing but padding was done.
std::string summarizeRewrites(const Rewrites &rewrites);

/// A line or two for each rewrite but padding. Empty if there was none.
std::vector<std::string> describeRewrites(const Rewrites &rewrites);

/// What only one of two programs has: `only the first has 4 microbatches; only the second recomputes mlp/tanh`. Empty
/// if the same was done to both.
std::string compareRewrites(const Rewrites &first, const Rewrites &second);

/// The members `remat`, `accumulate`, `padding` and `reorder` of report.json, if there was such a rewrite.
void writeRewrites(const Rewrites &rewrites, llvm::json::OStream &json);

/// Warns of sums over microbatches in 16 bits, and of microbatches that the axes on the batch do not divide.
void warnOfRewrites(const Rewrites &rewrites, const Plan &plan);

/// The classes of values that can be recomputed or kept, as a table.
std::string printRematClasses(llvm::ArrayRef<RematClass> classes);

/// One object for each class.
void writeRematClasses(llvm::ArrayRef<RematClass> classes, llvm::json::OStream &json);

} // namespace partita::report

#endif
