//===- CollectivePrice.h - what a collective costs ------------------------===//
//
// S is the payload (of an all_gather its result, of the others their operand),
// n the devices of a group, B the rate of a port or link in one direction, L
// that of the pass through memory, c the devices that share the port. On one
// level, for each protocol (launch a, hop h, share r of the rates):
//
//   all_gather, reduce_scatter   a + (n-1)h + ((n-1)/n S c/B + S/L) / r       ring
//   all_reduce                   a + 2(n-1)h + (2(n-1)/n S c/B + 2S/L) / r    ring
//                                a + 2 log2(n) t + (2S c/B + 2S/L) / r        tree
//                                a + i + ((n+1)/n S c/(B e) + 2S/L) / r       reduced in the network
//   all_to_all                   a + (n-1)p + ((n-1)/n S c/B + S/L) / r       direct
//   collective_permute           a + h + (S c/B + S/L) / r                    by its pattern: PermutePrice.h
//
// The price is the cheapest of them: a concave function of the message size. On
// a full mesh every pair has its own link, so (n-1)/n S becomes S/n. Dims of a
// torus work together (TorusPrice.cpp). A collective over several levels runs
// either level by level (reduce inside, across, gather inside), or as one ring
// or tree through all of them that uses every device's port: see
// Machine::hierarchicalCollectives.
//
// All devices run their groups at the same time; that is why c devices share a
// port.
//
// An all_to_all over several levels sends to every device by itself: on a level
// with n positions of m devices each it waits for (n-1)m p, not for (n-1)p, and
// the slowest level counts. Level by level it waits for (n-1)p.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_MACHINE_COLLECTIVEPRICE_H
#define PARTITA_MACHINE_COLLECTIVEPRICE_H

#include "partita/Machine/Placement.h"
#include "partita/Machine/Rooms.h"

namespace partita::machine {

enum class Collective : uint8_t { AllGather, AllReduce, ReduceScatter, AllToAll, CollectivePermute };

/// `all_gather`.
llvm::StringRef getName(Collective kind);
std::optional<Collective> findCollective(llvm::StringRef name);

enum class CollectiveAlgorithm : uint8_t { None, Ring, Tree, InNetwork, Direct, Torus, Hierarchical };

/// `in_network`.
llvm::StringRef getName(CollectiveAlgorithm algorithm);

struct CollectiveRequest {
  Collective kind = Collective::AllReduce;
  /// The parts of all axes of the group, in any order; sizes of 1 do not matter.
  llvm::ArrayRef<LevelPart> parts;
  int64_t payloadBytes = 0;
  /// collective_permute, instead of `parts`: for each device of the machine, the device whose bytes it receives; itself
  /// if it receives nothing.
  llvm::ArrayRef<int64_t> sources = {};
};

struct CollectivePrice {
  int64_t timePs = 0;
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::None;
  /// Bytes that one device sends, on average, over each level of the machine.
  llvm::SmallVector<int64_t, 6> wireBytes;

  int64_t getWireBytes() const;
};

/// The cheapest of priceAlgorithms. Takes no time if the group is one device or the payload is empty.
CollectivePrice priceCollective(const Machine &machine, const CollectiveRequest &request);

/// The price of every algorithm that the machine can run, in the order of CollectiveAlgorithm.
std::vector<CollectivePrice> priceAlgorithms(const Machine &machine, const CollectiveRequest &request);

} // namespace partita::machine

#endif
