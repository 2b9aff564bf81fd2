//===- PlanFront.cpp - plans that no other one beats in time and memory ---===//

#include "partita/Search/PlanFront.h"

namespace partita::search {

void PlanFront::add(int64_t timePs, int64_t peakBytes, llvm::ArrayRef<MoveId> moves) {
  auto next = entries.upper_bound(timePs);
  if (next != entries.begin() && std::prev(next)->second.peakBytes <= peakBytes)
    return;
  auto added = entries.insert_or_assign(timePs, FrontEntry{timePs, peakBytes, Moves(moves.begin(), moves.end())}).first;
  next = std::next(added);
  while (next != entries.end() && next->second.peakBytes >= peakBytes)
    next = entries.erase(next);
}

std::vector<FrontEntry> PlanFront::list(size_t most) const {
  std::vector<FrontEntry> all, chosen;
  for (const auto &[time, entry] : entries)
    all.push_back(entry);
  if (all.size() <= most)
    return all;
  for (size_t i = 0; i < most; ++i)
    chosen.push_back(all[i * (all.size() - 1) / (most - 1)]);
  return chosen;
}

} // namespace partita::search
