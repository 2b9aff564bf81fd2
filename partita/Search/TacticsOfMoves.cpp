//===- TacticsOfMoves.cpp - moves as tactics and in words -----------------===//

#include "partita/Search/TacticsOfMoves.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace partita::search {

std::vector<CellId> TacticsOfMoves::findMembers(TargetId id) const {
  const Target &target = table.targets[id];
  if (target.group.isValid())
    return groups.list[target.group].members;
  std::set<CellId> members;
  for (CellId cell : target.members) {
    if (folding.isFolded())
      members.insert(folding.members[cell].begin(), folding.members[cell].end());
    else
      members.insert(cell);
  }
  return {members.begin(), members.end()};
}

/// Patterns have a maximal length (Pattern.h), so many long names take several. A single name of an inner value that is
/// too long is left out: no file could name it.
void TacticsOfMoves::addPatterns(llvm::ArrayRef<CellId> members, std::vector<Pattern> &patterns) const {
  if (Result<Pattern> pattern = Pattern::parse(buildGroupPattern(names, whole, members), SourceLocation())) {
    patterns.push_back(std::move(*pattern));
  } else if (members.size() > 1) {
    addPatterns(members.take_front(members.size() / 2), patterns);
    addPatterns(members.drop_front(members.size() / 2), patterns);
  } else if (const Cell &cell = whole.cells[members.front()]; cell.kind == CellKind::Argument) {
    patterns.push_back(std::move(*Pattern::parse("arg" + std::to_string(cell.number), SourceLocation())));
  }
}

const std::vector<Pattern> &TacticsOfMoves::findPatterns(TargetId target) const {
  auto [entry, isNew] = knownPatterns.try_emplace(target);
  if (isNew)
    addPatterns(findMembers(target), entry->second);
  return entry->second;
}

bool isOfMany(MoveRole role) {
  switch (role) {
  case MoveRole::AllParameters:
  case MoveRole::EveryParameter:
  case MoveRole::AllOptimizerState:
  case MoveRole::OptimizerStateAlone:
  case MoveRole::AllGradients:
  case MoveRole::SharedDim:
  case MoveRole::NextDim:
  case MoveRole::Others:
  case MoveRole::OthersLargestDim:
  case MoveRole::OtherState:
  case MoveRole::OtherStateAlone:
    return true;
  case MoveRole::Tile:
  case MoveRole::GroupOptimizerState:
  case MoveRole::Side:
  case MoveRole::Cut:
  case MoveRole::Factor:
  case MoveRole::Reshards:
    return false;
  }
  return false;
}

llvm::StringRef getTopic(const Move &move) {
  switch (move.role) {
  case MoveRole::AllParameters:
    return "all parameters";
  case MoveRole::EveryParameter:
    return "all parameters, small ones too";
  case MoveRole::AllOptimizerState:
    return "all optimizer state";
  case MoveRole::OptimizerStateAlone:
    return "all optimizer state, parameters whole";
  case MoveRole::GroupOptimizerState:
    return "optimizer state, parameters whole";
  case MoveRole::AllGradients:
    return "gradients that loops keep";
  case MoveRole::SharedDim:
    return "all inputs";
  case MoveRole::NextDim:
    return "all inputs, second dim";
  case MoveRole::Others:
    return "all other arguments";
  case MoveRole::OthersLargestDim:
    return "all other arguments, largest dim";
  case MoveRole::OtherState:
    return "all state that no product takes";
  case MoveRole::OtherStateAlone:
    return "all state that no product takes, other arguments whole";
  case MoveRole::Factor:
    return "a single op";
  case MoveRole::Reshards:
    return "reshards of parameters";
  case MoveRole::Tile:
  case MoveRole::Side:
  case MoveRole::Cut:
    break;
  }
  switch (move.kind) {
  case GroupKind::Input:
    return "inputs";
  case GroupKind::Parameter:
    return "parameters";
  case GroupKind::OptimizerState:
    return "optimizer state";
  case GroupKind::State:
    return "state";
  case GroupKind::Counter:
    return "counters";
  case GroupKind::Inner:
    return "inner values";
  }
  return "";
}

std::vector<Tactic> TacticsOfMoves::build(llvm::ArrayRef<MoveId> moves) const {
  std::vector<Tactic> tactics;
  std::set<std::string> names;
  for (MoveId id : moves) {
    const Move &move = table.moves[id];
    Tactic tactic;
    std::string base = getTopic(move).str() + " over " + move.axis;
    tactic.name = base;
    for (unsigned number = 2; !names.insert(tactic.name).second; ++number)
      tactic.name = base + " (" + std::to_string(number) + ")";
    tactic.axis = move.axis;
    tactic.isOptional = true;
    for (const MoveEntry &entry : move.entries)
      for (const Pattern &pattern : findPatterns(entry.target)) {
        std::vector<Pattern> users = entry.users.isValid() ? findPatterns(entry.users) : std::vector<Pattern>();
        tactic.entries.push_back({entry.kind, pattern, entry.dim, SourceLocation(), std::move(users)});
      }
    tactics.push_back(std::move(tactic));
  }
  return tactics;
}

std::string TacticsOfMoves::describe(const MoveEntry &entry) const {
  std::vector<CellId> members = findMembers(entry.target);
  const Cell &cell = whole.cells[members.front()];
  std::string text = whole.getFullName(cell.name, cell.occurrence);
  if (members.size() > 1)
    text += " and " + std::to_string(members.size() - 1) + " like it";
  if (entry.kind == ActionKind::Assign)
    return text + " alone along factor " + std::to_string(*entry.dim);
  return entry.dim ? text + " along dim " + std::to_string(*entry.dim) : text;
}

std::string TacticsOfMoves::describe(MoveId id) const {
  const Move &move = table.moves[id];
  std::string text;
  bool isMany = isOfMany(move.role);
  if (move.role == MoveRole::Reshards)
    return std::string(move.entries.size() == 1 ? "one reshard for all uses of " : "a reshard for each use of ") +
           describe(move.entries.front()) + " over " + move.axis;
  if (isMany) {
    llvm::StringRef dim = move.entries.back().dim ? "" : ", along the first dim that divides,";
    return (getTopic(move) + dim + " over " + move.axis).str();
  }
  for (const MoveEntry &entry : move.entries) {
    llvm::StringRef word = entry.kind == ActionKind::Atomic ? "whole: "
                           : entry.kind == ActionKind::Cut  ? "cut at "
                           : entry.kind == ActionKind::Side ? "choosing "
                                                            : "";
    text += (text.empty() ? "" : ", ") + word.str() + describe(entry);
  }
  return text + " over " + move.axis;
}

} // namespace partita::search
