//===- Pricing.h - a plan on a machine ------------------------------------===//
//
// From an assignment to its cost and its timeline: the machine and placement
// that the user names, the cost model, the transfers and the simulation. Parts
// refer to each other, so a Pricing stays where it was made.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DRIVER_PRICING_H
#define PARTITA_DRIVER_PRICING_H

#include "partita/Cost/CostReport.h"
#include "partita/Driver/Planning.h"
#include "partita/Simulate/Simulation.h"

namespace partita {

struct Pricing {
  Pricing(const Planning &planning, Machine &&machine, Placement &&placement, const CostOptions &options);
  Pricing(const Pricing &) = delete;

  Machine machine;
  Placement placement;
  LiveTimes liveTimes;
  CostModel model;
  ReshardPlanner planner;
  Transfers transfers;
  CostTracker tracker;
  CostReport report;
  /// Of each of the program's own collectives, once.
  std::vector<CollectivePrice> ownPrices;
  Timeline timeline;
};

/// The timeline of what a tracker has priced, with the program's own collectives and their prices in it.
Timeline simulatePlan(const CostModel &model, const CostTracker &tracker, const Transfers &transfers,
                      const ReshardPlanner &planner, llvm::ArrayRef<OwnCollective> own,
                      llvm::ArrayRef<CollectivePrice> ownPrices);

/// Prices what is planned on `--machine`, its axes placed by `--placement`.
Result<std::unique_ptr<Pricing>> makePricing(const Planning &planning, const Options &options, StageClock &clock);

/// The same; none where no machine is named.
Result<std::unique_ptr<Pricing>> makePricingIfAsked(const Planning &planning, const Options &options,
                                                    StageClock &clock);

/// `90%`, `75GB`, `80GiB` or a number of bytes, as options of the cost model.
Result<CostOptions> parseMemoryLimit(llvm::StringRef text, CostOptions options);

/// A trace of the timeline (Simulate/Trace.h).
std::string printTrace(const Pricing &pricing);

} // namespace partita

#endif
