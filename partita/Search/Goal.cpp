//===- Goal.cpp - the goals of a search and ratings by them ---------------===//

#include "partita/Search/Goal.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::search {

static constexpr Goal allGoals[] = {Goal::Fit, Goal::Time, Goal::Memory, Goal::Communication};

llvm::StringRef getName(Goal goal) {
  switch (goal) {
  case Goal::Fit:
    return "fit";
  case Goal::Time:
    return "time";
  case Goal::Memory:
    return "memory";
  case Goal::Communication:
    return "communication";
  }
  return "";
}

std::optional<Goal> findGoal(llvm::StringRef name) {
  for (Goal goal : allGoals)
    if (getName(goal) == name)
      return goal;
  return std::nullopt;
}

Result<std::vector<Goal>> parseGoals(llvm::StringRef text) {
  std::vector<Goal> goals;
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, ',');
  for (llvm::StringRef word : words) {
    std::optional<Goal> goal = findGoal(word.trim());
    if (!goal)
      return Error::usage("'" + word.str() + "' is no goal").withRemedy("goals are fit, time, memory, communication");
    if (llvm::is_contained(goals, *goal))
      return Error::usage("the goal '" + word.str() + "' is given twice").withRemedy("give each goal once, in order");
    goals.push_back(*goal);
  }
  return goals;
}

static int64_t getPart(Goal goal, const Cost &cost, int64_t limitBytes) {
  switch (goal) {
  case Goal::Fit:
    return std::max<int64_t>(0, cost.peakBytes - limitBytes);
  case Goal::Time:
    return cost.timePs;
  case Goal::Memory:
    return cost.peakBytes;
  case Goal::Communication:
    return cost.communicationPs;
  }
  return 0;
}

llvm::SmallVector<Goal, Rating::size> listParts(llvm::ArrayRef<Goal> goals) {
  llvm::SmallVector<Goal, Rating::size> parts(goals);
  for (Goal goal : {Goal::Time, Goal::Memory})
    if (!llvm::is_contained(goals, goal))
      parts.push_back(goal);
  assert(parts.size() <= Rating::size && "there are four goals");
  return parts;
}

Rating computeRating(llvm::ArrayRef<Goal> goals, const Cost &cost, int64_t limitBytes) {
  Rating rating;
  for (auto [i, goal] : llvm::enumerate(listParts(goals)))
    rating.parts[i] = getPart(goal, cost, limitBytes);
  return rating;
}

int64_t getPart(llvm::ArrayRef<Goal> goals, const Rating &rating, Goal goal) {
  llvm::SmallVector<Goal, Rating::size> parts = listParts(goals);
  return rating.parts[llvm::find(parts, goal) - parts.begin()];
}

} // namespace partita::search
