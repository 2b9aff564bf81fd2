//===- MeshVariants.cpp - the mesh and its place, decided with variants ---===//

#include "partita/Variants/MeshVariants.h"

#include "partita/Search/Greedy.h"
#include "partita/Support/Interrupt.h"

#include "llvm/ADT/STLExtras.h"

#include <deque>
#include <set>

namespace partita::variants {

//===----------------------------------------------------------------------===//
// Placements
//===----------------------------------------------------------------------===//

Result<SearchedVariant> searchPlaced(VariantProblem problem, VariantProgram plain, std::vector<MeshTrial> &trials,
                                     StageClock &clock) {
  std::string sha256 = plain.flattened->graph.programSha256;
  Result<SearchedVariant> searched = searchVariants(problem, std::move(plain), clock);
  MeshTrial *rowMajor = problem.setting ? findRowMajor(trials, problem.setting->machine) : nullptr;
  if (!searched || !problem.module || !rowMajor || rowMajor == &trials.front() || isInterrupted())
    return searched;
  Result<VariantProgram> again = prepareBound(problem, problem.source);
  if (!again)
    return again.error();
  again->flattened->graph.programSha256 = std::move(sha256);
  problem.setting->placement = rowMajor->placement;
  Result<SearchedVariant> other = searchVariants(problem, std::move(*again), clock);
  if (!other || !isBetter(other->searched, searched->searched, problem.setting->search))
    return searched;
  std::rotate(trials.begin(), trials.begin() + (rowMajor - trials.data()),
              trials.begin() + (rowMajor - trials.data()) + 1);
  return other;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

namespace {

/// What is left of a deadline that several searches share.
class SearchTime {
public:
  explicit SearchTime(const std::string &deadline) {
    if (Result<int64_t> ms = parseDeadline(deadline))
      deadlineMs = *ms;
  }

  /// Whether too little is left for another search.
  bool isShort() const { return deadlineMs > 0 && computeRestMs() < deadlineMs / 4; }
  /// As an option says it.
  std::string printRest() const {
    return deadlineMs > 0 ? std::to_string(std::max<int64_t>(1, computeRestMs())) + "ms" : "";
  }

private:
  int64_t computeRestMs() const {
    auto spent = std::chrono::steady_clock::now() - start;
    return deadlineMs - std::chrono::duration_cast<std::chrono::milliseconds>(spent).count();
  }

  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  int64_t deadlineMs = 0;
};

} // namespace

static bool fits(const MeshTrial &trial) { return trial.cost.peakBytes <= trial.limitBytes; }

/// Whether `trial` takes at most one part in `share` longer than `best`, and fits if that one does.
static bool isWithin(const MeshTrial &trial, const MeshTrial &best, int64_t share) {
  return fits(trial) >= fits(best) && trial.cost.timePs <= best.cost.timePs + best.cost.timePs / share;
}

/// Whether the trial is of a shape that cuts the first one.
static bool isCut(const MeshTrial &trial) { return trial.mesh.axes.size() > 1; }

using MeshSizes = llvm::SmallVector<int64_t, 4>;

static MeshSizes getSizes(const Mesh &mesh) {
  return llvm::to_vector<4>(llvm::map_range(mesh.axes, [](const auto &axis) { return axis.size; }));
}

/// The shapes that are searched longer: the first of `trials`, and those that are close to the best one, each with
/// other sizes. A short search does not tell them apart.
static std::vector<MeshTrial> listCloseShapes(llvm::ArrayRef<MeshTrial> trials) {
  constexpr size_t most = 5;
  // Of the first shape, and of the best of the others.
  constexpr int64_t nearShare = 10, closeShare = 25;
  std::vector<MeshTrial> shapes{trials.front()};
  for (const MeshTrial &trial : trials.drop_front()) {
    bool isNew =
        llvm::none_of(shapes, [&](const MeshTrial &other) { return getSizes(trial.mesh) == getSizes(other.mesh); });
    bool isFirst = shapes.size() == 1;
    if (isNew && shapes.size() < most && isWithin(trial, shapes[isFirst ? 0 : 1], isFirst ? nearShare : closeShare))
      shapes.push_back(trial);
  }
  return shapes;
}

/// The states of the searches of one mesh: of the program as it is, and of its variants.
static int64_t countStates(const SearchedVariant &searched) {
  if (searched.report.trials.empty())
    return searched.searched.found.back().numEvaluations;
  int64_t numStates = 0;
  for (const VariantTrial &trial : searched.report.trials)
    numStates += trial.numEvaluations;
  return numStates;
}

/// The states of the search of the program as it is.
static int64_t countPlainStates(const SearchedVariant &searched) {
  return searched.report.trials.empty() ? searched.searched.found.back().numEvaluations
                                        : searched.report.trials.front().numEvaluations;
}

/// The trial of this mesh and placement gets what a longer search has found, and comes first if it is the best.
static void putFound(std::vector<MeshTrial> &trials, const Mesh &mesh, llvm::StringRef placement, const Cost &cost,
                     bool isBest) {
  auto found =
      llvm::find_if(trials, [&](const MeshTrial &trial) { return trial.mesh == mesh && trial.placement == placement; });
  if (found == trials.end())
    return;
  found->cost = cost;
  if (isBest)
    std::rotate(trials.begin(), found, std::next(found));
}

namespace {

class ShapeSearch {
public:
  ShapeSearch(VariantProblem given, StageClock &clock)
      : problem(std::move(given)), setting(*problem.setting), clock(clock), time(setting.search.deadline) {}

  Result<SearchedVariant> run(VariantProgram plain, std::vector<MeshTrial> &trials);

private:
  bool isOver() const { return isInterrupted() || time.isShort(); }
  Status prepareCommon(SearchedVariant &whole);
  std::vector<MeshTrial> searchClose(std::vector<MeshTrial> &trials);
  Result<SearchedSchedule> goOn(const MeshTrial &shape, bool isProbe);
  std::optional<SearchedVariant> searchAnew(const MeshTrial &shape);
  void searchCuts(llvm::ArrayRef<MeshTrial> close, std::vector<MeshTrial> &trials);
  std::optional<SearchedVariant> finish(const MeshTrial &shape);
  Cost priceActed(const VariantProgram &program, const SearchedSchedule &searched, const Mesh &mesh,
                  llvm::StringRef placement);
  Rating rate(const Cost &cost) const;
  void compete(SearchedVariant &found, std::vector<MeshTrial> &trials);

  VariantProblem problem;
  SearchSetting &setting;
  StageClock &clock;
  SearchTime time;
  std::string sha256;
  Mesh wholeMesh;
  /// The states by which the trial of a shape is made longer.
  int64_t moreStates = 1;
  /// The program on which shapes are compared: as it was chosen for the first one. What memory actions save decides
  /// more than the shape does, and the program as it is may not fit on any. A pipeline is one of its own mesh: then it
  /// is the program as it is.
  VariantProgram *common = nullptr;
  std::optional<VariantProgram> plainAgain;
  /// The states of all searches so far.
  int64_t numStates = 0;
  /// What the searches of cuts have found. Pointers to them stay valid.
  std::deque<SearchedVariant> anew;
  /// The best of all that was searched with the whole budget, and its cost with what may be done to its collectives.
  SearchedVariant *best = nullptr;
  Cost bestCost;
};

} // namespace

Status ShapeSearch::prepareCommon(SearchedVariant &whole) {
  bool isPipeline = llvm::any_of(whole.report.trials,
                                 [](const VariantTrial &trial) { return trial.isChosen && trial.variant.pipeline; });
  common = &whole.program;
  if (!isPipeline)
    return std::nullopt;
  Result<VariantProgram> again = prepareBound(problem, problem.source);
  if (!again)
    return again.error();
  common = &plainAgain.emplace(std::move(*again));
  return std::nullopt;
}

/// Searches the common program on a shape from what is known of it.
Result<SearchedSchedule> ShapeSearch::goOn(const MeshTrial &shape, bool isProbe) {
  SearchSetting more = setting;
  more.isProbe = isProbe;
  more.placement = shape.placement;
  more.carried = shape.plans;
  more.search.resume.clear();
  more.search.budget = moreStates;
  more.search.deadline = time.printRest();
  // The bound's relaxed problem costs as much as hundreds of states.
  if (more.search.stages.empty())
    more.search.stages = "seeds,alone,greedy,refine,partial,tree,second,final";
  std::optional<llvm::ArrayRef<ExistingCollective>> existing;
  if (!isProbe)
    existing = common->existing;
  return searchSchedule(common->analysis->get(), shape.mesh, *common->source.schedule, more, existing, problem.watch);
}

/// Makes the trials of the first shape and of those that are close to it longer. Returns them, the best one first.
std::vector<MeshTrial> ShapeSearch::searchClose(std::vector<MeshTrial> &trials) {
  std::vector<MeshTrial> shapes = listCloseShapes(trials);
  for (MeshTrial &shape : shapes) {
    if (isOver())
      break;
    Result<SearchedSchedule> more = goOn(shape, /*isProbe=*/true);
    Result<std::vector<Goal>> goals = parseGoals(setting.search.goals);
    if (!more || !goals)
      continue;
    numStates += more->found.back().numEvaluations;
    MeshFindings findings = takeFindings(more->found.back());
    Rating rating = computeRating(*goals, findings.cost, findings.limitBytes);
    if (!(rating < shape.rating))
      continue;
    shape.rating = rating;
    shape.cost = findings.cost;
    shape.plans = std::move(findings.plans);
    putFound(trials, shape.mesh, shape.placement, shape.cost, /*isBest=*/false);
  }
  llvm::sort(shapes, [](const MeshTrial &a, const MeshTrial &b) {
    return std::tuple(a.rating, a.mesh.axes.size(), a.placement) <
           std::tuple(b.rating, b.mesh.axes.size(), b.placement);
  });
  return shapes;
}

/// Searches the shape with the whole budget, and decides about memory actions for it.
std::optional<SearchedVariant> ShapeSearch::searchAnew(const MeshTrial &shape) {
  problem.mesh = shape.mesh;
  setting.placement = shape.placement;
  setting.search.deadline = time.printRest();
  Result<VariantProgram> again = prepareBound(problem, problem.source);
  if (!again)
    return std::nullopt;
  again->flattened->graph.programSha256 = sha256;
  Result<SearchedVariant> searched = searchVariants(problem, std::move(*again), clock);
  return searched ? std::optional(std::move(*searched)) : std::nullopt;
}

/// The cost of what was found, with what may be done to its collectives: that changes which mesh is the fastest.
Cost ShapeSearch::priceActed(const VariantProgram &program, const SearchedSchedule &searched, const Mesh &mesh,
                             llvm::StringRef placement) {
  problem.mesh = mesh;
  setting.placement = placement;
  PlanPtr plan;
  Result<PricePtr> price = priceSchedule(problem, program, searched.schedule, plan);
  if (!price)
    return searched.found.back().cost;
  StageClock silent(false);
  std::optional<ActedPlan> acted;
  if (problem.collectives.hasAny())
    acted = chooseCollectiveActions(**price, problem.collectives, {/*mayTurn=*/false, silent});
  const Price &chosen = acted ? *acted->price : **price;
  Cost cost = chosen.getCost();
  cost.timePs = chosen.computeTimePs();
  return cost;
}

Rating ShapeSearch::rate(const Cost &cost) const {
  Result<std::vector<Goal>> goals = parseGoals(setting.search.goals);
  return goals ? computeRating(*goals, cost, best->searched.found.back().limitBytes) : Rating::worst();
}

/// What was found on another mesh becomes the best if it is.
void ShapeSearch::compete(SearchedVariant &found, std::vector<MeshTrial> &trials) {
  Mesh mesh = found.mesh;
  std::string placement = setting.placement;
  Cost cost = priceActed(found.program, found.searched, mesh, placement);
  bool isBest = rate(cost) < rate(bestCost);
  putFound(trials, mesh, placement, cost, isBest);
  if (!isBest)
    return;
  best = &found;
  bestCost = cost;
}

/// A plan of the common program from what is known of the shape; nothing if it is not better than the best.
std::optional<SearchedVariant> ShapeSearch::finish(const MeshTrial &shape) {
  // Searches drop moves that gain less.
  constexpr double leastGain = 0.0005;
  if (!isGain(rate(best->searched.found.back().cost), shape.rating, leastGain) ||
      !bindMesh(*common, shape.mesh, setting.cost.assumedTrips))
    return std::nullopt;
  Result<SearchedSchedule> searched = clock.run("finish", [&] { return goOn(shape, /*isProbe=*/false); });
  std::optional<Cost> cost;
  if (searched)
    cost = priceActed(*common, *searched, shape.mesh, shape.placement);
  if (cost && rate(*cost) < rate(bestCost)) {
    bestCost = *cost;
    SearchedVariant finished{std::move(*common), std::move(*searched), {}};
    finished.mesh = shape.mesh;
    finished.placement = shape.placement;
    return finished;
  }
  // The first shape may still be the best.
  [[maybe_unused]] bool isBound = bool(bindMesh(*common, wholeMesh, setting.cost.assumedTrips));
  assert(isBound && "a program that was bound to a mesh can be bound to it again");
  return std::nullopt;
}

/// The shape that is searched anew, of sizes that are not in `searched`: of those in `trials` that are about as fast as
/// the best of the close ones, the one with the simplest placement, since trials hardly tell them apart. Null if there
/// is none that cuts the first shape.
static const MeshTrial *chooseCut(llvm::ArrayRef<MeshTrial> close, llvm::ArrayRef<MeshTrial> trials,
                                  const std::set<MeshSizes> &searched) {
  constexpr int64_t evenShare = 25;
  const MeshTrial *best = llvm::find_if(close, isCut), *chosen = nullptr;
  if (best == close.end())
    return nullptr;
  auto countParts = [](llvm::StringRef placement) { return placement.count(',') + placement.count('+'); };
  for (const MeshTrial &shape : trials)
    if (isCut(shape) && isWithin(shape, *best, evenShare) && !searched.contains(getSizes(shape.mesh)) &&
        (!chosen || countParts(shape.placement) < countParts(chosen->placement)))
      chosen = &shape;
  return chosen;
}

/// Searches cuts anew, one after the other, as long as all searches together take a few times what those of one mesh
/// do.
void ShapeSearch::searchCuts(llvm::ArrayRef<MeshTrial> close, std::vector<MeshTrial> &trials) {
  // Of the states of one mesh with several axes.
  constexpr int64_t mostTimes = 3;
  std::set<MeshSizes> searched;
  int64_t statesOfOne = 0;
  while (!isOver() && (anew.empty() || numStates + statesOfOne <= mostTimes * statesOfOne)) {
    const MeshTrial *cut = chooseCut(close, trials, searched);
    if (!cut)
      return;
    searched.insert(getSizes(cut->mesh));
    std::optional<SearchedVariant> found = searchAnew(*cut);
    if (!found)
      continue;
    if (anew.empty())
      statesOfOne = countStates(*found);
    numStates += countStates(*found);
    compete(anew.emplace_back(std::move(*found)), trials);
  }
}

/// The variants of the first shape, of which `finished` is a better plan.
static void takeReport(SearchedVariant &whole, SearchedVariant &finished) {
  finished.report = std::move(whole.report);
  const Cost &cost = finished.searched.found.back().cost;
  for (VariantTrial &row : finished.report.trials)
    if (row.isChosen) {
      row.timePs = cost.timePs;
      row.peakBytes = cost.peakBytes;
    }
}

Result<SearchedVariant> ShapeSearch::run(VariantProgram plain, std::vector<MeshTrial> &trials) {
  sha256 = plain.flattened->graph.programSha256;
  wholeMesh = problem.mesh;
  Result<SearchedVariant> whole = searchVariants(problem, std::move(plain), clock);
  if (!whole || !problem.module || isOver())
    return whole;
  setting.search.deadline = time.printRest();
  if (Status wrong = prepareCommon(*whole))
    return std::move(*wrong);
  MeshFindings known = plainAgain ? whole->plain : takeFindings(whole->searched.found.back());
  auto tried = clock.run("shapes", [&] {
    return searchMeshes(common->analysis->get(), *common->source.schedule, setting, problem.watch, std::move(known));
  });
  if (!tried)
    return tried.error();
  trials = std::move(*tried);
  auto first = llvm::find_if(trials, [](const MeshTrial &trial) { return trial.mesh.axes.size() == 1; });
  if (first == trials.end())
    return whole;
  Mesh firstMesh = first->mesh;
  std::string firstPlacement = first->placement;
  putFound(trials, firstMesh, firstPlacement, whole->searched.found.back().cost, /*isBest=*/true);
  moreStates = std::max<int64_t>(1, countPlainStates(*whole) / 8);
  numStates = countStates(*whole);
  for (const MeshTrial &trial : trials)
    numStates += trial.numEvaluations;
  std::vector<MeshTrial> close = clock.run("close", [&] { return searchClose(trials); });
  best = &*whole;
  bestCost = priceActed(whole->program, whole->searched, firstMesh, firstPlacement);
  putFound(trials, firstMesh, firstPlacement, bestCost, /*isBest=*/true);
  searchCuts(close, trials);
  std::optional<SearchedVariant> finished = finish(close.front());
  if (!finished)
    return std::move(*best);
  putFound(trials, finished->mesh, finished->placement, bestCost, /*isBest=*/true);
  if (!isCut(close.front()))
    takeReport(*whole, *finished);
  // A later search goes on from that of the program as it is, if there was one on this mesh.
  auto ofAnew = llvm::find_if(anew, [&](const SearchedVariant &each) {
    return each.mesh == finished->mesh && each.placement == finished->placement;
  });
  const SearchedVariant *plainOf = !isCut(close.front()) ? &*whole : ofAnew != anew.end() ? &*ofAnew : nullptr;
  for (auto [number, found] : llvm::enumerate(finished->searched.found))
    found.answers = plainOf ? plainOf->searched.found[number].answers : "";
  return std::move(*finished);
}

Result<SearchedVariant> searchShapes(VariantProblem problem, VariantProgram plain, std::vector<MeshTrial> &trials,
                                     StageClock &clock) {
  return ShapeSearch(std::move(problem), clock).run(std::move(plain), trials);
}

} // namespace partita::variants
