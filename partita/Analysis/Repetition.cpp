//===- Repetition.cpp - finds layers that repeat --------------------------===//
//
// Ops with equal surroundings (StructuralHash.h) are candidates for the same op
// in different layers. For one class of candidates after the other, most work
// first, a map grows from a pair in the middle of the class: first from
// neighbors in program order, then from ops two apart, and so on, for layers of
// several kinds that alternate, until one period gives a good map. Where a map
// tears ops from their layers, it also grows without serial sums; the map of
// which more ops can be elided counts.
//
//===----------------------------------------------------------------------===//

#include "partita/Analysis/Repetition.h"

#include "partita/Analysis/LayerElision.h"
#include "partita/Analysis/RepetitionMap.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <optional>

namespace partita::analysis {

namespace {

/// Ops with equal surroundings, in program order.
struct Candidate {
  std::vector<OpId> ops;
  /// Their flops and bytes together.
  double work = 0;
};

/// In which no item of the graph repeats.
Repetition makeEmptyRepetition(const Graph &graph) {
  Repetition empty;
  empty.nextOps.resize(graph.ops.size());
  empty.nextCells.resize(graph.cells.size());
  empty.nextRegions.resize(graph.regions.size());
  empty.opMaps.resize(graph.ops.size());
  empty.cellMaps.resize(graph.cells.size());
  empty.regionMaps.resize(graph.regions.size());
  return empty;
}

class RepetitionFinder {
public:
  RepetitionFinder(const Topology &topology, RepetitionUse use)
      : topology(topology), graph(topology.getGraph()), use(use), structuralHash(topology),
        result(makeEmptyRepetition(graph)) {
    claimed.ops.resize(graph.ops.size(), 0);
    claimed.cells.resize(graph.cells.size(), 0);
    claimed.regions.resize(graph.regions.size(), 0);
  }

  Repetition run();

private:
  std::vector<Candidate> collectCandidates() const;
  double computeWork(OpId op) const;
  bool tryCandidate(const Candidate &candidate);
  /// How many ops can be elided if the map is good; nullopt if it is not.
  std::optional<size_t> judge(const RepetitionMap &map) const;
  /// The better of the maps with and without serial sums; nullopt if none is good.
  std::optional<RepetitionMap> grow(OpId from, OpId to);
  bool leadsOn(const LayerChains &chains) const;
  void take(const RepetitionMap &map);
  static void add(const RepetitionMap &map, RepetitionMapId id, Repetition &to);

  const Topology &topology;
  const Graph &graph;
  RepetitionUse use;
  StructuralHash structuralHash;
  ClaimedItems claimed;
  Repetition result;
  size_t numTries = 0;
};

/// Growing a map takes time linear in the program, so the number of tries is limited.
constexpr size_t maxTries = 48;
/// The most kinds of layers that may alternate.
constexpr size_t maxPeriod = 12;
/// A map of fewer ops than this is not worth it.
constexpr size_t minPairs = 8;

} // namespace

double RepetitionFinder::computeWork(OpId op) const {
  double bytes = 0;
  for (CellId cell : graph.getResults(op))
    bytes += static_cast<double>(graph.getBytes(cell));
  return static_cast<double>(graph.ops[op].flops) + bytes;
}

std::vector<Candidate> RepetitionFinder::collectCandidates() const {
  std::vector<Candidate> candidates;
  llvm::DenseMap<uint64_t, size_t> known;
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    if (graph.ops[op].phase != Phase::Forward || graph.ops[op].numUses == 0)
      continue;
    // A DenseMap reserves two keys for empty entries.
    auto [found, isNew] = known.try_emplace(structuralHash.getFarHash(op) >> 1, candidates.size());
    if (isNew)
      candidates.emplace_back();
    candidates[found->second].ops.push_back(op);
  }
  llvm::erase_if(candidates, [](const Candidate &candidate) { return candidate.ops.size() < 2; });
  for (Candidate &candidate : candidates)
    candidate.work = computeWork(candidate.ops.front()) * static_cast<double>(candidate.ops.size());
  llvm::sort(candidates, [](const Candidate &a, const Candidate &b) {
    return a.work != b.work ? a.work > b.work : a.ops.front() < b.ops.front();
  });
  return candidates;
}

void RepetitionFinder::add(const RepetitionMap &map, RepetitionMapId id, Repetition &to) {
  auto addAll = [&](const auto &from, auto &next, auto &maps) {
    for (uint32_t i = 0; i < from.size(); ++i) {
      auto item = std::remove_cvref_t<decltype(from.raw()[0])>(i);
      if (auto target = from[item]; target.isValid()) {
        next[item] = target;
        maps[item] = maps[target] = id;
      }
    }
  };
  addAll(map.nextOps, to.nextOps, to.opMaps);
  addAll(map.nextCells, to.nextCells, to.cellMaps);
  addAll(map.nextRegions, to.nextRegions, to.regionMaps);
  to.numMaps = id.get() + 1;
}

/// Whether one layer uses a value of another. Branches that look the same, such as the matrices of a gate, repeat as
/// well, but are not layers, and may be split differently.
bool RepetitionFinder::leadsOn(const LayerChains &chains) const {
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    ItemId item = chains.getItem(op);
    if (!chains.getChain(item).isValid())
      continue;
    for (CellId cell : graph.getOperands(op)) {
      ItemId source = chains.getItem(cell);
      if (chains.getChain(source).isValid() && chains.getPosition(source) != chains.getPosition(item))
        return true;
    }
  }
  return false;
}

/// A good map really moves by layers: almost no op is torn, and if there are enough layers to elide some, and they
/// shall be elided, most ops can be.
std::optional<size_t> RepetitionFinder::judge(const RepetitionMap &map) const {
  if (map.numPairs < minPairs || map.numTorn * 5 > map.numPairs)
    return std::nullopt;
  Repetition alone = makeEmptyRepetition(graph);
  add(map, RepetitionMapId(0), alone);
  LayerElision elision(topology, alone, /*margin=*/1);
  if (!leadsOn(elision.getChains()))
    return std::nullopt;
  const ElisionWindow &window = elision.getWindow(RepetitionMapId(0));
  if (window.count <= 0 || elision.getChains().getNumLayers(RepetitionMapId(0)) <= 2 * window.numKept)
    return window.countRemoved();
  size_t numLayers = static_cast<size_t>(window.count) + 2 * static_cast<size_t>(window.numKept);
  if (use == RepetitionUse::Elide && window.opsPerLayer * numLayers * 2 <= window.numRepeated)
    return std::nullopt;
  return window.countRemoved();
}

std::optional<RepetitionMap> RepetitionFinder::grow(OpId from, OpId to) {
  auto growOne = [&](SerialSums serialSums) {
    ++numTries;
    return growRepetitionMap(topology, structuralHash, claimed, from, to, serialSums);
  };
  RepetitionMap moved = growOne(SerialSums::Move);
  std::optional<size_t> numElided = judge(moved);
  if (moved.numTorn > 0) {
    // A sum that moves along with its layers is exact, so without it a tenth more has to be elided.
    RepetitionMap other = growOne(SerialSums::Stay);
    std::optional<size_t> numOthers = judge(other);
    if (numOthers && *numOthers > numElided.value_or(0) / 10 * 11)
      return other;
  }
  return numElided ? std::optional(std::move(moved)) : std::nullopt;
}

void RepetitionFinder::take(const RepetitionMap &map) {
  add(map, RepetitionMapId(result.numMaps), result);
  for (OpId op : idRange<OpId>(graph.ops.size()))
    claimed.ops[op] = result.opMaps[op].isValid();
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    claimed.cells[cell] = result.cellMaps[cell].isValid();
  for (RegionId region : idRange<RegionId>(graph.regions.size()))
    claimed.regions[region] = result.regionMaps[region].isValid();
}

bool RepetitionFinder::tryCandidate(const Candidate &candidate) {
  size_t count = candidate.ops.size();
  for (size_t period = 1; period <= maxPeriod && period < count && numTries < maxTries; ++period) {
    size_t middle = (count - period) / 2;
    OpId from = candidate.ops[middle], to = candidate.ops[middle + period];
    if (!structuralHash.areAlike(from, to))
      continue;
    if (std::optional<RepetitionMap> map = grow(from, to)) {
      take(*map);
      return true;
    }
  }
  return false;
}

Repetition RepetitionFinder::run() {
  for (const Candidate &candidate : collectCandidates()) {
    auto isClaimed = [&](OpId op) { return claimed.ops[op] != 0; };
    if (numTries >= maxTries || llvm::any_of(candidate.ops, isClaimed))
      continue;
    tryCandidate(candidate);
  }
  return std::move(result);
}

Repetition findRepetition(const Topology &topology, RepetitionUse use) { return RepetitionFinder(topology, use).run(); }

} // namespace partita::analysis
