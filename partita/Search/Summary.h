//===- Summary.h - a strategy in a line -----------------------------------===//
//
// Said of what is split in the end, not of the moves that led there: an axis is
// used for the dims along which contractions are split over it, by work, and for
// what it only keeps in parts, the parameters of ZeRO-3 or their optimizer state.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_SUMMARY_H
#define PARTITA_SEARCH_SUMMARY_H

#include "partita/Analysis/Colors.h"
#include "partita/Analysis/Multiplicity.h"
#include "partita/Propagate/Assignment.h"
#include "partita/Search/Rooms.h"

namespace partita::search {

/// In the words of the analysis: `batch over data; heads, hidden over model; parameters and optimizer state over data,
/// model`; empty if nothing is split.
std::string summarizeAssignment(const Assignment &assignment, const Multiplicity &weights, const ArgumentGroups &groups,
                                const Colors &colors);

} // namespace partita::search

#endif
