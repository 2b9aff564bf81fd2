//===- RandomPadding.cpp - random dims that are made longer ---------------===//

#include "partita/Fuzz/RandomPadding.h"

#include "partita/Padding/PaddingTactics.h"
#include "partita/Schedule/CellNames.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::fuzz {

static bool isBoundary(const Cell &cell) { return cell.kind == CellKind::Argument || cell.kind == CellKind::Result; }

std::optional<PadTactic> drawPadding(uint64_t seed, const Mesh &mesh, const Graph &graph) {
  RandomChoice random(seed ^ 0x706164);
  if (!random.chance(75))
    return std::nullopt;
  CellNames names(graph);
  std::vector<CellId> boundary, inner;
  for (CellId id : idRange<CellId>(graph.cells.size()))
    if (graph.cells[id].rank > 0 && names.find(names.getName(id)) == id)
      (isBoundary(graph.cells[id]) ? boundary : inner).push_back(id);
  PadTactic tactic{"pad", {}, /*isStored=*/random.chance(30), /*isPoisoned=*/random.chance(50)};
  for (int64_t count = random.pick({1, 1, 2, 2, 3, 5}); count > 0; --count) {
    const std::vector<CellId> &list = boundary.empty() || (!inner.empty() && random.chance(35)) ? inner : boundary;
    if (list.empty())
      return std::nullopt;
    CellId cell;
    uint32_t dim = 0;
    int64_t multiple = 1;
    // What divides already needs no padding, but may be asked for.
    for (int tries = 0; tries < 8; ++tries) {
      cell = random.pick<CellId>(list);
      dim = random.below(graph.cells[cell].rank);
      const MeshAxis &axis = mesh.axes[random.below(mesh.axes.size())];
      multiple = random.chance(85) ? axis.size * random.pick({1, 1, 2}) : 1 + random.below(9);
      if (int64_t size = graph.getShape(cell)[dim]; size > 1 && size % multiple != 0)
        break;
    }
    if (Result<Pattern> pattern = Pattern::parse(escapePattern(names.getName(cell)), {}))
      tactic.entries.push_back({std::move(*pattern), dim, multiple});
  }
  return tactic;
}

Status applyDrawnPadding(mlir::ModuleOp module, const PadTactic &tactic, PaddedElements &elements) {
  Result<Flattened> flattened = flatten(module, FlattenOptions());
  if (!flattened)
    return flattened.error();
  CellNames names(flattened->graph);
  PadTactic present = tactic;
  llvm::erase_if(present.entries, [&](const PadEntry &entry) {
    std::vector<CellId> cells = names.match(entry.pattern);
    return cells.empty() ||
           llvm::any_of(cells, [&](CellId cell) { return entry.dim >= flattened->graph.cells[cell].rank; });
  });
  Result<PaddingReport> done = applyPadTactic(module, present, FlattenOptions(), &elements);
  return done ? Status() : Status(done.error());
}

} // namespace partita::fuzz
