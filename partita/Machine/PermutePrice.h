//===- PermutePrice.h - what a collective_permute costs -------------------===//
//
// A permute is a list of messages, one to each device that receives something.
// Its price is that of the busiest port or link. A message runs on the outermost
// level on which its two devices differ; if that is a dim of a torus, on all
// dims of the torus on which they differ. S is the bytes of a message, B the
// rate of a port or link in one direction, L that of the pass through memory:
//
//   switch, hybrid mesh   c messages leave or enter a port:    S c/B + S/L
//   full mesh             every pair of devices has a link:    S/B + S/L
//   torus                 a message along k dims is cut into k pieces. Each
//                         starts with another dim and takes the shorter way
//                         around it; if both ways are equal, half goes each way.
//                         The busiest link carries c messages: S c/B + S/L, but
//                         at least the hops of the farthest message
//
// Levels work at the same time. All links of the machine are counted, so groups
// that share links slow each other down.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_MACHINE_PERMUTEPRICE_H
#define PARTITA_MACHINE_PERMUTEPRICE_H

#include "partita/Machine/CollectivePrice.h"
#include "partita/Machine/Rooms.h"

namespace partita::machine {

/// For each device of the machine, the device of its group that is `shift` positions before it, modulo the size of the
/// group. The last part runs fastest.
std::vector<int64_t> computeShiftSources(const Machine &machine, llvm::ArrayRef<LevelPart> parts, int64_t shift);

/// `sources` has, for each device of the machine, the device whose `bytes` it receives; itself if it receives nothing.
CollectivePrice pricePermute(const Machine &machine, llvm::ArrayRef<int64_t> sources, int64_t bytes);

} // namespace partita::machine

#endif
