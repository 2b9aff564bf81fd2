//===- Summary.h - a strategy in a line -----------------------------------===//

#ifndef PARTITA_SEARCH_SUMMARY_H
#define PARTITA_SEARCH_SUMMARY_H

#include "partita/Analysis/Colours.h"
#include "partita/Search/Move.h"

namespace partita {

/// What is split over which axis, in the words of the analysis: `batch, parameters over data; heads, hidden over
/// model`.
std::string summarizeMoves(llvm::ArrayRef<MoveId> moves, const MoveTable &table, const Topology &topology,
                           const Colours &colours);

} // namespace partita

#endif
