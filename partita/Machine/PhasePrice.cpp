//===- PhasePrice.cpp - what a collective on one level costs --------------===//

#include "partita/Machine/PhasePrice.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace partita::machine {

int64_t scale(int64_t value, int64_t numerator, int64_t denominator) {
  __int128 product = static_cast<__int128>(value) * numerator;
  __int128 quotient = (product + denominator - 1) / denominator;
  return static_cast<int64_t>(std::min<__int128>(quotient, INT64_MAX / 4));
}

int64_t computeLogCeil(int64_t size) { return llvm::Log2_64_Ceil(static_cast<uint64_t>(size)); }

PhasePrice chooseProtocol(llvm::ArrayRef<Protocol> protocols, const Load &load, CollectiveAlgorithm algorithm) {
  PhasePrice best;
  best.algorithm = algorithm;
  for (const auto &[index, protocol] : llvm::enumerate(protocols)) {
    int64_t wait = load.latencyPs + load.hops * protocol.hopPs.value;
    int64_t transfer = std::min(maxTimePs, scale(load.transferPs, wholePpm, protocol.ratePpm.value));
    int64_t run = load.isPipelined ? std::max(wait, transfer) : wait + transfer;
    if (index > 0 && protocol.launchPs.value + run >= best.getTimePs())
      continue;
    best.launchPs = protocol.launchPs.value;
    best.runPs = run;
  }
  return best;
}

int64_t computeWirePs(const Level &level, int64_t bytes, int64_t links, int64_t ppm) {
  // Several devices share the port, and each sends as many bytes through it.
  int64_t throughPort = std::min(bytes, INT64_MAX / level.devicesPerPort.value) * level.devicesPerPort.value;
  int64_t rate = std::min(level.bytesPerSecond.value, INT64_MAX / links) * links;
  return computeTransferPs(throughPort, rate, ppm);
}

int64_t computeLocalPs(const Level &level, int64_t bytes) {
  return level.localBytesPerSecond.value == 0 ? 0 : computeTransferPs(bytes, level.localBytesPerSecond.value);
}

int64_t countLinks(const Level &level, int64_t size) {
  if (level.kind == LevelKind::FullMesh)
    return std::max<int64_t>(size - 1, 1);
  if (level.kind != LevelKind::HybridMesh || level.groupLinks.empty() || size < 2)
    return 1;
  return level.groupLinks[std::min<size_t>(size - 2, level.groupLinks.size() - 1)];
}

static PhasePrice finish(const CommunicationPhase &phase, const Load &load, CollectiveAlgorithm algorithm,
                         int64_t wireBytes) {
  PhasePrice price = chooseProtocol(phase.level->protocols, load, algorithm);
  price.wireBytes = {wireBytes};
  return price;
}

/// A ring on ports; on a full mesh every device sends to all others at once.
static PhasePrice priceRing(const CommunicationPhase &phase, int64_t bytes, int64_t rounds) {
  const Level &level = *phase.level;
  int64_t sent = scale(bytes, rounds * (phase.size - 1), phase.size);
  Load load;
  load.hops = rounds * (phase.size - 1);
  load.transferPs = computeWirePs(level, sent, countLinks(level, phase.size)) + computeLocalPs(level, rounds * bytes);
  bool isDirect = level.kind == LevelKind::FullMesh;
  return finish(phase, load, isDirect ? CollectiveAlgorithm::Direct : CollectiveAlgorithm::Ring, sent);
}

static PhasePrice priceTree(const CommunicationPhase &phase, int64_t bytes) {
  const Level &level = *phase.level;
  Load load;
  load.latencyPs = 2 * computeLogCeil(phase.size) * level.treeHopPs.value;
  load.transferPs = computeWirePs(level, 2 * bytes) + computeLocalPs(level, 2 * bytes);
  return finish(phase, load, CollectiveAlgorithm::Tree, 2 * bytes);
}

static PhasePrice priceInNetwork(const CommunicationPhase &phase, int64_t bytes) {
  const Level &level = *phase.level;
  int64_t sent = scale(bytes, phase.size + 1, phase.size);
  Load load;
  load.latencyPs = level.inNetwork->latencyPs.value;
  load.transferPs = computeWirePs(level, sent, 1, level.inNetwork->ratePpm.value) + computeLocalPs(level, 2 * bytes);
  return finish(phase, load, CollectiveAlgorithm::InNetwork, sent);
}

/// Every device sends to all devices in other positions of this phase, one after the other.
static PhasePrice priceDirect(const CommunicationPhase &phase, int64_t bytes) {
  const Level &level = *phase.level;
  int64_t sent = scale(bytes, phase.size - 1, phase.size);
  Load load;
  load.latencyPs = std::min(maxTimePs, scale(level.peerHopPs.value, (phase.size - 1) * phase.inner, 1));
  load.transferPs = computeWirePs(level, sent, countLinks(level, phase.size)) + computeLocalPs(level, bytes);
  return finish(phase, load, CollectiveAlgorithm::Direct, sent);
}

llvm::SmallVector<PhasePrice, 3> pricePhaseAlgorithms(Collective kind, const CommunicationPhase &phase, int64_t bytes) {
  const Level &level = *phase.level;
  if (level.isTorusDim())
    return {priceTorus(kind, phase, bytes)};
  if (kind == Collective::AllToAll)
    return {priceDirect(phase, bytes)};
  if (kind != Collective::AllReduce)
    return {priceRing(phase, bytes, 1)};
  llvm::SmallVector<PhasePrice, 3> prices = {priceRing(phase, bytes, 2)};
  if (level.treeHopPs.value > 0)
    prices.push_back(priceTree(phase, bytes));
  if (level.inNetwork)
    prices.push_back(priceInNetwork(phase, bytes));
  return prices;
}

PhasePrice pricePhase(Collective kind, const CommunicationPhase &phase, int64_t bytes) {
  llvm::SmallVector<PhasePrice, 3> prices = pricePhaseAlgorithms(kind, phase, bytes);
  return *llvm::min_element(prices,
                            [](const PhasePrice &a, const PhasePrice &b) { return a.getTimePs() < b.getTimePs(); });
}

} // namespace partita::machine
