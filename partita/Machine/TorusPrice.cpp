//===- TorusPrice.cpp - collectives on the dims of a torus ----------------===//
//
// B is the rate of a link in one direction, N the devices of the group. A closed
// dim of n devices gathers in n/2 hops, both ways at once; an open one in n-1,
// because its ends receive everything through one link. A part of a dim whose
// devices are s positions apart shares its links with s-1 other groups, and its
// hops are s times as long. Over several dims the array is cut into pieces, and
// each piece starts with another dim, so that all links work:
//
//   capacity   P = sum of (2 if closed, else 1) / s        links into a device, at the worst position
//   speed      Q = sum of n / (hops s)                     what whole shards allow
//   all_gather, reduce_scatter   max(S (N-1)/N / P, S / Q) c/B       (closed, even: S/2B for each dim)
//   all_reduce                   twice that
//   all_to_all                   the worst dim: S n s/8 (closed), S n s/4 (open) c/B
//
// and at least the time of the hops.
//
//===----------------------------------------------------------------------===//

#include "partita/Machine/PhasePrice.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace partita::machine {

/// Hops of a gather along one dim, in positions of the group.
static int64_t countHops(const PhaseDim &dim) { return dim.isClosed ? dim.size / 2 : dim.size - 1; }

static bool isDoubled(const PhaseDim &dim) { return dim.isClosed && dim.size > 2; }

static int64_t countAllHops(const CommunicationPhase &phase) {
  int64_t hops = 0;
  for (const PhaseDim &dim : phase.dims)
    hops += countHops(dim) * dim.stride;
  return hops;
}

/// P, in millionths of a link.
static int64_t computeCapacity(const CommunicationPhase &phase) {
  int64_t capacity = 0;
  for (const PhaseDim &dim : phase.dims)
    capacity += (isDoubled(dim) ? 2 : 1) * wholePpm / dim.stride;
  return std::max<int64_t>(capacity, 1);
}

/// Q, in millionths of a link.
static int64_t computeSpeed(const CommunicationPhase &phase) {
  int64_t speed = 0;
  for (const PhaseDim &dim : phase.dims)
    speed += llvm::divideCeil(dim.size * wholePpm, countHops(dim) * dim.stride);
  return std::max<int64_t>(speed, 1);
}

/// Bytes that each dim carries of the `sent` ones, in proportion to its links.
static void splitBytes(const CommunicationPhase &phase, int64_t sent, PhasePrice &price) {
  int64_t capacity = computeCapacity(phase);
  for (const PhaseDim &dim : phase.dims)
    price.wireBytes.push_back(scale(sent, (isDoubled(dim) ? 2 : 1) * wholePpm / dim.stride, capacity));
}

static PhasePrice priceGather(const CommunicationPhase &phase, int64_t bytes, int64_t rounds) {
  const Level &level = *phase.level;
  int64_t sent = scale(bytes, phase.size - 1, phase.size);
  int64_t throughLinks =
      std::max(scale(sent, wholePpm, computeCapacity(phase)), scale(bytes, wholePpm, computeSpeed(phase)));
  Load load;
  load.isPipelined = true;
  load.hops = rounds * countAllHops(phase);
  load.transferPs = computeWirePs(level, rounds * throughLinks) + computeLocalPs(level, rounds * bytes);
  PhasePrice price = chooseProtocol(level.protocols, load, CollectiveAlgorithm::Torus);
  splitBytes(phase, rounds * sent, price);
  return price;
}

/// Bytes over the busiest link of a dim if every device sends `bytes` in all, evenly over the dim.
static int64_t computeSpreadBytes(const PhaseDim &dim, int64_t bytes) {
  return scale(bytes, dim.size * dim.stride, isDoubled(dim) ? 8 : 4);
}

static PhasePrice priceExchange(const CommunicationPhase &phase, int64_t bytes) {
  const Level &level = *phase.level;
  int64_t busiest = 0;
  for (const PhaseDim &dim : phase.dims)
    busiest = std::max(busiest, computeSpreadBytes(dim, bytes));
  Load load;
  load.isPipelined = true;
  load.hops = countAllHops(phase);
  load.transferPs = computeWirePs(level, busiest) + computeLocalPs(level, bytes);
  PhasePrice price = chooseProtocol(level.protocols, load, CollectiveAlgorithm::Torus);
  splitBytes(phase, scale(bytes, phase.size - 1, phase.size), price);
  return price;
}

PhasePrice priceTorus(Collective kind, const CommunicationPhase &phase, int64_t bytes) {
  if (kind == Collective::AllToAll)
    return priceExchange(phase, bytes);
  return priceGather(phase, bytes, kind == Collective::AllReduce ? 2 : 1);
}

} // namespace partita::machine
