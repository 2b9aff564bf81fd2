//===- ProgramTactic.cpp - applies shardings that are given ---------------===//
//
// Given shardings (the program's own, or specs of the user) say where values
// lie, in no order:
//
//   1. All of them are pinned, and closed dims closed, before anything spreads:
//      so none overrides another.
//   2. They spread axis by axis: an axis that is major to another in a sharding
//      comes before it. For each axis there is one step for each rank, which
//      spreads all values of that rank at once: values inside, inputs and caches,
//      parameters, optimizer state, results. So work follows the batch, and not a
//      parameter that FSDP splits over the same axis. Priorities come before axes.
//   3. Where two values of one rank meet, the larger side wins
//      (ConflictPolicy::LargerSide).
//   4. Everything else is a reshard between the pinned value and its uses.
//
// The order in which the shardings stand in the program or a file has no effect.
//
//===----------------------------------------------------------------------===//

#include "partita/Schedule/ArgumentKinds.h"
#include "partita/Schedule/TacticRunner.h"

#include "llvm/Support/FormatVariadic.h"

#include <compare>
#include <map>
#include <set>

namespace partita::schedule {

namespace {

/// The ranks, in the order in which they spread.
enum class Rank : uint8_t { Inner, Input, Parameter, OptimizerState, Result };

/// All values of one rank that are given an axis at one priority.
struct SpreadStep {
  int64_t priority = 0;
  /// The number of the axis in the order of all axes.
  size_t axisNumber = 0;
  Rank rank = Rank::Inner;
  auto operator<=>(const SpreadStep &) const = default;
};

/// One axis of one dim.
struct GivenTile {
  CellId cell;
  uint32_t dim = 0;
  AxisId axis;
  int64_t priority = 0;
};

} // namespace

/// Checks that the axes of the shardings are axes of the mesh, with the same sizes.
static Status checkMesh(const Graph &graph, const Mesh &mesh) {
  std::map<std::string, int64_t> sizes;
  for (const GivenAxis &axis : graph.mesh)
    sizes[axis.name] = axis.size;
  auto check = [&](llvm::ArrayRef<std::string> names) -> Status {
    for (const std::string &text : names) {
      std::string name = parseAxisPart(text)->name;
      std::optional<uint32_t> found = mesh.findAxis(name);
      if (found && mesh.axes[*found].size == sizes[name])
        continue;
      return Error::badInput({}, "the program is sharded over " + name + "=" + std::to_string(sizes[name]) +
                                     ", and the mesh " + mesh.str() + " has " +
                                     (found ? "another size of it" : "no such axis"))
          .withRemedy("give a mesh that has it, or drop the program's own shardings with --ignore-shardings");
    }
    return std::nullopt;
  };
  for (const GivenSharding &sharding : graph.shardings) {
    for (const GivenDim &dim : sharding.dims)
      if (Status error = check(dim.axes))
        return error;
    if (Status error = check(sharding.replicated))
      return error;
  }
  return std::nullopt;
}

static Error refuse(const TacticRunner &runner, CellId cell, const std::string &what, const std::string &reason,
                    const std::string &sizes = "") {
  return Error::badInput({}, "the given sharding of " + runner.describe(cell) + " " + what +
                                 " cannot be followed: " + reason)
      .withRemedy((sizes.empty() ? "" : sizes + "; ") +
                  "change it; shardings that the program itself gives can be dropped with --ignore-shardings");
}

/// The axes that a name of a sharding stands for.
static Result<llvm::SmallVector<AxisId>> findParts(TacticRunner &runner, CellId cell, const std::string &name) {
  llvm::SmallVector<AxisId> parts = runner.getAssignment().getAxes().find(name);
  if (parts.empty())
    return refuse(runner, cell, "over '" + name + "'", "other parts of that axis do not fit together with it");
  return parts;
}

/// Pins the sharding and adds its tiles to `tiles`, major to minor. Inside the program, an axis that does not divide a
/// dim is left out and reported, as XLA would pad there; at the border it is an error, as in `jax.jit`.
static Status pinSharding(TacticRunner &runner, const GivenSharding &sharding, std::vector<GivenTile> &tiles) {
  bool isInner = runner.getAssignment().getGraph().cells[sharding.cell].kind == CellKind::OpResult;
  for (auto [dim, given] : llvm::enumerate(sharding.dims))
    for (const std::string &name : given.axes) {
      auto parts = findParts(runner, sharding.cell, name);
      if (!parts)
        return parts.error();
      for (AxisId axis : *parts) {
        std::string reason = runner.explainTile(sharding.cell, dim, axis);
        std::string what = "along dim " + std::to_string(dim) + " over '" + name + "'";
        if (!reason.empty() && isInner) {
          std::string text = llvm::formatv("{0} {1}: {2}", runner.describe(sharding.cell), what, reason);
          runner.getReport().refused.push_back(std::move(text));
          break;
        }
        if (!reason.empty())
          return refuse(runner, sharding.cell, what, reason, runner.adviseSize(sharding.cell, dim, name));
        runner.pinTile(sharding.cell, dim, axis);
        tiles.push_back({sharding.cell, static_cast<uint32_t>(dim), axis, given.priority.value_or(0)});
      }
    }
  for (const std::string &name : sharding.replicated) {
    auto parts = findParts(runner, sharding.cell, name);
    if (!parts)
      return parts.error();
    for (AxisId axis : *parts) {
      std::string reason = runner.explainAtomic(sharding.cell, axis);
      if (!reason.empty())
        return refuse(runner, sharding.cell, "whole over '" + name + "'", reason);
      runner.keepWhole(sharding.cell, axis);
    }
  }
  return std::nullopt;
}

static void closeDims(TacticRunner &runner, const GivenSharding &sharding) {
  Assignment &assignment = runner.getAssignment();
  for (auto [dim, given] : llvm::enumerate(sharding.dims))
    if (!given.isOpen)
      assignment.close(assignment.getTopology().getDim(sharding.cell, dim));
}

/// All axes, so that those that are major in a sharding come before the minor ones. Otherwise they keep the mesh's
/// order, also where two shardings contradict each other.
static std::vector<AxisId> orderAxes(const Axes &axes, llvm::ArrayRef<GivenTile> tiles) {
  std::vector<std::set<AxisId>> majors(axes.size());
  for (size_t i = 1; i < tiles.size(); ++i)
    if (tiles[i].cell == tiles[i - 1].cell && tiles[i].dim == tiles[i - 1].dim)
      majors[tiles[i].axis.get()].insert(tiles[i - 1].axis);
  std::vector<AxisId> order, rest;
  for (AxisId axis : idRange<AxisId>(axes.size()))
    rest.push_back(axis);
  while (!rest.empty()) {
    auto isReady = [&](AxisId axis) {
      return llvm::none_of(majors[axis.get()], [&](AxisId major) { return llvm::is_contained(rest, major); });
    };
    auto next = llvm::find_if(rest, isReady);
    if (next == rest.end())
      next = rest.begin();
    order.push_back(*next);
    rest.erase(next);
  }
  return order;
}

static Rank findRank(const Graph &graph, const ArgumentKinds &kinds, CellId cell) {
  switch (graph.cells[cell].kind) {
  case CellKind::Argument:
    break;
  case CellKind::Result:
    return Rank::Result;
  default:
    return Rank::Inner;
  }
  switch (kinds.kinds[cell]) {
  case GroupKind::Parameter:
    return Rank::Parameter;
  case GroupKind::OptimizerState:
    return Rank::OptimizerState;
  default:
    return Rank::Input;
  }
}

Status applyGivenShardings(TacticRunner &runner, AfterTactic afterTactic) {
  Assignment &assignment = runner.getAssignment();
  const Graph &graph = assignment.getGraph();
  if (graph.shardings.empty())
    return std::nullopt;
  if (Status error = checkMesh(graph, assignment.getAxes().mesh))
    return error;
  runner.begin("shardings", "");
  std::vector<const GivenSharding *> shardings;
  for (const GivenSharding &sharding : graph.shardings)
    shardings.push_back(&sharding);
  llvm::sort(shardings, [](const GivenSharding *a, const GivenSharding *b) { return a->cell < b->cell; });
  std::vector<GivenTile> tiles;
  for (const GivenSharding *sharding : shardings)
    if (Status error = pinSharding(runner, *sharding, tiles))
      return error;
  for (const GivenSharding *sharding : shardings)
    closeDims(runner, *sharding);
  std::vector<AxisId> order = orderAxes(assignment.getAxes(), tiles);
  ArgumentKinds kinds = findArgumentKinds(assignment.getTopology());
  std::map<SpreadStep, std::vector<TileRoot>> steps;
  for (const GivenTile &tile : tiles) {
    size_t number = llvm::find(order, tile.axis) - order.begin();
    steps[{tile.priority, number, findRank(graph, kinds, tile.cell)}].push_back({tile.cell, tile.dim});
  }
  for (const auto &[step, roots] : steps)
    runner.tileTogether(roots, order[step.axisNumber]);
  runner.end(afterTactic);
  return std::nullopt;
}

} // namespace partita::schedule
