//===- MeshSearch.cpp - the shape of the mesh, searched with the plan -----===//

#include "partita/Search/MeshSearch.h"

#include "partita/Machine/PlacementMatrix.h"
#include "partita/Support/Interrupt.h"

#include "llvm/ADT/STLExtras.h"

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

/// How long a trial is searched: a glance looks at seeds and completes them, to see which trials are worth a search.
enum class TrialEffort { Glance, Search };

/// Searches for a short time.
static Result<MeshTrial> probe(const TrialSetting &on, Mesh mesh, std::string placement, TrialEffort effort) {
  constexpr int64_t quickBudget = 250, glanceShare = 4;
  bool isGlance = effort == TrialEffort::Glance;
  SearchSetting quick = on.setting;
  // What a folder has is of the shape that was chosen.
  quick.search.resume.clear();
  quick.placement = placement;
  quick.search.budget = on.setting.search.budget > 0 ? on.setting.search.budget / 4 : quickBudget;
  quick.search.budget = std::max<int64_t>(1, quick.search.budget / (isGlance ? glanceShare : 1));
  // The bound's relaxed problem costs as much as hundreds of states.
  if (quick.search.stages.empty())
    quick.search.stages = isGlance ? "seeds,greedy" : "seeds,alone,greedy,refine,partial,tree";
  quick.isProbe = true;
  Result<std::vector<Goal>> goals = parseGoals(on.setting.search.goals);
  if (!goals)
    return goals.error();
  Result<SearchedSchedule> searched = searchSchedule(on.analysis, mesh, on.schedule, quick, std::nullopt, on.watch);
  if (!searched)
    return searched.error();
  if (searched->found.empty())
    return Error::usage("a schedule without automatic tactics needs a mesh").withRemedy("give one with --mesh");
  const FoundTactics &found = searched->found.back();
  return MeshTrial{std::move(mesh), std::move(placement), found.cost, found.limitBytes,
                   computeRating(*goals, found.cost, found.limitBytes)};
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
    return std::tie(a.rating, a.placement) < std::tie(b.rating, b.placement);
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

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

namespace {

/// Levels in the order in which devices are cut, and the sizes of the axes, outermost first.
struct Shape {
  std::vector<uint32_t> levels;
  std::vector<int64_t> sizes;
  bool operator<(const Shape &other) const { return std::tie(sizes, levels) < std::tie(other.sizes, other.levels); }
};

class MeshSearch {
public:
  MeshSearch(const Analysis &analysis, int64_t numDevices, const Schedule &schedule, const SearchSetting &setting,
             const SearchWatch &watch)
      : analysis(analysis), numDevices(numDevices), schedule(schedule), setting(setting), watch(watch) {}

  Result<std::vector<MeshTrial>> run();

private:
  static constexpr size_t mostAxes = 4;

  void tryShape(const Shape &shape, TrialEffort effort = TrialEffort::Glance);
  void tryCuts(const Shape &shape);
  /// The best shapes that were tried, of so many axes; of all if that is 0.
  std::vector<Shape> listBest(size_t numAxes, size_t most) const;
  /// Whether the best shape of so many axes is better than the best of fewer.
  bool isWorthCutting(size_t numAxes) const;
  std::vector<MeshTrial> list() const;

  const Analysis &analysis;
  int64_t numDevices;
  const Schedule &schedule;
  const SearchSetting &setting;
  const SearchWatch &watch;
  /// Ordered, so that of equals the first one is the same on every run.
  std::map<Shape, MeshTrial> trials;
  /// Those that cannot be placed.
  std::set<Shape> refused;
  Status firstError;
};

} // namespace

/// Names that JAX's users give axes, outermost first.
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

static Mesh makeMesh(const Shape &shape) {
  Mesh mesh;
  for (auto [name, size] : llvm::zip(nameAxes(shape.sizes.size()), shape.sizes))
    mesh.axes.push_back({name, size});
  return mesh;
}

/// The levels that each axis takes, as a user writes them; nothing if an axis ends where no level divides.
static std::optional<std::string> printPlacement(const Shape &shape, const Machine &machine) {
  std::string text;
  size_t next = 0;
  int64_t left = machine.levels[shape.levels[0]].size;
  for (auto [name, size] : llvm::zip(nameAxes(shape.sizes.size()), shape.sizes)) {
    std::string parts;
    for (int64_t rest = size; rest > 1;) {
      while (left == 1 && next + 1 < shape.levels.size())
        left = machine.levels[shape.levels[++next]].size;
      int64_t taken = std::gcd(rest, left);
      if (taken != rest && taken != left)
        return std::nullopt;
      const Level &level = machine.levels[shape.levels[next]];
      parts += (parts.empty() ? "" : "+") + level.name + (taken == level.size ? "" : ":" + std::to_string(taken));
      rest /= taken;
      left /= taken;
      if (taken == 1)
        return std::nullopt;
    }
    text += text.empty() ? "" : ",";
    text += name;
    text += "=";
    text += parts;
  }
  return text;
}

/// Orders of the levels: as they are and, if there are several dims of a torus, with these in all orders that differ in
/// their sizes.
static std::vector<std::vector<uint32_t>> listOrders(const Machine &machine) {
  std::vector<uint32_t> fixed, dims;
  for (auto [index, level] : llvm::enumerate(machine.levels))
    (level.isTorusDim() ? dims : fixed).push_back(index);
  std::set<std::vector<int64_t>> seen;
  std::vector<std::vector<uint32_t>> orders;
  do {
    std::vector<uint32_t> order = fixed;
    llvm::append_range(order, dims);
    std::vector<int64_t> sizes;
    for (uint32_t level : order)
      sizes.push_back(machine.levels[level].size);
    if (seen.insert(sizes).second)
      orders.push_back(std::move(order));
  } while (std::next_permutation(dims.begin(), dims.end()));
  return orders;
}

/// Searches the shape for a short time, unless that was done before. A search takes the place of a glance.
void MeshSearch::tryShape(const Shape &shape, TrialEffort effort) {
  bool isKnown = effort == TrialEffort::Glance && trials.count(shape);
  if (isKnown || refused.count(shape) || isInterrupted())
    return;
  std::optional<std::string> placement = printPlacement(shape, setting.machine);
  if (!placement) {
    refused.insert(shape);
    return;
  }
  Result<MeshTrial> trial = probe({analysis, schedule, setting, watch}, makeMesh(shape), std::move(*placement), effort);
  if (trial) {
    auto [entry, isNew] = trials.try_emplace(shape, *trial);
    if (trial->rating < entry->second.rating)
      entry->second = std::move(*trial);
    return;
  }
  if (!firstError)
    firstError = trial.error();
  refused.insert(shape);
}

/// Tries all shapes that cut one axis of `shape` once more.
void MeshSearch::tryCuts(const Shape &shape) {
  for (size_t axis = 0; axis < shape.sizes.size(); ++axis)
    for (int64_t outer = 2; outer <= shape.sizes[axis] / 2; ++outer) {
      if (shape.sizes[axis] % outer != 0)
        continue;
      Shape cut = shape;
      cut.sizes[axis] /= outer;
      cut.sizes.insert(cut.sizes.begin() + axis, outer);
      tryShape(cut);
    }
}

std::vector<Shape> MeshSearch::listBest(size_t numAxes, size_t most) const {
  std::vector<const std::pair<const Shape, MeshTrial> *> entries;
  for (const auto &entry : trials)
    if (numAxes == 0 || entry.first.sizes.size() == numAxes)
      entries.push_back(&entry);
  llvm::sort(entries, [](const auto *a, const auto *b) {
    return std::tie(a->second.rating, a->second.placement) < std::tie(b->second.rating, b->second.placement);
  });
  std::vector<Shape> best;
  for (const auto *entry : llvm::ArrayRef(entries).take_front(most))
    best.push_back(entry->first);
  return best;
}

bool MeshSearch::isWorthCutting(size_t numAxes) const {
  std::vector<Shape> best = listBest(0, 1);
  return !best.empty() && best.front().sizes.size() >= numAxes;
}

std::vector<MeshTrial> MeshSearch::list() const {
  std::vector<MeshTrial> result;
  for (size_t numAxes = 1; numAxes <= mostAxes; ++numAxes)
    for (const auto &[shape, trial] : trials)
      if (shape.sizes.size() == numAxes)
        result.push_back(trial);
  // An axis more is something to understand, so it has to bring something.
  return sortTrials(std::move(result), [](const MeshTrial &trial, const MeshTrial &best) {
    bool isLarger = trial.mesh.axes.size() > best.mesh.axes.size();
    return isLarger ? isClearlyBetter(trial, best) : trial.rating < best.rating;
  });
}

Result<std::vector<MeshTrial>> MeshSearch::run() {
  // So many shapes of each number of axes are cut once more; and of all, so many are searched.
  constexpr size_t mostCut = 2, mostSearched = 3;
  if (!hasAutomaticTactics(schedule))
    return Error::usage("a schedule without automatic tactics needs a mesh").withRemedy("give one with --mesh");
  if (Result<Placement> placed = placeRowMajor(Mesh{{{"data", numDevices}}}, setting.machine); !placed)
    return placed.error();
  for (const std::vector<uint32_t> &order : listOrders(setting.machine)) {
    Shape whole{order, {numDevices}};
    tryShape(whole);
    tryCuts(whole);
  }
  for (size_t numAxes = 2; numAxes < mostAxes && isWorthCutting(numAxes); ++numAxes)
    for (const Shape &shape : listBest(numAxes, mostCut))
      tryCuts(shape);
  for (const Shape &shape : listBest(0, mostSearched))
    tryShape(shape, TrialEffort::Search);
  if (trials.empty())
    return std::move(*firstError);
  return list();
}

Result<std::vector<MeshTrial>> searchMeshes(const Analysis &analysis, int64_t numDevices, const Schedule &schedule,
                                            const SearchSetting &setting, const SearchWatch &watch) {
  return MeshSearch(analysis, numDevices, schedule, setting, watch).run();
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

Result<std::vector<MeshTrial>> searchPlacements(const Analysis &analysis, const Mesh &mesh, const Schedule &schedule,
                                                const SearchSetting &setting, const SearchWatch &watch) {
  // Without other tactics and given shardings, nothing tells axes of one size apart.
  bool areAxesAlike =
      schedule.tactics.size() == 1 && schedule.shardings.empty() && analysis.getGraph().shardings.empty();
  std::vector<std::string> texts = listNestings(mesh, setting.machine, areAxesAlike);
  std::vector<MeshTrial> trials;
  if (texts.size() < 2)
    return trials;
  for (std::string &text : texts) {
    if (isInterrupted())
      break;
    Result<MeshTrial> trial = probe({analysis, schedule, setting, watch}, mesh, std::move(text), TrialEffort::Search);
    if (!trial)
      return trial.error();
    trials.push_back(std::move(*trial));
  }
  return trials.empty() ? trials : sortTrials(std::move(trials), isClearlyBetter);
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
