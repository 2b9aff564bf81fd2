//===- FusionPlan.h - which ops run as one kernel -------------------------===//
//
// Decided on the program alone, whatever the assignment is, by a rule that a
// reader of the local program can follow (docs/cost.md).
//
//   producers   elementwise ops, movement (broadcast, reshape, transpose, slice,
//               pad, concatenate, iota, constant ...), dynamic_slice, gather,
//               reductions of at most 65,536 elements over dims that lie innermost
//               in memory (DimOrders.h)
//   consumers   these, all other reductions (but for sort and the like),
//               dynamic_update_slice in what it is updated with
//
// From the last op to the first: the result of a producer stays inside a kernel
// if all its uses are consumers in the same region and all of these run in one
// kernel. If they run in several, at most 32, it is computed in each of them,
// provided that it is no reduction and not transposed, and either widens or
//
//   (k - 1) in <= (k + 1) out
//
// and none of its users is a producer of which it could be asked, too, that is,
// one that does not widen (a comparison does not count: no sum goes on from it). k is the number of its uses, `out` the
// bytes of its result, `in` what has to be read to compute it.
//
//   light        free, that is, computed of constants alone; or narrow: a broadcast
//                to at least four times the size, or computed of light values
//                alone
//   matters      an operand that is not light, and not much smaller (four times)
//                than the result
//   footprint    what has to be read for a value: its bytes; of a producer of
//                which at most one operand matters, that one's footprint, if it is
//                less
//   widens       at most one operand matters, and its footprint is no larger than
//                the result (or the op is a slice, which reads what it gives)
//   transposed   by a transpose that moves the last dim, or computed from such a
//                value on the way to the first one that has several uses: it is
//                not read in order, so it is done once
//
// Where a value is added to the scatter of something into zeros, and that is not used
// otherwise, the kernel that computes the value makes what is scattered into: its
// root is the scatter.
//
// So a softmax or a norm is one kernel. Constants, moved or not, are nowhere: they
// stand in the kernels that use them.
//
// A kernel is called by its last op, its root. Its time is that of its traffic:
// each value that enters is read once for each kernel, each that leaves written
// once. Ops that do not fuse (contractions, gather, scatter, sort, opaque ones)
// are kernels whose traffic is counted with the op (OpPrice.h).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_FUSIONPLAN_H
#define PARTITA_COST_FUSIONPLAN_H

#include "partita/Analysis/Multiplicity.h"
#include "partita/Cost/DimOrders.h"
#include "partita/Cost/Rooms.h"

namespace partita::cost {

class FusionPlan {
public:
  explicit FusionPlan(const Topology &topology, const Multiplicity &weights = {});

  FusionRole getRole(OpId op) const { return roles[op]; }
  const DimOrders &getOrders() const { return orders; }
  /// Whether a cell stays inside a kernel, unless a reshard or pin stands on it.
  bool isFused(CellId cell) const { return fused[cell] != 0; }
  /// Computed of constants alone.
  bool isFree(CellId cell) const { return free[cell] != 0; }
  /// Free, or spread out from something much smaller: to compute it anew in each kernel reads next to nothing.
  bool isLight(CellId cell) const { return free[cell] != 0 || narrow[cell] != 0; }
  /// A constant, moved perhaps, or computed of scalar ones, or passed on by a loop: it takes neither time nor memory.
  bool isConstant(CellId cell) const { return constant[cell] != 0; }
  /// The root of the (last) kernel in which the op runs: itself, unless its result is fused.
  OpId getKernel(OpId op) const { return kernels[op]; }
  /// Whether a kernel makes what the op, a scatter into zeros, works in.
  bool isFilled(OpId scatter) const { return filled[scatter] != 0; }
  /// Whether the kernel computes each element of its root's result from elements of the op's result at the same place.
  bool isElementwiseToRoot(OpId op) const { return elementwise[op] != 0; }
  /// How many kernels read the cell because of this use; those of one kernel count once. 0 for ops that stand alone.
  uint32_t getNumReads(UseId use) const { return reads[use]; }

private:
  /// A kernel by its root, and how many such kernels of the whole program one such op runs in.
  struct KernelCopies {
    OpId root;
    int64_t count = 1;
  };

  void findRoles();
  void findFree();
  void findNarrow();
  void findOrders();
  void findTransposed();
  bool movesRows(OpId op) const;
  void findFootprints();
  void findFilled();
  /// The op whose kernel a use stands in: the user, or the scatter to which the user adds.
  OpId getBoundaryNode(UseId use) const { return places[use].isValid() ? places[use] : topology.getUser(use); }
  void findKernels(const Multiplicity &weights);
  void findReads();
  bool isConstantOp(OpId op) const;
  bool isRowReduction(OpId op) const;
  bool isProducer(OpId op) const;
  bool isConsumer(UseId use) const;
  bool isCheap(OpId op) const;
  bool isWorthCopying(OpId op) const;
  /// At most one operand matters, and no more has to be read for that one than the result has.
  bool isWidening(OpId op) const;
  std::optional<CellId> findOnlyOperand(OpId op) const;
  int64_t computeInputBytes(OpId op) const;

  const Topology &topology;
  const Graph &graph;
  IdVector<OpId, FusionRole> roles;
  DimOrders orders;
  IdVector<CellId, uint8_t> free, narrow, transposed, constant, fused;
  IdVector<CellId, int64_t> footprints;
  IdVector<OpId, OpId> kernels;
  IdVector<UseId, OpId> places;
  /// All kernels in which an op runs.
  IdVector<OpId, llvm::SmallVector<KernelCopies, 1>> allKernels;
  IdVector<OpId, uint8_t> elementwise, filled;
  IdVector<UseId, uint32_t> reads;
};

} // namespace partita::cost

#endif
