//===- OpPrice.h - the time of a device's piece of an op ------------------===//
//
// Prices ops that do not fuse. v are the bytes of a device's piece, M is the
// memory's rate, l the launch time:
//
//   contraction     ProductPrice.h; with windows (convolutions) on a GPU 1.2 times
//                   that and 2 l: fitted on ten convolutions of an H200. Windows of
//                   few elements of rows that are not aligned (3 x 3 of an image of
//                   three colours) run on the vector units, at half of their rate
//   kernel          l + max(f / (R e), v / M): f the flops of the products that
//                   its decomposition spells, R the peak rate of the operands'
//                   type, e the efficiency at that size
//   sort, top_k, scatter, fft, cholesky, triangular_solve   SlowOpPrice.h
//   gather          l + (2 result + indices) / M
//   others          l + v / M
//
// Only the set of split factors matters, not the order of axes. So a price
// depends on the node state: for each axis, the factor that it splits.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_OPPRICE_H
#define PARTITA_COST_OPPRICE_H

#include "partita/Cost/FusionPlan.h"
#include "partita/Cost/KernelWork.h"
#include "partita/Cost/Rooms.h"
#include "partita/Cost/SlowOpPrice.h"
#include "partita/Machine/ProductPrice.h"
#include "partita/Propagate/Assignment.h"

namespace partita::cost {

/// A contraction, or a kernel that contains some, such as attention.
inline bool hasProducts(const Op &op) {
  return op.opClass == OpClass::Contraction || (op.opClass == OpClass::Opaque && op.flops > 0);
}

class OpPricer {
public:
  OpPricer(const Topology &topology, const FusionPlan &fusion, const Device &device)
      : graph(topology.getGraph()), topology(topology), device(device), products(device),
        work(topology, fusion, device) {}

  /// One execution of the device's piece of an op that is a kernel of its own, launch included.
  int64_t computeTimePs(const Assignment &assignment, OpId op) const;
  /// The same for a product of which dim `dim` of operand `operand`, with that of the result, is cut into so many more
  /// parts: one of them.
  int64_t computeRowsPs(const Assignment &assignment, OpId op, uint32_t operand, uint32_t dim, int64_t parts) const;
  /// Bytes of a device's piece of operand or result `value`, as the op takes or gives it.
  int64_t computeLocalBytes(const Assignment &assignment, OpId op, uint32_t value) const;
  /// Multiplications and additions on one device.
  int64_t computeLocalFlops(const Assignment &assignment, OpId op) const;
  int64_t computeMemoryPs(int64_t bytes) const {
    return computeTransferPs(bytes, device.memoryBytesPerSecond.value, device.memoryPpm.value);
  }
  /// A kernel that moves so many bytes.
  int64_t computeKernelPs(int64_t bytes) const { return device.launchPs.value + computeMemoryPs(bytes); }
  /// A kernel that copies the operand to the order of dims in which the contraction takes it.
  int64_t computeOrderCopyPs(const Assignment &assignment, const DimOrders &orders, UseId use) const;
  /// The time in which the op's kernel writes so many bytes of its result, in the order of dims that readers ask for.
  int64_t computeWritePs(const Assignment &assignment, const FusionPlan &fusion, OpId op, uint32_t result,
                         int64_t bytes) const;
  /// The time in which the op's kernel reads or writes so many bytes of elements of so many bits.
  int64_t computeStreamPs(OpId op, uint32_t elementBits, int64_t bytes) const {
    return scaleTime(computeMemoryPs(bytes), work.getStreamPpm(op, elementBits));
  }
  /// The time in which kernels read the operand, in the sharding in which the op takes it; 0 if it stays in a kernel.
  int64_t computeReadsPs(const Assignment &assignment, const FusionPlan &fusion, UseId use) const {
    return computeReadsPs(assignment, fusion, use, fusion.getNumReads(use));
  }
  /// The same for the reads that a joined kernel spares.
  int64_t computeSparedReadsPs(const Assignment &assignment, const FusionPlan &fusion, UseId use) const {
    return computeReadsPs(assignment, fusion, use, fusion.getNumSparedReads(use));
  }
  /// What it takes to write or copy the buffer that the op works in, of so many bytes; 0 if it takes over one.
  int64_t computeBufferPs(const FusionPlan &fusion, OpId op, int64_t bytes) const;
  int64_t getLaunchPs() const { return device.launchPs.value; }
  /// What the kernel of this root takes beside its bytes.
  int64_t getStartPs(OpId root) const { return device.launchPs.value + work.getWaitPs(root); }
  /// The peak rate for products of the op's operands.
  int64_t getPeakFlopsPerSecond(OpId op) const { return machine::getPeakFlopsPerSecond(device, getOperandType(op)); }
  /// An op of unknown computation: its price is that of its traffic.
  bool isUnpriced(OpId op) const;

private:
  int64_t computeReadsPs(const Assignment &assignment, const FusionPlan &fusion, UseId use, uint32_t numReads) const;
  int64_t computeScatteredBytes(const Assignment &assignment, OpId op, uint32_t value, bool isScattered) const;
  int64_t computeTrafficBytes(const Assignment &assignment, OpId op) const;
  ProductPiece computePiece(const Assignment &assignment, OpId op) const;
  int64_t computeWindowsPs(const ProductPiece &piece, int64_t productPs) const;
  int64_t computeContractionPs(const Assignment &assignment, OpId op) const;
  int64_t getLocalSize(const Assignment &assignment, OpId op, uint32_t factor) const {
    return graph.getFactors(op)[factor].size / assignment.getParts(topology.getNode(op), factor);
  }
  bool hasAlignedRows(const Assignment &assignment, OpId op, uint32_t operand) const;
  bool contractsRows(OpId op) const;
  int64_t countWindows(const Assignment &assignment, OpId op) const;
  SlowOpPiece computeSlowPiece(const Assignment &assignment, OpId op) const;
  llvm::StringRef getOperandType(OpId op) const;
  static int64_t scaleTime(int64_t timePs, int64_t ppm);

  const Graph &graph;
  const Topology &topology;
  const Device &device;
  ProductPricer products;
  KernelWork work;
};

} // namespace partita::cost

#endif
