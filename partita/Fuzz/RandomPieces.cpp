//===- RandomPieces.cpp - random products in pieces -----------------------===//

#include "partita/Fuzz/RandomPieces.h"

#include "partita/Fuzz/RandomChoice.h"

#include "partita/Schedule/CellNames.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace partita::fuzz {

namespace {

/// The dims of a product's operands and result.
struct ProductDims {
  OpId op;
  /// By operand, a factor of it that is a dim of the result, and the dim of the operand.
  std::optional<std::pair<uint8_t, uint32_t>> rows[2];
  std::optional<uint8_t> contracted;
};

} // namespace

static ProductDims findDims(const Graph &graph, OpId op) {
  ProductDims found;
  found.op = op;
  for (const DimFactor &entry : graph.getDimFactors(op)) {
    bool isInBoth = llvm::count_if(graph.getDimFactors(op),
                                   [&](const DimFactor &other) { return other.factor == entry.factor; }) == 3;
    if (entry.value >= 2 || isInBoth)
      continue;
    if (graph.getFactors(op)[entry.factor].kind == FactorKind::Parallel)
      found.rows[entry.value] = std::pair(entry.factor, entry.dim);
    else
      found.contracted = entry.factor;
  }
  return found;
}

std::vector<DrawnTactic> drawRowTactics(uint64_t seed, const Mesh &mesh, const Graph &graph) {
  RandomChoice random(seed ^ 0x726f7773);
  if (random.below(8) != 0)
    return {};
  CellNames names(graph);
  auto isNamed = [&](CellId cell) { return names.find(names.getName(cell)) == cell; };
  std::vector<ProductDims> products;
  for (OpId op : idRange<OpId>(graph.ops.size()))
    if (graph.ops[op].kind == OpKind::DotGeneral && isNamed(graph.getResults(op)[0]))
      products.push_back(findDims(graph, op));
  if (products.empty())
    return {};
  const ProductDims &product = random.pick<ProductDims>(products);
  const std::string &axis = mesh.axes[random.below(mesh.axes.size())].name;
  CellId result = graph.getResults(product.op)[0];
  int64_t operand = random.below(2);
  auto other = product.rows[1 - operand];
  CellId waited = graph.getOperands(product.op)[operand];
  if (random.chance(50)) {
    // Its own columns are split over the axis, and so are the rows that it takes.
    if (!other || !product.rows[operand] || !isNamed(waited))
      return {};
    return {{axis, {{ActionKind::Assign, names.getName(result), other->first}}},
            {axis, {{ActionKind::Tile, names.getName(waited), product.rows[operand]->second}}}};
  }
  // What is contracted is split, and so are the rows of what takes the sums.
  std::vector<DrawnTactic> tactics;
  if (product.contracted)
    tactics.push_back({axis, {{ActionKind::Assign, names.getName(result), *product.contracted}}});
  for (OpId op : idRange<OpId>(graph.ops.size()))
    if (product.contracted && llvm::is_contained(graph.getOperands(op), result) &&
        graph.cells[graph.getResults(op)[0]].rank > 0 && isNamed(graph.getResults(op)[0]))
      tactics.push_back({axis, {{ActionKind::Tile, names.getName(graph.getResults(op)[0]), 0}}});
  return tactics;
}

ProductPieces drawPieces(uint64_t seed, const Assignment &assignment, const ReshardPlanner &planner,
                         const Reshards &reshards) {
  RandomChoice random(seed ^ 0x706965636573);
  std::vector<PiecedReshard> drawn;
  std::set<OpId> taken;
  if (!random.chance(50))
    return ProductPieces();
  for (ReshardId id : idRange<ReshardId>(reshards.size())) {
    std::optional<PiecedReshard> pieced = findPieces(assignment, planner, reshards, id);
    auto isTaken = [&](const PiecedProduct &product) { return taken.contains(product.op); };
    if (!pieced || !random.chance(80) || llvm::any_of(pieced->products, isTaken))
      continue;
    for (const PiecedProduct &product : pieced->products)
      taken.insert(product.op);
    drawn.push_back(std::move(*pieced));
  }
  return ProductPieces(std::move(drawn));
}

void countPieces(const ProductPieces &pieces, const Graph &graph, const Reshards &reshards,
                 std::map<std::string, int64_t> &counts) {
  for (const PiecedReshard &pieced : pieces.getList()) {
    ++counts[pieced.isScatter ? "scatters in pieces" : "gathers in pieces"];
    counts["gathers in pieces for several products"] += pieced.products.size() > 1;
    counts["gathers in pieces that something else takes"] += pieced.isWhole;
    counts["collectives in pieces in loops or branches"] +=
        graph.regions[reshards[pieced.reshard].region].parent.isValid();
    counts["collectives in more than two pieces"] += pieced.parts > 2;
  }
}

} // namespace partita::fuzz
