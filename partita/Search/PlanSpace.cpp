//===- PlanSpace.cpp - the space of partitionings -------------------------===//

#include "partita/Search/PlanSpace.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <map>
#include <tuple>

namespace partita::search {

uint32_t applyGiven(const PlanProblem &problem, Assignment &assignment) {
  Result<ScheduleOutcome> outcome = applySchedule(problem.given, problem.names, assignment, nullptr);
  assert(outcome && "tactics before the search were applied before");
  return outcome ? static_cast<uint32_t>(outcome->stepTactics.size()) : 0;
}

/// Price entries of a walker, beside the shared ones.
static constexpr size_t maxEntries = size_t(1) << 21;

PlanWalker::PlanWalker(const PlanProblem &problem)
    : problem(problem), assignment(problem.model.getTopology(), problem.model.getAxes()),
      firstStep(applyGiven(problem, assignment)),
      runner(assignment, problem.table, problem.steppedDims, firstStep, &problem.memory),
      planner(problem.model.getAxes()),
      tracker(problem.model, assignment, planner, maxEntries, &problem.shared.getCache()) {}

void PlanWalker::push(MoveId move) {
  Level level{move, runner.mark(), false};
  level.isEffective = runner.run(move);
  levels.push_back(level);
}

void PlanWalker::popTo(size_t size) {
  if (levels.size() <= size)
    return;
  tracker.rollback(levels[size].runner.assignment);
  runner.rollback(levels[size].runner);
  levels.resize(size);
}

Evaluated PlanWalker::evaluate(llvm::ArrayRef<MoveId> moves) {
  size_t common = 0;
  while (common < moves.size() && common < levels.size() && levels[common].move == moves[common])
    ++common;
  popTo(common);
  for (MoveId move : moves.drop_front(common))
    push(move);
  Evaluated evaluated;
  evaluated.state = runner.getKey();
  if (std::optional<Rating> known = problem.shared.findRating(evaluated.state)) {
    evaluated.rating = *known;
  } else {
    evaluated.rating = computeRating(problem.goals, getCost(), problem.model.getMemoryLimit());
    problem.shared.addRating(evaluated.state, evaluated.rating);
  }
  for (size_t i = 0; i < levels.size(); ++i)
    evaluated.effective |= uint64_t(levels[i].isEffective) << i;
  return evaluated;
}

/// The tracker processes everything since its last update, so skipping updates loses nothing.
const CostTracker &PlanWalker::getTracker() {
  if (pricedKey != runner.getKey()) {
    tracker.update();
    pricedKey = runner.getKey();
  }
  return tracker;
}

//===----------------------------------------------------------------------===//
// Proposals
//===----------------------------------------------------------------------===//

/// The first goal that is not met: only `fit` can be met.
static Goal findOpenGoal(llvm::ArrayRef<Goal> goals, const Cost &cost, int64_t limitBytes) {
  for (Goal goal : goals)
    if (goal != Goal::Fit || cost.peakBytes > limitBytes)
      return goal;
  return Goal::Time;
}

std::vector<std::pair<NodeId, int64_t>> PlanWalker::listWhatCounts() const {
  constexpr size_t maxItems = 64;
  Goal goal = findOpenGoal(problem.goals, tracker.getCost(), problem.model.getMemoryLimit());
  bool isOfMemory = goal == Goal::Fit || goal == Goal::Memory;
  std::vector<std::pair<NodeId, int64_t>> items =
      isOfMemory ? tracker.listNodesAtPeak() : tracker.listNodeTimes(/*withCompute=*/goal == Goal::Time);
  llvm::sort(items, [](const auto &a, const auto &b) {
    return std::pair(-a.second, a.first) < std::pair(-b.second, b.first);
  });
  items.resize(std::min(items.size(), maxItems));
  return items;
}

void PlanWalker::indexMoves() {
  size_t numWords = llvm::divideCeil(problem.table.moves.size(), 64);
  movesByNode.resize(problem.model.getTopology().getNumNodes() * numWords, 0);
  for (MoveId id : idRange<MoveId>(problem.table.moves.size())) {
    if (isBySize(problem.table.moves[id].role))
      continue;
    llvm::ArrayRef<uint64_t> nodes = problem.table.reaches[id].nodes;
    for (size_t word = 0; word < nodes.size(); ++word)
      for (uint64_t rest = nodes[word]; rest != 0; rest &= rest - 1)
        movesByNode[(word * 64 + llvm::countr_zero(rest)) * numWords + id.get() / 64] |= uint64_t(1) << id.get() % 64;
  }
}

std::vector<MoveId> PlanWalker::propose() {
  getTracker();
  if (movesByNode.empty())
    indexMoves();
  size_t numWords = llvm::divideCeil(problem.table.moves.size(), 64);
  std::vector<double> scores(problem.table.moves.size(), 0);
  for (const auto &[node, amount] : listWhatCounts())
    for (size_t word = 0; word < numWords; ++word)
      for (uint64_t rest = movesByNode[node.get() * numWords + word]; rest != 0; rest &= rest - 1) {
        MoveId id(static_cast<uint32_t>(word * 64 + llvm::countr_zero(rest)));
        if (assignment.getFactor(node, problem.table.moves[id].parts.front()) == noFactor)
          scores[id.get()] += double(amount);
      }
  std::vector<MoveId> proposed;
  for (MoveId id : idRange<MoveId>(scores.size()))
    if (scores[id.get()] > 0)
      proposed.push_back(id);
  llvm::sort(proposed,
             [&](MoveId a, MoveId b) { return std::pair(-scores[a.get()], a) < std::pair(-scores[b.get()], b); });
  return proposed;
}

/// For a move over many groups, the role of the same move on one group.
static std::optional<MoveRole> getSingleRole(MoveRole role) {
  switch (role) {
  case MoveRole::AllParameters:
  case MoveRole::EveryParameter:
  case MoveRole::AllOptimizerState:
  case MoveRole::SharedDim:
  case MoveRole::NextDim:
  case MoveRole::Others:
  case MoveRole::OthersLargestDim:
  case MoveRole::OtherState:
    return MoveRole::Tile;
  case MoveRole::OptimizerStateAlone:
    return MoveRole::GroupOptimizerState;
  default:
    return std::nullopt;
  }
}

MoveId PlanWalker::findSingle(MoveRole role, llvm::StringRef axis, TargetId target, uint32_t dim) const {
  for (MoveId id : idRange<MoveId>(problem.table.numMain)) {
    const Move &move = problem.table.moves[id];
    auto isOf = [&](const MoveEntry &entry) {
      return entry.kind == ActionKind::Tile && entry.target == target && entry.dim == dim;
    };
    if (move.role == role && move.axis == axis && llvm::any_of(move.entries, isOf))
      return id;
  }
  return MoveId();
}

/// The list is about to be continued by the move over many groups, which the current assignment has made.
Moves PlanWalker::expandOne(MoveId many, MoveRole role) const {
  const Move &move = problem.table.moves[many];
  Moves singles;
  for (const MoveEntry &entry : move.entries) {
    CellId cell = problem.table.targets[entry.target].members.front();
    int dim = assignment.getCellSharding(cell).findAxis(move.parts.front());
    if (entry.kind != ActionKind::Tile || dim < 0)
      continue;
    MoveId single = findSingle(role, move.axis, entry.target, static_cast<uint32_t>(dim));
    if (single.isValid())
      singles.push_back(single);
    // There are no moves for groups of an unknown role: they are decided together.
    else if (isBySize(move.role))
      return {many};
  }
  return singles;
}

Moves PlanWalker::expand(llvm::ArrayRef<MoveId> moves) {
  Moves list;
  for (size_t i = 0; i < moves.size(); ++i) {
    std::optional<MoveRole> role = getSingleRole(problem.table.moves[moves[i]].role);
    if (role)
      evaluate(moves.take_front(i + 1));
    for (MoveId move : role ? expandOne(moves[i], *role) : Moves{moves[i]})
      if (!llvm::is_contained(list, move))
        list.push_back(move);
  }
  return list.size() <= maxMoves ? list : Moves(moves.begin(), moves.end());
}

//===----------------------------------------------------------------------===//
// The space
//===----------------------------------------------------------------------===//

PlanSpace::PlanSpace(const PlanProblem &given) : problem(given) {
  PlanWalker walker(problem);
  walker.evaluate({});
  startCost = walker.getCost();
  findCounterparts();
  findAlternatives();
  findEquivalentAxes();
}

//===----------------------------------------------------------------------===//
// Mirrors
//===----------------------------------------------------------------------===//

void PlanSpace::findCounterparts() {
  const IdVector<MoveId, Move> &moves = problem.table.moves;
  using Key = std::tuple<MoveRole, GroupKind, std::vector<std::tuple<ActionKind, TargetId, int64_t, TargetId>>>;
  std::map<Key, std::vector<MoveId>> alike;
  for (MoveId id : idRange<MoveId>(moves.size())) {
    const Move &move = moves[id];
    if (!llvm::is_contained(axes, move.axis))
      axes.push_back(move.axis);
    moveAxes.push_back(static_cast<uint32_t>(llvm::find(axes, move.axis) - axes.begin()));
    Key key{move.role, move.kind, {}};
    for (const MoveEntry &entry : move.entries)
      std::get<2>(key).emplace_back(entry.kind, entry.target, entry.dim ? int64_t(*entry.dim) : -1, entry.users);
    alike[key].push_back(id);
  }
  counterparts.assign(moves.size(), std::vector<MoveId>(axes.size()));
  for (const auto &[key, list] : alike)
    for (MoveId id : list)
      for (MoveId other : list)
        counterparts[id.get()][getAxis(other)] = other;
}

void PlanSpace::findAlternatives() {
  const IdVector<MoveId, Move> &moves = problem.table.moves;
  std::map<std::pair<size_t, TargetId>, std::vector<MoveId>> alike;
  for (MoveId id : idRange<MoveId>(problem.table.numMain))
    if (moves[id].subject.isValid())
      alike[{getAxis(id), moves[id].subject}].push_back(id);
  alternatives.resize(moves.size());
  for (const auto &[key, list] : alike)
    for (MoveId id : list)
      alternatives[id.get()] = list;
}

std::vector<Moves> PlanSpace::getMirrors(llvm::ArrayRef<MoveId> moves) const {
  std::vector<Moves> mirrors;
  for (size_t a = 0; a < axes.size(); ++a)
    for (size_t b = a + 1; b < axes.size(); ++b) {
      Moves list;
      bool isChanged = false;
      for (MoveId id : moves) {
        bool isA = getAxis(id) == a, isB = getAxis(id) == b;
        MoveId other = isA ? getCounterpart(id, b) : isB ? getCounterpart(id, a) : id;
        isChanged |= isA || isB;
        if (other.isValid())
          list.push_back(other);
      }
      if (isChanged)
        mirrors.push_back(std::move(list));
    }
  return mirrors;
}

std::vector<Moves> PlanSpace::getCopies(llvm::ArrayRef<MoveId> moves) const {
  std::vector<Moves> copies;
  for (size_t from = 0; from < axes.size(); ++from)
    for (size_t to = 0; to < axes.size(); ++to) {
      Moves list;
      bool isChanged = false;
      for (MoveId id : moves) {
        if (from == to || getAxis(id) == to)
          continue;
        list.push_back(id);
        if (MoveId other = getCounterpart(id, to); getAxis(id) == from && other.isValid()) {
          list.push_back(other);
          isChanged = true;
        }
      }
      if (isChanged && list.size() <= maxMoves)
        copies.push_back(std::move(list));
    }
  return copies;
}

Moves PlanSpace::getCounterparts(MoveId move) const {
  Moves list;
  for (MoveId other : counterparts[move.get()])
    if (other.isValid() && other != move)
      list.push_back(other);
  return list;
}

size_t PlanSpace::findPlace(llvm::ArrayRef<MoveId> moves, MoveId move) const {
  const IdVector<MoveId, Move> &all = problem.table.moves;
  if (isOfMany(all[move].role))
    return moves.size();
  auto isShared = [&](AxisId part) { return llvm::is_contained(all[move].parts, part); };
  auto coversIt = [&](MoveId id) { return isOfMany(all[id].role) && llvm::any_of(all[id].parts, isShared); };
  return llvm::find_if(moves, coversIt) - moves.begin();
}

Moves PlanSpace::getEarlyMoves() const {
  Moves list;
  for (MoveId id : idRange<MoveId>(problem.table.numMain)) {
    const Move &move = problem.table.moves[id];
    if (move.role == MoveRole::AllGradients && problem.model.getAxes().mesh.findAxis(move.axis))
      list.push_back(id);
  }
  return list;
}

/// Whether `other` splits most of the contractions that `move` splits, along the same factors.
static bool doesMostOf(const MoveReach &other, const MoveReach &move) {
  size_t numShared = 0, at = 0;
  for (size_t i = 0; i < move.products.size(); ++i) {
    while (at < other.products.size() && other.products[at] < move.products[i])
      ++at;
    numShared += at < other.products.size() && other.products[at] == move.products[i] &&
                 other.productFactors[at] == move.productFactors[i];
  }
  return numShared * 2 > move.products.size();
}

std::vector<PartialPlan> PlanSpace::getPartialPlans(llvm::ArrayRef<MoveId> moves) const {
  const IdVector<MoveId, MoveReach> &reaches = problem.table.reaches;
  std::vector<PartialPlan> partialPlans;
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    PartialPlan rest;
    MoveId greatest;
    for (MoveId id : moves)
      if (getAxis(id) != axis)
        rest.moves.push_back(id);
      else if (!greatest.isValid() || reaches[greatest].flops < reaches[id].flops)
        greatest = id;
    if (!greatest.isValid())
      continue;
    if (greatest.get() >= getNumMoves())
      rest.excluded.push_back(greatest);
    for (MoveId id : idRange<MoveId>(getNumMoves()))
      if (id == greatest || (getAxis(id) == axis && doesMostOf(reaches[id], reaches[greatest])))
        rest.excluded.push_back(id);
    partialPlans.push_back(std::move(rest));
  }
  return partialPlans;
}

//===----------------------------------------------------------------------===//
// Equivalent axes
//===----------------------------------------------------------------------===//

/// The links and the number of devices of a mesh axis, if it runs over one whole level or a part of a switch.
static std::optional<std::pair<Level, int64_t>> describeLinks(const PlanProblem &problem, uint32_t meshAxis) {
  const LevelParts &parts = problem.model.getPlacement().axes[meshAxis];
  if (parts.size() != 1)
    return std::nullopt;
  Level level = problem.model.getMachine().levels[parts.front().level];
  if (level.kind != LevelKind::Switch && parts.front().size != level.size)
    return std::nullopt;
  level.name.clear();
  return std::pair(std::move(level), parts.front().size);
}

/// Equivalent are axes of the mesh that are not refined, have no decisions yet, and run over equal links.
void PlanSpace::findEquivalentAxes() {
  const Axes &all = problem.model.getAxes();
  for (uint32_t axis = 0; axis < axes.size(); ++axis) {
    axisClasses.push_back(axis);
    std::optional<size_t> own = all.mesh.findAxis(axes[axis]);
    if (!own || all.getParts(*own).size() != 1 || !problem.given.tactics.empty() ||
        !problem.model.getGraph().shardings.empty())
      continue;
    for (uint32_t earlier = 0; earlier < axis; ++earlier) {
      std::optional<size_t> other = all.mesh.findAxis(axes[earlier]);
      if (!other || all.getParts(*other).size() != 1)
        continue;
      std::optional<std::pair<Level, int64_t>> a = describeLinks(problem, *own), b = describeLinks(problem, *other);
      if (a && b && *a == *b) {
        axisClasses[axis] = axisClasses[earlier];
        break;
      }
    }
  }
}

Moves PlanSpace::canonicalize(llvm::ArrayRef<MoveId> moves) const {
  Moves list(moves.begin(), moves.end());
  // Maps each axis to the first free one of its class, in the order of use.
  llvm::SmallVector<int, 8> becomes(axes.size(), -1), isTaken(axes.size(), 0);
  for (MoveId &id : list) {
    size_t axis = getAxis(id);
    if (becomes[axis] < 0) {
      size_t target = axisClasses[axis];
      while (axisClasses[target] != axisClasses[axis] || isTaken[target])
        ++target;
      becomes[axis] = static_cast<int>(target);
      isTaken[target] = 1;
    }
    id = getCounterpart(id, becomes[axis]);
    if (!id.isValid())
      return Moves(moves.begin(), moves.end());
  }
  return list;
}

/// The saved share of the start's value, scaled to the lower half while `fit` is not met.
/// Of states that do not fit, both the time and what is missing count.
double PlanSpace::getReward(const Rating &rating) const {
  constexpr double missingWeight = 2, missingLoss = 1;
  bool isMet = true;
  for (size_t i = 0; i < problem.goals.size() && problem.goals[i] == Goal::Fit; ++i)
    isMet = isMet && rating.parts[i] == 0;
  return -getBlend(rating, missingWeight) - (isMet ? 0 : missingLoss);
}

double PlanSpace::getBlend(const Rating &rating, double weight) const {
  double limit = double(std::max<int64_t>(1, problem.model.getMemoryLimit())), blend = 0;
  for (size_t i = 0; i < problem.goals.size(); ++i) {
    if (problem.goals[i] != Goal::Fit)
      return blend + std::log(double(std::max<int64_t>(1, rating.parts[i])));
    blend += weight * std::log1p(double(rating.parts[i]) / limit);
  }
  return blend;
}

} // namespace partita::search
