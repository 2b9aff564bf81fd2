//===- PermutePrice.cpp - what a collective_permute costs -----------------===//

#include "partita/Machine/PermutePrice.h"

#include "partita/Machine/PhasePrice.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace partita::machine {

/// The unit of load: one message. Divisible by every number of dims up to six, and then by two.
static constexpr int64_t wholeMessage = 1440;

namespace {

/// Levels from `begin` to `end` that messages cross together: the dims of one torus, or one other level.
struct Crossing {
  uint32_t begin = 0, end = 0;
  /// Devices inside one position of the last of these levels.
  int64_t inner = 1;

  bool has(uint32_t level) const { return begin <= level && level < end; }
};

/// Adds up the load of messages on the links of one crossing.
class LinkLoads {
public:
  LinkLoads(const Machine &machine, const Crossing &crossing);

  void addMessage(int64_t from, int64_t to);
  /// In units of 1/wholeMessage of a message, rounded up; 0 if nothing crosses.
  int64_t getBusiest() const { return busiest; }
  int64_t getFarthest() const { return farthest; }
  /// For each level, the number of messages that run over it.
  llvm::ArrayRef<int64_t> getCounts() const { return counts; }

private:
  const Level &getLevel(uint32_t level) const { return machine.levels[level]; }
  int64_t getCoordinate(int64_t device, uint32_t level) const {
    return device / strides[level] % machine.levels[level].size;
  }
  void addToPort(int64_t from, int64_t to);
  void addToTorus(int64_t from, int64_t to);
  int64_t moveAlong(int64_t at, int64_t to, uint32_t level, int64_t amount);
  void addToLinks(int64_t at, uint32_t level, int64_t hops, int64_t direction, int64_t amount);
  void add(int64_t &link, int64_t amount) { busiest = std::max(busiest, link += amount); }

  const Machine &machine;
  const Crossing &crossing;
  /// Devices inside one position of each level.
  std::vector<int64_t> strides;
  /// Ports: the load that leaves and that enters each. Torus: for each dim and position, the load that leaves forward
  /// and backward.
  std::vector<int64_t> loads;
  std::vector<int64_t> counts;
  int64_t busiest = 0, farthest = 0;
};

} // namespace

LinkLoads::LinkLoads(const Machine &machine, const Crossing &crossing)
    : machine(machine), crossing(crossing), strides(machine.levels.size(), 1), counts(machine.levels.size(), 0) {
  for (size_t level = machine.levels.size(); level-- > 1;)
    strides[level - 1] = strides[level] * machine.levels[level].size;
  int64_t numDims = crossing.end - crossing.begin;
  loads.assign(static_cast<size_t>(2 * numDims * machine.getNumDevices()), 0);
}

void LinkLoads::addMessage(int64_t from, int64_t to) {
  if (getLevel(crossing.begin).isTorusDim())
    return addToTorus(from, to);
  ++counts[crossing.begin];
  farthest = 1;
  if (getLevel(crossing.begin).kind == LevelKind::FullMesh)
    busiest = std::max(busiest, wholeMessage);
  else
    addToPort(from, to);
}

void LinkLoads::addToPort(int64_t from, int64_t to) {
  int64_t sharers = getLevel(crossing.begin).devicesPerPort.value;
  add(loads[static_cast<size_t>(2 * (from / sharers))], wholeMessage);
  add(loads[static_cast<size_t>(2 * (to / sharers) + 1)], wholeMessage);
}

void LinkLoads::addToTorus(int64_t from, int64_t to) {
  llvm::SmallVector<uint32_t, 3> dims;
  int64_t hops = 0;
  for (uint32_t level = crossing.begin; level < crossing.end; ++level) {
    int64_t distance = std::abs(getCoordinate(from, level) - getCoordinate(to, level));
    if (distance == 0)
      continue;
    dims.push_back(level);
    ++counts[level];
    bool isClosed = getLevel(level).kind == LevelKind::Ring;
    hops += isClosed ? std::min(distance, getLevel(level).size - distance) : distance;
  }
  farthest = std::max(farthest, hops);
  int64_t piece = wholeMessage / static_cast<int64_t>(dims.size());
  for (size_t start = 0; start < dims.size(); ++start) {
    int64_t at = from;
    for (size_t turn = 0; turn < dims.size(); ++turn)
      at = moveAlong(at, to, dims[(start + turn) % dims.size()], piece);
  }
}

/// Moves along one dim to the position of `to`, and returns the device there.
int64_t LinkLoads::moveAlong(int64_t at, int64_t to, uint32_t level, int64_t amount) {
  int64_t size = getLevel(level).size;
  int64_t offset = getCoordinate(to, level) - getCoordinate(at, level);
  int64_t forward = offset < 0 ? offset + size : offset, back = size - forward;
  if (getLevel(level).kind != LevelKind::Ring)
    addToLinks(at, level, std::abs(offset), offset > 0 ? 1 : -1, amount);
  else if (forward != back)
    addToLinks(at, level, std::min(forward, back), forward < back ? 1 : -1, amount);
  else {
    // Half goes each way; but two devices have one link, not two.
    addToLinks(at, level, forward, 1, size > 2 ? amount / 2 : amount);
    if (size > 2)
      addToLinks(at, level, back, -1, amount / 2);
  }
  return at + offset * strides[level];
}

void LinkLoads::addToLinks(int64_t at, uint32_t level, int64_t hops, int64_t direction, int64_t amount) {
  int64_t size = getLevel(level).size, position = getCoordinate(at, level);
  // Devices of one chip share its links: count them at the first device.
  int64_t line = at / crossing.inner * crossing.inner - position * strides[level];
  int64_t dim = level - crossing.begin, numDims = crossing.end - crossing.begin;
  for (int64_t hop = 0; hop < hops; ++hop) {
    int64_t device = line + position * strides[level];
    add(loads[static_cast<size_t>(2 * (device * numDims + dim) + (direction < 0))], amount);
    position = (position + direction + size) % size;
  }
}

static std::vector<Crossing> listCrossings(const Machine &machine) {
  std::vector<Crossing> crossings;
  for (uint32_t level = 0; level < machine.levels.size(); ++level) {
    bool continuesTorus =
        machine.levels[level].isTorusDim() && !crossings.empty() && machine.levels[crossings.back().begin].isTorusDim();
    if (!continuesTorus)
      crossings.push_back({level, level, 1});
    crossings.back().end = level + 1;
  }
  int64_t inner = 1;
  uint32_t level = static_cast<uint32_t>(machine.levels.size());
  for (Crossing &crossing : llvm::reverse(crossings)) {
    crossing.inner = inner;
    for (; level > crossing.begin; --level)
      inner *= machine.levels[level - 1].size;
  }
  return crossings;
}

/// The number of devices per position that share the links of a torus although the machine does not list them as a
/// level.
static int64_t countUnlisted(const Level &level, const Crossing &crossing) {
  return level.isTorusDim() ? std::max<int64_t>(1, level.devicesPerPort.value / crossing.inner) : 1;
}

static PhasePrice priceLoads(const Machine &machine, const Crossing &crossing, const LinkLoads &loads, int64_t bytes) {
  const Level &level = machine.levels[crossing.begin];
  bool isTorus = level.isTorusDim();
  Load load;
  load.isPipelined = isTorus;
  load.hops = loads.getFarthest();
  int64_t throughLink = scale(bytes, loads.getBusiest() * countUnlisted(level, crossing), wholeMessage);
  load.transferPs = computeTransferPs(throughLink, level.bytesPerSecond.value) + computeLocalPs(level, bytes);
  const std::vector<Protocol> &protocols = level.permuteProtocols.empty() ? level.protocols : level.permuteProtocols;
  return chooseProtocol(protocols, load, isTorus ? CollectiveAlgorithm::Torus : CollectiveAlgorithm::Direct);
}

/// The outermost level on which two devices differ.
static uint32_t findOutermost(const Machine &machine, int64_t first, int64_t second) {
  int64_t stride = machine.getNumDevices();
  for (uint32_t level = 0; level < machine.levels.size(); ++level) {
    stride /= machine.levels[level].size;
    if (first / stride != second / stride)
      return level;
  }
  return static_cast<uint32_t>(machine.levels.size());
}

CollectivePrice pricePermute(const Machine &machine, llvm::ArrayRef<int64_t> sources, int64_t bytes) {
  CollectivePrice price;
  price.wireBytes.resize(machine.levels.size());
  for (const Crossing &crossing : listCrossings(machine)) {
    LinkLoads loads(machine, crossing);
    for (int64_t device = 0; device < static_cast<int64_t>(sources.size()); ++device)
      if (crossing.has(findOutermost(machine, sources[static_cast<size_t>(device)], device)))
        loads.addMessage(sources[static_cast<size_t>(device)], device);
    if (loads.getBusiest() == 0 || bytes <= 0)
      continue;
    PhasePrice phase = priceLoads(machine, crossing, loads, bytes);
    price.algorithm = price.algorithm == CollectiveAlgorithm::None ? phase.algorithm : CollectiveAlgorithm::Direct;
    price.timePs = std::max(price.timePs, std::min(maxTimePs, phase.getTimePs()));
    for (uint32_t level = crossing.begin; level < crossing.end; ++level)
      price.wireBytes[level] = scale(bytes, loads.getCounts()[level], static_cast<int64_t>(sources.size()));
  }
  return price;
}

std::vector<int64_t> computeShiftSources(const Machine &machine, llvm::ArrayRef<LevelPart> parts, int64_t shift) {
  llvm::SmallVector<int64_t, 4> strides;
  int64_t size = 1;
  for (const LevelPart &part : parts) {
    int64_t stride = part.stride;
    for (size_t level = part.level + 1; level < machine.levels.size(); ++level)
      stride *= machine.levels[level].size;
    strides.push_back(stride);
    size *= part.size;
  }
  std::vector<int64_t> sources;
  for (int64_t device = 0; device < machine.getNumDevices(); ++device) {
    int64_t index = 0, source = device;
    for (auto [part, stride] : llvm::zip(parts, strides))
      index = index * part.size + device / stride % part.size;
    int64_t from = ((index - shift) % size + size) % size;
    for (size_t number = parts.size(); number-- > 0;) {
      source += (from % parts[number].size - device / strides[number] % parts[number].size) * strides[number];
      from /= parts[number].size;
    }
    sources.push_back(source);
  }
  return sources;
}

} // namespace partita::machine
