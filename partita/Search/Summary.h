//===- Summary.h - a strategy in a line -----------------------------------===//
//
// Said of what is split in the end, not of the moves that led there: an axis is
// used for the dims along which contractions are split over it, by work, and for
// what it only keeps in parts, the parameters of ZeRO-3 or their optimizer state.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_SUMMARY_H
#define PARTITA_SEARCH_SUMMARY_H

#include "partita/Analysis/Colours.h"
#include "partita/Analysis/Weights.h"
#include "partita/Propagate/Assignment.h"

namespace partita {

/// In the words of the analysis: `batch over data; heads, hidden over model; parameters and optimizer state over data,
/// model`; empty if nothing is split.
std::string summarizeAssignment(const Assignment &assignment, const Weights &weights, const ArgumentGroups &groups,
                                const Colours &colours);

} // namespace partita

#endif
