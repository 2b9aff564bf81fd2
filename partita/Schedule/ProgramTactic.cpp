//===- ProgramTactic.cpp - applies shardings that the program gives -------===//
//
// Pins all the program's shardings first, then closes the closed dims, and only
// then propagates: so the sharding of one value never overrides that of another.
//
//===----------------------------------------------------------------------===//

#include "partita/Schedule/TacticRunner.h"

#include <map>

namespace partita::schedule {

namespace {

/// One axis of one dim, as the program gives it.
struct GivenTile {
  CellId cell;
  uint32_t dim = 0;
  llvm::SmallVector<AxisId> parts;
};

/// In the order in which they propagate.
using GivenTiles = std::map<int64_t, std::vector<GivenTile>>;

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

static Error refuse(const TacticRunner &runner, CellId cell, const std::string &what, const std::string &reason) {
  return Error::unsupported({}, "the program's own sharding of " + runner.describe(cell) + " " + what +
                                    " cannot be followed: " + reason)
      .withRemedy("change it, or drop the program's own shardings with --ignore-shardings");
}

/// The axes that a name of a sharding stands for.
static Result<llvm::SmallVector<AxisId>> findParts(TacticRunner &runner, CellId cell, const std::string &name) {
  llvm::SmallVector<AxisId> parts = runner.getAssignment().getAxes().find(name);
  if (parts.empty())
    return refuse(runner, cell, "over '" + name + "'", "other parts of that axis do not fit together with it");
  return parts;
}

/// Pins the axes of the sharding and adds its tiles to `tiles`.
static Status pinSharding(TacticRunner &runner, const GivenSharding &sharding, GivenTiles &tiles) {
  for (auto [dim, given] : llvm::enumerate(sharding.dims))
    for (const std::string &name : given.axes) {
      auto parts = findParts(runner, sharding.cell, name);
      if (!parts)
        return parts.error();
      tiles[given.priority.value_or(0)].push_back({sharding.cell, static_cast<uint32_t>(dim), *parts});
      for (AxisId axis : *parts) {
        std::string reason = runner.explainTile(sharding.cell, dim, axis);
        if (!reason.empty())
          return refuse(runner, sharding.cell, "along dim " + std::to_string(dim) + " over '" + name + "'", reason);
        runner.pinTile(sharding.cell, dim, axis);
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

Status applyProgramShardings(TacticRunner &runner, AfterTactic afterTactic) {
  Assignment &assignment = runner.getAssignment();
  const Graph &graph = assignment.getGraph();
  if (graph.shardings.empty())
    return std::nullopt;
  if (Status error = checkMesh(graph, assignment.getAxes().mesh))
    return error;
  runner.begin("program", "");
  GivenTiles tiles;
  for (const GivenSharding &sharding : graph.shardings)
    if (Status error = pinSharding(runner, sharding, tiles))
      return error;
  for (const GivenSharding &sharding : graph.shardings)
    closeDims(runner, sharding);
  for (const auto &[priority, group] : tiles)
    for (const GivenTile &tile : group)
      if (std::string reason = runner.tile(tile.cell, tile.dim, tile.parts); !reason.empty())
        return refuse(runner, tile.cell, "along dim " + std::to_string(tile.dim), reason);
  runner.end(afterTactic);
  return std::nullopt;
}

} // namespace partita::schedule
