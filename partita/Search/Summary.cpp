//===- Summary.cpp - a plan's strategy in one line ------------------------===//

#include "partita/Search/Summary.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace partita::search {

namespace {

/// Smaller shares of the work that an axis splits, and of the bytes of parameters, are not mentioned.
constexpr double leastWork = 0.05, leastBytes = 0.1;

/// A small map that keeps the order of insertion.
template <typename Key, typename Value> struct SmallTable {
  std::vector<std::pair<Key, Value>> entries;

  Value &operator[](const Key &key) {
    auto found = llvm::find_if(entries, [&](const auto &entry) { return entry.first == key; });
    return found == entries.end() ? entries.emplace_back(key, Value()).second : found->second;
  }
  bool contains(const Key &key) const {
    return llvm::any_of(entries, [&](const auto &entry) { return entry.first == key; });
  }
};

/// The use of one axis of the mesh with all its sub-axes.
struct AxisUse {
  /// The work of the contractions that it splits, by the color they are split along; an invalid color for dims without
  /// one.
  SmallTable<ColorId, double> work;
  /// The bytes of arguments that it splits along other colors than those.
  double parameterBytes = 0, stateBytes = 0;
};

class Summarizer {
public:
  Summarizer(const Assignment &assignment, const Multiplicity &multiplicity, const ArgumentGroups &groups,
             const Colors &colors)
      : assignment(assignment), topology(assignment.getTopology()), graph(assignment.getGraph()),
        multiplicity(multiplicity), groups(groups), colors(colors), uses(assignment.getAxes().mesh.axes.size()) {}

  std::string run();

private:
  void addWork(OpId op);
  void addArgument(CellId cell);
  ColorId findColor(OpFactorId opFactor) const;
  /// Most work first.
  std::vector<std::string> listWords(const AxisUse &use) const;
  std::string describeKept(const AxisUse &use) const;

  const Assignment &assignment;
  const Topology &topology;
  const Graph &graph;
  const Multiplicity &multiplicity;
  const ArgumentGroups &groups;
  const Colors &colors;
  std::vector<AxisUse> uses;
  double parameterBytes = 0, stateBytes = 0;
};

} // namespace

/// The first named color among the dims of a factor.
ColorId Summarizer::findColor(OpFactorId opFactor) const {
  ColorId found;
  for (const FactorDim &entry : topology.getDims(opFactor)) {
    ColorId color = colors.ofDim[entry.dim];
    if (color.isValid() && !colors.list[color].word.empty())
      return color;
    if (!found.isValid())
      found = color;
  }
  return found;
}

void Summarizer::addWork(OpId op) {
  const Op &info = graph.ops[op];
  NodeId node = topology.getNode(op);
  double work = double(info.flops) * double(std::max<int64_t>(1, graph.getMultiplicity(info.region))) *
                double(multiplicity.get(op));
  for (AxisId axis : idRange<AxisId>(assignment.getAxes().size()))
    if (uint8_t factor = assignment.getFactor(node, axis); factor < sumFactor)
      uses[assignment.getAxes()[axis].meshAxis].work[findColor(topology.getOpFactor(node, factor))] += work;
}

void Summarizer::addArgument(CellId cell) {
  GroupId id = groups.ofCell[cell];
  if (!id.isValid())
    return;
  const ArgumentGroup &group = groups.list[id];
  bool isParameter = group.kind == GroupKind::Parameter;
  if (!isParameter && group.kind != GroupKind::OptimizerState)
    return;
  double bytes = double(group.bytes) / double(group.members.size());
  (isParameter ? parameterBytes : stateBytes) += bytes;
  Sharding sharding = assignment.getCellSharding(cell);
  llvm::SmallDenseSet<uint32_t, 4> counted;
  for (auto [dim, axes] : llvm::enumerate(sharding.dims)) {
    ColorId color = colors.ofDim[topology.getDim(cell, static_cast<uint32_t>(dim))];
    for (AxisId axis : axes) {
      uint32_t meshAxis = assignment.getAxes()[axis].meshAxis;
      AxisUse &use = uses[meshAxis];
      bool isOfWork = color.isValid() && use.work.contains(color);
      if (!isOfWork && counted.insert(meshAxis).second)
        (isParameter ? use.parameterBytes : use.stateBytes) += bytes;
    }
  }
}

std::vector<std::string> Summarizer::listWords(const AxisUse &use) const {
  double total = 0;
  SmallTable<std::string, double> byWord;
  for (auto [color, work] : use.work.entries) {
    total += work;
    byWord[color.isValid() ? getPhrase(colors.list[color]) : "inner dims"] += work;
  }
  llvm::sort(byWord.entries,
             [](const auto &a, const auto &b) { return std::tie(b.second, a.first) < std::tie(a.second, b.first); });
  std::vector<std::string> words;
  for (auto &[word, work] : byWord.entries)
    if (work >= total * leastWork)
      words.push_back(word);
  return words;
}

std::string Summarizer::describeKept(const AxisUse &use) const {
  bool hasParameters = parameterBytes > 0 && use.parameterBytes >= parameterBytes * leastBytes;
  bool hasState = stateBytes > 0 && use.stateBytes >= stateBytes * leastBytes;
  if (hasParameters)
    return hasState ? "parameters and optimizer state" : "parameters";
  return hasState ? "optimizer state" : "";
}

std::string Summarizer::run() {
  for (OpId op : idRange<OpId>(graph.ops.size()))
    if (graph.ops[op].opClass == OpClass::Contraction)
      addWork(op);
  for (CellId cell : graph.arguments)
    addArgument(cell);
  // Axes with the same use share one phrase.
  SmallTable<std::string, std::vector<std::string>> axesOf;
  const std::vector<MeshAxis> &axes = assignment.getAxes().mesh.axes;
  for (size_t i = 0; i < axes.size(); ++i)
    if (std::vector<std::string> words = listWords(uses[i]); !words.empty())
      axesOf[llvm::join(words, ", ")].push_back(axes[i].name);
  for (size_t i = 0; i < axes.size(); ++i)
    if (std::string words = describeKept(uses[i]); !words.empty())
      axesOf[words].push_back(axes[i].name);
  std::string text;
  for (const auto &[words, names] : axesOf.entries)
    text += (text.empty() ? "" : "; ") + words + " over " + llvm::join(names, ", ");
  return text;
}

std::string summarizeAssignment(const Assignment &assignment, const Multiplicity &multiplicity,
                                const ArgumentGroups &groups, const Colors &colors) {
  return Summarizer(assignment, multiplicity, groups, colors).run();
}

} // namespace partita::search
