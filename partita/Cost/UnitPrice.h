//===- UnitPrice.h - time and memory of one unit --------------------------===//
//
// A value exists in several copies: as it is defined, and as each of its
// reshards makes it. Each copy has its bytes and is alive from its creation to
// the last op that uses this copy (Lifetimes.h); copies of transfers that
// overlap with compute live longer (IssueWindow.h). The original of a cell that
// fuses takes no memory unless the cell is resharded. The traffic of kernels is
// counted with the values: written once, read once by each kernel
// (FusionPlan.h).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_UNITPRICE_H
#define PARTITA_COST_UNITPRICE_H

#include "partita/Cost/CellReshards.h"
#include "partita/Cost/DonorPairs.h"
#include "partita/Cost/ReshardPlanPrice.h"
#include "partita/Cost/Rooms.h"
#include "partita/Machine/CollectiveOrder.h"

namespace partita::cost {

/// Compute; communication that compute waits for, before the slot's kernel and behind it; communication that may hide
/// behind compute: gathers of parameters, which may begin early, and reductions that nothing waits for (Overlap.h);
/// reductions that an iteration waits for at its end (LoopReductions.h); what the host takes to issue it all; permutes
/// that run while the slot's product does (ProductPieces.h), and keep the network busy. The last two are no times: the
/// bytes of the results of the gathers and of the reductions, where the platform joins such collectives
/// (Machine/CollectiveOrder.h).
enum class TimeKind : uint8_t {
  Compute,
  Exposed,
  ExposedBehind,
  Gathered,
  Late,
  LateAtEnd,
  Issued,
  Beside,
  GatheredBytes,
  LateBytes
};

inline bool isTime(TimeKind kind) { return kind < TimeKind::GatheredBytes; }

/// Time, or bytes, that a unit adds to a slot (TimeSlots.h).
struct TimeTerm {
  TimeSlotId slot;
  TimeKind kind = TimeKind::Compute;
  int64_t timePs = 0;
  /// The op that spends it: the root of a fused kernel or an op that is its own kernel; for a reshard, the op that it
  /// follows or precedes.
  OpId op;
};

/// One copy of the unit's value.
struct ValueCopy {
  /// The reshard of the unit that made it; invalid: the value as it is defined.
  ReshardId reshard;
  /// A temporary of a reshard, beside its source and target; without a reshard, a copy of an operand.
  bool isTemporary = false;
  int64_t bytes = 0;
  LiveRanges ranges;
};

struct UnitPrice {
  llvm::SmallVector<TimeTerm, 8> times;
  /// The copies that take memory.
  llvm::SmallVector<ValueCopy, 4> copies;

  void clear() {
    times.clear();
    copies.clear();
  }
};

/// Whether a reduction of the cell's value in this region may hide behind compute, for some plan.
bool mayHideReduction(const CostModel &model, CellId cell, RegionId region);

class PiecePrices;

class UnitPricer {
public:
  UnitPricer(const CostModel &model, const Assignment &assignment, const DonorPairs &pairs, ReshardPlanner &planner,
             ReshardPlanPrices &prices)
      : model(model), graph(model.getGraph()), topology(model.getTopology()), assignment(assignment), pairs(pairs),
        planner(planner), prices(prices), joinsCollectives(getCollectiveOrder(model.getMachine()).combineBytes > 0),
        builder(assignment, planner), brought(assignment, planner) {}

  /// Prices some reshards of this assignment, and their products, as running in pieces. Before anything is priced.
  void setPieces(const PiecePrices *given) { pieces = given; }

  /// The price of a unit, valid until the next call.
  const UnitPrice &compute(UnitId unit);
  /// The reshards of the unit of the last call.
  const CellReshards &getReshards() const { return *reshards; }
  /// How a reshard of that unit counts; Exposed wherever compute waits for it.
  TimeKind getKind(const Reshard &reshard) const;
  /// Whether it may hide behind compute.
  bool isOverlapped(const Reshard &reshard) const { return getKind(reshard) != TimeKind::Exposed; }
  /// How many reshards of the whole program it represents (more than one in a folded program).
  int64_t getMultiplicity(ReshardId reshard) const;

private:
  /// Until when a copy is needed.
  struct CopyEnd {
    OpId op;
    bool isToEnd = false, givesBuffer = false, isAliased = false;
    /// Besides, in the window behind the op at which the copy is made: a late reduction is not done before.
    bool isInWindow = false;
  };
  using CopyEnds = llvm::SmallVector<CopyEnd, 5>;

  void computeOp(OpId op);
  bool computePieced(OpId op);
  void computeDefinition(const Unit &unit);
  void computeBrought(const Unit &unit);
  void computeBoundary(const Unit &unit);

  // Time.
  void addTime(llvm::ArrayRef<SlotShare> shares, TimeKind kind, int64_t timePs, OpId op);
  void addCompute(OpId op, int64_t timePs);
  void addIssue(OpId op);
  void addWrite(const Unit &unit, int64_t bytes);
  void addReads(CellId cell);
  void addSeparated();
  void addCopy(OpId op, int64_t bytes);
  bool isBehindKernel(const Reshard &reshard) const;
  void addReshardTimes();
  bool addPiecedTimes(const Reshard &reshard, llvm::ArrayRef<SlotShare> shares, OpId op);
  bool isRotated(const Reshard &reshard) const;
  void addRotatedTimes(const Reshard &reshard);
  void addCarriedTimes(const Reshard &reshard);
  void addBatchBytes(const Reshard &reshard, llvm::ArrayRef<SlotShare> shares, OpId op);

  // Memory.
  UseEnd getEnd(UseId use);
  void extend(CopyEnd &end, OpId to, bool gives) const;
  bool isMadeInArgument(OpId op) const;
  CopyEnds computeEnds(OpId behind, bool isCarried, CellId cell);
  bool isLateReduction(const Reshard &reshard) const;
  bool standsBehind(OpId barrier, uint32_t number) const;
  OpId getPlace(uint32_t number, OpId behind) const;
  void extendByLate(const Reshard &reshard, OpId at, CopyEnd &source, CopyEnd &target) const;
  void addValueCopy(ReshardId reshard, int64_t bytes, LiveRanges ranges, bool isTemporary = false);
  void addCopies(OpId op);
  void addExchange(OpId op);
  void addReshardCopies(OpId behind, llvm::ArrayRef<CopyEnd> ends);
  void addRotatedCopies(uint32_t number);
  LiveRanges getRanges(OpId from, const CopyEnd &end, WindowPart part = WindowPart::None) const;
  LiveRanges getRangesAt(OpId op) const;
  int64_t getReshardBytes(const Reshard &reshard) const;
  int64_t getUnreducedBytes(const Reshard &reshard) const;
  int64_t getCopyBytes(const Reshard &reshard) const;

  const CostModel &model;
  const Graph &graph;
  const Topology &topology;
  const Assignment &assignment;
  const DonorPairs &pairs;
  ReshardPlanner &planner;
  ReshardPlanPrices &prices;
  bool joinsCollectives;
  /// Null if nothing runs in pieces.
  const PiecePrices *pieces = nullptr;
  CellReshardBuilder builder;
  /// For reshards into boundary values, while `builder` holds the unit's reshards.
  CellReshardBuilder brought;
  const CellReshards *reshards = nullptr;
  /// Of the unit.
  CellId cell;
  UnitPrice price;
};

} // namespace partita::cost

#endif
