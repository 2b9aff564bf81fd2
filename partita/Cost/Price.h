//===- Price.h - what a plan costs on a machine ---------------------------===//
//
// A plan, a machine and a placement of the mesh's axes give a price: the time
// by the cost formula, the memory, and what each op, reshard and collective
// adds to them (CostReport.h). Const once it is built.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_PRICE_H
#define PARTITA_COST_PRICE_H

#include "partita/Cost/CostReport.h"
#include "partita/Cost/ExistingCollectives.h"
#include "partita/Cost/PiecePrice.h"
#include "partita/Cost/Plan.h"
#include "partita/Cost/Rooms.h"

namespace partita::cost {

/// The times of ops and the overlap of reshards, from which a timeline is built.
struct PlanTimes {
  /// Ops that take time, longest first.
  std::vector<OpTime> ops;
  /// Whether a reshard may hide behind compute.
  IdVector<ReshardId, uint8_t> isOverlapped;

  bool operator==(const PlanTimes &other) const {
    return ops == other.ops && isOverlapped.raw() == other.isOverlapped.raw();
  }
};

/// Of the tracker's assignment; `reshards` must be those of this assignment.
PlanTimes computePlanTimes(const CostTracker &tracker, const Reshards &reshards);

/// Where a training step or program runs, and under which assumptions.
struct PriceSetting {
  Machine machine;
  Placement placement;
  CostOptions options;
};

/// Its members refer to each other and to the plan, so a price is never moved (PricePtr).
struct Price {
  Price(const Plan &plan, PriceSetting &&given)
      : plan(plan), setting(std::move(given)), liveTimes(plan.program.topology),
        model(plan.program.topology, plan.axes, setting.machine, setting.placement, setting.options, liveTimes) {}
  Price(const Price &) = delete;

  const Plan &plan;
  PriceSetting setting;
  LiveTimes liveTimes;
  CostModel model;
  /// The cost, without the program's existing collectives, and what it consists of.
  CostReport report;
  PlanTimes times;
  /// The price of one execution of each of Plan::existing.
  std::vector<CollectivePrice> existing;
  /// Of what the plan runs in pieces.
  PiecePrices pieces;

  const Machine &getMachine() const { return setting.machine; }
  /// Time by the formula and peak memory.
  const Cost &getCost() const { return report.cost; }
  /// The time of a step by the formula, the program's existing collectives included.
  int64_t computeTimePs() const;
  bool operator==(const Price &other) const { return getCost() == other.getCost() && times == other.times; }
};

using PricePtr = std::unique_ptr<const Price>;

PricePtr pricePlan(const Plan &plan, PriceSetting setting);

/// The bytes that are alive at each point of the program (CostTracker::listLiveBytes).
std::vector<int64_t> computeLiveBytes(const Price &price);

/// `90%`, `75GB`, `80GiB` or a number of bytes, as options of the cost model.
Result<CostOptions> parseMemoryLimit(llvm::StringRef text, CostOptions options);

/// The same, or without a text on a GPU the pool of this environment.
Result<CostOptions> resolveMemoryLimit(llvm::StringRef text, CostOptions options, const Machine &machine);

} // namespace partita::cost

#endif
