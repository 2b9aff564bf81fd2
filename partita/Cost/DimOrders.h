//===- DimOrders.h - in which order dims lie in memory --------------------===//
//
// Decided on the program alone. A compiler does not move the elements of what is
// transposed where it can read them in another order instead, and what is computed
// from it element by element lies in that order, too:
//
//   transpose              the operand's order, its dims renamed
//   elementwise            that of the first operand of the result's shape that is
//                          not light and not in the order of its dims
//   slice, dynamic_slice,  that of operand 0
//   barrier, constraint
//   reshape and broadcast  that of operand 0, where they add or drop dims of one
//                          element alone
//   dynamic_update_slice   that of the update; the dims it fills lie outside
//   what a loop carries    that of what it yields
//   all others             the order of the dims
//
// It shows in two places, where somebody has to move the elements after all:
//
//   contractions           take batching, free and contracted dims (or batching,
//                          contracted, free), each in the contraction's order. An
//                          operand that lies otherwise is copied: lhs to the
//                          first of these orders, rhs to the second. What a kernel
//                          makes for contractions alone it makes in the order that
//                          the first of them asks for, so that one needs no copy
//   loops                  what one loop has filled, and another one reads and does
//                          not change, is copied to the order of its dims between
//                          the two
//
// Dims of one element lie anywhere.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_DIMORDERS_H
#define PARTITA_COST_DIMORDERS_H

#include "partita/Cost/FusionPlan.h"

namespace partita {

class DimOrders {
public:
  DimOrders(const Topology &topology, const FusionPlan &fusion);

  /// Whether the contraction that uses a value takes a copy of it.
  bool isCopied(UseId use) const { return copied[use] != 0; }
  /// Whether some operand of the op is copied.
  bool hasCopies(OpId op) const { return copying[op] != 0; }
  /// A loop passes it on as it is, but it is a copy of its initial value.
  bool isRelaid(CellId carried) const { return relaid[carried] != 0; }

private:
  /// Dims of more than one element, major to minor; empty: as they come.
  using Order = llvm::SmallVector<uint8_t, 8>;
  /// Of a contraction's operand.
  struct Groups {
    Order batching, free, contracted;
  };

  void findOrder(OpId op);
  Order findResultOrder(OpId op) const;
  Order findTransposedOrder(OpId op) const;
  void markCopies(CellId cell);
  Groups findGroups(UseId use) const;
  bool isProduct(OpId op) const;
  Order listDims(CellId cell) const;
  Order getOrder(CellId cell) const { return orders[cell].empty() ? listDims(cell) : orders[cell]; }
  void setOrder(CellId cell, Order order);

  const Topology &topology;
  const FusionPlan &fusion;
  const Graph &graph;
  IdVector<CellId, Order> orders;
  IdVector<UseId, uint8_t> copied;
  IdVector<OpId, uint8_t> copying;
  IdVector<CellId, uint8_t> relaid;
};

} // namespace partita

#endif
