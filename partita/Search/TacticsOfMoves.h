//===- TacticsOfMoves.h - moves as tactics, and in words ------------------===//

#ifndef PARTITA_SEARCH_TACTICSOFMOVES_H
#define PARTITA_SEARCH_TACTICSOFMOVES_H

#include "partita/Search/Move.h"

namespace partita {

/// Turns moves on a folded program into tactics on the whole one. Everything is referred to.
class TacticsOfMoves {
public:
  /// `groups` are those of the whole program.
  TacticsOfMoves(const Graph &whole, const ArgumentGroups &groups, const Folding &folding, const MoveTable &table)
      : whole(whole), groups(groups), folding(folding), table(table) {}

  /// One optional tactic for each move, named after what it is about: `parameters over model (2)`.
  std::vector<Tactic> build(llvm::ArrayRef<MoveId> moves) const;
  /// `state.params['layers']['wo'] along dim 1 over model`.
  std::string describe(MoveId move) const;

private:
  /// Of the whole program, with the members of a group in its own order.
  ArgumentGroup findMembers(TargetId target) const;
  std::string getPattern(TargetId target) const;
  std::string describe(const MoveEntry &entry) const;

  const Graph &whole;
  const ArgumentGroups &groups;
  const Folding &folding;
  const MoveTable &table;
};

} // namespace partita

#endif
