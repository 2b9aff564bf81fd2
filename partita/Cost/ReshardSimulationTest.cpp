//===- ReshardSimulationTest.cpp - every plan, executed and compared ------===//
//
// Devices hold pieces of an array of element numbers, each with a count of the
// contributions that it is the sum of. The test executes every plan between any
// two shardings on small meshes step by step. It compares the plan's cost with
// the cheapest path in the whole graph of shardings, in which the possible
// steps are defined independently, as a relation between two shardings.
//
//===----------------------------------------------------------------------===//

#include "partita/Cost/DeviceGroups.h"
#include "partita/Cost/ReshardPlanBuilder.h"
#include "partita/Cost/StepPrograms.h"
#include "partita/Machine/Reduce/Synthesis.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace partita::cost {
namespace {

using Shape = llvm::SmallVector<int64_t>;

/// An element, and how often each device of the partial axes has contributed, in four bits each.
struct Entry {
  int64_t element = 0;
  uint64_t counts = 0;
  bool operator==(const Entry &) const = default;
};

struct Piece {
  Shape shape;
  std::vector<Entry> entries;
  bool operator==(const Piece &) const = default;
};

int64_t countElements(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

Shape getCoordinates(llvm::ArrayRef<int64_t> shape, int64_t position) {
  Shape at(shape.size());
  for (size_t dim = shape.size(); dim-- > 0; position /= shape[dim])
    at[dim] = position % shape[dim];
  return at;
}

int64_t getPosition(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> at) {
  int64_t position = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    position = position * shape[dim] + at[dim];
  return position;
}

/// The `index`-th of `count` equal parts along `dim`.
Piece slice(const Piece &piece, uint32_t dim, int64_t count, int64_t index) {
  Piece part{piece.shape, {}};
  part.shape[dim] /= count;
  for (int64_t i = 0; i < countElements(part.shape); ++i) {
    Shape at = getCoordinates(part.shape, i);
    at[dim] += index * part.shape[dim];
    part.entries.push_back(piece.entries[getPosition(piece.shape, at)]);
  }
  return part;
}

Piece concatenate(const std::vector<Piece> &pieces, uint32_t dim) {
  Piece whole{pieces[0].shape, {}};
  whole.shape[dim] *= static_cast<int64_t>(pieces.size());
  for (int64_t i = 0; i < countElements(whole.shape); ++i) {
    Shape at = getCoordinates(whole.shape, i);
    const Piece &piece = pieces[at[dim] / pieces[0].shape[dim]];
    at[dim] %= piece.shape[dim];
    whole.entries.push_back(piece.entries[getPosition(piece.shape, at)]);
  }
  return whole;
}

Piece add(const std::vector<Piece> &pieces) {
  Piece sum = pieces[0];
  for (size_t p = 1; p < pieces.size(); ++p)
    for (size_t i = 0; i < sum.entries.size(); ++i) {
      EXPECT_EQ(sum.entries[i].element, pieces[p].entries[i].element);
      sum.entries[i].counts += pieces[p].entries[i].counts;
    }
  return sum;
}

/// The piece of device `index` of a group after a step, from the pieces of the whole group.
Piece execute(const ReshardStep &step, const std::vector<Piece> &group, size_t index) {
  int64_t count = static_cast<int64_t>(group.size()), own = static_cast<int64_t>(index);
  switch (step.kind) {
  case CollectiveKind::AllSlice:
    return slice(group[index], step.dim, count, own);
  case CollectiveKind::AllGather:
    return concatenate(group, step.dim);
  case CollectiveKind::AllToAll: {
    std::vector<Piece> parts;
    for (const Piece &piece : group)
      parts.push_back(slice(piece, step.toDim, count, own));
    return concatenate(parts, step.dim);
  }
  case CollectiveKind::AllReduce:
    return add(group);
  case CollectiveKind::ReduceScatter:
    return slice(add(group), step.dim, count, own);
  case CollectiveKind::CollectivePermute:
    break;
  }
  ADD_FAILURE();
  return {};
}

class Simulation {
public:
  Simulation(const Axes &axes, llvm::ArrayRef<int64_t> shape, const PartialSharding &from)
      : axes(axes), shape(shape), contributors(from.partial) {
    sharding = from;
    devices = make(from);
  }

  /// The pieces that `sharding` means, device by device.
  std::vector<Piece> make(const PartialSharding &sharding) const {
    std::vector<Piece> pieces;
    for (int64_t device = 0; device < axes.mesh.getNumDevices(); ++device) {
      Piece piece{getLocalShape(axes, shape, sharding.sharding), {}};
      for (int64_t i = 0; i < countElements(piece.shape); ++i) {
        Shape at = getCoordinates(piece.shape, i);
        for (size_t dim = 0; dim < shape.size(); ++dim)
          at[dim] += getIndex(sharding.sharding.dims[dim], device) * piece.shape[dim];
        piece.entries.push_back({getPosition(shape, at), getCounts(sharding, device)});
      }
      pieces.push_back(std::move(piece));
    }
    return pieces;
  }

  void run(const ReshardStep &step) {
    std::vector<Piece> next(devices.size());
    if (step.kind == CollectiveKind::CollectivePermute) {
      std::vector<int64_t> sources = computeSources(axes, sharding.sharding, step.after.sharding);
      std::vector<bool> seen(devices.size());
      for (size_t device = 0; device < devices.size(); ++device) {
        next[device] = devices[sources[device]];
        EXPECT_FALSE(seen[sources[device]]);
        seen[sources[device]] = true;
      }
    } else {
      for (const std::vector<int64_t> &group : computeGroups(axes, step.axes)) {
        std::vector<Piece> pieces;
        for (int64_t device : group)
          pieces.push_back(devices[device]);
        for (size_t i = 0; i < group.size(); ++i)
          next[group[i]] = execute(step, pieces, i);
      }
    }
    devices = std::move(next);
    sharding = step.after;
  }

  std::vector<Piece> devices;

private:
  int64_t getIndex(llvm::ArrayRef<AxisId> list, int64_t device) const {
    int64_t index = 0;
    for (AxisId axis : list)
      index = index * axes[axis].size + axes.getCoordinate(device, axis);
    return index;
  }

  /// Contributions of the devices that differ from this one along axes that are no longer partial.
  uint64_t getCounts(const PartialSharding &sharding, int64_t device) const {
    uint64_t counts = 0;
    for (int64_t other = 0; other < axes.mesh.getNumDevices(); ++other) {
      bool counted = true;
      for (AxisId axis : idRange<AxisId>(axes.size()))
        if (!llvm::is_contained(contributors, axis) || llvm::is_contained(sharding.partial, axis))
          counted &= axes.getCoordinate(other, axis) == axes.getCoordinate(device, axis);
      if (counted)
        counts += uint64_t(1) << (4 * getIndex(contributors, other));
    }
    return counts;
  }

  const Axes &axes;
  llvm::ArrayRef<int64_t> shape;
  llvm::SmallVector<AxisId, 2> contributors;
  PartialSharding sharding;
};

/// All shardings of a tensor that divide it, partial over any set of axes.
class Shardings {
public:
  Shardings(const Axes &axes, llvm::ArrayRef<int64_t> shape) : axes(axes), shape(shape) {
    PartialSharding sharding;
    sharding.sharding = Sharding(shape.size());
    extend(sharding, 0);
  }
  std::vector<PartialSharding> list;

private:
  bool divides(const PartialSharding &sharding) const {
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      int64_t parts = 1;
      for (AxisId axis : sharding.sharding.dims[dim])
        parts *= axes[axis].size;
      if (shape[dim] % parts != 0)
        return false;
    }
    return true;
  }

  /// Puts `axis` at every position of every dim, nowhere, or among the partial axes.
  void extend(const PartialSharding &sharding, uint32_t axis) {
    if (axis == axes.size()) {
      if (divides(sharding))
        list.push_back(sharding);
      return;
    }
    extend(sharding, axis + 1);
    PartialSharding partial = sharding;
    partial.partial.push_back(AxisId(axis));
    partial.combiner = Combiner::Add;
    extend(partial, axis + 1);
    for (size_t dim = 0; dim < shape.size(); ++dim)
      for (size_t position = 0; position <= sharding.sharding.dims[dim].size(); ++position) {
        PartialSharding placed = sharding;
        DimAxes &dimAxes = placed.sharding.dims[dim];
        dimAxes.insert(dimAxes.begin() + static_cast<std::ptrdiff_t>(position), AxisId(axis));
        extend(placed, axis + 1);
      }
  }

  const Axes &axes;
  llvm::ArrayRef<int64_t> shape;
};

bool isSubset(llvm::ArrayRef<AxisId> a, llvm::ArrayRef<AxisId> b) {
  return llvm::all_of(a, [&](AxisId axis) { return llvm::is_contained(b, axis); });
}

/// Meshes and tensors; some dims cannot take every axis.
const std::pair<const char *, Shape> cases[] = {
    {"x=2,y=2", {8}},        {"x=2,y=2", {4, 2}},     {"x=2,y=2", {2, 4, 2}},  {"x=2,y=3", {6}},
    {"x=2,y=3", {6, 12}},    {"x=2,y=3", {6, 2, 6}},  {"x=4,y=2", {8}},        {"x=4,y=2", {8, 4}},
    {"x=4,y=2", {4, 8, 2}},  {"x=2,y=2,z=2", {8}},    {"x=2,y=2,z=2", {4, 8}}, {"x=2,y=2,z=2", {4, 2, 4}},
    {"x=2,y=2,z=4", {4, 4}}, {"x=2,y=1,z=2", {4, 4}}, {"x=2,y=2", {0, 4}},
};

/// Each step leads to the sharding that it states, and the last one to the target.
void expectShardings(const Axes &axes, llvm::ArrayRef<int64_t> shape, const ReshardPlan &plan) {
  Simulation simulation(axes, shape, plan.from);
  for (const ReshardStep &step : plan.steps) {
    simulation.run(step);
    ASSERT_TRUE(simulation.devices == simulation.make(step.after))
        << axes.mesh.str() << ": " << printPartialSharding(axes, plan.from) << " to "
        << printPartialSharding(axes, plan.to) << ": " << printSteps(axes, plan);
  }
  ASSERT_TRUE(simulation.devices == simulation.make(plan.to)) << printSteps(axes, plan);
}

TEST(ReshardSimulationTest, EveryStepOfEveryPlanGivesItsSharding) {
  std::mt19937 random(7);
  size_t executed = 0;
  for (const auto &[meshText, shape] : cases) {
    Axes axes = makeAxes(*parseMesh(meshText));
    ReshardPlanner planner(axes);
    Shardings shardings(axes, shape);
    // All pairs if there are few, otherwise a sample.
    double share = std::min(1.0, 3000.0 / double(shardings.list.size() * shardings.list.size()));
    for (const PartialSharding &from : shardings.list)
      for (const PartialSharding &to : shardings.list) {
        if (!isSubset(to.partial, from.partial) || std::generate_canonical<double, 32>(random) > share)
          continue;
        expectShardings(axes, shape, planner.plan(shape, 32, from, to));
        expectShardings(axes, shape, planGreedily(axes, shape, 32, from, to));
        if (testing::Test::HasFatalFailure())
          return;
        ++executed;
      }
  }
  EXPECT_GT(executed, 8000u);
}

/// Every program of collectives over all axes, in every order of these; those that leave chunks in another order are
/// not the collective in this calculus.
std::vector<CollectiveProgram> listPrograms(const Axes &axes, StepKind goal, Synthesizer &synthesizer) {
  std::vector<CollectiveProgram> programs;
  std::vector<std::string> names;
  for (AxisId axis : idRange<AxisId>(axes.size()))
    names.push_back(axes.getName(axis));
  do
    for (const ReductionProgram &found : synthesizer.list(goal, names.size(), 60)) {
      if (found.isReordered || found.steps.size() < 2)
        continue;
      CollectiveProgram &program = programs.emplace_back();
      program.goal = goal;
      program.axes = names;
      for (const ReductionStep &step : found.steps) {
        program.steps.push_back({step.kind, {}});
        for (uint32_t factor : step.factors)
          program.steps.back().axes.push_back(names[factor]);
      }
    }
  while (std::next_permutation(names.begin(), names.end()));
  return programs;
}

bool isInSteps(const ReshardPlan &plan, const ReshardPlan &plain) { return plan.steps.size() > plain.steps.size(); }

/// Programs take the place of collectives and lead to the same sharding.
TEST(ReshardSimulationTest, ProgramsGiveTheSameShardings) {
  Synthesizer synthesizer;
  size_t executed = 0;
  for (const char *meshText : {"x=2,y=3", "x=4,y=2", "x=2,y=2,z=2"}) {
    Axes axes = makeAxes(*parseMesh(meshText));
    for (StepKind goal : {StepKind::AllReduce, StepKind::ReduceScatter, StepKind::AllGather})
      for (const CollectiveProgram &program : listPrograms(axes, goal, synthesizer)) {
        Result<std::vector<StepProgram>> bound = bindPrograms(program, axes);
        // Some programs of three axes mix the order of pieces on the way.
        ASSERT_TRUE(bound || axes.size() > 2) << bound.error().str();
        if (!bound)
          continue;
        PartialSharding whole{Sharding(2), {}, Combiner::None}, split = whole, partial = whole;
        split.sharding.dims[1].assign(bound->front().axes.begin(), bound->front().axes.end());
        for (AxisId axis : idRange<AxisId>(axes.size()))
          partial.partial.push_back(axis);
        partial.combiner = Combiner::Add;
        ReshardPlanner planner(axes), plain(axes);
        planner.setPrograms(std::move(*bound));
        const PartialSharding &from = goal == StepKind::AllGather ? split : partial;
        const PartialSharding &to = goal == StepKind::ReduceScatter ? split : whole;
        Shape shape{5, 24};
        const ReshardPlan &plan = planner.plan(shape, 32, from, to);
        expectShardings(axes, shape, plan);
        if (testing::Test::HasFatalFailure())
          return;
        executed += isInSteps(plan, plain.plan(shape, 32, from, to));
      }
  }
  EXPECT_GT(executed, 100u);
}

/// The cost of one step from one sharding to another; nullopt if there is no such step.
class Steps {
public:
  Steps(const Axes &axes, llvm::ArrayRef<int64_t> shape) : axes(axes), shape(shape) {}

  std::optional<int64_t> getSentBits(const PartialSharding &a, const PartialSharding &b) const {
    llvm::SmallVector<size_t, 4> changed;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      if (a.sharding.dims[dim] != b.sharding.dims[dim])
        changed.push_back(dim);
    if (a.partial != b.partial)
      return isSubset(b.partial, a.partial) ? getReduceBits(a, b, changed) : std::nullopt;
    std::optional<int64_t> best;
    auto offer = [&](int64_t bits) { best = best ? std::min(*best, bits) : bits; };
    if (getLocalShape(axes, shape, a.sharding) == getLocalShape(axes, shape, b.sharding))
      offer(getBits(a));
    if (changed.size() == 1 && isPrefix(a, b, changed[0]))
      offer(0);
    if (changed.size() == 1 && isPrefix(b, a, changed[0]))
      offer(getBits(b) - getBits(a));
    if (changed.size() == 2)
      for (size_t i : {0, 1})
        if (isPrefix(b, a, changed[i]) && isPrefix(a, b, changed[1 - i]) &&
            getPartSize(b, a, changed[i]) == getPartSize(a, b, changed[1 - i]))
          offer(getBits(a) - getBits(a) / countParts(getPartSize(b, a, changed[i])));
    return best;
  }

  int64_t getBits(const PartialSharding &sharding) const {
    return computeLocalBits(axes, shape, 32, sharding.sharding);
  }

private:
  std::optional<int64_t> getReduceBits(const PartialSharding &a, const PartialSharding &b,
                                       llvm::ArrayRef<size_t> changed) const {
    DimAxes reduced;
    for (AxisId axis : a.partial)
      if (!llvm::is_contained(b.partial, axis))
        reduced.push_back(axis);
    if (changed.empty())
      return 2 * (getBits(a) - getBits(a) / countParts(reduced));
    if (changed.size() > 1 || !isPrefix(a, b, changed[0]))
      return std::nullopt;
    DimAxes rest = getPartSize(a, b, changed[0]);
    llvm::sort(rest);
    return rest == reduced ? std::optional(getBits(a) - getBits(b)) : std::nullopt;
  }

  static bool isPrefix(const PartialSharding &a, const PartialSharding &b, size_t dim) {
    const DimAxes &first = a.sharding.dims[dim], &whole = b.sharding.dims[dim];
    return first.size() <= whole.size() && std::equal(first.begin(), first.end(), whole.begin());
  }
  static DimAxes getPartSize(const PartialSharding &a, const PartialSharding &b, size_t dim) {
    return DimAxes(llvm::ArrayRef(b.sharding.dims[dim]).drop_front(a.sharding.dims[dim].size()));
  }
  int64_t countParts(llvm::ArrayRef<AxisId> list) const {
    int64_t parts = 1;
    for (AxisId axis : list)
      parts *= axes[axis].size;
    return parts;
  }

  const Axes &axes;
  llvm::ArrayRef<int64_t> shape;
};

/// The cheapest paths between all shardings, by relaxing every pair.
class AllPairs {
public:
  static constexpr int64_t never = std::numeric_limits<int64_t>::max() / 4;

  AllPairs(const Axes &axes, llvm::ArrayRef<int64_t> shape, const std::vector<PartialSharding> &shardings)
      : steps(axes, shape), shardings(shardings), size(shardings.size()), edges(size * size, never) {
    for (size_t a = 0; a < size; ++a)
      for (size_t b = 0; b < size; ++b)
        if (a != b)
          edges[a * size + b] = steps.getSentBits(shardings[a], shardings[b]).value_or(never);
    sent = edges;
    for (size_t a = 0; a < size; ++a)
      sent[a * size + a] = 0;
    for (size_t via = 0; via < size; ++via)
      for (size_t a = 0; a < size; ++a)
        for (size_t b = 0; b < size; ++b)
          sent[a * size + b] = std::min(sent[a * size + b], sent[a * size + via] + sent[via * size + b]);
  }

  int64_t getSentBits(size_t from, size_t to) const { return sent[from * size + to]; }

  /// The steps of the shortest path that sends least and has no more temporaries than `limit`; `never` if there is
  /// none.
  int64_t countSteps(size_t from, size_t to, int64_t limit) const {
    std::vector<int64_t> distance(size, never);
    std::vector<size_t> front{from};
    distance[from] = 0;
    for (size_t next = 0; next < front.size(); ++next)
      for (size_t a = front[next], b = 0; b < size; ++b) {
        int64_t temporaries =
            (a == from ? 0 : steps.getBits(shardings[a])) + (b == to ? 0 : steps.getBits(shardings[b]));
        bool least = edges[a * size + b] < never &&
                     getSentBits(from, a) + edges[a * size + b] + getSentBits(b, to) == getSentBits(from, to);
        if (least && temporaries <= limit && distance[b] == never) {
          distance[b] = distance[a] + 1;
          front.push_back(b);
        }
      }
    return distance[to];
  }

private:
  Steps steps;
  const std::vector<PartialSharding> &shardings;
  size_t size;
  std::vector<int64_t> edges, sent;
};

/// Whether every axis occurs in one of the two.
bool mentionAllAxes(const Axes &axes, const PartialSharding &a, const PartialSharding &b) {
  auto mentions = [](const PartialSharding &sharding, AxisId axis) {
    return sharding.sharding.findAxis(axis) >= 0 || llvm::is_contained(sharding.partial, axis);
  };
  for (AxisId axis : idRange<AxisId>(axes.size()))
    if (!mentions(a, axis) && !mentions(b, axis))
      return false;
  return true;
}

TEST(ReshardSimulationTest, NoWayIsCheaper) {
  std::mt19937 random(11);
  size_t compared = 0, greedyWasWorse = 0;
  for (const auto &[meshText, shape] : cases) {
    Axes axes = makeAxes(*parseMesh(meshText));
    ReshardPlanner planner(axes);
    Shardings shardings(axes, shape);
    if (shardings.list.size() > 400 || countElements(shape) == 0)
      continue;
    AllPairs all(axes, shape, shardings.list);
    double share = std::min(1.0, 4000.0 / double(shardings.list.size() * shardings.list.size()));
    for (size_t a = 0; a < shardings.list.size(); ++a)
      for (size_t b = 0; b < shardings.list.size(); ++b) {
        const PartialSharding &from = shardings.list[a], &to = shardings.list[b];
        // An axis that is in neither sharding could carry shares of replicas; the planner does not use such axes.
        if (!mentionAllAxes(axes, from, to) || !isSubset(to.partial, from.partial) ||
            std::generate_canonical<double, 32>(random) > share)
          continue;
        const ReshardPlan &plan = planner.plan(shape, 32, from, to);
        auto describe = [&] {
          return std::string(meshText) + ": " + printPartialSharding(axes, from) + " to " +
                 printPartialSharding(axes, to) + ": " + printSteps(axes, plan);
        };
        ASSERT_EQ(plan.sentBits, all.getSentBits(a, b)) << describe();
        int64_t steps = static_cast<int64_t>(plan.steps.size());
        ASSERT_EQ(all.countSteps(a, b, plan.peakTemporaryBits), steps) << describe();
        if (plan.peakTemporaryBits > 0) {
          ASSERT_EQ(all.countSteps(a, b, plan.peakTemporaryBits - 1), AllPairs::never) << describe();
        }
        greedyWasWorse += planGreedily(axes, shape, 32, from, to).sentBits > plan.sentBits;
        ++compared;
      }
  }
  EXPECT_GT(compared, 3000u);
  EXPECT_GT(greedyWasWorse, 100u);
}

} // namespace
} // namespace partita::cost
