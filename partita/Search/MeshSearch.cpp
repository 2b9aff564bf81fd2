//===- MeshSearch.cpp - the shape of the mesh, searched with the plan -----===//

#include "partita/Search/MeshSearch.h"

#include "partita/Machine/MeshShape.h"
#include "partita/Search/AxisNames.h"
#include "partita/Support/Interrupt.h"

#include "llvm/ADT/STLExtras.h"

#include <deque>
#include <map>
#include <set>

namespace partita::search {

namespace {

/// What all trials have in common.
struct TrialSetting {
  const Analysis &analysis;
  const Schedule &schedule;
  const SearchSetting &setting;
  const SearchWatch &watch;
};

} // namespace

/// How long a trial is searched. A look prices what other trials have found. A glance also looks at seeds and completes
/// them, to see which trials are worth a search.
enum class TrialEffort { Look, Glance, Search };

/// What a search of that effort may do.
static SearchSetting limitEffort(const SearchSetting &whole, TrialEffort effort, size_t numCarried) {
  constexpr int64_t quickBudget = 250, glanceShare = 4;
  SearchSetting quick = whole;
  quick.isProbe = true;
  // What a folder has is of the shape that was chosen.
  quick.search.resume.clear();
  quick.search.budget = whole.search.budget > 0 ? std::max<int64_t>(1, whole.search.budget / 4) : quickBudget;
  if (effort == TrialEffort::Glance)
    quick.search.budget = std::max<int64_t>(1, quick.search.budget / glanceShare);
  if (effort == TrialEffort::Look)
    quick.search.budget = std::min<int64_t>(quick.search.budget, 1 + int64_t(numCarried));
  // The bound's relaxed problem costs as much as hundreds of states.
  if (quick.search.stages.empty())
    quick.search.stages = effort == TrialEffort::Look     ? "seeds"
                          : effort == TrialEffort::Glance ? "seeds,greedy,refine"
                                                          : "seeds,alone,greedy,refine,partial,tree";
  return quick;
}

namespace {

/// A trial, and a name of what each axis carries.
struct ProbedTrial {
  MeshTrial trial;
  std::vector<std::string> axisNames;
};

} // namespace

MeshFindings takeFindings(const FoundTactics &found) {
  MeshFindings findings{found.cost, found.limitBytes, found.axisNames, found.front};
  if (!found.front.empty()) {
    findings.cost.timePs = found.front.front().timePs;
    findings.cost.peakBytes = found.front.front().peakBytes;
  }
  return findings;
}

static Result<ProbedTrial> makeTrial(const TrialSetting &on, Mesh mesh, std::string placement, MeshFindings findings) {
  Result<std::vector<Goal>> goals = parseGoals(on.setting.search.goals);
  if (!goals)
    return goals.error();
  Rating rating = computeRating(*goals, findings.cost, findings.limitBytes);
  MeshTrial trial{std::move(mesh), std::move(placement),     findings.cost, findings.limitBytes,
                  rating,          std::move(findings.plans)};
  return ProbedTrial{std::move(trial), std::move(findings.axisNames)};
}

/// Searches for a short time, from plans that others have found.
static Result<ProbedTrial> probe(const TrialSetting &on, Mesh mesh, std::string placement, TrialEffort effort,
                                 std::vector<CarriedPlan> carried) {
  SearchSetting quick = limitEffort(on.setting, effort, carried.size());
  quick.placement = placement;
  quick.carried = std::move(carried);
  Result<SearchedSchedule> searched = searchSchedule(on.analysis, mesh, on.schedule, quick, std::nullopt, on.watch);
  if (!searched)
    return searched.error();
  if (searched->found.empty())
    return Error::usage("a schedule without automatic tactics needs a mesh").withRemedy("give one with --mesh");
  Result<ProbedTrial> probed =
      makeTrial(on, std::move(mesh), std::move(placement), takeFindings(searched->found.back()));
  if (probed)
    probed->trial.numEvaluations = searched->found.back().numEvaluations;
  return probed;
}

/// The parts of levels that the axes take. Few are easy to understand.
static size_t countParts(const MeshTrial &trial) {
  llvm::StringRef placement = trial.placement;
  return placement.count(',') + placement.count('+');
}

/// The best trial first: of those before it in the list, it must beat each; then the others by their ratings.
template <typename IsBetter>
static std::vector<MeshTrial> sortTrials(std::vector<MeshTrial> trials, IsBetter isBetter) {
  size_t best = 0;
  for (size_t i = 1; i < trials.size(); ++i)
    if (isBetter(trials[i], trials[best]))
      best = i;
  std::rotate(trials.begin(), trials.begin() + best, trials.begin() + best + 1);
  std::sort(std::next(trials.begin()), trials.end(), [](const MeshTrial &a, const MeshTrial &b) {
    return std::tuple(a.rating, countParts(a), a.placement) < std::tuple(b.rating, countParts(b), b.placement);
  });
  return trials;
}

/// Whether `trial` is better by so much that something unusual is worth it.
static bool isClearlyBetter(const MeshTrial &trial, const MeshTrial &best) {
  if (!(trial.rating < best.rating))
    return false;
  bool differInFit = (trial.cost.peakBytes <= trial.limitBytes) != (best.cost.peakBytes <= best.limitBytes);
  return differInFit || trial.cost.timePs < best.cost.timePs - best.cost.timePs / 100;
}

/// Whether a longer search of `trial` may find something better than the best one.
static bool isNear(const MeshTrial &trial, const MeshTrial &best) {
  constexpr int64_t nearShare = 20;
  bool fits = trial.cost.peakBytes <= trial.limitBytes, bestFits = best.cost.peakBytes <= best.limitBytes;
  return fits >= bestFits && trial.cost.timePs <= best.cost.timePs + best.cost.timePs / nearShare;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

namespace {

/// A shape that was tried.
struct TriedShape {
  MeshShape shape;
  ProbedTrial probed;
  size_t number = 0;

  const Rating &getRating() const { return probed.trial.rating; }
};

/// What other trials can begin with: plans on a mesh, whose axes become one or several axes of the other one.
struct KnownPlans {
  const TriedShape *of = nullptr;
  /// The axis that is cut into two; none if axes correspond.
  std::optional<uint32_t> cut = std::nullopt;
};

class MeshSearch {
public:
  MeshSearch(const TrialSetting &on, bool areAxesAlike)
      : on(on), machine(on.setting.machine), areAxesAlike(areAxesAlike) {}

  Result<std::vector<MeshTrial>> run(MeshFindings whole);

private:
  static constexpr size_t mostAxes = 4;

  Status addWhole(MeshFindings whole);
  TriedShape *tryShape(const MeshShape &shape, TrialEffort effort, std::vector<CarriedPlan> carried);
  void tryCuts(const TriedShape &shape);
  void improve(TriedShape &shape, TrialEffort effort);
  bool isNearBest(const TriedShape &shape);
  /// The best shapes that were tried, of so many axes; of all if that is 0.
  std::vector<TriedShape *> listBest(size_t numAxes, size_t most);
  /// The best shapes of several axes, each with other sizes: placements hardly change what a search finds.
  std::vector<TriedShape *> listToSearch(size_t most);
  /// Whether the best shape of so many axes is better than the best of fewer.
  bool isWorthCutting(size_t numAxes);
  std::vector<MeshTrial> list() const;

  const TrialSetting &on;
  const Machine &machine;
  bool areAxesAlike;
  /// In the order in which they were tried. Pointers to them stay valid.
  std::deque<TriedShape> tried;
  /// What prices depend on (describePlacement): symmetric shapes are one.
  std::set<std::vector<std::vector<int64_t>>> seen;
  Status firstError;
};

} // namespace

/// Names for the time of the search, outermost first.
static std::vector<std::string> nameAxes(size_t numAxes) {
  switch (numAxes) {
  case 1:
    return {"data"};
  case 2:
    return {"data", "model"};
  case 3:
    return {"data", "fsdp", "model"};
  default:
    return {"data", "fsdp", "sequence", "model"};
  }
}

/// The trial on a mesh whose axes are called by what they carry.
static MeshTrial nameByUse(const ProbedTrial &probed) {
  AxisRenaming renaming(probed.trial.mesh, probed.axisNames);
  MeshTrial named = probed.trial;
  named.mesh = renaming.getMesh();
  named.placement = renaming.renamePlacement(named.placement);
  for (CarriedPlan &plan : named.plans)
    for (std::string &move : plan.moves)
      move = renaming.renameText(move);
  return named;
}

static Mesh makeMesh(const MeshShape &shape) {
  Mesh mesh;
  for (auto [name, size] : llvm::zip(nameAxes(shape.rows.size()), shape.getSizes()))
    mesh.axes.push_back({name, size});
  return mesh;
}

/// `data`, or a part of it: `data:(8)4` is the 4 that lie behind the major 8.
static std::string namePart(const MeshAxis &axis, int64_t first, int64_t end) {
  if (first == 1 && end == axis.size)
    return axis.name;
  return axis.name + ":(" + std::to_string(first) + ")" + std::to_string(end / first);
}

/// The axes that do what the axis `over`, or the part of one, did on the mesh `from`. If that axis is cut, what lies in
/// both of its halves is cut there, too.
static std::vector<std::string> translateAxis(llvm::StringRef over, const Mesh &from, const Mesh &to,
                                              std::optional<uint32_t> cut) {
  auto [name, part] = over.split(':');
  std::optional<uint32_t> axis = from.findAxis(name);
  int64_t first = 1, size = axis ? from.axes[*axis].size : 1;
  bool isPart = part.consume_front("(") && !part.consumeInteger(10, first) && part.consume_front(")") &&
                !part.consumeInteger(10, size);
  if (!axis || (over.contains(':') && !isPart))
    return {};
  uint32_t target = *axis + (cut && *axis > *cut ? 1 : 0);
  int64_t end = first * size, outer = to.axes[target].size;
  if (cut != axis)
    return {namePart(to.axes[target], first, end)};
  std::vector<std::string> names;
  if (first < outer)
    names.push_back(namePart(to.axes[target], first, std::min(end, outer)));
  if (end > outer)
    names.push_back(namePart(to.axes[target + 1], std::max(first, outer) / outer, end / outer));
  return names;
}

/// The plans in words of another mesh: what an axis did that is cut, both of its parts do. The axis is the last word of
/// a move (TacticsOfMoves::describe). Moves over what is no axis there are left out when they are bound.
static std::vector<CarriedPlan> translate(const KnownPlans &known, const Mesh &to) {
  const Mesh &from = known.of->probed.trial.mesh;
  std::vector<CarriedPlan> plans;
  for (const CarriedPlan &plan : known.of->probed.trial.plans) {
    CarriedPlan &translated = plans.emplace_back(CarriedPlan{plan.timePs, plan.peakBytes, {}});
    for (llvm::StringRef move : plan.moves) {
      auto [subject, over] = move.rsplit(" over ");
      for (const std::string &axis : translateAxis(over, from, to, known.cut))
        translated.moves.push_back((subject + " over " + axis).str());
    }
  }
  return plans;
}

/// The shape that was searched before.
Status MeshSearch::addWhole(MeshFindings whole) {
  MeshShape shape = makeWhole(machine);
  Mesh mesh = makeMesh(shape);
  std::optional<Placement> placement = placeShape(shape, mesh, machine);
  if (!placement)
    return std::nullopt;
  seen.insert(describePlacement(*placement, mesh, machine, areAxesAlike));
  Result<ProbedTrial> trial = makeTrial(on, mesh, printPlacement(*placement, mesh, machine), std::move(whole));
  if (!trial)
    return trial.error();
  tried.push_back(TriedShape{std::move(shape), std::move(*trial), 0});
  return std::nullopt;
}

/// Tries the shape, from plans of others. Null if it cannot be placed, or if one like it was tried.
TriedShape *MeshSearch::tryShape(const MeshShape &shape, TrialEffort effort, std::vector<CarriedPlan> carried) {
  Mesh mesh = makeMesh(shape);
  std::optional<Placement> placement = placeShape(shape, mesh, machine);
  if (!placement || isInterrupted() || !seen.insert(describePlacement(*placement, mesh, machine, areAxesAlike)).second)
    return nullptr;
  Result<ProbedTrial> probed = probe(on, mesh, printPlacement(*placement, mesh, machine), effort, std::move(carried));
  if (probed)
    return &tried.emplace_back(TriedShape{shape, std::move(*probed), tried.size()});
  if (!firstError)
    firstError = probed.error();
  return nullptr;
}

/// Tries the shape for longer, from what it has found.
void MeshSearch::improve(TriedShape &shape, TrialEffort effort) {
  MeshTrial &before = shape.probed.trial;
  Result<ProbedTrial> probed = probe(on, before.mesh, before.placement, effort, before.plans);
  if (!probed)
    return;
  probed->trial.numEvaluations += before.numEvaluations;
  before.numEvaluations = probed->trial.numEvaluations;
  if (probed->trial.rating < before.rating)
    shape.probed = std::move(*probed);
}

/// Whether a shape at which there was only a look may be the best one.
bool MeshSearch::isNearBest(const TriedShape &shape) {
  return isNear(shape.probed.trial, listBest(0, 1).front()->probed.trial);
}

/// Tries all shapes that cut one axis of `shape` once more. Of those with the same sizes, the first gets a glance, and
/// the others, which differ in their placements, a look with what it has found.
void MeshSearch::tryCuts(const TriedShape &shape) {
  std::map<std::pair<uint32_t, llvm::SmallVector<int64_t, 4>>, const TriedShape *> firsts;
  for (const ShapeCut &cut : listCuts(shape.shape, machine)) {
    const TriedShape *&first = firsts[{cut.axis, cut.shape.getSizes()}];
    if (!first) {
      first = tryShape(cut.shape, TrialEffort::Glance, translate({&shape, cut.axis}, makeMesh(cut.shape)));
      continue;
    }
    TriedShape *other = tryShape(cut.shape, TrialEffort::Look, translate({first}, makeMesh(cut.shape)));
    if (other && isNearBest(*other))
      improve(*other, TrialEffort::Glance);
  }
}

std::vector<TriedShape *> MeshSearch::listBest(size_t numAxes, size_t most) {
  std::vector<TriedShape *> shapes;
  for (TriedShape &shape : tried)
    if (numAxes == 0 || shape.shape.rows.size() == numAxes)
      shapes.push_back(&shape);
  auto getRank = [](const TriedShape *shape) {
    return std::tuple(shape->getRating(), countParts(shape->probed.trial), shape->number);
  };
  llvm::sort(shapes, [&](const TriedShape *a, const TriedShape *b) { return getRank(a) < getRank(b); });
  shapes.resize(std::min(shapes.size(), most));
  return shapes;
}

std::vector<TriedShape *> MeshSearch::listToSearch(size_t most) {
  std::vector<TriedShape *> shapes;
  for (TriedShape *shape : listBest(0, tried.size())) {
    auto isSame = [&](const TriedShape *other) { return other->shape.getSizes() == shape->shape.getSizes(); };
    if (shape->shape.rows.size() > 1 && shapes.size() < most && llvm::none_of(shapes, isSame))
      shapes.push_back(shape);
  }
  return shapes;
}

bool MeshSearch::isWorthCutting(size_t numAxes) {
  std::vector<TriedShape *> best = listBest(0, 1);
  return !best.empty() && best.front()->shape.rows.size() >= numAxes;
}

std::vector<MeshTrial> MeshSearch::list() const {
  std::vector<MeshTrial> result;
  for (size_t numAxes = 1; numAxes <= mostAxes; ++numAxes)
    for (const TriedShape &shape : tried)
      if (shape.shape.rows.size() == numAxes)
        result.push_back(areAxesAlike ? nameByUse(shape.probed) : shape.probed.trial);
  return sortTrials(std::move(result),
                    [](const MeshTrial &trial, const MeshTrial &best) { return trial.rating < best.rating; });
}

Result<std::vector<MeshTrial>> MeshSearch::run(MeshFindings whole) {
  // So many shapes of each number of axes are cut once more; and of all, so many are searched.
  constexpr size_t mostCut = 1, mostSearched = 4;
  if (!hasAutomaticTactics(on.schedule))
    return Error::usage("a schedule without automatic tactics needs a mesh").withRemedy("give one with --mesh");
  if (Status wrong = addWhole(std::move(whole)))
    return std::move(*wrong);
  for (size_t numAxes = 1; numAxes < mostAxes && isWorthCutting(numAxes); ++numAxes)
    for (const TriedShape *shape : listBest(numAxes, mostCut))
      tryCuts(*shape);
  for (TriedShape *shape : listToSearch(mostSearched))
    improve(*shape, TrialEffort::Search);
  if (tried.empty())
    return std::move(*firstError);
  return list();
}

bool areAxesFree(const Graph &graph, const Schedule &schedule) {
  bool isNamed = llvm::any_of(schedule.tactics,
                              [](const Tactic &each) { return !each.automatic || !each.automatic->axes.empty(); });
  return !isNamed && schedule.shardings.empty() && graph.shardings.empty();
}

Mesh makeWholeMesh(int64_t numDevices) { return Mesh{{{nameAxes(1).front(), numDevices}}}; }

Result<std::vector<MeshTrial>> searchMeshes(const Analysis &analysis, const Schedule &schedule,
                                            const SearchSetting &setting, const SearchWatch &watch,
                                            MeshFindings whole) {
  TrialSetting on{analysis, schedule, setting, watch};
  return MeshSearch(on, areAxesFree(analysis.getGraph(), schedule)).run(std::move(whole));
}

//===----------------------------------------------------------------------===//
// Placements of a given mesh
//===----------------------------------------------------------------------===//

/// Placements that differ in their prices, as users write them; row-major first.
static std::vector<std::string> listNestings(const Mesh &mesh, const Machine &machine, bool areAxesAlike) {
  constexpr size_t mostAxes = 4;
  std::vector<std::string> texts;
  std::vector<uint32_t> order(mesh.axes.size());
  std::iota(order.begin(), order.end(), 0);
  std::set<std::vector<std::vector<int64_t>>> seen;
  if (mesh.axes.size() > mostAxes)
    return texts;
  do {
    Mesh permuted;
    for (uint32_t axis : order)
      permuted.axes.push_back(mesh.axes[axis]);
    Result<Placement> nested = placeRowMajor(permuted, machine);
    if (!nested)
      continue;
    std::string text = machine::printPlacement(*nested, permuted, machine);
    Result<Placement> placement = parsePlacement(text, mesh, machine);
    if (placement && seen.insert(describePlacement(*placement, mesh, machine, areAxesAlike)).second)
      texts.push_back(std::move(text));
  } while (std::next_permutation(order.begin(), order.end()));
  return texts;
}

/// Placements that give axes parts of levels in a way that no nesting of the axes does; the first few, those of few
/// parts first.
static std::vector<std::string> listUnnested(const Mesh &mesh, const Machine &machine, bool areAxesAlike,
                                             llvm::ArrayRef<std::string> nestings) {
  constexpr size_t most = 4;
  std::set<std::vector<std::vector<int64_t>>> seen;
  for (const std::string &text : nestings)
    if (Result<Placement> placement = parsePlacement(text, mesh, machine))
      seen.insert(describePlacement(*placement, mesh, machine, areAxesAlike));
  std::vector<std::string> texts;
  for (const Placement &placement : listPlacements(mesh, machine, areAxesAlike))
    if (seen.insert(describePlacement(placement, mesh, machine, areAxesAlike)).second)
      texts.push_back(machine::printPlacement(placement, mesh, machine));
  llvm::sort(texts, [](llvm::StringRef a, llvm::StringRef b) {
    return std::tuple(a.count('+'), a) < std::tuple(b.count('+'), b);
  });
  texts.resize(std::min(texts.size(), most));
  return texts;
}

/// Looks at a placement with the plans of the best of `trials`. It is added if it is clearly better than that one.
static void tryUnnested(const TrialSetting &on, const Mesh &mesh, const std::string &text,
                        std::vector<MeshTrial> &trials) {
  auto isLess = [](const MeshTrial &a, const MeshTrial &b) { return a.rating < b.rating; };
  const MeshTrial &best = *llvm::min_element(trials, isLess);
  Result<ProbedTrial> looked = probe(on, mesh, text, TrialEffort::Look, best.plans);
  if (!looked || !isNear(looked->trial, best))
    return;
  Result<ProbedTrial> found = probe(on, mesh, text, TrialEffort::Glance, looked->trial.plans);
  if (found && isClearlyBetter(found->trial, best))
    trials.push_back(std::move(found->trial));
}

Result<std::vector<MeshTrial>> searchPlacements(const Analysis &analysis, const Mesh &mesh, const Schedule &schedule,
                                                const SearchSetting &setting, const SearchWatch &watch) {
  bool areAxesAlike = areAxesFree(analysis.getGraph(), schedule);
  std::vector<std::string> nestings = listNestings(mesh, setting.machine, areAxesAlike);
  std::vector<std::string> others = listUnnested(mesh, setting.machine, areAxesAlike, nestings);
  std::vector<MeshTrial> trials;
  if (nestings.size() + others.size() < 2)
    return trials;
  TrialSetting on{analysis, schedule, setting, watch};
  for (std::string &text : nestings) {
    if (isInterrupted())
      break;
    // A single one is only there for others to begin with.
    TrialEffort effort = nestings.size() > 1 ? TrialEffort::Search : TrialEffort::Glance;
    Result<ProbedTrial> probed = probe(on, mesh, std::move(text), effort, {});
    if (!probed)
      return probed.error();
    trials.push_back(std::move(probed->trial));
  }
  for (const std::string &text : others)
    if (!trials.empty() && !isInterrupted())
      tryUnnested(on, mesh, text, trials);
  return trials.size() < 2 ? std::vector<MeshTrial>() : sortTrials(std::move(trials), isClearlyBetter);
}

MeshTrial *findRowMajor(std::vector<MeshTrial> &trials, const Machine &machine) {
  if (trials.empty() || !llvm::all_of(trials, [&](const MeshTrial &each) { return each.mesh == trials.front().mesh; }))
    return nullptr;
  Result<Placement> rowMajor = placeRowMajor(trials.front().mesh, machine);
  for (MeshTrial &trial : trials)
    if (Result<Placement> placed = parsePlacement(trial.placement, trial.mesh, machine);
        rowMajor && placed && *placed == *rowMajor)
      return &trial;
  return nullptr;
}

bool isBetter(const SearchedSchedule &a, const SearchedSchedule &b, const SearchOptions &options) {
  Result<std::vector<Goal>> goals = parseGoals(options.goals);
  if (!goals || a.found.empty() || b.found.empty())
    return false;
  auto rate = [&](const FoundTactics &found) { return computeRating(*goals, found.cost, found.limitBytes); };
  return rate(a.found.back()) < rate(b.found.back());
}

} // namespace partita::search
