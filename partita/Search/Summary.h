//===- Summary.h - a plan's strategy in one sentence ----------------------===//
//
// Describes what the assignment splits, not the moves that led there. An axis
// is used for the dims along which it splits contractions, by work, and for
// what it only stores in parts: parameters (ZeRO-3) or their optimizer state.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_SUMMARY_H
#define PARTITA_SEARCH_SUMMARY_H

#include "partita/Analysis/Colors.h"
#include "partita/Analysis/Multiplicity.h"
#include "partita/Propagate/Assignment.h"
#include "partita/Search/Rooms.h"

namespace partita::search {

/// In the words of the analysis: `batch over data and model; heads and hidden over model; parameters and optimizer
/// state over both (ZeRO-3)`; empty if nothing is split.
std::string summarizeAssignment(const Assignment &assignment, const Multiplicity &multiplicity,
                                const ArgumentGroups &groups, const Colors &colors);

} // namespace partita::search

#endif
