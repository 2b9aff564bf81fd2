//===- DimOrders.h - in which order a tensor's dims lie in memory ---------===//
//
// Depends on the program alone. A compiler does not move the elements of a
// transposed value if it can read them in another order instead. Values that
// are computed from it elementwise lie in that order, too:
//
//   transpose              the operand's order, its dims renamed
//   elementwise            that of the first operand of the result's shape that is
//                          not light and not in the order of its dims
//   slice, dynamic_slice,  that of operand 0
//   barrier, constraint
//   reshape and broadcast  that of operand 0, where they add or drop dims of one
//                          element alone
//   dynamic_update_slice   that of the update; the dims it fills lie outside
//                          (or, into a stack that a loop fills from constants,
//                          as the first product that takes the update asks)
//   what a loop carries    that of what it yields
//   all others             the order of the dims
//
// The order matters in two cases, where the elements have to move after all:
//
//   contractions           take batching, free and contracted dims (or batching,
//                          contracted, free), each in the contraction's order. An
//                          operand in another order is copied: lhs to the
//                          first of these orders, rhs to the second. A kernel
//                          whose result only contractions use gives it in the
//                          order that the first of them takes: no copy there.
//                          Arguments and values updated in place (a cache of
//                          keys) are kept in the order needed: no copy either
//   loops                  what one loop has filled, and another one reads but does
//                          not change, is copied between the two to the order in
//                          which the first product there takes it, or else to the
//                          order of its dims. So is what the program returns
//
// Also, only reductions over innermost dims stay inside a kernel
// (FusionPlan.h). The position of dims of one element does not matter.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_DIMORDERS_H
#define PARTITA_COST_DIMORDERS_H

#include "partita/Cost/Rooms.h"
#include "partita/Propagate/Topology.h"

namespace partita::cost {

/// How an op takes part in fusion.
enum class FusionRole : uint8_t {
  /// A kernel of its own, whose traffic is priced with the op.
  Alone,
  Elementwise,
  Movement,
  /// slice, dynamic_slice, gather: reads as many elements of operand 0 as its result has.
  Slice,
  /// dynamic_update_slice: works in the buffer of operand 0, reads and writes as many elements as operand 1 has.
  Update,
  Reduction,
  /// Exists before the program starts.
  Constant,
  /// The same value under another name.
  Identity,
};

/// Dims of more than one element, major to minor.
using DimOrder = llvm::SmallVector<uint8_t, 8>;

class DimOrders {
public:
  DimOrders() = default;
  /// `isLight`: for each cell, whether it is light (FusionPlan.h).
  DimOrders(const Topology &topology, const IdVector<OpId, FusionRole> &roles,
            const IdVector<CellId, uint8_t> &isLight);

  /// The order of a value; empty: the order of its dims.
  llvm::ArrayRef<uint8_t> getOrder(CellId cell) const { return orders[cell]; }
  /// Whether the contraction copies this operand into another order.
  bool isCopied(UseId use) const { return copied[use] != 0; }
  /// Whether the copy of the operand is scattered (below).
  bool isScattered(UseId use) const { return scattered[use] != 0; }
  /// Whether some operand of the op is copied.
  bool hasCopies(OpId op) const { return copying[op] != 0; }
  /// A loop passes it on unchanged, but it is a copy of its initial value in another order.
  bool isRelaid(CellId carried) const { return relaid[carried] != 0; }

private:
  friend class OrderFinder;

  IdVector<CellId, DimOrder> orders;
  IdVector<UseId, uint8_t> copied, scattered;
  IdVector<OpId, uint8_t> copying;
  IdVector<CellId, uint8_t> relaid;
};

/// The dims of more than one element, in ascending order.
DimOrder listLongDims(const Graph &graph, CellId cell);

/// Whether a kernel that moves the elements to another order of dims is not made of tiles: the dim that lies innermost
/// then is short, and what was innermost comes further outside. Each element is alone in the sector of memory that it
/// is read from. `from` and `to` may be empty: the order of the dims.
bool isScattering(const Graph &graph, CellId cell, DimOrder from, DimOrder to);

} // namespace partita::cost

#endif
