//===- TimeSlots.cpp - the pieces of the program in which times are summed ===//

#include "partita/Cost/TimeSlots.h"

namespace partita::cost {

namespace {

/// What is at a point: elided ops of this region in front of it, regions that begin there, its op.
struct PointContent {
  RegionId elided;
  llvm::SmallVector<RegionId, 1> begun;
  OpId op;
};

/// A slot before it has its number.
struct RawSlot {
  RegionId region;
  bool isCompound = false, isJoin = false;
};

/// Cuts the points into slots, in program order.
class SlotBuilder {
public:
  SlotBuilder(const Graph &graph, const FusionPlan &fusion, const Overlap &overlap)
      : graph(graph), fusion(fusion), overlap(overlap), open(graph.regions.size(), none) {}

  uint32_t addPoint(OpId op) {
    RegionId region = graph.ops[op].region;
    bool isJoin = overlap.isJoin(op);
    if (open[region] == none || isJoin || isKernel(op) || slots[open[region]].isCompound)
      open[region] = addSlot({region, false, isJoin});
    return open[region];
  }
  /// What follows in the region is in another slot.
  uint32_t addCompound(RegionId region) { return open[region] = addSlot({region, true}); }

  std::vector<RawSlot> slots;

private:
  /// Whether it is an op that stands alone, or the last one of a fused kernel.
  bool isKernel(OpId op) const {
    FusionRole role = fusion.getRole(op);
    return fusion.getKernel(op) == op && role != FusionRole::Identity && role != FusionRole::Constant;
  }
  uint32_t addSlot(const RawSlot &slot) {
    slots.push_back(slot);
    return static_cast<uint32_t>(slots.size() - 1);
  }

  static constexpr uint32_t none = UINT32_MAX;
  const Graph &graph;
  const FusionPlan &fusion;
  const Overlap &overlap;
  /// The last slot of each region.
  IdVector<RegionId, uint32_t> open;
};

} // namespace

TimeSlots::TimeSlots(const Topology &topology, const FusionPlan &fusion, const Overlap &overlap,
                     const LiveTimes &liveTimes)
    : graph(topology.getGraph()), liveTimes(liveTimes) {
  std::vector<PointContent> points(liveTimes.getNumPoints() + 1);
  IdVector<RegionId, Occurrences> occurrences(graph.regions.size());
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    for (const Occurrence &occurrence : liveTimes.listOccurrences(op))
      if (occurrence.isElided)
        points[occurrence.point].elided = graph.ops[op].region;
      else
        points[occurrence.point].op = op;
    // A region runs where its first op does.
    uint32_t depth = 1;
    for (RegionId region = graph.ops[op].region; region.get() != 0 && occurrences[region].empty();
         region = graph.regions[region].parent)
      occurrences[region] = liveTimes.listOccurrences(op, depth++);
  }
  for (RegionId region : idRange<RegionId>(graph.regions.size()))
    for (const Occurrence &occurrence : occurrences[region])
      if (occurrence.isElided)
        points[occurrence.point].elided = graph.regions[region].parent;
      else
        points[occurrence.point].begun.push_back(region);
  SlotBuilder builder(graph, fusion, overlap);
  std::vector<uint32_t> ofPoint(points.size(), UINT32_MAX), ofElided = ofPoint;
  std::vector<std::pair<RegionId, uint32_t>> compounds;
  for (size_t point = 0; point < points.size(); ++point) {
    const PointContent &content = points[point];
    if (content.elided.isValid())
      ofElided[point] = builder.addCompound(content.elided);
    for (RegionId region : content.begun)
      compounds.push_back({region, builder.addCompound(graph.regions[region].parent)});
    if (content.op.isValid())
      ofPoint[point] = builder.addPoint(content.op);
  }
  // Numbers them by region.
  std::vector<std::vector<uint32_t>> ofRegion(graph.regions.size());
  for (uint32_t number = 0; number < builder.slots.size(); ++number)
    ofRegion[builder.slots[number].region.get()].push_back(number);
  std::vector<TimeSlotId> numbers(builder.slots.size());
  for (RegionId region : idRange<RegionId>(graph.regions.size())) {
    uint32_t firstBlock = blocks.size();
    for (uint32_t number : ofRegion[region.get()]) {
      const RawSlot &slot = builder.slots[number];
      bool isNew = blocks.size() == firstBlock || slot.isJoin ||
                   blocks.raw().back().last - blocks.raw().back().first == blockSize;
      numbers[number] = TimeSlotId(blockOfSlot.size());
      if (isNew)
        blocks.push_back({region, numbers[number].get(), numbers[number].get(), slot.isJoin});
      ++blocks[SlotBlockId(blocks.size() - 1)].last;
      blockOfSlot.push_back(SlotBlockId(blocks.size() - 1));
      compound.push_back(slot.isCompound);
    }
    regionBlocks.push_back({firstBlock, static_cast<uint32_t>(blocks.size())});
  }
  auto renumber = [&](const std::vector<uint32_t> &from, std::vector<TimeSlotId> &to) {
    for (uint32_t number : from)
      to.push_back(number == UINT32_MAX ? TimeSlotId() : numbers[number]);
  };
  renumber(ofPoint, pointSlots);
  renumber(ofElided, elidedSlots);
  regionShares.resize(graph.regions.size());
  for (auto [region, slot] : compounds)
    regionShares[region].push_back({numbers[slot], 1});
  for (RegionId region : idRange<RegionId>(graph.regions.size()))
    for (const Occurrence &occurrence : occurrences[region])
      if (occurrence.isElided)
        regionShares[region].push_back({elidedSlots[occurrence.point], occurrence.count});
}

static int64_t countAll(llvm::ArrayRef<SlotShare> shares) {
  int64_t total = 0;
  for (const SlotShare &share : shares)
    total += share.count;
  return total;
}

/// Something that runs more or less often than what it belongs to, as when one kernel takes the values of all layers,
/// runs at the first of these.
static SlotShares fit(llvm::ArrayRef<SlotShare> shares, int64_t total) {
  if (countAll(shares) == total)
    return SlotShares(shares);
  return {{shares.front().slot, total}};
}

SlotShares TimeSlots::convert(llvm::ArrayRef<Occurrence> occurrences, int64_t total) const {
  SlotShares shares;
  for (const Occurrence &occurrence : occurrences)
    if (TimeSlotId slot = (occurrence.isElided ? elidedSlots : pointSlots)[occurrence.point]; slot.isValid())
      shares.push_back({slot, occurrence.count});
  return fit(shares, total);
}

SlotShares TimeSlots::getShares(OpId op, int64_t total) const {
  return convert(liveTimes.listOccurrences(op), std::max<int64_t>(1, total / getRuns(graph.ops[op].region)));
}

SlotShares TimeSlots::getShares(CellId cell, OpId op, RegionId region, int64_t total) const {
  total = std::max<int64_t>(1, total / getRuns(region));
  if (!op.isValid())
    return {{TimeSlotId(blocks[SlotBlockId(regionBlocks[region].first)].first), total}};
  RegionId inner = graph.ops[op].region;
  if (inner == region)
    return convert(liveTimes.listOccurrences(cell, op), total);
  while (inner.get() != 0 && graph.regions[inner].parent != region)
    inner = graph.regions[inner].parent;
  if (inner.get() == 0)
    return getShares(cell, OpId(), region, total);
  return fit(regionShares[inner], total);
}

int64_t TimeSlots::getRuns(RegionId region) const {
  int64_t runs = 1;
  for (; region.get() != 0; region = graph.regions[region].parent)
    runs *= countAll(regionShares[region]);
  return std::max<int64_t>(1, runs);
}

} // namespace partita::cost
