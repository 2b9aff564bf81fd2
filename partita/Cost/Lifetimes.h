//===- Lifetimes.h - who shares a buffer, and when a use releases it ------===//
//
// Depends on the program alone. What a use of a value means for its buffer:
//
//   an op                  it is alive until the kernel in which the op runs;
//                          dynamic_update_slice and scatter work in the buffer
//                          of operand 0, and a kernel of elementwise ops in that
//                          of the first operand of the result's type that dies
//                          there: at that point only the result counts
//   barrier, constraint    the same buffer: alive as long as the copy is
//   entry of a loop        of a value that no iteration changes: the same buffer,
//                          alive to the loop's end and its last use
//                          after it, unless it is copied to another dim order
//                          (DimOrders.h); of others, the carried value takes it over
//   yield                  a carried value has one buffer from its entry to the
//                          loop's end or its last use after it. What is yielded is
//                          written into that buffer if the carried value is no
//                          longer used when it is computed, and counts separately
//                          otherwise
//   branch_yield           the branches' result takes it over
//   result                 alive to the program's end; a value that is returned
//                          twice, is an argument, or is left by a loop in another
//                          order of dims, is copied. A result that
//                          is paired with a donated argument (DonorPairs.h) is
//                          written into its buffer if that is no longer used (or
//                          only, elementwise, by the kernel that computes
//                          the result)
//
// Arguments live from the first point to the last, donated or not, because the
// caller holds them.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_LIFETIMES_H
#define PARTITA_COST_LIFETIMES_H

#include "partita/Analysis/LiveTimes.h"
#include "partita/Cost/FusionPlan.h"
#include "partita/Cost/Rooms.h"

namespace partita::cost {

/// Until when, and how, a use holds the buffer of its operand.
struct UseEnd {
  /// The last op at which it is needed.
  OpId op;
  /// Needed to the program's end instead.
  bool isToEnd = false;
  /// Gives its buffer to the result of `op`, if nothing needs it later.
  bool givesBuffer = false;
  /// A yielded value that is written into the buffer of the carried value and counted there.
  bool isAliased = false;
};

class Lifetimes {
public:
  Lifetimes(const Topology &topology, const FusionPlan &fusion, const LiveTimes &liveTimes);

  const UseEnd &getEnd(UseId use) const { return ends[use]; }
  /// Whether what is needed at `a` is needed for longer than what is needed at `b`.
  bool isLater(OpId a, OpId b) const { return std::pair(latest[a], a) > std::pair(latest[b], b); }
  /// A loop passes it on unchanged: the same buffer as its initial value.
  bool isUnchanged(CellId carried) const {
    return graph.cells[carried].kind == CellKind::Carried && topology.getDefinitions(carried).size() == 1 &&
           !fusion.getOrders().isRelaid(carried);
  }
  /// Whether a result of the program is a copy of the value that it returns.
  bool isCopied(OpId result) const { return copied[result] != 0; }
  /// Whether the value that the identity `result` returns can be written into the buffer of its paired argument.
  bool mayAlias(CellId argument, OpId result) const;
  /// How a value is alive at its last op.
  LastUse getLastUse(OpId op, bool givesBuffer) const {
    if (sharedKernels[op])
      return givesBuffer ? LastUse::GivesBufferForAll : LastUse::KeepsForAll;
    return givesBuffer ? LastUse::GivesBuffer : LastUse::Keeps;
  }

private:
  bool isArgument(CellId cell) const { return graph.cells[cell].kind == CellKind::Argument; }
  void findEnds(OpId op);
  UseEnd joinEnds(CellId cell, OpId first) const;
  UseEnd findIdentityEnd(OpId op);
  void markUpdates(OpId op);
  void markDonors();
  bool diesAt(CellId cell, OpId kernel) const;
  bool isReadElementwise(CellId cell, OpId kernel) const;
  bool isDead(CellId cell, OpId at, bool mayReadElements) const;
  CellId findOrigin(CellId value) const;
  bool isPassedThrough(CellId cell) const;
  void passThroughIdentities();
  void markYields();
  void markCopies();
  void findSharedKernels();

  const Topology &topology;
  const FusionPlan &fusion;
  const LiveTimes &liveTimes;
  const Graph &graph;
  IdVector<UseId, UseEnd> ends;
  /// How late each op may run, as an op of the whole program.
  IdVector<OpId, OpId> latest;
  IdVector<OpId, uint8_t> copied;
  /// Of a folded program: kernels that run through all layers of a stack.
  IdVector<OpId, uint8_t> sharedKernels;
};

} // namespace partita::cost

#endif
