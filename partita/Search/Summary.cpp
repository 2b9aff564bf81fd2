//===- Summary.cpp - a plan's strategy in one sentence --------------------===//

#include "partita/Search/Summary.h"

#include "partita/Search/AxisUses.h"
#include "partita/Support/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <set>

namespace partita::search {

namespace {

/// Larger shares of the bytes of parameters are all of them, but for small parameters.
constexpr double mostBytes = 0.9;

/// What is split over the same axes.
struct Phrase {
  std::vector<std::string> words;
  std::vector<AxisId> axes;
  double work = 0;
};

/// The axes over which arguments of a kind are stored in parts, each with its percentage of their bytes; 100 if these
/// are nearly all that it does not split for work.
using Shares = std::vector<std::pair<AxisId, int>>;

class Summarizer {
public:
  Summarizer(const Assignment &assignment, const Multiplicity &multiplicity, const ArgumentGroups &groups,
             const Colors &colors)
      : graph(assignment.getGraph()), axes(assignment.getAxes()), colors(colors),
        uses(findAxisUses(assignment, multiplicity, groups, colors)) {}

  std::string run();

private:
  bool hasNamedTwin(const AxisUse &use, ColorId color) const;
  std::vector<Phrase> listWork() const;
  Shares listShares(StoredBytes AxisUse::*kind, double bytes) const;
  std::string describeShares(const std::string &word, const Shares &shares);
  void addKept(std::vector<std::string> &parts);
  void addUnused(std::vector<std::string> &parts) const;
  /// `data and model`; `both` or `all axes` if the sentence has named all of them before.
  std::string nameAxes(llvm::ArrayRef<AxisId> list);
  std::string print(const Phrase &phrase) { return joinWords(phrase.words) + " over " + nameAxes(phrase.axes); }

  const Graph &graph;
  const Axes &axes;
  const Colors &colors;
  AxisUses uses;
  bool hasNamedAll = false;
};

} // namespace

/// Whether a color has no word, but another of its size that the axis splits has one: queries along the sequence, of
/// which keys are another color.
bool Summarizer::hasNamedTwin(const AxisUse &use, ColorId color) const {
  if (!color.isValid() || !colors.list[color].word.empty())
    return false;
  return llvm::any_of(use.work.entries, [&](const auto &entry) {
    return entry.first.isValid() && !colors.list[entry.first].word.empty() &&
           colors.list[entry.first].size == colors.list[color].size;
  });
}

/// The batch first, then most work first. Words with the same axes are one phrase.
std::vector<Phrase> Summarizer::listWork() const {
  SmallTable<std::string, Phrase> byWord;
  for (AxisId axis : idRange<AxisId>(uses.ofAxis.size())) {
    double total = 0;
    SmallTable<std::string, double> shares;
    for (auto [color, work] : uses.ofAxis[axis].work.entries) {
      total += work;
      if (!hasNamedTwin(uses.ofAxis[axis], color))
        shares[color.isValid() ? getPhrase(colors.list[color]) : "inner dims"] += work;
    }
    for (auto &[word, work] : shares.entries)
      if (work >= total * leastWork) {
        byWord[word].axes.push_back(axis);
        byWord[word].work += work;
      }
  }
  auto getRank = [](const auto &entry) { return std::tuple(entry.first != "batch", -entry.second.work, entry.first); };
  llvm::sort(byWord.entries, [&](const auto &a, const auto &b) { return getRank(a) < getRank(b); });
  std::vector<Phrase> phrases;
  for (auto &[word, phrase] : byWord.entries) {
    auto hasSameAxes = [axes = phrase.axes](const Phrase &other) { return other.axes == axes; };
    auto found = llvm::find_if(phrases, hasSameAxes);
    if (found == phrases.end())
      found = phrases.insert(phrases.end(), phrase);
    found->words.push_back(word);
  }
  return phrases;
}

std::string Summarizer::nameAxes(llvm::ArrayRef<AxisId> list) {
  std::vector<std::string> names;
  size_t numWhole = 0, numAxes = 0;
  for (uint32_t meshAxis = 0; meshAxis < axes.mesh.axes.size(); ++meshAxis) {
    llvm::SmallVector<AxisId> parts = axes.getParts(meshAxis);
    auto numNamed = size_t(llvm::count_if(parts, [&](AxisId axis) { return llvm::is_contained(list, axis); }));
    bool isWhole = numNamed == parts.size();
    numAxes += !parts.empty();
    numWhole += !parts.empty() && isWhole;
    if (numNamed > 0)
      names.push_back((isWhole ? "" : "part of ") + axes.mesh.axes[meshAxis].name);
  }
  bool isAll = numAxes > 1 && numWhole == numAxes;
  if (isAll && std::exchange(hasNamedAll, true))
    return numAxes == 2 ? "both" : "all axes";
  return joinWords(names);
}

Shares Summarizer::listShares(StoredBytes AxisUse::*kind, double bytes) const {
  Shares shares;
  for (AxisId axis : idRange<AxisId>(uses.ofAxis.size())) {
    const StoredBytes &stored = uses.ofAxis[axis].*kind;
    if (bytes <= 0 || stored.inParts < bytes * leastBytes)
      continue;
    bool isAll = stored.inParts >= mostBytes * (bytes - stored.atWork);
    shares.emplace_back(axis, isAll ? 100 : static_cast<int>(std::lround(100 * stored.inParts / bytes)));
  }
  auto getRank = [](const auto &share) { return std::pair(-share.second, share.first); };
  llvm::sort(shares, [&](const auto &a, const auto &b) { return getRank(a) < getRank(b); });
  return shares;
}

/// `parameters over data and model`, `parameters over model and 83% of them over data`, `52% of parameters over data`.
std::string Summarizer::describeShares(const std::string &word, const Shares &shares) {
  std::string text;
  for (llvm::ArrayRef<std::pair<AxisId, int>> rest = shares; !rest.empty();) {
    int percent = rest.front().second;
    std::vector<AxisId> list;
    for (; !rest.empty() && rest.front().second == percent; rest = rest.drop_front())
      list.push_back(rest.front().first);
    std::string part = percent == 100 ? "" : std::to_string(percent) + "% of ";
    text += (text.empty() ? part + word : " and " + part + "them") + " over " + nameAxes(list);
  }
  return text;
}

/// What is only stored in parts, and gathered before it is used.
void Summarizer::addKept(std::vector<std::string> &parts) {
  Shares ofParameters = listShares(&AxisUse::parameters, uses.parameterBytes),
         ofState = listShares(&AxisUse::state, uses.stateBytes);
  bool isTraining = llvm::any_of(graph.ops.raw(), [](const Op &op) { return op.phase != Phase::Forward; });
  auto label = [&](llvm::StringRef name) { return isTraining ? " (" + name.str() + ")" : std::string(); };
  bool isJoint = ofParameters == ofState;
  if (!ofParameters.empty())
    parts.push_back(describeShares(isJoint ? "parameters and optimizer state" : "parameters", ofParameters) +
                    label("ZeRO-3"));
  if (!ofState.empty() && !isJoint)
    parts.push_back(describeShares("optimizer state", ofState) + (ofParameters.empty() ? label("ZeRO-2") : ""));
}

void Summarizer::addUnused(std::vector<std::string> &parts) const {
  std::set<uint32_t> used;
  for (AxisId axis : idRange<AxisId>(uses.ofAxis.size()))
    if (uses.ofAxis[axis].isUsed)
      used.insert(axes[axis].meshAxis);
  std::vector<std::string> unused;
  for (uint32_t meshAxis = 0; meshAxis < axes.mesh.axes.size(); ++meshAxis)
    if (axes.mesh.axes[meshAxis].size > 1 && !used.count(meshAxis))
      unused.push_back(axes.mesh.axes[meshAxis].name);
  if (!unused.empty() && !used.empty())
    parts.push_back("nothing over " + joinWords(unused));
}

std::string Summarizer::run() {
  std::vector<std::string> parts;
  for (const Phrase &phrase : listWork())
    parts.push_back(print(phrase));
  addKept(parts);
  addUnused(parts);
  return llvm::join(parts, "; ");
}

std::string summarizeAssignment(const Assignment &assignment, const Multiplicity &multiplicity,
                                const ArgumentGroups &groups, const Colors &colors) {
  return Summarizer(assignment, multiplicity, groups, colors).run();
}

} // namespace partita::search
