//===- PlanFront.h - plans that no other one beats in time and memory -----===//
//
// A front keeps each list of moves unless another one is neither slower nor
// takes more memory. Those of its plans that do not fit are what an action that
// saves memory could make possible.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_PLANFRONT_H
#define PARTITA_SEARCH_PLANFRONT_H

#include "partita/Schedule/Schedule.h"
#include "partita/Search/Rooms.h"
#include "partita/Search/Space.h"

#include <map>
#include <string>

namespace partita::search {

/// A plan in words that another program may have, too: its moves as TacticsOfMoves::describe writes them.
struct CarriedPlan {
  /// On the program that it was found for.
  int64_t timePs = 0, peakBytes = 0;
  std::vector<std::string> moves;
  /// The same as tactics on that program; empty for plans of probes.
  std::vector<Tactic> tactics = {};
};

struct FrontEntry {
  int64_t timePs = 0, peakBytes = 0;
  Moves moves;
};

class PlanFront {
public:
  /// Of lists that are equal in both, the first stays.
  void add(int64_t timePs, int64_t peakBytes, llvm::ArrayRef<MoveId> moves);
  /// The fastest first, the smallest last; of more than `most`, those at equal distances.
  std::vector<FrontEntry> list(size_t most) const;

private:
  /// By time; the slower an entry, the smaller its peak.
  std::map<int64_t, FrontEntry> entries;
};

} // namespace partita::search

#endif
