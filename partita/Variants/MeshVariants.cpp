//===- MeshVariants.cpp - the mesh and its place, decided with variants ---===//

#include "partita/Variants/MeshVariants.h"

#include "partita/Support/Interrupt.h"

#include "llvm/ADT/STLExtras.h"

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

/// The shapes of several axes that are searched once more, with their variants: the best, and the next best of other
/// sizes if they are close. A short search does not tell them apart, and does not know what memory actions would do.
static std::vector<MeshTrial> listCloseShapes(llvm::ArrayRef<MeshTrial> trials) {
  constexpr size_t most = 3;
  constexpr int64_t closeShare = 25;
  auto fits = [](const MeshTrial &trial) { return trial.cost.peakBytes <= trial.limitBytes; };
  auto getSizes = [](const MeshTrial &trial) {
    return llvm::map_to_vector(trial.mesh.axes, [](const auto &axis) { return axis.size; });
  };
  std::vector<MeshTrial> shapes;
  for (const MeshTrial &trial : trials) {
    if (trial.mesh.axes.size() < 2 || shapes.size() == most)
      continue;
    bool isNew = llvm::none_of(shapes, [&](const MeshTrial &other) { return getSizes(trial) == getSizes(other); });
    bool isClose = shapes.empty() || (fits(trial) == fits(shapes[0]) &&
                                      trial.cost.timePs <= shapes[0].cost.timePs + shapes[0].cost.timePs / closeShare);
    if (isNew && isClose)
      shapes.push_back(trial);
  }
  return shapes;
}

/// The states of the search of the program as it is.
static int64_t countPlainStates(const SearchedVariant &searched) {
  return searched.report.trials.empty() ? searched.searched.found.back().numEvaluations
                                        : searched.report.trials.front().numEvaluations;
}

/// The trial of this mesh and placement gets what a search of the whole budget has found, and comes first if it is the
/// best.
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

/// Compares shapes on the program that was chosen for the first one: what memory actions save decides more than the
/// shape does, and the program as it is may not fit on any. A pipeline is one of its own mesh, so that its program is
/// left out.
static Result<std::vector<MeshTrial>> tryShapes(const VariantProblem &problem, const SearchedVariant &whole) {
  bool isPipeline = llvm::any_of(whole.report.trials,
                                 [](const VariantTrial &trial) { return trial.isChosen && trial.variant.pipeline; });
  if (!isPipeline)
    return searchMeshes(whole.program.analysis->get(), *whole.program.source.schedule, *problem.setting, problem.watch,
                        takeFindings(whole.searched.found.back()));
  Result<VariantProgram> again = prepareBound(problem, problem.source);
  if (!again)
    return again.error();
  return searchMeshes(again->analysis->get(), *problem.source.schedule, *problem.setting, problem.watch, whole.plain);
}

Result<SearchedVariant> searchShapes(VariantProblem problem, VariantProgram plain, std::vector<MeshTrial> &trials,
                                     StageClock &clock) {
  std::string sha256 = plain.flattened->graph.programSha256;
  SearchTime time(problem.setting->search.deadline);
  Result<SearchedVariant> best = searchVariants(problem, std::move(plain), clock);
  if (!best || !problem.module || isInterrupted() || time.isShort())
    return best;
  SearchSetting &setting = *problem.setting;
  setting.search.deadline = time.printRest();
  auto tried = clock.run("shapes", [&] { return tryShapes(problem, *best); });
  if (!tried)
    return tried.error();
  trials = std::move(*tried);
  auto whole = llvm::find_if(trials, [](const MeshTrial &trial) { return trial.mesh.axes.size() == 1; });
  if (whole != trials.end())
    putFound(trials, Mesh(whole->mesh), std::string(whole->placement), best->searched.found.back().cost,
             /*isBest=*/true);
  // The best shape gets as many states as the first search, the others half as many.
  int64_t states = countPlainStates(*best), givenBudget = setting.search.budget;
  for (auto [number, shape] : llvm::enumerate(listCloseShapes(trials))) {
    if (isInterrupted() || time.isShort())
      break;
    setting.search.budget = number == 0 ? givenBudget : std::max<int64_t>(1, states / 2);
    problem.mesh = shape.mesh;
    setting.placement = shape.placement;
    Result<VariantProgram> again = prepareBound(problem, problem.source);
    if (!again)
      return again.error();
    again->flattened->graph.programSha256 = sha256;
    setting.search.deadline = time.printRest();
    Result<SearchedVariant> other = searchVariants(problem, std::move(*again), clock);
    if (!other)
      continue;
    bool isBest = isBetter(other->searched, best->searched, setting.search);
    putFound(trials, shape.mesh, shape.placement, other->searched.found.back().cost, isBest);
    if (isBest)
      best = std::move(other);
  }
  return best;
}

} // namespace partita::variants
