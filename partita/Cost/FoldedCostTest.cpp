//===- FoldedCostTest.cpp - folded and whole programs cost the same -------===//

#include "partita/Analysis/ArgumentGroups.h"
#include "partita/Cost/CostTracker.h"
#include "partita/Cost/UnfoldedReshards.h"
#include "partita/Machine/Placement.h"
#include "partita/Machine/Presets.h"
#include "partita/Testing/RandomLayers.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>

using namespace partita;
using namespace partita::cost;
using namespace partita::fixtures;

namespace {

struct Windows {
  int64_t issue, late;
};

/// A program and the decisions on it.
struct LayerSide {
  LayerSide(const Graph &graph, const Axes &axes)
      : topology(graph), assignment(topology, axes), propagation(assignment), planner(axes) {}

  Cost computeCost(const LiveTimes &liveTimes, const Multiplicity &multiplicity, Windows windows) {
    const Axes &axes = assignment.getAxes();
    Machine machine = *buildPreset("h100-sxm:1x4");
    machine.device.issueWindow = windows.issue;
    machine.device.lateWindow = windows.late;
    Placement placement = *placeRowMajor(axes.mesh, machine);
    CostModel model(topology, axes, machine, placement, {}, liveTimes, multiplicity);
    return evaluateCost(model, assignment, planner);
  }

  Topology topology;
  Assignment assignment;
  Propagation propagation;
  ReshardPlanner planner;
};

using CollectiveKey = std::tuple<CollectiveKind, std::vector<AxisId>, Phase, int64_t>;

/// The same decisions on the whole program and on the folded one.
class BothSides {
public:
  BothSides(Graph graph, llvm::StringRef mesh)
      : whole(std::move(graph)), axes(refineAxes(*parseMesh(mesh), whole)), one(whole, axes),
        repetition(findRepetition(one.topology)), folding(buildFolding(one.topology, repetition)),
        other(folding.graph, axes), groups(findArgumentGroups(one.topology, repetition)),
        foldedGroups(foldGroups(groups, folding)) {}

  /// Tiles a group, or pins it whole, on both sides, if possible. Returns whether both sides agree on that.
  bool act(GroupId group, uint32_t dim, AxisId axis, bool isAtomic) {
    std::optional<std::vector<DimId>> roots = findRoots(one, groups.list[group].members, dim, axis, isAtomic);
    std::optional<std::vector<DimId>> others = findRoots(other, foldedGroups.list[group].members, dim, axis, isAtomic);
    if (roots.has_value() != others.has_value())
      return false;
    if (!roots)
      return true;
    ++step;
    for (auto [side, list] : {std::pair(&one, &*roots), std::pair(&other, &*others)})
      if (isAtomic)
        for (DimId root : *list)
          side->assignment.pin(side->topology.getCell(root), axis, {PinKind::Atomic, 0}, step);
      else
        side->propagation.run(*list, axis, step);
    return true;
  }

  /// Empty, or the first node whose factor differs from that of the nodes it represents.
  std::string compareAssignments() const {
    for (OpId op : idRange<OpId>(folding.graph.ops.size()))
      for (OpId member : folding.opMembers[op])
        for (AxisId axis : idRange<AxisId>(axes.size()))
          if (other.assignment.getFactor(other.topology.getNode(op), axis) !=
              one.assignment.getFactor(one.topology.getNode(member), axis))
            return "op " + std::to_string(member.get()) + " of the whole, " + std::to_string(op.get()) +
                   " of the folded program";
    for (CellId cell : idRange<CellId>(folding.graph.cells.size()))
      for (CellId member : folding.members[cell])
        if (other.assignment.getCellSharding(cell) != one.assignment.getCellSharding(member))
          return "cell " + std::to_string(member.get());
    return "";
  }

  Cost computeWholeCost(Windows windows) { return one.computeCost(LiveTimes(one.topology), {}, windows); }
  Cost computeFoldedCost(Windows windows) {
    return other.computeCost(LiveTimes(other.topology, folding, one.topology), folding.multiplicity, windows);
  }

  std::map<CollectiveKey, int64_t> count(LayerSide &side, const Multiplicity &multiplicity) const {
    std::map<CollectiveKey, int64_t> counts;
    Reshards reshards = buildReshards(side.assignment, side.planner);
    for (const Reshard &reshard : reshards.list.raw())
      for (const ReshardStep &step : side.planner[reshard.plan].steps)
        counts[{step.kind, std::vector<AxisId>(step.axes.begin(), step.axes.end()), reshard.phase,
                step.payloadBytes}] +=
            multiplicity.get(reshard.cell) * side.topology.getGraph().getMultiplicity(reshard.region);
    return counts;
  }

  /// Empty, or how the reshards that are unfolded from the folded program differ from those of the whole one.
  std::string compareReshards() {
    Reshards expected = buildReshards(one.assignment, one.planner);
    std::optional<UnfoldedReshards> unfolded =
        unfoldReshards(folding, one.topology, buildReshards(other.assignment, other.planner));
    if (!unfolded)
      return "not unfolded";
    const Reshards &found = unfolded->reshards;
    if (found.size() != expected.size())
      return std::to_string(found.size()) + " for " + std::to_string(expected.size());
    for (ReshardId id : idRange<ReshardId>(found.size())) {
      const ReshardPlan &plan = other.planner[found[id].plan], &own = one.planner[expected[id].plan];
      Reshard same = found[id];
      same.plan = expected[id].plan;
      if (same != expected[id] || plan.from != own.from || plan.to != own.to)
        return "reshard " + std::to_string(id.get());
    }
    if (found.uses.raw() != expected.uses.raw() || found.definitions != expected.definitions)
      return "other uses";
    return "";
  }

  Graph whole;
  Axes axes;
  LayerSide one;
  Repetition repetition;
  Folding folding;
  LayerSide other;
  ArgumentGroups groups, foldedGroups;
  uint32_t step = 0;

private:
  static std::optional<std::vector<DimId>> findRoots(const LayerSide &side, llvm::ArrayRef<CellId> cells, uint32_t dim,
                                                     AxisId axis, bool isAtomic) {
    std::vector<DimId> roots;
    for (CellId cell : cells) {
      if (dim >= side.topology.getGraph().cells[cell].rank)
        return std::nullopt;
      DimId root = side.topology.getDim(cell, dim);
      std::string why =
          isAtomic ? side.propagation.explainAtomic(cell, axis) : side.propagation.explainRoot(root, axis);
      if (!why.empty())
        return std::nullopt;
      roots.push_back(root);
    }
    return roots;
  }
};

} // namespace

/// Random decisions, uniform over groups, on programs of `options`. PARTITA_WALKS scales their number, in percent.
static void checkWalks(uint64_t firstSeed, uint64_t numSeeds, const RandomLayersOptions &options) {
  if (const char *percent = std::getenv("PARTITA_WALKS"))
    numSeeds = numSeeds * std::strtoull(percent, nullptr, 10) / 100;
  for (uint64_t seed = firstSeed; seed < firstSeed + numSeeds; ++seed) {
    BothSides both(RandomLayers(seed, options).build(), "x=2,y=2");
    SCOPED_TRACE("seed " + std::to_string(seed));
    ASSERT_TRUE(both.folding.isFolded());
    ASSERT_FALSE(bool(verifyGraph(both.folding.graph))) << verifyGraph(both.folding.graph)->str();
    RandomNumbers random(seed);
    for (int i = 0; i < 5; ++i) {
      GroupId group(random.below(both.groups.list.size()));
      uint32_t dim = random.below(3);
      AxisId axis(random.below(both.axes.size()));
      ASSERT_TRUE(both.act(group, dim, axis, random.chance(20)));
      ASSERT_EQ(both.compareAssignments(), "");
      ASSERT_EQ(both.compareReshards(), "");
      ASSERT_EQ(both.count(both.one, {}), both.count(both.other, both.folding.multiplicity));
      for (Windows windows : {Windows{0, 0}, {1, 0}, {0, 2}, {2, 8}, {4, 16}}) {
        Cost whole = both.computeWholeCost(windows), folded = both.computeFoldedCost(windows);
        ASSERT_EQ(whole.computePs, folded.computePs);
        ASSERT_EQ(whole.communicationPs, folded.communicationPs);
        ASSERT_EQ(whole.exposedPs, folded.exposedPs);
        ASSERT_EQ(whole.peakBytes, folded.peakBytes) << "windows " << windows.issue << ", " << windows.late;
      }
    }
  }
}

TEST(FoldedCost, OneKindOfLayer) { checkWalks(0, 50, {7, 1, false}); }
TEST(FoldedCost, TwoKindsOfLayers) { checkWalks(1000, 25, {6, 2, false}); }
TEST(FoldedCost, ThreeKindsOfLayers) { checkWalks(2000, 15, {6, 3, false}); }
TEST(FoldedCost, FirstAndLastLayersDiffer) { checkWalks(3000, 25, {8, 1, true}); }
TEST(FoldedCost, LayersComputedAnew) { checkWalks(4000, 25, {8, 1, false, true}); }
TEST(FoldedCost, TwoKindsComputedAnew) { checkWalks(5000, 15, {7, 2, false, true}); }
TEST(FoldedCost, SumsOverLayers) { checkWalks(6000, 25, {8, 1, false, false, true}); }
TEST(FoldedCost, SumsOverLayersComputedAnew) { checkWalks(7000, 15, {8, 1, false, true, true}); }
