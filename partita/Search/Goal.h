//===- Goal.h - what a plan is to be good at ------------------------------===//
//
// Goals are in order: a state that is better at an earlier one is better. `fit`
// is met when the peak of memory is within the limit; how much is missing is what
// counts until then. The others are never met, only bettered.
//
//   fit             bytes above the limit           time            predicted time of a step
//   memory          peak bytes                      communication   time of all collectives
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_GOAL_H
#define PARTITA_SEARCH_GOAL_H

#include "partita/Cost/Evaluation.h"
#include "partita/Search/Rooms.h"
#include "partita/Search/Space.h"
#include "partita/Support/Error.h"

namespace partita::search {

enum class Goal : uint8_t { Fit, Time, Memory, Communication };

/// `fit`.
llvm::StringRef getName(Goal goal);

/// Reads `fit,time`. Each at most once, and one at least; what is wrong is an error of usage.
Result<std::vector<Goal>> parseGoals(llvm::StringRef text);
/// The goal of that name.
std::optional<Goal> findGoal(llvm::StringRef name);

/// What the parts of a rating are: the goals, then time and memory if they are not among them.
llvm::SmallVector<Goal, Rating::size> listParts(llvm::ArrayRef<Goal> goals);
/// A state's rating: its goals in order, then time and peak, so that ties are not left to chance.
Rating computeRating(llvm::ArrayRef<Goal> goals, const Cost &cost, int64_t limitBytes);
/// Time or memory of a rating, which it has whatever the goals are.
int64_t getPart(llvm::ArrayRef<Goal> goals, const Rating &rating, Goal goal);

} // namespace partita::search

#endif
