//===- PermutePrice.h - what a permute costs, by its pattern --------------===//
//
// A permute is a list of messages, one to each device that takes something, and
// its price is that of the busiest port or link that they cross. A message runs
// on the outermost level on which its two devices differ; if that is a dim of a
// torus, on all dims of the torus on which they differ:
//
//   switch, hybrid mesh   c messages leave or enter a port:    S c/B + S/L
//   full mesh             every pair of devices has a link:    S/B + S/L
//   torus                 a message along k dims is cut into k pieces, each of
//                         which starts with another dim and goes the shorter
//                         way around it, half either way if both are as short.
//                         The busiest link carries c messages: S c/B + S/L, and
//                         never less than the hops of the farthest
//
// Levels work at the same time. Every link of the machine is looked at, so what
// groups beside each other do on shared links is counted.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_MACHINE_PERMUTEPRICE_H
#define PARTITA_MACHINE_PERMUTEPRICE_H

#include "partita/Machine/CollectivePrice.h"
#include "partita/Machine/Rooms.h"

namespace partita::machine {

/// For each device of the machine, the device of its group that stands `shift` positions before it, around the end if
/// need be. The last part runs fastest.
std::vector<int64_t> computeShiftSources(const Machine &machine, llvm::ArrayRef<LevelPart> parts, int64_t shift);

/// `sources` has, for each device of the machine, the device whose `bytes` it takes; itself if it takes nothing.
CollectivePrice pricePermute(const Machine &machine, llvm::ArrayRef<int64_t> sources, int64_t bytes);

} // namespace partita::machine

#endif
