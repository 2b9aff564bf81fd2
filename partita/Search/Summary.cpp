//===- Summary.cpp - a strategy in a line ---------------------------------===//

#include "partita/Search/Summary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace partita {

/// Of a tile: what its dim is.
static std::string describeTile(const Move &move, const MoveTable &table, const Topology &topology,
                                const Colours &colours) {
  const MoveEntry &entry = move.entries.back();
  if (move.kind == GroupKind::OptimizerState)
    return "optimizer state";
  ColourId colour = colours.ofDim[topology.getDim(table.targets[entry.target].members.front(), *entry.dim)];
  if (colour.isValid() && !colours.list[colour].word.empty())
    return colours.list[colour].word;
  return move.kind == GroupKind::Inner ? "inner values" : getWord(move.kind).str() + "s";
}

static std::string describeMove(const Move &move, const MoveTable &table, const Topology &topology,
                                const Colours &colours) {
  switch (move.role) {
  case MoveRole::AllParameters:
  case MoveRole::EveryParameter:
    return "all parameters and their optimizer state";
  case MoveRole::AllOptimizerState:
  case MoveRole::OptimizerStateAlone:
  case MoveRole::GroupOptimizerState:
    return "optimizer state";
  case MoveRole::Factor:
    return "single ops";
  case MoveRole::Reshards:
    return "groups of reshards";
  case MoveRole::Tile:
  case MoveRole::Side:
  case MoveRole::Cut:
    break;
  }
  return describeTile(move, table, topology, colours);
}

std::string summarizeMoves(llvm::ArrayRef<MoveId> moves, const MoveTable &table, const Topology &topology,
                           const Colours &colours) {
  std::vector<std::pair<std::string, std::vector<std::string>>> axes;
  for (MoveId id : moves) {
    const Move &move = table.moves[id];
    auto axis = llvm::find_if(axes, [&](const auto &entry) { return entry.first == move.axis; });
    if (axis == axes.end())
      axis = axes.insert(axes.end(), {move.axis, {}});
    std::string words = describeMove(move, table, topology, colours);
    if (!llvm::is_contained(axis->second, words))
      axis->second.push_back(std::move(words));
  }
  std::string text;
  for (const auto &[axis, words] : axes)
    text += (text.empty() ? "" : "; ") + llvm::join(words, ", ") + " over " + axis;
  return text;
}

} // namespace partita
