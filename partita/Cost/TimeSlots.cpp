//===- TimeSlots.cpp - the pieces of the program in which times are summed ===//

#include "partita/Cost/TimeSlots.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::cost {

/// Cuts the program into slots, in program order, and then numbers them by region.
class TimeSlots::Builder {
public:
  Builder(TimeSlots &result, const FusionPlan &fusion, const Overlap &overlap)
      : result(result), graph(result.graph), fusion(fusion), overlap(overlap),
        points(result.liveTimes.getNumPoints() + 1), regionOccurrences(graph.regions.size()),
        open(graph.regions.size(), none) {}

  void run() {
    findRegions();
    collectPoints();
    cutPoints();
    numberSlots();
    addShares();
  }

private:
  static constexpr uint32_t none = UINT32_MAX;

  /// What is at a point: elided ops and regions in front of it, regions that begin there, its op.
  struct PointContent {
    /// The region of the elided ones.
    RegionId elidedIn;
    /// How many kernels and regions are elided, and how often each; 0 if some more often than others.
    uint32_t numElided = 0;
    int64_t elidedTimes = 0;
    llvm::SmallVector<RegionId, 1> begun;
    OpId op;
  };

  /// A slot before it has its number.
  struct RawSlot {
    RegionId region;
    bool isCompound = false, isJoin = false, isFence = false, hasKernel = false;
    /// Of the point in front of which its ops are elided; none for other slots.
    uint32_t elidedPoint = none;
    /// The point in front of which the ops or the loop of this slot are elided, too.
    uint32_t repeatedAt = none;
    uint32_t number = 0;
  };

  void findRegions();
  void collectPoints();
  void cutPoints();
  void numberSlots();
  void addShares();
  uint32_t findPeriod(llvm::ArrayRef<uint32_t> slotsOfRegion, size_t elided) const;

  uint32_t addPoint(OpId op);
  void addElided(const Occurrence &occurrence, RegionId region, bool isCounted);
  uint32_t findElidedPoint(const Occurrences &occurrences) const;
  /// Whether it is an op that stands alone, or the last one of a fused kernel.
  bool isKernel(OpId op) const {
    FusionRole role = fusion.getRole(op);
    return fusion.getKernel(op) == op && role != FusionRole::Identity && role != FusionRole::Constant;
  }
  uint32_t addSlot(const RawSlot &slot) {
    slots.push_back(slot);
    return open[slot.region] = static_cast<uint32_t>(slots.size() - 1);
  }

  TimeSlots &result;
  const Graph &graph;
  const FusionPlan &fusion;
  const Overlap &overlap;
  std::vector<PointContent> points;
  IdVector<RegionId, Occurrences> regionOccurrences;
  std::vector<RawSlot> slots;
  /// The last slot of each region.
  IdVector<RegionId, uint32_t> open;
  std::vector<uint32_t> ofPoint, ofElided;
  std::vector<std::pair<RegionId, uint32_t>> loops;
};

/// A region runs where its first op does.
void TimeSlots::Builder::findRegions() {
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    uint32_t depth = 1;
    for (RegionId region = graph.ops[op].region; region.get() != 0 && regionOccurrences[region].empty();
         region = graph.regions[region].parent)
      regionOccurrences[region] = result.liveTimes.listOccurrences(op, depth++);
  }
}

void TimeSlots::Builder::addElided(const Occurrence &occurrence, RegionId region, bool isCounted) {
  PointContent &content = points[occurrence.point];
  content.elidedIn = region;
  if (!isCounted)
    return;
  bool isFirst = content.numElided++ == 0;
  content.elidedTimes = isFirst || content.elidedTimes == occurrence.count ? occurrence.count : 0;
}

void TimeSlots::Builder::collectPoints() {
  for (OpId op : idRange<OpId>(graph.ops.size()))
    for (const Occurrence &occurrence : result.liveTimes.listOccurrences(op))
      if (occurrence.isElided)
        addElided(occurrence, graph.ops[op].region, isKernel(op));
      else
        points[occurrence.point].op = op;
  for (RegionId region : idRange<RegionId>(graph.regions.size()))
    for (const Occurrence &occurrence : regionOccurrences[region])
      if (occurrence.isElided)
        addElided(occurrence, graph.regions[region].parent, true);
      else
        points[occurrence.point].begun.push_back(region);
}

uint32_t TimeSlots::Builder::findElidedPoint(const Occurrences &occurrences) const {
  const Occurrence *found = llvm::find_if(occurrences, [](const Occurrence &each) { return each.isElided; });
  return found == occurrences.end() ? none : found->point;
}

uint32_t TimeSlots::Builder::addPoint(OpId op) {
  RegionId region = graph.ops[op].region;
  uint32_t last = open[region];
  bool isJoin = overlap.isJoin(op), isFence = overlap.isGatherFence(op);
  if (last == none || isJoin || isFence || slots[last].isCompound || slots[last].hasKernel) {
    RawSlot slot;
    slot.region = region;
    slot.isJoin = isJoin;
    slot.isFence = isFence;
    last = addSlot(slot);
  }
  if (isKernel(op)) {
    slots[last].hasKernel = true;
    slots[last].repeatedAt = findElidedPoint(result.liveTimes.listOccurrences(op));
  }
  return last;
}

void TimeSlots::Builder::cutPoints() {
  ofPoint.assign(points.size(), none);
  ofElided = ofPoint;
  for (uint32_t point = 0; point < points.size(); ++point) {
    const PointContent &content = points[point];
    RawSlot slot;
    slot.isCompound = true;
    if (content.elidedIn.isValid()) {
      slot.region = content.elidedIn;
      slot.elidedPoint = point;
      ofElided[point] = addSlot(slot);
    }
    for (RegionId region : content.begun) {
      slot.region = graph.regions[region].parent;
      slot.elidedPoint = none;
      slot.repeatedAt = findElidedPoint(regionOccurrences[region]);
      loops.push_back({region, addSlot(slot)});
    }
    if (content.op.isValid())
      ofPoint[point] = addPoint(content.op);
  }
}

/// Finds how many slots in front of an elided one are one of its layers: those of all kernels and loops that it elides.
/// 0 if there are others between them.
uint32_t TimeSlots::Builder::findPeriod(llvm::ArrayRef<uint32_t> slotsOfRegion, size_t elided) const {
  uint32_t point = slots[slotsOfRegion[elided]].elidedPoint, left = points[point].numElided;
  if (points[point].elidedTimes == 0)
    return 0;
  for (size_t position = elided; left > 0 && position > 0; --position) {
    const RawSlot &slot = slots[slotsOfRegion[position - 1]];
    if (!slot.isCompound && !slot.hasKernel)
      continue;
    if (slot.repeatedAt != point)
      return 0;
    if (--left == 0)
      return static_cast<uint32_t>(elided - (position - 1));
  }
  return 0;
}

void TimeSlots::Builder::numberSlots() {
  std::vector<std::vector<uint32_t>> ofRegion(graph.regions.size());
  for (uint32_t number = 0; number < slots.size(); ++number)
    ofRegion[slots[number].region.get()].push_back(number);
  for (RegionId region : idRange<RegionId>(graph.regions.size())) {
    llvm::ArrayRef<uint32_t> list = ofRegion[region.get()];
    std::vector<uint32_t> periods(list.size(), 0);
    std::vector<uint8_t> begins(list.size() + 1, 0);
    for (size_t position = 0; position < list.size(); ++position)
      if (slots[list[position]].elidedPoint != none) {
        periods[position] = findPeriod(list, position);
        begins[position - periods[position]] = begins[position] = begins[position + 1] = 1;
      }
    auto firstBlock = static_cast<uint32_t>(result.blocks.size());
    for (size_t position = 0; position < list.size(); ++position) {
      RawSlot &slot = slots[list[position]];
      slot.number = static_cast<uint32_t>(result.blockOfSlot.size());
      bool isFull = result.blocks.size() > firstBlock &&
                    result.blocks.raw().back().last - result.blocks.raw().back().first == blockSize;
      if (position == 0 || slot.isJoin || begins[position] || isFull)
        result.blocks.push_back({region, slot.number, slot.number, slot.isJoin});
      SlotBlock &block = result.blocks[SlotBlockId(result.blocks.size() - 1)];
      ++block.last;
      result.blockOfSlot.push_back(SlotBlockId(result.blocks.size() - 1));
      result.compound.push_back(slot.isCompound);
      result.fenced.push_back(slot.isFence);
      block.isElided = slot.elidedPoint != none;
      if (periods[position] > 0) {
        block.periodBlock = result.blockOfSlot[TimeSlotId(slot.number - periods[position])].get();
        block.numPeriods = points[slot.elidedPoint].elidedTimes;
      }
    }
    result.regionBlocks.push_back({firstBlock, static_cast<uint32_t>(result.blocks.size())});
  }
}

void TimeSlots::Builder::addShares() {
  auto renumber = [&](const std::vector<uint32_t> &from, std::vector<TimeSlotId> &to) {
    for (uint32_t slot : from)
      to.push_back(slot == none ? TimeSlotId() : TimeSlotId(slots[slot].number));
  };
  renumber(ofPoint, result.pointSlots);
  renumber(ofElided, result.elidedSlots);
  result.regionShares.resize(graph.regions.size());
  for (auto [region, slot] : loops)
    result.regionShares[region].push_back({TimeSlotId(slots[slot].number), 1});
  for (RegionId region : idRange<RegionId>(graph.regions.size()))
    for (const Occurrence &occurrence : regionOccurrences[region])
      if (occurrence.isElided)
        result.regionShares[region].push_back({result.elidedSlots[occurrence.point], occurrence.count});
}

TimeSlots::TimeSlots(const Topology &topology, const FusionPlan &fusion, const Overlap &overlap,
                     const LiveTimes &liveTimes)
    : graph(topology.getGraph()), liveTimes(liveTimes) {
  Builder(*this, fusion, overlap).run();
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
