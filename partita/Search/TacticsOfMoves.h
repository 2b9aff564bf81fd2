//===- TacticsOfMoves.h - moves as tactics and in words -------------------===//
//
// A move names cells of the folded program. A tactic names those cells and all
// cells that they represent in the whole program, by patterns.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_TACTICSOFMOVES_H
#define PARTITA_SEARCH_TACTICSOFMOVES_H

#include "partita/Schedule/CellNames.h"
#include "partita/Search/Move.h"
#include "partita/Search/Rooms.h"

#include <map>

namespace partita::search {

/// Turns moves on a folded program into tactics on the whole one. Keeps references to all arguments.
class TacticsOfMoves {
public:
  /// `groups` are those of the whole program.
  TacticsOfMoves(const Graph &whole, const ArgumentGroups &groups, const Folding &folding, const MoveTable &table)
      : whole(whole), names(whole), groups(groups), folding(folding), table(table) {}

  /// One optional tactic for each move, named after its subject: `parameters over model (2)`.
  std::vector<Tactic> build(llvm::ArrayRef<MoveId> moves) const;
  /// `state.params['layers']['wo'] along dim 1 over model`.
  std::string describe(MoveId move) const;

private:
  /// The cells of the whole program; those of a group in the group's order.
  std::vector<CellId> findMembers(TargetId target) const;
  const std::vector<Pattern> &findPatterns(TargetId target) const;
  void addPatterns(llvm::ArrayRef<CellId> members, std::vector<Pattern> &patterns) const;
  std::string describe(const MoveEntry &entry) const;

  const Graph &whole;
  CellNames names;
  const ArgumentGroups &groups;
  const Folding &folding;
  const MoveTable &table;
  /// Built when they are first asked for, by one thread at a time: a pattern is held against all names of the program,
  /// and plans of one search name the same targets.
  mutable std::map<TargetId, std::vector<Pattern>> knownPatterns;
};

} // namespace partita::search

#endif
