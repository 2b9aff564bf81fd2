//===- OneLinersTest.cpp - strategies that need no roles of arguments -----===//

#include "partita/Propagate/SteppedDims.h"
#include "partita/Search/Proposals.h"
#include "partita/Search/Search.h"
#include "partita/Search/SizeRoles.h"
#include "partita/Testing/CostFixture.h"

#include <gtest/gtest.h>

using namespace partita;
using namespace partita::search;
using namespace partita::fixtures;

namespace {

/// A step of momentum for y = x @ w1 @ w2 + b, without any names: x, b, w1, w2 and a momentum for each weight.
constexpr llvm::StringLiteral stepGraph = R"json({"partita_graph": 1, "program": {"name": "step", "sha256": "00"},
"regions": [{"kind": "program"}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [64, 32]},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [32, 128], "number": 1},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [128, 32], "number": 2},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [32, 128], "number": 3},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [128, 32], "number": 4},
  {"kind": "argument", "bits": 32, "type": "i32", "shape": [64], "number": 5},
  {"bits": 32, "type": "f32", "shape": [64, 128]},
  {"bits": 32, "type": "f32", "shape": [64, 32]},
  {"bits": 32, "type": "f32", "shape": [64, 32]},
  {"bits": 32, "type": "f32", "shape": [128, 32]},
  {"bits": 32, "type": "f32", "shape": [64, 128]},
  {"bits": 32, "type": "f32", "shape": [32, 128]},
  {"bits": 32, "type": "f32", "shape": [32, 128]},
  {"bits": 32, "type": "f32", "shape": [128, 32]},
  {"bits": 32, "type": "f32", "shape": [32, 128]},
  {"bits": 32, "type": "f32", "shape": [128, 32]},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [32, 128]},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [128, 32], "number": 1},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [32, 128], "number": 2},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [128, 32], "number": 3}],
"ops": [
  {"kind": "stablehlo.dot_general", "class": "contraction", "flops": 524288, "operands": [0, 1], "results": [6],
   "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "flops": 524288, "operands": [6, 2], "results": [7],
   "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}"},
  {"kind": "stablehlo.add", "class": "elementwise", "operands": [7, 5], "results": [8], "rule": "([a,b],[a])->([a,b])"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "flops": 524288, "operands": [6, 8], "results": [9],
   "rule": "([a,b],[a,c])->([b,c]) reduce(add)={a}"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "flops": 524288, "operands": [8, 2], "results": [10],
   "rule": "([a,c],[b,c])->([a,b]) reduce(add)={c}"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "flops": 524288, "operands": [0, 10], "results": [11],
   "rule": "([a,b],[a,c])->([b,c]) reduce(add)={a}"},
  {"kind": "stablehlo.add", "class": "elementwise", "operands": [3, 11], "results": [12],
   "rule": "([a,b],[a,b])->([a,b])"},
  {"kind": "stablehlo.add", "class": "elementwise", "operands": [4, 9], "results": [13],
   "rule": "([a,b],[a,b])->([a,b])"},
  {"kind": "stablehlo.subtract", "class": "elementwise", "operands": [1, 12], "results": [14],
   "rule": "([a,b],[a,b])->([a,b])"},
  {"kind": "stablehlo.subtract", "class": "elementwise", "operands": [2, 13], "results": [15],
   "rule": "([a,b],[a,b])->([a,b])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [14], "results": [16],
   "rule": "([a,b])->([a,b])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [15], "results": [17],
   "rule": "([a,b])->([a,b])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [12], "results": [18],
   "rule": "([a,b])->([a,b])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [13], "results": [19],
   "rule": "([a,b])->([a,b])"}]}
)json";

/// The step, of which nothing is known: every argument is said to be an input.
struct UnknownStep : CostFixture {
  UnknownStep() : CostFixture(stepGraph, "x=2,y=4"), steppedDims(findSteppedDims(topology)) {
    groups = findArgumentGroups(topology, findRepetition(topology));
    for (GroupId group : idRange<GroupId>(groups.list.size())) {
      groups.list[group].kind = GroupKind::Input;
      groups.list[group].parameter = GroupId();
    }
    table = buildMoves(groups, assignment, steppedDims, {});
    memory.emplace(topology, axes);
  }
  PlanProblem getProblem() {
    return {model, names, given, table, steppedDims, {Goal::Fit, Goal::Time}, prices, *memory};
  }
  std::vector<uint32_t> listNumbers(llvm::ArrayRef<GroupId> list) const {
    std::vector<uint32_t> numbers;
    for (GroupId group : list)
      for (CellId cell : groups.list[group].members)
        numbers.push_back(graph.cells[cell].number);
    llvm::sort(numbers);
    return numbers;
  }

  IdVector<DimId, uint8_t> steppedDims;
  ArgumentGroups groups;
  Schedule given;
  MoveTable table;
  SharedPrices prices;
  std::optional<MoveMemory> memory;
};

/// A tile of an argument, as somebody writes it.
struct WrittenTile {
  llvm::StringRef axis, argument;
  std::optional<uint32_t> dim;
};

} // namespace

static Schedule write(llvm::ArrayRef<WrittenTile> tiles) {
  Schedule schedule;
  for (const WrittenTile &tile : tiles) {
    Tactic tactic;
    tactic.name = "tile " + std::to_string(schedule.tactics.size());
    tactic.axis = tile.axis.str();
    tactic.isOptional = true;
    tactic.entries.push_back(
        {ActionKind::Tile, *Pattern::parse(tile.argument.str(), SourceLocation()), tile.dim, SourceLocation(), {}});
    schedule.tactics.push_back(std::move(tactic));
  }
  return schedule;
}

TEST(SizeRoles, AreToldByTypesAndProducts) {
  UnknownStep step;
  SizeRoles roles = findSizeRoles(step.topology, step.groups, step.steppedDims);
  std::vector<GroupId> shared, next;
  for (const GroupDim &entry : roles.shared) {
    shared.push_back(entry.group);
    EXPECT_EQ(entry.dim, 0u);
  }
  for (const GroupDim &entry : roles.next)
    next.push_back(entry.group);
  EXPECT_EQ(step.listNumbers(shared), (std::vector<uint32_t>{0, 5}));
  EXPECT_EQ(step.listNumbers(next), (std::vector<uint32_t>{0}));
  EXPECT_EQ(step.listNumbers(roles.others), (std::vector<uint32_t>{1, 2, 3, 4}));
  EXPECT_EQ(step.listNumbers(roles.state), (std::vector<uint32_t>{3, 4}));
}

/// Tokens are smaller than all parameters, and have tiles though those fill the table.
TEST(Proposals, InputsAreNotCrowdedOut) {
  UnknownStep step;
  for (GroupId group : idRange<GroupId>(step.groups.list.size()))
    if (step.graph.cells[step.groups.list[group].members.front()].rank > 1)
      step.groups.list[group].kind = GroupKind::Parameter;
  ProposalOptions options;
  options.maxTiles = 2;
  MoveTable table = buildMoves(step.groups, step.assignment, step.steppedDims, options);
  auto hasTiles = [&](GroupKind kind) {
    return llvm::any_of(table.moves.raw(),
                        [&](const Move &move) { return move.role == MoveRole::Tile && move.kind == kind; });
  };
  EXPECT_TRUE(hasTiles(GroupKind::Parameter));
  EXPECT_TRUE(hasTiles(GroupKind::Input));
}

/// Without names and roles, nothing that anybody writes in one line is better than what is found.
TEST(Search, IsNeverWorseThanOneLine) {
  UnknownStep step;
  PlanProblem problem = step.getProblem();
  PlanSpace space(problem);
  SearchOptions options;
  options.budget = 200;
  SearchOutcome outcome = runSearch(space, options, {});
  PlanWalker walker(problem);
  walker.evaluate(outcome.best->moves);
  Cost found = walker.getCost();
  auto isNamed = [](llvm::StringRef name) { return [name](const Seed &seed) { return seed.name == name; }; };
  EXPECT_TRUE(llvm::any_of(outcome.seeds, isNamed("DP(x)+DP(y)+FSDP(x)+FSDP(y)")));
  std::vector<WrittenTile> data{{"x", "arg0", 0}, {"x", "arg5", 0}, {"y", "arg0", 0}, {"y", "arg5", 0}};
  auto with = [&](llvm::StringRef arguments, llvm::ArrayRef<llvm::StringRef> axes) {
    std::vector<WrittenTile> tiles = data;
    for (llvm::StringRef axis : axes)
      tiles.push_back({axis, arguments, std::nullopt});
    return tiles;
  };
  std::vector<std::vector<WrittenTile>> lines = {
      data,
      with("arg[1-4]", {"x", "y"}),
      with("arg[34]", {"x", "y"}),
      {{"x", "arg0", 0}, {"y", "arg[13]", 1}, {"y", "arg[24]", 0}, {"x", "arg[1-4]", std::nullopt}},
      {{"y", "arg0", 0}, {"x", "arg[13]", 1}, {"x", "arg[24]", 0}, {"y", "arg[1-4]", std::nullopt}},
      {{"x", "arg0", 0}, {"y", "arg0", 1}, {"x", "arg[1-4]", std::nullopt}, {"y", "arg[1-4]", std::nullopt}}};
  for (const std::vector<WrittenTile> &tiles : lines) {
    Assignment assignment(step.topology, step.axes);
    Result<ScheduleOutcome> applied = applySchedule(write(tiles), step.names, assignment, nullptr);
    ASSERT_TRUE(bool(applied)) << applied.error().str();
    EXPECT_LE(found.timePs, evaluateCost(step.model, assignment, step.planner).timePs);
  }
}
