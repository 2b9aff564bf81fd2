//===- Overview.cpp - builds a plan's overview ----------------------------===//

#include "partita/Report/Overview.h"

#include "partita/Graph/Paths.h"
#include "partita/Graph/Places.h"
#include "partita/Report/MergedNames.h"
#include "partita/Report/PaddedBorder.h"
#include "partita/Report/PaddingText.h"
#include "partita/Report/RewriteText.h"
#include "partita/Report/SpecText.h"
#include "partita/Report/TimeBand.h"
#include "partita/Report/Units.h"
#include "partita/Search/SeedWords.h"
#include "partita/Search/Summary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

namespace partita::report {

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static int64_t countPieces(const Axes &axes, const Sharding &sharding) {
  int64_t pieces = 1;
  for (const DimAxes &dim : sharding.dims)
    for (AxisId axis : dim)
      pieces *= axes[axis].size;
  return pieces;
}

/// Whether optimizer state is sharded as its parameter is.
static bool isAsParameter(const Assignment &assignment, const ArgumentGroups &groups, CellId cell) {
  const ArgumentGroup &group = groups.list[groups.ofCell[cell]];
  if (!group.parameter.isValid())
    return false;
  llvm::ArrayRef<CellId> parameters = groups.list[group.parameter].members;
  auto place = size_t(llvm::find(group.members, cell) - group.members.begin());
  CellId parameter = parameters[place < parameters.size() ? place : 0];
  return assignment.getCellSharding(cell) == assignment.getCellSharding(parameter);
}

static std::vector<OverviewArgument> listArguments(const Plan &plan, const ArgumentGroups &groups) {
  const Graph &graph = plan.getGraph();
  std::vector<OverviewArgument> list;
  std::vector<std::vector<std::string>> members;
  std::map<std::string, size_t> known;
  for (CellId cell : graph.arguments) {
    GroupKind kind = groups.ofCell[cell].isValid() ? groups.list[groups.ofCell[cell]].kind : GroupKind::Input;
    Sharding sharding = plan.assignment.getCellSharding(cell);
    OverviewArgument argument;
    argument.kind = kind;
    argument.name = collapseNumbers(plan.program.names.getName(cell));
    argument.type = printType(graph, cell);
    argument.spec = printSpec(printSharding(plan.axes, sharding));
    argument.isAsParameter = kind == GroupKind::OptimizerState && isAsParameter(plan.assignment, groups, cell);
    std::string key =
        (getWord(kind) + argument.name + argument.type + argument.spec + (argument.isAsParameter ? "" : " alone"))
            .str();
    auto [found, isNew] = known.try_emplace(key, list.size());
    if (isNew) {
      list.push_back(std::move(argument));
      members.emplace_back();
    }
    members[found->second].push_back(plan.program.names.getName(cell));
    OverviewArgument &entry = list[found->second];
    ++entry.count;
    entry.bytes += graph.getBytes(cell);
    entry.localBytes += graph.getBytes(cell) / countPieces(plan.axes, sharding);
  }
  for (auto [entry, names] : llvm::zip_equal(list, members))
    entry.name = mergeNames(names);
  return list;
}

/// The order of kinds in the table; counters are not worth a line.
static int getRank(GroupKind kind) {
  static constexpr GroupKind order[] = {GroupKind::Parameter, GroupKind::OptimizerState, GroupKind::State,
                                        GroupKind::Input};
  const GroupKind *found = llvm::find(order, kind);
  return static_cast<int>(found - order);
}

static void sortArguments(std::vector<OverviewArgument> &arguments) {
  llvm::erase_if(arguments, [](const OverviewArgument &a) { return a.kind == GroupKind::Counter; });
  llvm::sort(arguments, [](const OverviewArgument &a, const OverviewArgument &b) {
    return std::tuple(getRank(a.kind), -a.bytes, a.name, a.type, a.spec) <
           std::tuple(getRank(b.kind), -b.bytes, b.name, b.type, b.spec);
  });
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The class of a category of the memory report.
static llvm::StringRef getClass(llvm::StringRef category) {
  if (category == "optimizer_state")
    return "optimizer state";
  if (category == "gathered_parameters" || category == "reshard_buffers")
    return "buffers";
  if (category == "arguments")
    return "inputs";
  return category;
}

static std::vector<std::pair<llvm::StringRef, int64_t>> sumMemory(const ScoreMemory &memory) {
  std::vector<std::pair<llvm::StringRef, int64_t>> classes;
  for (llvm::StringRef word :
       {"parameters", "optimizer state", "state", "gradients", "activations", "buffers", "inputs", "other"})
    classes.emplace_back(word, 0);
  for (const ScoreAlive &alive : memory.atPeak)
    for (auto &[word, bytes] : classes)
      bytes += word == getClass(alive.category) ? alive.bytes : 0;
  return classes;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

static std::vector<OverviewRow> listRows(const SearchReport &search, const Analysis &analysis) {
  std::vector<OverviewRow> rows;
  for (const VariantTrial &trial : search.variants.trials)
    if (!trial.isChosen)
      rows.push_back({"variant", describe(trial.variant), trial.timePs, trial.peakBytes});
  auto add = [&](llvm::StringRef kind, const Strategy &strategy) {
    rows.push_back({kind, strategy.name, strategy.timePs, strategy.peakBytes});
  };
  if (search.rival)
    add("rival", search.rival->strategy);
  if (search.found.empty())
    return rows;
  const FoundTactics &found = search.found.back();
  // The first shape is that of the plan.
  for (const MeshTrial &trial : llvm::ArrayRef(search.meshes).drop_front(search.meshes.empty() ? 0 : 1)) {
    bool isPlacement = trial.mesh == search.meshes.front().mesh;
    rows.push_back({isPlacement ? "placement" : "mesh", isPlacement ? trial.placement : trial.mesh.str(),
                    trial.cost.timePs, trial.cost.peakBytes});
  }
  for (const Strategy &seed : found.seeds)
    add("expert", {joinSeedWords(seed.name, hasExperts(analysis)), seed.timePs, seed.peakBytes, seed.simulatedPs});
  for (const Strategy &other : found.others)
    add("runner-up", other);
  if (found.start.timePs != found.cost.timePs || found.start.peakBytes != found.cost.peakBytes)
    add("unsplit", found.start);
  return rows;
}

//===----------------------------------------------------------------------===//
// Notes
//===----------------------------------------------------------------------===//

/// Pins decide before a search does, and may leave it nothing to find.
static void addPinNote(const Plan &plan, const SearchReport &search, std::vector<std::string> &notes) {
  if (search.found.empty() || !search.found.back().tactics.empty())
    return;
  const Graph &graph = plan.getGraph();
  auto isConstraint = [](const Op &op) { return op.role == IdentityRole::Constraint; };
  llvm::StringRef who = llvm::any_of(graph.ops.raw(), isConstraint) ? "constraints in your function (pins)" : "pins";
  if (!graph.shardings.empty())
    notes.push_back((who + " left the search no freedom: the shardings of " + llvm::Twine(graph.shardings.size()) +
                     " values are given")
                        .str());
}

/// What optional tactics of the user could not do.
static void addRefusedNotes(const Plan &plan, std::vector<std::string> &notes) {
  for (const TacticReport &tactic : plan.outcome.reports)
    if (size_t count = tactic.refused.size())
      notes.push_back("tactic " + tactic.name + " leaves out" +
                      (count > 1 ? " " + std::to_string(count) + " actions; the first: " : ": ") +
                      tactic.refused.front());
}

/// `the gradient of params['w']`, `dot_general at model.py:42`, or the name of an argument.
static std::string describeReplicated(const ScoreReplicated &entry) {
  std::string place = entry.loc.empty() ? "" : " at " + shortenLocation(entry.loc);
  if (!entry.gradientOf.empty())
    return "the gradient of " + shortenName(entry.gradientOf, 60) + place;
  if (place.empty())
    return shortenName(entry.value, 60);
  std::vector<std::string> parts = splitPlace(entry.value);
  return (parts.empty() ? entry.value : llvm::StringRef(parts.back()).split('#').first.str()) + place;
}

static bool splitsAnything(const Plan &plan) {
  for (CellId cell : idRange<CellId>(plan.getGraph().cells.size()))
    if (!plan.assignment.getCellSharding(cell).isReplicated())
      return true;
  return false;
}

/// Where something is split at all, what is not.
static void addUnsplitNote(const Plan &plan, const Score &score, std::vector<std::string> &notes) {
  if (!score.prices || score.prices->replicated.empty() || !splitsAnything(plan))
    return;
  // The largest first.
  const std::vector<ScoreReplicated> &list = score.prices->replicated;
  std::string name = describeReplicated(list.front()), bytes = printBytes(list.front().bytes);
  notes.push_back("whole on every device: " +
                  (list.size() == 1 ? name + ", " + bytes
                                    : std::to_string(list.size()) + " arrays; the largest, " + bytes + ", is " + name));
}

/// Why memory actions do not help a plan that does not fit.
static void addVariantNotes(const Score &score, const SearchReport &search, std::vector<std::string> &notes) {
  if (score.prices && score.prices->peakBytes > score.prices->limitBytes)
    llvm::append_range(notes, search.variants.notes);
}

/// State that is not donated stays in memory beside its next values, which are of the class `other` at the peak.
static void addDonationNote(const Plan &plan, const Score &score, std::vector<std::string> &notes) {
  if (!score.prices)
    return;
  const Graph &graph = plan.getGraph();
  int64_t kept = 0, next = 0;
  for (const Tie &tie : graph.ties)
    if (!llvm::is_contained(graph.donated, tie.argument))
      kept += graph.getBytes(tie.argument) / countPieces(plan.axes, plan.assignment.getCellSharding(tie.argument));
  for (const ScoreAlive &alive : score.prices->memory.atPeak)
    next += alive.category == "other" ? alive.bytes : 0;
  // A tenth of the memory is worth a line.
  if (int64_t bytes = std::min(kept, next); bytes > score.prices->peakBytes / 10)
    notes.push_back("state is not donated: up to " + printBytes(bytes) +
                    " of the peak is old state beside the new one, which donate_argnums saves");
}

std::string describeStrategy(const Plan &plan, const SearchReport &search, const Analysis &analysis,
                             const Rewrites &rewrites) {
  std::string sentence =
      summarizeAssignment(plan.assignment, Multiplicity(), analysis.getGroups(), analysis.getColors());
  auto isSplit = [&](CellId cell) { return countPieces(plan.axes, plan.assignment.getCellSharding(cell)) > 1; };
  if (sentence.empty() && llvm::any_of(plan.getGraph().arguments, isSplit))
    sentence = "hardly anything is split";
  else if (sentence.empty())
    sentence = search.found.empty() ? "nothing is split" : "nothing is split, as no split makes it better";
  std::string changes = summarizeRewrites(rewrites);
  return sentence + (changes.empty() ? "" : "; ") + changes;
}

bool hasExperts(const Analysis &analysis) {
  return llvm::any_of(analysis.getColors().list.raw(), [](const Color &color) { return color.word == "experts"; });
}

Overview buildOverview(const Plan &plan, const Score &score, const SearchReport &search, const Analysis &analysis,
                       const Rewrites &rewrites, const Price *price) {
  Overview overview;
  const ArgumentGroups &groups = analysis.getGroups();
  overview.strategy = describeStrategy(plan, search, analysis, rewrites);
  overview.memoryActions = describeRewrites(rewrites);
  overview.padding = describePadding(rewrites, plan, analysis);
  overview.arguments = listArguments(plan, groups);
  sortArguments(overview.arguments);
  if (score.prices)
    overview.memory = sumMemory(score.prices->memory);
  overview.compared = listRows(search, analysis);
  for (OverviewRow &row : overview.compared)
    row.isTooClose = score.prices && isTooClose(*score.prices, row.timePs);
  // A search decides conflicts itself; what it leaves is not worth more.
  for (const TacticReport &tactic : plan.outcome.reports)
    if (search.found.empty())
      llvm::append_range(overview.conflicts, tactic.conflicts);
  addPinNote(plan, search, overview.notes);
  if (search.found.empty())
    addRefusedNotes(plan, overview.notes);
  addUnsplitNote(plan, score, overview.notes);
  addDonationNote(plan, score, overview.notes);
  addVariantNotes(score, search, overview.notes);
  if (std::string border = describeBorder(findPaddedBorder(plan, price)); !border.empty())
    overview.notes.push_back(std::move(border));
  if (std::string placing = describePlacing(score); !placing.empty())
    overview.notes.push_back(std::move(placing));
  llvm::append_range(overview.notes, describeReductions(score));
  for (std::string moved : {describePieces(score), describeRotated(score)})
    if (!moved.empty())
      overview.notes.push_back(std::move(moved));
  return overview;
}

} // namespace partita::report
