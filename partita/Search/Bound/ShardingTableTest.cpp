//===- ShardingTableTest.cpp - times against those of the planner's plans -===//

#include "partita/Search/Bound/ShardingTable.h"

#include "partita/Cost/ReshardPlanPrice.h"
#include "partita/Machine/Presets.h"
#include "partita/Testing/CostFixture.h"

#include <gtest/gtest.h>

namespace partita::search {

using namespace fixtures;
namespace {

constexpr llvm::StringRef argumentGraph = R"({"partita_graph": 1, "program": {"name": "m", "sha256": ""},
  "regions": [{"kind": "program", "trips": 1}],
  "cells": [{"kind": "argument", "type": "f32", "bits": 32, "shape": [16, 8, 3], "region": 0, "number": 0}],
  "ops": [], "ties": [], "donated": [], "stepped": [], "boundaries": [], "mesh": [], "shardings": []})";

/// Every sharding of the shape, with all orders of axes on dims.
std::vector<PartialSharding> listShardings(const Axes &axes, llvm::ArrayRef<int64_t> shape) {
  std::vector<PartialSharding> shardings = {PartialSharding{Sharding(shape.size()), {}, Combiner::None}};
  for (AxisId axis : idRange<AxisId>(axes.size())) {
    std::vector<PartialSharding> next = shardings;
    for (const PartialSharding &sharding : shardings) {
      next.push_back(sharding);
      next.back().partial.push_back(axis);
      next.back().combiner = Combiner::Add;
      for (size_t dim = 0; dim < shape.size(); ++dim)
        for (size_t position = 0; position <= sharding.sharding.dims[dim].size(); ++position) {
          PartialSharding split = sharding;
          DimAxes &list = split.sharding.dims[dim];
          list.insert(list.begin() + static_cast<ptrdiff_t>(position), axis);
          int64_t parts = 1;
          for (AxisId each : list)
            parts *= axes[each].size;
          if (shape[dim] % parts == 0)
            next.push_back(std::move(split));
        }
    }
    shardings = std::move(next);
  }
  return shardings;
}

ShardingCode encode(const ShardingTable &table, const PartialSharding &sharding) {
  ShardingCode code = 0;
  for (size_t dim = 0; dim < sharding.sharding.dims.size(); ++dim)
    for (AxisId axis : sharding.sharding.dims[dim])
      code += table.getCode(static_cast<uint32_t>(dim) + 1, axis);
  for (AxisId axis : sharding.partial)
    code += table.getCode(table.getPartialDigit(), axis);
  return code;
}

int64_t pricePlan(const CostModel &model, const ReshardPlan &plan) {
  int64_t timePs = 0;
  for (size_t step = 0; step < plan.steps.size(); ++step)
    timePs += priceStep(model, plan, step).timePs;
  return timePs;
}

/// Between all shardings of a tensor of 16 x 8 x 3, on machines of one and of two levels and on a torus: T <= R <= the
/// cost of the planner's plan, for any order of axes; and R equals that cost, for the best orders, for more than half
/// of the pairs.
TEST(ShardingTable, TimesAreNoMoreThanThoseOfPlans) {
  struct Setting {
    llvm::StringRef mesh, machine;
  };
  for (const Setting &setting :
       {Setting{"x=2,y=4", "h100-sxm:1x8"}, Setting{"x=4,y=8", "h100-sxm:4x8"}, Setting{"x=4,y=4", "tpu-v5e:4x4"}}) {
    PlanningFixture fixture(argumentGraph, setting.mesh);
    Machine machine = *buildPreset(setting.machine);
    Placement placement = *placeRowMajor(fixture.axes.mesh, machine);
    LiveTimes liveTimes(fixture.topology);
    CostModel model(fixture.topology, fixture.axes, machine, placement, {}, liveTimes);
    ReshardPlanner planner(fixture.axes);
    ShardingTables tables(model);
    ShardingTable &table = *tables.find(CellId(0));
    llvm::ArrayRef<int64_t> shape = fixture.graph.getShape(CellId(0));
    std::map<std::pair<ShardingCode, ShardingCode>, int64_t> least;
    std::vector<PartialSharding> shardings;
    for (PartialSharding &sharding : listShardings(fixture.axes, shape))
      if (table.divides(encode(table, sharding)))
        shardings.push_back(std::move(sharding));
    for (const PartialSharding &from : shardings)
      for (const PartialSharding &to : shardings) {
        if (!llvm::all_of(to.partial, [&](AxisId axis) { return llvm::is_contained(from.partial, axis); }))
          continue;
        int64_t plannedPs = pricePlan(model, planner.plan(shape, 32, from, to));
        ShardingCode f = encode(table, from), g = encode(table, to);
        ASSERT_LE(table.getTimes(f)[g], table.getOnePlan().getTimes(f)[g]);
        ASSERT_LE(table.getOnePlan().getTimes(f)[g], plannedPs)
            << printPartialSharding(fixture.axes, from) << " to " << printPartialSharding(fixture.axes, to) << " on "
            << setting.machine.str();
        auto [entry, isNew] = least.try_emplace({f, g}, plannedPs);
        entry->second = std::min(entry->second, plannedPs);
      }
    size_t numEqual = 0;
    for (const auto &[pair, plannedPs] : least)
      numEqual += table.getOnePlan().getTimes(pair.first)[pair.second] == plannedPs;
    EXPECT_GT(numEqual, least.size() / 2) << setting.machine.str() << ": " << numEqual << " of " << least.size();
    EXPECT_GT(shardings.size(), 10u);
  }
}

} // namespace
} // namespace partita::search
