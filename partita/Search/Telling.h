//===- Telling.h - moves in a person's words ------------------------------===//
//
// A found list of moves names inner values by their place in JAX's name stack
// and each parameter in a line of its own. People think in dims and places:
//
//   batch over data and model
//   sequence at attention over model
//   heads of layers/wo over model
//   all parameters over data
//
// Dims are called by the words of the analysis, or by their size. Moves on the
// same dim share a line, and so do groups of arguments that the same axes split.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_TELLING_H
#define PARTITA_SEARCH_TELLING_H

#include "partita/Analysis/Colors.h"
#include "partita/Schedule/CellNames.h"
#include "partita/Search/Move.h"
#include "partita/Search/Rooms.h"

namespace partita::search {

/// At most 8 lines, in the order of the moves. `topology` and `names` are of the program that the moves are about.
std::vector<std::string> tellMoves(llvm::ArrayRef<MoveId> moves, const MoveTable &table, const Topology &topology,
                                   const Colors &colors, const CellNames &names);

/// The part of a name stack that the user wrote, and the op: `attention/reshape` of
/// `jit(train_step)/transpose(jvp())/while/body/closed_call/checkpoint/attention/reshape#3`.
std::string shortenPlace(llvm::StringRef name);

} // namespace partita::search

#endif
