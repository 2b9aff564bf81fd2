//===- RandomPadding.cpp - random dims that are made longer ---------------===//

#include "partita/Fuzz/RandomPadding.h"

#include "partita/Fuzz/Remainders.h"
#include "partita/Padding/PaddableFactors.h"
#include "partita/Padding/PaddingTactics.h"
#include "partita/Schedule/CellNames.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace partita::fuzz {

static bool isBoundary(const Cell &cell) { return cell.kind == CellKind::Argument || cell.kind == CellKind::Result; }

namespace {

/// A dim, and the number that shall divide it.
struct DrawnDim {
  CellId cell;
  uint32_t dim = 0;
  int64_t multiple = 1;
};

class PaddingDrawer {
public:
  PaddingDrawer(uint64_t seed, const Mesh &mesh, const Flattened &flattened)
      : random(seed ^ 0x706164), mesh(mesh), flattened(flattened), graph(flattened.graph), names(graph) {
    for (CellId id : idRange<CellId>(graph.cells.size()))
      if (graph.cells[id].rank > 0 && isNamed(id))
        (isBoundary(graph.cells[id]) ? boundary : inner).push_back(id);
  }

  std::optional<PadTactic> draw();

private:
  bool isNamed(CellId cell) const { return names.find(names.getName(cell)) == cell; }
  const MeshAxis &drawAxis() { return mesh.axes[random.below(mesh.axes.size())]; }
  std::optional<DrawnDim> drawAnyDim();
  std::optional<DrawnDim> drawDimOfOp();
  std::vector<DrawnDim> listDims(OpId op) const;

  RandomChoice random;
  const Mesh &mesh;
  const Flattened &flattened;
  const Graph &graph;
  CellNames names;
  std::vector<CellId> boundary, inner;
};

} // namespace

std::optional<DrawnDim> PaddingDrawer::drawAnyDim() {
  const std::vector<CellId> &list = boundary.empty() || (!inner.empty() && random.chance(35)) ? inner : boundary;
  if (list.empty())
    return std::nullopt;
  DrawnDim drawn;
  // What divides already needs no padding, but may be asked for.
  for (int tries = 0; tries < 8; ++tries) {
    drawn.cell = random.pick<CellId>(list);
    drawn.dim = random.below(graph.cells[drawn.cell].rank);
    drawn.multiple = random.chance(85) ? drawAxis().size * random.pick({1, 1, 2}) : 1 + random.below(9);
    if (int64_t size = graph.getShape(drawn.cell)[drawn.dim]; size > 1 && size % drawn.multiple != 0)
      break;
  }
  return drawn;
}

/// Dims whose major factor is the op's and may be split.
std::vector<DrawnDim> PaddingDrawer::listDims(OpId op) const {
  llvm::ArrayRef<CellId> operands = graph.getOperands(op), results = graph.getResults(op);
  std::vector<DrawnDim> dims;
  for (const DimFactor &entry : graph.getDimFactors(op)) {
    CellId cell = entry.value < operands.size() ? operands[entry.value] : results[entry.value - operands.size()];
    if (entry.position == 0 && graph.getFactors(op)[entry.factor].isSplittable() &&
        graph.getShape(cell)[entry.dim] > 1 && isNamed(cell))
      dims.push_back({cell, entry.dim});
  }
  return dims;
}

/// A dim of an op of any name, for a drawn class of remainders if there is one in a few tries.
std::optional<DrawnDim> PaddingDrawer::drawDimOfOp() {
  std::map<llvm::StringRef, std::vector<OpId>> ops;
  for (OpId op : idRange<OpId>(graph.ops.size()))
    if (mlir::Operation *origin = flattened.origins[op]; origin && isPaddable(origin) && !listDims(op).empty())
      ops[graph.getName(graph.ops[op].opName)].push_back(op);
  if (ops.empty())
    return std::nullopt;
  const std::vector<OpId> &named = std::next(ops.begin(), random.below(ops.size()))->second;
  llvm::StringRef wanted = random.pick<llvm::StringLiteral>(remainderClasses);
  std::optional<DrawnDim> drawn;
  for (int tries = 0; tries < 24; ++tries) {
    DrawnDim tried = random.pick<DrawnDim>(listDims(random.pick<OpId>(named)));
    int64_t parts = drawAxis().size, size = graph.getShape(tried.cell)[tried.dim];
    // Over few devices, longer pieces leave some without an element.
    tried.multiple = parts * (parts > 4 ? 1 : random.pick({1, 1, 1, 2, 2, 4}));
    if (parts == 1 || size % tried.multiple == 0)
      continue;
    drawn = tried;
    auto padded = static_cast<int64_t>(llvm::alignTo(size, tried.multiple));
    if (findRemainderClass({size, padded, 1}, parts) == wanted)
      break;
  }
  return drawn;
}

std::optional<PadTactic> PaddingDrawer::draw() {
  if (!random.chance(80))
    return std::nullopt;
  PadTactic tactic{"pad", {}, /*isStored=*/random.chance(30), /*isPoisoned=*/random.chance(50)};
  for (int64_t count = random.pick({1, 1, 2, 2, 3, 5}); count > 0; --count) {
    std::optional<DrawnDim> drawn = random.chance(70) ? drawDimOfOp() : std::nullopt;
    if (!drawn)
      drawn = drawAnyDim();
    if (!drawn)
      return std::nullopt;
    if (Result<Pattern> pattern = Pattern::parse(escapePattern(names.getName(drawn->cell)), {}))
      tactic.entries.push_back({std::move(*pattern), drawn->dim, drawn->multiple});
  }
  return tactic;
}

std::optional<PadTactic> drawPadding(uint64_t seed, const Mesh &mesh, const Flattened &flattened) {
  return PaddingDrawer(seed, mesh, flattened).draw();
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
