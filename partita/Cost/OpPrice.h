//===- OpPrice.h - what the local piece of an op costs --------------------===//
//
// Ops that do not fuse. With f the flops and v the bytes of a device's piece,
// padded to the device's tile t, R the peak of the operands' element type, e the
// efficiency at that size, M the memory's rate, l the launch:
//
//   contraction     l + max(f / (R e), v / M)    v all operands and results;
//                                                f = flops of the piece *
//                                                product over M, N, K of
//                                                roundUp(size, t) / size
//   kernel          the same, with the flops of the products that its
//                   decomposition spells, not padded
//   gather          l + (2 result + indices) / M
//   scatter         l + (2 updates + indices) / M
//   others          l + v / M
//
// Only which factors are split matters, not the order of axes, so a price
// depends on the row: for each axis the factor that it splits.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_OPPRICE_H
#define PARTITA_COST_OPPRICE_H

#include "partita/Cost/FusionPlan.h"
#include "partita/Cost/Rooms.h"
#include "partita/Machine/Machine.h"
#include "partita/Propagate/Assignment.h"

namespace partita::cost {

/// A contraction, or a kernel that computes some: attention, say.
inline bool hasProducts(const Op &op) {
  return op.opClass == OpClass::Contraction || (op.opClass == OpClass::Opaque && op.flops > 0);
}

class OpPricer {
public:
  OpPricer(const Topology &topology, const Device &device)
      : graph(topology.getGraph()), topology(topology), device(device) {}

  /// One execution of the device's piece of an op that stands alone, launch included.
  int64_t computeTimePs(const Assignment &assignment, OpId op) const;
  /// Bytes of a device's piece of operand or result `value`, as the op takes or gives it.
  int64_t computeLocalBytes(const Assignment &assignment, OpId op, uint32_t value) const;
  /// Multiplications and additions on one device.
  int64_t computeLocalFlops(const Assignment &assignment, OpId op) const;
  int64_t computeMemoryPs(int64_t bytes) const {
    return computeTransferPs(bytes, device.memoryBytesPerSecond.value, device.memoryPpm.value);
  }
  int64_t getLaunchPs() const { return device.launchPs.value; }
  /// Of products of the op's operands.
  int64_t getPeakFlopsPerSecond(OpId op) const { return machine::getPeakFlopsPerSecond(device, getOperandType(op)); }
  /// An op that nothing is known of: its price is that of its traffic.
  bool isUnpriced(OpId op) const;

private:
  int64_t computeTrafficBytes(const Assignment &assignment, OpId op) const;
  int64_t computePaddedFlops(const Assignment &assignment, OpId op) const;
  llvm::StringRef getOperandType(OpId op) const;

  const Graph &graph;
  const Topology &topology;
  const Device &device;
};

} // namespace partita::cost

#endif
