//===- FoldedTimeline.cpp - a timeline small enough to be drawn -----------===//

#include "partita/Report/FoldedTimeline.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

namespace partita::report {

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

namespace {

class LaneAssigner {
public:
  LaneAssigner(const Price &price, const Timeline &timeline)
      : plan(price.plan), graph(plan.getGraph()), timeline(timeline) {
    for (const ExistingCollective &existing : plan.existing)
      opLanes.try_emplace(existing.op, llvm::join(existing.getAxes(plan.getMesh()), " + "));
  }

  LaneEvents run() {
    result.totalPs = timeline.totalPs;
    result.lanes.push_back("compute");
    for (const TimelineEvent &event : timeline.events)
      result.events.push_back(describe(event));
    return std::move(result);
  }

private:
  LaneEvent describe(const TimelineEvent &event);
  void describeOp(OpId id, LaneEvent &event);
  void describeReshard(ReshardId id, LaneEvent &event);
  uint32_t getLane(const std::string &axes);

  const Plan &plan;
  const Graph &graph;
  const Timeline &timeline;
  std::map<OpId, std::string> opLanes;
  LaneEvents result;
};

} // namespace

uint32_t LaneAssigner::getLane(const std::string &axes) {
  auto found = llvm::find(result.lanes, axes);
  if (found == result.lanes.end())
    found = result.lanes.insert(found, axes);
  return found - result.lanes.begin();
}

void LaneAssigner::describeOp(OpId id, LaneEvent &event) {
  const Op &op = graph.ops[id];
  event.region = op.region;
  event.name = graph.getName(op.name).empty() ? graph.getName(op.opName).str() : graph.getName(op.name).str();
  event.loc = graph.getName(op.location).str();
  if (auto found = opLanes.find(id); found != opLanes.end())
    event.lane = getLane(found->second);
}

void LaneAssigner::describeReshard(ReshardId id, LaneEvent &event) {
  const Reshard &reshard = plan.reshards[id];
  const ReshardPlan &steps = plan.planner[reshard.plan];
  const Cell &cell = graph.cells[reshard.cell];
  llvm::SmallVector<AxisId, 4> axes;
  for (const ReshardStep &step : steps.steps)
    if (step.kind != CollectiveKind::AllSlice)
      axes.append(step.axes.begin(), step.axes.end());
  llvm::sort(axes);
  axes.erase(llvm::unique(axes), axes.end());
  event.region = reshard.region;
  event.name = printSteps(plan.axes, steps) + " of " + graph.getName(cell.name).str();
  event.loc = graph.getName(reshard.op.isValid() ? graph.ops[reshard.op].location : cell.location).str();
  // Slices alone send nothing.
  event.lane = getLane(axes.empty() ? "local slices" : llvm::join(getNames(plan.axes, axes), " + "));
}

LaneEvent LaneAssigner::describe(const TimelineEvent &event) {
  LaneEvent own{0, event.startPs, event.endPs, RegionId(), "", "", event.iterations};
  if (event.op.isValid()) {
    describeOp(event.op, own);
  } else if (event.reshard.isValid()) {
    describeReshard(event.reshard, own);
  } else {
    own.region = event.loop;
    own.name = llvm::formatv("{0} more iterations", event.iterations).str();
    own.loc = graph.getName(graph.regions[event.loop].location).str();
  }
  return own;
}

LaneEvents assignLanes(const Price &price, const Timeline &timeline) { return LaneAssigner(price, timeline).run(); }

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

namespace {

class Folder {
public:
  Folder(const Graph &graph, const LaneEvents &given, const FoldOptions &options)
      : graph(graph), given(given), options(options) {}

  FoldedTimeline run();

private:
  uint32_t getString(llvm::StringRef text);
  uint32_t getBlock(RegionId region, int64_t startPs);
  void add(const LaneEvent &event);
  void closeBlocks();

  const Graph &graph;
  const LaneEvents &given;
  const FoldOptions &options;
  FoldedTimeline result;
  llvm::StringMap<uint32_t> strings;
  /// The block of each loop that is running, by its body.
  std::map<RegionId, uint32_t> open;
};

} // namespace

uint32_t Folder::getString(llvm::StringRef text) {
  auto [entry, isNew] = strings.try_emplace(text, result.strings.size());
  if (isNew)
    result.strings.push_back(text.str());
  return entry->second;
}

/// The body of the innermost loop around a region; invalid if there is none. A condition comes right before its body.
static RegionId findLoop(const Graph &graph, RegionId region) {
  for (; region.isValid(); region = graph.regions[region].parent) {
    if (graph.regions[region].kind == RegionKind::LoopBody)
      return region;
    RegionId next(region.get() + 1);
    if (graph.regions[region].kind == RegionKind::LoopCondition && next.get() < graph.regions.size() &&
        graph.regions[next].kind == RegionKind::LoopBody)
      return next;
  }
  return region;
}

/// The block of the innermost loop around a region; a new one if the loop begins.
uint32_t Folder::getBlock(RegionId region, int64_t startPs) {
  region = findLoop(graph, region);
  if (!region.isValid())
    return 0;
  if (auto found = open.find(region); found != open.end())
    return found->second;
  const Region &loop = graph.regions[region];
  uint32_t parent = getBlock(loop.parent, startPs);
  if (result.blocks.size() >= options.maxBlocks)
    return parent;
  uint32_t number = result.blocks.size();
  FoldedBlock block;
  block.parent = parent;
  block.loc = getString(graph.getName(loop.location));
  block.startPs = block.endPs = block.loopEndPs = startPs;
  block.iterations = block.simulated = std::max<int64_t>(1, loop.trips);
  block.busyPs.resize(given.lanes.size(), 0);
  result.blocks.push_back(std::move(block));
  open[region] = number;
  return number;
}

void Folder::add(const LaneEvent &event) {
  uint32_t number = getBlock(event.region, event.startPs);
  FoldedBlock &block = result.blocks[number];
  auto found = open.find(event.region);
  if (event.iterations > 0 && found != open.end()) {
    block.loopEndPs = event.endPs;
    block.iterations = std::max(block.iterations, event.iterations + 1);
    block.simulated = block.iterations - event.iterations;
    // The next event there belongs to another run of the loop.
    open.erase(found);
    return;
  }
  block.endPs = std::max(block.endPs, event.endPs);
  block.busyPs[event.lane] += event.endPs - event.startPs;
  block.events.push_back({event.lane, event.startPs, event.endPs, getString(event.name), getString(event.loc), 1});
}

/// Extends each block over the loops in it, and adds their busy times.
void Folder::closeBlocks() {
  for (size_t number = result.blocks.size(); number-- > 1;) {
    FoldedBlock &block = result.blocks[number];
    block.loopEndPs = std::max(block.loopEndPs, block.endPs);
    FoldedBlock &parent = result.blocks[block.parent];
    parent.endPs = std::max(parent.endPs, block.loopEndPs);
    for (size_t lane = 0; lane < block.busyPs.size(); ++lane) {
      __int128 busyPs = static_cast<__int128>(block.busyPs[lane]) * block.iterations / block.simulated;
      parent.busyPs[lane] = static_cast<int64_t>(std::min<__int128>(maxTimePs, parent.busyPs[lane] + busyPs));
    }
  }
  result.blocks.front().loopEndPs = result.blocks.front().endPs = result.totalPs;
}

FoldedTimeline Folder::run() {
  result.totalPs = given.totalPs;
  result.lanes = given.lanes;
  result.blocks.emplace_back();
  result.blocks.front().loc = getString("");
  result.blocks.front().busyPs.resize(given.lanes.size(), 0);
  for (const LaneEvent &event : given.events)
    add(event);
  closeBlocks();
  return std::move(result);
}

//===----------------------------------------------------------------------===//
// Short events
//===----------------------------------------------------------------------===//

/// Joins neighbors of one lane that are shorter than `leastPs`, as long as together they are, too.
static std::vector<FoldedEvent> joinShort(llvm::ArrayRef<FoldedEvent> events, size_t numLanes, int64_t leastPs) {
  std::vector<FoldedEvent> joined;
  struct Group {
    size_t index = 0;
    int64_t longestPs = 0;
    bool isOpen = false;
  };
  std::vector<Group> groups(numLanes);
  for (const FoldedEvent &event : events) {
    Group &group = groups[event.lane];
    int64_t lengthPs = event.endPs - event.startPs;
    if (lengthPs >= leastPs) {
      group.isOpen = false;
      joined.push_back(event);
    } else if (!group.isOpen || event.endPs - joined[group.index].startPs > leastPs) {
      group = {joined.size(), lengthPs, true};
      joined.push_back(event);
    } else {
      FoldedEvent &sum = joined[group.index];
      sum.endPs = std::max(sum.endPs, event.endPs);
      sum.count += event.count;
      if (lengthPs > group.longestPs) {
        group.longestPs = lengthPs;
        sum.name = event.name;
        sum.loc = event.loc;
      }
    }
  }
  return joined;
}

/// Drops the strings that no event has any more.
static void dropUnused(FoldedTimeline &timeline) {
  std::vector<std::string> kept;
  std::map<uint32_t, uint32_t> numbers;
  auto keep = [&](uint32_t &number) {
    auto [entry, isNew] = numbers.try_emplace(number, kept.size());
    if (isNew)
      kept.push_back(timeline.strings[number]);
    number = entry->second;
  };
  for (FoldedBlock &block : timeline.blocks) {
    keep(block.loc);
    for (FoldedEvent &event : block.events) {
      keep(event.name);
      keep(event.loc);
    }
  }
  timeline.strings = std::move(kept);
}

size_t FoldedTimeline::countEvents() const {
  size_t count = 0;
  for (const FoldedBlock &block : blocks)
    count += block.events.size();
  return count;
}

FoldedTimeline foldTimeline(const Graph &graph, const LaneEvents &events, const FoldOptions &options) {
  FoldedTimeline timeline = Folder(graph, events, options).run();
  for (int64_t parts = options.resolution; parts > 0; parts /= 2) {
    for (FoldedBlock &block : timeline.blocks)
      block.events = joinShort(block.events, timeline.lanes.size(), (block.endPs - block.startPs) / parts);
    if (timeline.countEvents() <= options.maxEvents)
      break;
  }
  dropUnused(timeline);
  return timeline;
}

} // namespace partita::report
