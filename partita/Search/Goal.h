//===- Goal.h - the goals of a search and ratings by them -----------------===//
//
// Goals are ordered: a state that is better at an earlier goal is better. `fit`
// is met when peak memory is within the limit; until then the missing bytes
// count. The other goals are never met, only improved.
//
//   fit             bytes above the limit           time            predicted time of a step
//   memory          peak bytes                      communication   time of all collectives
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_GOAL_H
#define PARTITA_SEARCH_GOAL_H

#include "partita/Cost/CostTracker.h"
#include "partita/Search/Rooms.h"
#include "partita/Search/Space.h"
#include "partita/Support/Error.h"

namespace partita::search {

enum class Goal : uint8_t { Fit, Time, Memory, Communication };

/// `fit`.
llvm::StringRef getName(Goal goal);

/// Parses `fit,time`: at least one goal, each at most once. Otherwise a usage error.
Result<std::vector<Goal>> parseGoals(llvm::StringRef text);
/// The goal of that name.
std::optional<Goal> findGoal(llvm::StringRef name);

/// The parts of a rating: the goals, then time and memory if they are not among them.
llvm::SmallVector<Goal, Rating::size> listParts(llvm::ArrayRef<Goal> goals);
/// A state's rating: its goals in order, then time and peak as tie breakers.
Rating computeRating(llvm::ArrayRef<Goal> goals, const Cost &cost, int64_t limitBytes);
/// The part of a rating for `goal`; time and memory are always there.
int64_t getPart(llvm::ArrayRef<Goal> goals, const Rating &rating, Goal goal);

} // namespace partita::search

#endif
