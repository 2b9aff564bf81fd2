//===- FusionPlan.h - which ops run as one kernel -------------------------===//
//
// Depends on the program alone, not on the assignment, by a rule that a reader
// of the local program can follow (docs/cost.md).
//
//   producers   elementwise ops, movement (broadcast, reshape, transpose, slice,
//               pad, concatenate, iota, constant ...), dynamic_slice, gather,
//               reductions of at most 8,192 elements over dims that lie innermost
//               in memory (DimOrders.h), if the kernel gives as many elements as
//               they read: a softmax or a norm, but not a log-sum-exp
//   consumers   these, all other reductions (except sort and the like), and
//               dynamic_update_slice for its update operand
//
// Ops are visited from the last to the first. The result of a producer stays
// inside a kernel if all its uses are consumers in the same region and run in
// one kernel. If they run in several kernels, at most 32, each of them computes
// it again, provided that it is no reduction, not slow (tanh, erfc, power: XLA
// keeps what they give), not the 16-bit operand of such a function
// and not transposed, that it widens or
//
//   (k - 1) in <= (k + 1) out
//
// and that none of its users is a producer that could be computed again, too,
// and does not widen (comparisons do not count: no sum continues from them). k
// is the number of its uses, `out` the bytes of its result, `in` the bytes read
// to compute it.
//
//   light        free, that is, computed from constants only; or narrow: a broadcast
//                to at least four times the size, or computed from light values only
//   matters      an operand that is not light, and not much smaller (four times)
//                than the result
//   source       the value from which another is computed elementwise, if all
//                operands that matter have one: x of x * logistic(x). Operands of
//                one source count as one, the one of the largest footprint, but
//                not in additions and subtractions
//   footprint    what has to be read for a value: its bytes; if it is the result of
//                a producer with at most one operand that matters, the footprint of
//                that operand, if it is less
//   widens       at most one operand matters, and its footprint is no larger than
//                the result (or the op is a slice, which reads what it gives)
//   transposed   an elementwise op reads it in another order of dims than it lies in;
//                or what is computed from it alone, one op after the other: it is
//                moved, so it is computed once
//
// A reduction over dims of one element is a reshape. A kernel that needs few
// elements of a value (the logit of a label) does not read it as a whole.
//
// A scatter or dynamic_update_slice works in the buffer of its operand 0. If
// that is a constant, the buffer is written first; if it is an argument that is
// not donated, it is copied.
//
// If a value is added to a scatter into zeros, and that scatter has no other
// use, the scatter works in the value: the kernel that computes the value has
// the scatter as its root. If the value is written before (it passes a barrier,
// say), its buffer becomes that of the sum, and the scatter has none.
//
// Kernels are joined to one that has several results where an elementwise one
// reads what another gives, element by element in the same shape, and nothing
// but that leads from one to the other: the update of a parameter and of its
// moments. What they read is read once.
//
// A reshape that would be a kernel of its own is none: its result is the buffer
// of its operand, as an identity's is, unless the operand's dims lie in another
// order than those of its result (DimOrders.h). Its role is Identity.
//
// So a softmax or a norm is one kernel. Constants, moved or not, take no
// memory: they are part of the kernels that use them.
//
// A kernel is named by its last op, its root. Its time is that of its traffic:
// each value that enters is read once for each kernel, each value that leaves
// is written once. Ops that do not fuse (contractions, gather, scatter, sort,
// opaque ones) are kernels whose traffic is counted with the op (OpPrice.h).
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
  explicit FusionPlan(const Topology &topology, const Multiplicity &multiplicity = {});

  FusionRole getRole(OpId op) const { return roles[op]; }
  const DimOrders &getOrders() const { return orders; }
  /// Whether a cell stays inside a kernel, unless it is resharded or pinned.
  bool isFused(CellId cell) const { return fused[cell] != 0; }
  /// Whether the kernel that moves the cell for its readers is scattered (DimOrders.h).
  bool isScattered(CellId cell) const { return scattered[cell] != 0; }
  /// Computed from constants only.
  bool isFree(CellId cell) const { return free[cell] != 0; }
  /// Whether the op is the entry of a loop for a value that is computed from constants only.
  bool startsFree(OpId op) const {
    return graph.ops[op].role == IdentityRole::Entry && isFree(graph.getOperands(op)[0]);
  }
  /// Free, or broadcast from something much smaller, and not deep: computing it again in each kernel reads next to
  /// nothing and takes next to no time.
  bool isLight(CellId cell) const { return (free[cell] != 0 || narrow[cell] != 0) && depths[cell] <= maxDepth; }
  /// A constant, possibly moved, computed from scalar constants, or passed on by a loop: it takes neither time nor
  /// memory.
  bool isConstant(CellId cell) const { return constant[cell] != 0; }
  /// The root of the (last) kernel in which the op runs: itself, unless its result is fused.
  OpId getKernel(OpId op) const { return kernels[op]; }
  /// The roots of all kernels in which the whole op runs.
  llvm::SmallVector<OpId, 4> listKernels(OpId op) const;
  /// How often the buffer that an op works in (scatter, dynamic_update_slice) goes through memory before it can do so:
  /// 1 if it is written, 2 if it is copied.
  uint32_t getBufferPasses(OpId op) const { return bufferPasses[op]; }
  /// Whether a kernel of its own writes or copies that buffer.
  bool hasBufferKernel(OpId op) const { return hasOwnBuffer[op] != 0; }
  /// Whether the kernel computes each element of its root's result from elements of the op's result at the same index.
  bool isElementwiseToRoot(OpId op) const { return elementwise[op] != 0; }
  /// Whether the op's kernel takes what was combined of each row, as those of a softmax or a norm do. On values of 16
  /// bits, arithmetic takes such a kernel longer than memory does.
  bool combinesRows(OpId op) const { return combining[kernels[op]] != 0; }
  /// Whether the kernel of this root is joined to a later one: it has no launch of its own.
  bool isJoined(OpId root) const { return joined[root] != root; }
  /// How many kernels read the cell because of this use; uses in one kernel count once. 0 if the user is a kernel of
  /// its own.
  uint32_t getNumReads(UseId use) const { return reads[use]; }
  /// How many reads the use is spared because a joined kernel makes the cell itself; a reshard of the cell before the
  /// use separates the kernels again.
  uint32_t getNumSparedReads(UseId use) const { return sparedReads[use]; }

private:
  /// Elementwise ops in a row that may be computed again: fewer than random numbers take.
  static constexpr uint32_t maxDepth = 32;
  /// A narrow value is at least this many times larger than the operand it is broadcast from.
  static constexpr int64_t minSpread = 4;

  /// A kernel by its root, and how many such kernels of the whole program one such op runs in (for folded programs).
  struct KernelCopies {
    OpId root;
    int64_t count = 1;
    /// Only few elements are needed there.
    bool isPart = false;
  };

  /// An addition or subtraction.
  bool isSum(OpId op) const { return graph.ops[op].linearity == Linearity::Sum && graph.ops[op].numUses > 1; }
  void findRoles();
  void findFree();
  void findNarrow();
  uint32_t findDepth(OpId op) const;
  void findOrders();
  void findTransposed();
  CellId findMoved(CellId cell) const;
  void findFootprints();
  void findFilled();
  void findBufferPasses();
  bool isAddedLast(OpId scatter) const;
  bool takesPart(UseId use) const;
  /// The op in whose kernel a use takes place: the user, or the scatter to which the user adds.
  OpId getKernelOp(UseId use) const { return kernelOps[use].isValid() ? kernelOps[use] : topology.getUser(use); }
  void findKernels(const Multiplicity &multiplicity);
  void findCombining();
  void findJoined();
  bool mayJoin(OpId root, OpId later) const;
  void findReads();
  bool isConstantOp(OpId op) const;
  bool isRowReduction(OpId op) const;
  bool isWide(OpId root, OpId reduction) const;
  bool isProducer(OpId op) const;
  bool isConsumer(UseId use) const;
  bool isCheap(OpId op) const;
  bool isSlow(OpId op) const;
  bool isSpeltOut(CellId cell) const;
  bool isWorthCopying(OpId op) const;
  /// What matters has one source, and its footprint is no larger than the result.
  bool isWidening(OpId op) const;
  std::optional<CellId> findOnlyOperand(OpId op) const;
  int64_t computeInputBytes(OpId op) const;

  const Topology &topology;
  const Graph &graph;
  IdVector<OpId, FusionRole> roles;
  DimOrders orders;
  IdVector<CellId, uint8_t> free, narrow, transposed, scattered, constant, fused;
  /// The most elementwise ops in a row from constants and broadcasts to a cell that comes from these alone.
  IdVector<CellId, uint32_t> depths;
  IdVector<CellId, int64_t> footprints;
  /// The value from which a cell is computed elementwise; the cell itself if there are several, or none.
  IdVector<CellId, CellId> sources;
  IdVector<OpId, OpId> kernels;
  /// `fillers`: the scatter into zeros to which an addition adds what it uses, a value that was written before.
  IdVector<UseId, OpId> kernelOps, fillers;
  /// All kernels in which an op runs.
  IdVector<OpId, llvm::SmallVector<KernelCopies, 1>> allKernels;
  IdVector<OpId, uint8_t> elementwise, bufferPasses, hasOwnBuffer, combining;
  /// Of a root, the last root of the joined kernel.
  IdVector<OpId, OpId> joined;
  IdVector<UseId, uint32_t> reads, sparedReads;
};

} // namespace partita::cost

#endif
