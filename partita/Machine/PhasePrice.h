//===- PhasePrice.h - a collective on one level ---------------------------===//
//
// A phase is the part of a group that lies on one level, or on the dims of one
// torus, which work together. Only CollectivePrice.cpp puts phases together.
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
  /// Of a torus one or more, outermost first; otherwise one.
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
  CollectiveAlgorithm form = CollectiveAlgorithm::None;
  /// For each dim of the phase.
  llvm::SmallVector<int64_t, 3> wireBytes;

  int64_t getTimePs() const { return launchPs + runPs; }
};

/// What a protocol is asked to do: wait for hops and a fixed latency, and move bytes for `transferPs` at full rate.
struct Load {
  int64_t hops = 0;
  int64_t latencyPs = 0;
  int64_t transferPs = 0;
  /// Hops and bytes overlap: a torus forwards while it receives.
  bool isPipelined = false;
};

/// The cheapest of the level's protocols for this load.
PhasePrice chooseProtocol(llvm::ArrayRef<Protocol> protocols, const Load &load, CollectiveAlgorithm form);

/// Time of `bytes` through `links` links or ports that as many devices share as the level says.
int64_t computeWirePs(const Level &level, int64_t bytes, int64_t links = 1, int64_t ppm = wholePpm);
/// The pass through memory.
int64_t computeLocalPs(const Level &level, int64_t bytes);
/// Links that a group of `size` devices can use at once.
int64_t countLinks(const Level &level, int64_t size);
/// value * numerator / denominator, rounded up; at most a quarter of what fits, so that a few may be added.
int64_t scale(int64_t value, int64_t numerator, int64_t denominator);
/// The number of bits of size - 1.
int64_t computeLogCeil(int64_t size);

/// All forms of a collective other than a permute on one phase.
llvm::SmallVector<PhasePrice, 3> pricePhaseAlgorithms(Collective kind, const CommunicationPhase &phase, int64_t bytes);
PhasePrice pricePhase(Collective kind, const CommunicationPhase &phase, int64_t bytes);

PhasePrice priceTorus(Collective kind, const CommunicationPhase &phase, int64_t bytes);

} // namespace partita::machine

#endif
