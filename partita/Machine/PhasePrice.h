//===- PhasePrice.h - what a collective on one level costs ----------------===//
//
// A phase is the part of a group on one level, or on the dims of one torus,
// which work together. Only CollectivePrice.cpp combines phases. The formulas are
// in CollectivePrice.h and TorusPrice.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_MACHINE_PHASEPRICE_H
#define PARTITA_MACHINE_PHASEPRICE_H

#include "partita/Machine/CollectivePrice.h"
#include "partita/Machine/Rooms.h"

namespace partita::machine {

struct PhaseDim {
  uint32_t level = 0;
  int64_t size = 1;
  int64_t stride = 1;
  /// Torus: the ends are joined.
  bool isClosed = false;
};

struct CommunicationPhase {
  /// One or more dims of a torus, outermost first; or one other level.
  llvm::SmallVector<PhaseDim, 3> dims;
  const Level *level = nullptr;
  int64_t size = 1;
  /// Devices of the group inside one position of this phase.
  int64_t inner = 1;
};

struct PhasePrice {
  int64_t launchPs = 0;
  /// Hops and bytes.
  int64_t runPs = 0;
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::None;
  /// For each dim of the phase.
  llvm::SmallVector<int64_t, 3> wireBytes;

  int64_t getTimePs() const { return launchPs + runPs; }
};

/// The work of a protocol: wait for hops and a fixed latency, and move bytes, which takes `transferPs` at full rate.
struct Load {
  int64_t hops = 0;
  int64_t latencyPs = 0;
  int64_t transferPs = 0;
  /// Hops and bytes overlap: a torus forwards while it receives.
  bool isPipelined = false;
};

/// The cheapest of the level's protocols for this load.
PhasePrice chooseProtocol(llvm::ArrayRef<Protocol> protocols, const Load &load, CollectiveAlgorithm algorithm);

/// Time of `bytes` over `links` links or ports, each shared by `level.devicesPerPort` devices.
int64_t computeWirePs(const Level &level, int64_t bytes, int64_t links = 1, int64_t ppm = wholePpm);
/// Time of the pass through memory.
int64_t computeLocalPs(const Level &level, int64_t bytes);
/// Links that a group of `size` devices can use at once.
int64_t countLinks(const Level &level, int64_t size);
/// value * numerator / denominator, rounded up; saturates at a quarter of INT64_MAX, so that a few can be added.
int64_t scale(int64_t value, int64_t numerator, int64_t denominator);
/// log2(size), rounded up.
int64_t computeLogCeil(int64_t size);

/// Prices of all algorithms for a collective, not a permute, on one phase.
llvm::SmallVector<PhasePrice, 3> pricePhaseAlgorithms(Collective kind, const CommunicationPhase &phase, int64_t bytes);
PhasePrice pricePhase(Collective kind, const CommunicationPhase &phase, int64_t bytes);

PhasePrice priceTorus(Collective kind, const CommunicationPhase &phase, int64_t bytes);

} // namespace partita::machine

#endif
