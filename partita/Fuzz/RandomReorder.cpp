//===- RandomReorder.cpp - random dims that are put into another order ----===//

#include "partita/Fuzz/RandomReorder.h"

#include "partita/Reorder/ReorderTactics.h"
#include "partita/Schedule/CellNames.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::fuzz {

Result<std::optional<ReorderTactic>> drawReorder(uint64_t seed, const Mesh &mesh, mlir::ModuleOp module) {
  RandomChoice random(seed ^ 0x6f72646572);
  const MeshAxis &axis = mesh.axes[random.below(mesh.axes.size())];
  int64_t groups = std::max<int64_t>(2, axis.size * random.pick({1, 1, 2}));
  if (!random.chance(50))
    return std::optional<ReorderTactic>();
  Result<Flattened> flattened = flatten(module, FlattenOptions());
  if (!flattened)
    return flattened.error();
  auto fused = findFusedArguments(module, *flattened, groups, FlattenOptions());
  if (!fused)
    return fused.error();
  CellNames names(flattened->graph);
  ReorderTactic tactic{"order", {}, /*isStored=*/random.chance(50)};
  for (const FusedArgument &found : *fused) {
    std::string name = names.getName(flattened->graph.arguments[found.argument]);
    if (!random.chance(70))
      continue;
    if (Result<Pattern> pattern = Pattern::parse(escapePattern(name), {}))
      tactic.entries.push_back({std::move(*pattern), found.dim, groups});
  }
  return tactic.entries.empty() ? std::nullopt : std::optional(std::move(tactic));
}

Status applyDrawnReorder(mlir::ModuleOp module, const ReorderTactic &tactic) {
  Result<Flattened> flattened = flatten(module, FlattenOptions());
  if (!flattened)
    return flattened.error();
  CellNames names(flattened->graph);
  ReorderTactic present = tactic;
  auto fused = findFusedArguments(module, *flattened, tactic.entries.front().groups, FlattenOptions());
  if (!fused)
    return fused.error();
  llvm::erase_if(present.entries, [&](const ReorderEntry &entry) {
    return llvm::none_of(*fused, [&](const FusedArgument &found) {
      CellId cell = flattened->graph.arguments[found.argument];
      return found.dim == entry.dim && entry.pattern.matches(names.getName(cell));
    });
  });
  if (present.entries.empty())
    return std::nullopt;
  Result<ReorderReport> done = applyReorderTactic(module, present, FlattenOptions());
  return done ? Status() : Status(done.error());
}

} // namespace partita::fuzz
