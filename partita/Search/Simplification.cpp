//===- Simplification.cpp - drops moves that gain next to nothing ---------===//

#include "partita/Search/Simplification.h"

namespace partita::search {

static bool isGoodEnough(const Rating &rating, const Rating &best, const Allowance &allowance) {
  if (rating <= best)
    return true;
  if (allowance.ceiling < rating)
    return false;
  for (size_t i = 0; i < Rating::size; ++i) {
    double share = i < allowance.part ? 0 : i == allowance.part ? allowance.share : allowance.laterShare;
    if (double(rating.parts[i]) > double(best.parts[i]) * (1 + share))
      return false;
  }
  return true;
}

Moves simplifyMoves(Walker &walker, llvm::ArrayRef<MoveId> moves, const Allowance &allowance) {
  Moves kept(moves.begin(), moves.end());
  const Rating best = walker.evaluate(kept).rating;
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (size_t i = kept.size(); i-- > 0;) {
      Moves fewer = kept;
      fewer.erase(fewer.begin() + i);
      if (!isGoodEnough(walker.evaluate(fewer).rating, best, allowance))
        continue;
      kept = std::move(fewer);
      isChanged = true;
    }
  }
  return kept;
}

} // namespace partita::search
