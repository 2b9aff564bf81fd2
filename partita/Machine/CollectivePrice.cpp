//===- CollectivePrice.cpp - what a collective costs ----------------------===//

#include "partita/Machine/CollectivePrice.h"

#include "partita/Machine/PermutePrice.h"
#include "partita/Machine/PhasePrice.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace partita::machine {

static constexpr llvm::StringLiteral collectiveNames[] = {"all_gather", "all_reduce", "reduce_scatter", "all_to_all",
                                                          "collective_permute"};

llvm::StringRef getName(Collective kind) { return collectiveNames[static_cast<size_t>(kind)]; }

std::optional<Collective> findCollective(llvm::StringRef name) {
  for (const auto &[index, known] : llvm::enumerate(collectiveNames))
    if (known == name)
      return static_cast<Collective>(index);
  return std::nullopt;
}

llvm::StringRef getName(CollectiveAlgorithm algorithm) {
  static constexpr llvm::StringLiteral names[] = {"none",   "ring",  "tree",        "in_network",
                                                  "direct", "torus", "hierarchical"};
  return names[static_cast<size_t>(algorithm)];
}

int64_t CollectivePrice::getWireBytes() const {
  int64_t sum = 0;
  for (int64_t bytes : wireBytes)
    sum += bytes;
  return sum;
}

/// Merges all parts on one level into one: as many devices, as far apart as the outermost of them reaches.
static std::optional<PhaseDim> mergeParts(const Machine &machine, llvm::ArrayRef<LevelPart> parts, uint32_t level) {
  PhaseDim dim{level, 1, 1, false};
  int64_t span = 1;
  for (const LevelPart &part : parts) {
    if (part.level != level || part.size == 1)
      continue;
    dim.size *= part.size;
    span = std::max(span, part.size * part.stride);
  }
  if (dim.size == 1)
    return std::nullopt;
  dim.stride = std::max<int64_t>(span / dim.size, 1);
  const Level &description = machine.levels[level];
  dim.isClosed = description.kind == LevelKind::Ring && dim.size * dim.stride >= description.size;
  return dim;
}

/// Outermost first; neighboring dims of a torus are one phase.
static llvm::SmallVector<CommunicationPhase, 4> makePhases(const Machine &machine, llvm::ArrayRef<LevelPart> parts) {
  llvm::SmallVector<CommunicationPhase, 4> phases;
  bool continuesTorus = false;
  for (uint32_t level = 0; level < machine.levels.size(); ++level) {
    bool isTorus = machine.levels[level].isTorusDim();
    continuesTorus &= isTorus;
    std::optional<PhaseDim> dim = mergeParts(machine, parts, level);
    if (!dim)
      continue;
    if (!continuesTorus)
      phases.push_back({{}, &machine.levels[level], 1, 1});
    phases.back().dims.push_back(*dim);
    phases.back().size *= dim->size;
    continuesTorus = isTorus;
  }
  int64_t inner = 1;
  for (CommunicationPhase &phase : llvm::reverse(phases)) {
    phase.inner = inner;
    inner *= phase.size;
  }
  return phases;
}

static CollectivePrice makePrice(const Machine &machine, CollectiveAlgorithm algorithm) {
  CollectivePrice price;
  price.algorithm = algorithm;
  price.wireBytes.resize(machine.levels.size());
  return price;
}

static void addWireBytes(const CommunicationPhase &phase, const PhasePrice &part, CollectivePrice &price) {
  for (auto [dim, bytes] : llvm::zip(phase.dims, part.wireBytes))
    price.wireBytes[dim.level] += bytes;
}

/// Runs phases one after the other, with one launch.
static CollectivePrice sumPhases(const Machine &machine,
                                 llvm::ArrayRef<std::pair<const CommunicationPhase *, PhasePrice>> steps) {
  CollectivePrice price = makePrice(machine, CollectiveAlgorithm::Hierarchical);
  int64_t launch = 0;
  for (const auto &[phase, step] : steps) {
    launch = std::max(launch, step.launchPs);
    price.timePs = std::min(maxTimePs, price.timePs + step.runPs);
    addWireBytes(*phase, step, price);
  }
  price.timePs = std::min(maxTimePs, price.timePs + launch);
  return price;
}

/// Runs phases at the same time: their bytes overlap, their hops (`waitPs`) add up.
static CollectivePrice overlapPhases(const Machine &machine, CollectiveAlgorithm algorithm,
                                     llvm::ArrayRef<CommunicationPhase> phases, llvm::ArrayRef<PhasePrice> steps,
                                     llvm::ArrayRef<int64_t> waitPs) {
  CollectivePrice price = makePrice(machine, algorithm);
  int64_t waits = 0;
  for (auto [phase, step, wait] : llvm::zip(phases, steps, waitPs)) {
    waits += wait;
    price.timePs = std::max(price.timePs, step.getTimePs() - wait);
    addWireBytes(phase, step, price);
  }
  price.timePs = std::min(maxTimePs, price.timePs + waits);
  return price;
}

/// Reduce inside, across, gather inside: a phase works on what the phases inside it leave.
static CollectivePrice priceHierarchical(const Machine &machine, Collective kind,
                                         llvm::ArrayRef<CommunicationPhase> phases, int64_t bytes) {
  std::vector<std::pair<const CommunicationPhase *, PhasePrice>> steps;
  for (const CommunicationPhase &phase : llvm::reverse(phases)) {
    int64_t piece = scale(bytes, 1, phase.inner);
    bool isOutermost = &phase == &phases.front();
    if (kind != Collective::AllReduce || isOutermost) {
      steps.emplace_back(&phase, pricePhase(kind, phase, piece));
      continue;
    }
    steps.emplace_back(&phase, pricePhase(Collective::ReduceScatter, phase, piece));
    steps.emplace_back(&phase, pricePhase(Collective::AllGather, phase, piece));
  }
  return sumPhases(machine, steps);
}

/// One ring through all phases, repeated for each device of a unit, so that every port is used. `rounds` is 2 for an
/// all_reduce.
static CollectivePrice priceFlatRing(const Machine &machine, llvm::ArrayRef<CommunicationPhase> phases, int64_t bytes,
                                     int64_t rounds) {
  int64_t devices = phases.front().size * phases.front().inner;
  int64_t passed = scale(bytes, rounds * (devices - 1), devices);
  llvm::SmallVector<PhasePrice, 4> steps;
  llvm::SmallVector<int64_t, 4> waits;
  int64_t outer = 1;
  for (const CommunicationPhase &phase : phases) {
    Load load;
    load.hops = rounds * outer * (phase.size - 1);
    outer *= phase.size;
    load.transferPs = computeWirePs(*phase.level, passed, phase.inner * countLinks(*phase.level, phase.size)) +
                      computeLocalPs(*phase.level, rounds * bytes);
    steps.push_back(chooseProtocol(phase.level->protocols, load, CollectiveAlgorithm::Ring));
    steps.back().wireBytes = {scale(passed, 1, phase.inner)};
    waits.push_back(load.hops * phase.level->protocols.front().hopPs.value);
  }
  return overlapPhases(machine, CollectiveAlgorithm::Ring, phases, steps, waits);
}

/// Two trees through all phases, each with half of the bytes. A unit passes everything up and down once. With two
/// units, each is the root of one tree and passes half, if the switch inside them reduces: without that, all-reduces of
/// two nodes of A100s take what a ring does (docs/machines.md).
static CollectivePrice priceFlatTree(const Machine &machine, llvm::ArrayRef<CommunicationPhase> phases, int64_t bytes) {
  llvm::SmallVector<PhasePrice, 4> steps;
  llvm::SmallVector<int64_t, 4> waits;
  bool reducesInside = phases.back().level->inNetwork.has_value();
  for (const CommunicationPhase &phase : phases) {
    const Level &level = *phase.level;
    Load load;
    int64_t passed = phase.size == 2 && phase.inner > 1 && reducesInside ? bytes : 2 * bytes;
    int64_t ppm = wholePpm;
    load.latencyPs = 2 * computeLogCeil(phase.size) * level.treeHopPs.value;
    if (level.inNetwork && phase.inner == 1) {
      passed = scale(bytes, phase.size + 1, phase.size);
      ppm = level.inNetwork->ratePpm.value;
      load.latencyPs = level.inNetwork->latencyPs.value;
    }
    load.transferPs = computeWirePs(level, passed, phase.inner, ppm) + computeLocalPs(level, 2 * bytes);
    steps.push_back(chooseProtocol(level.protocols, load, CollectiveAlgorithm::Tree));
    steps.back().wireBytes = {scale(passed, 1, phase.inner)};
    waits.push_back(load.latencyPs);
  }
  return overlapPhases(machine, CollectiveAlgorithm::Tree, phases, steps, waits);
}

/// A phase carries the bytes whose target has another position in it, out of those that stay in the same unit of all
/// outer phases. Level by level, a device sends to one peer in each position; otherwise to all devices there.
static CollectivePrice priceExchange(const Machine &machine, llvm::ArrayRef<CommunicationPhase> phases, int64_t bytes) {
  llvm::SmallVector<PhasePrice, 4> steps;
  llvm::SmallVector<int64_t, 4> waits(phases.size(), 0);
  int64_t piece = bytes;
  for (CommunicationPhase phase : phases) {
    if (machine.hierarchicalCollectives)
      phase.inner = 1;
    steps.push_back(pricePhase(Collective::AllToAll, phase, piece));
    piece = scale(piece, 1, phase.size);
  }
  CollectiveAlgorithm algorithm = phases.size() == 1 ? steps.front().algorithm : CollectiveAlgorithm::Direct;
  return overlapPhases(machine, algorithm, phases, steps, waits);
}

static std::vector<CollectivePrice> priceOnePhase(const Machine &machine, Collective kind,
                                                  const CommunicationPhase &phase, int64_t bytes) {
  std::vector<CollectivePrice> prices;
  for (const PhasePrice &phasePrice : pricePhaseAlgorithms(kind, phase, bytes)) {
    prices.push_back(makePrice(machine, phasePrice.algorithm));
    prices.back().timePs = std::min(maxTimePs, phasePrice.getTimePs());
    addWireBytes(phase, phasePrice, prices.back());
  }
  return prices;
}

std::vector<CollectivePrice> priceAlgorithms(const Machine &machine, const CollectiveRequest &request) {
  // Times are bounded: bytes that would overflow take maxTimePs.
  int64_t bytes = std::clamp<int64_t>(request.payloadBytes, 0, INT64_MAX / 8);
  if (request.kind == Collective::CollectivePermute)
    return {pricePermute(machine, request.sources, bytes)};
  llvm::SmallVector<CommunicationPhase, 4> phases = makePhases(machine, request.parts);
  if (phases.empty() || bytes == 0)
    return {makePrice(machine, CollectiveAlgorithm::None)};
  if (request.kind == Collective::AllToAll)
    return {priceExchange(machine, phases, bytes)};
  if (phases.size() == 1)
    return priceOnePhase(machine, request.kind, phases.front(), bytes);
  auto isTorus = [](const CommunicationPhase &phase) { return phase.level->isTorusDim(); };
  auto hasTree = [](const CommunicationPhase &phase) { return phase.level->treeHopPs.value > 0; };
  std::vector<CollectivePrice> prices;
  if (!machine.hierarchicalCollectives && llvm::none_of(phases, isTorus)) {
    bool isReduce = request.kind == Collective::AllReduce;
    prices.push_back(priceFlatRing(machine, phases, bytes, isReduce ? 2 : 1));
    if (isReduce && llvm::all_of(phases, hasTree))
      prices.push_back(priceFlatTree(machine, phases, bytes));
    return prices;
  }
  return {priceHierarchical(machine, request.kind, phases, bytes)};
}

CollectivePrice priceCollective(const Machine &machine, const CollectiveRequest &request) {
  std::vector<CollectivePrice> prices = priceAlgorithms(machine, request);
  return *llvm::min_element(prices,
                            [](const CollectivePrice &a, const CollectivePrice &b) { return a.timePs < b.timePs; });
}

} // namespace partita::machine
