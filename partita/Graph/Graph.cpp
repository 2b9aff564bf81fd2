//===- Graph.cpp - the flat program ---------------------------------------===//

#include "partita/Graph/Graph.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

namespace partita::graph {

std::string Graph::getFullName(NameId name, uint32_t occurrence) const {
  std::string text = getName(name).str();
  return occurrence == noOccurrence ? text : text + "#" + std::to_string(occurrence);
}

int64_t Graph::getBytes(CellId cell) const {
  int64_t elements = 1;
  for (int64_t size : getShape(cell))
    elements *= size;
  return llvm::divideCeil(elements * cells[cell].elementBits, 8);
}

int64_t Graph::getMemoryBytes() const {
  auto bytesOf = [](const auto &array) { return static_cast<int64_t>(array.size() * sizeof(*array.begin())); };
  int64_t bytes = bytesOf(names.raw()) + bytesOf(cells.raw()) + bytesOf(sizes) + bytesOf(ops.raw()) +
                  bytesOf(uses.raw()) + bytesOf(definitions) + bytesOf(factors) + bytesOf(dimFactors) +
                  bytesOf(regions.raw()) + bytesOf(steppedDims) + bytesOf(ties) + bytesOf(boundaries);
  for (const std::string &name : names.raw())
    bytes += name.capacity();
  return bytes;
}

int64_t Graph::getMultiplicity(RegionId region) const {
  int64_t product = 1;
  for (; region.isValid(); region = regions[region].parent) {
    if (regions[region].trips < 0)
      return -1;
    product *= regions[region].trips;
  }
  return product;
}

void canonicalizeNames(Graph &graph) {
  // The last entry is for the invalid name, which stays invalid.
  size_t numNames = graph.names.size();
  std::vector<NameId> newIds(numNames + 1);
  std::vector<char> isKnown(numNames + 1, 0);
  isKnown[numNames] = 1;
  IdVector<NameId, std::string> names;
  auto renumber = [&](NameId &name) {
    size_t index = std::min<size_t>(name.get(), numNames);
    if (!isKnown[index]) {
      newIds[index] = names.push_back(std::move(graph.names[name]));
      isKnown[index] = 1;
    }
    name = newIds[index];
  };
  for (RegionId id : idRange<RegionId>(graph.regions.size()))
    renumber(graph.regions[id].location);
  for (CellId id : idRange<CellId>(graph.cells.size())) {
    Cell &cell = graph.cells[id];
    renumber(cell.element);
    renumber(cell.name);
    renumber(cell.location);
  }
  for (OpId id : idRange<OpId>(graph.ops.size())) {
    Op &op = graph.ops[id];
    renumber(op.opName);
    renumber(op.name);
    renumber(op.location);
  }
  graph.names = std::move(names);
}

//===----------------------------------------------------------------------===//
// Verify
//===----------------------------------------------------------------------===//

namespace {

/// Keeps the first error.
class GraphCheck {
public:
  explicit GraphCheck(const Graph &graph) : graph(graph) {}

  Status run();

private:
  void checkRegions();
  void checkCells();
  void checkOp(OpId id);
  void checkFactors(OpId id);
  void checkDims(OpId id, llvm::ArrayRef<CellId> values, unsigned firstValue);
  void checkBoundary();
  void checkShardings();

  void fail(const std::string &what, uint32_t index, const std::string &reason) {
    if (!error)
      error = Error::badInput({}, what + " " + std::to_string(index) + ": " + reason);
  }
  bool isCell(CellId cell) const { return cell.get() < graph.cells.size(); }
  bool isName(NameId name) const { return !name.isValid() || name.get() < graph.names.size(); }
  template <typename T> bool isRange(const T &array, uint32_t first, uint32_t count) const {
    return first <= array.size() && count <= array.size() - first;
  }

  const Graph &graph;
  Status error;
};

} // namespace

void GraphCheck::checkRegions() {
  if (graph.regions.empty() || graph.regions[RegionId(0)].parent.isValid())
    fail("region", 0, "the first region must be the program");
  for (RegionId id : idRange<RegionId>(graph.regions.size())) {
    const Region &region = graph.regions[id];
    // A parent precedes its children, so there are no cycles.
    if (id.get() > 0 && !(region.parent < id))
      fail("region", id.get(), "its parent must be an earlier region");
    if (region.trips < -1)
      fail("region", id.get(), "trips must be -1 (unknown) or more");
    if (!isName(region.location))
      fail("region", id.get(), "unknown name");
  }
}

void GraphCheck::checkCells() {
  for (CellId id : idRange<CellId>(graph.cells.size())) {
    const Cell &cell = graph.cells[id];
    if (!isRange(graph.sizes, cell.firstDim, cell.rank))
      return fail("cell", id.get(), "its dims are out of range");
    if (cell.region.get() >= graph.regions.size() || !isName(cell.element) || !isName(cell.name) ||
        !isName(cell.location))
      return fail("cell", id.get(), "unknown region or name");
    int64_t elements = 1;
    for (int64_t size : graph.getShape(id))
      if (size < 0 || llvm::MulOverflow(elements, size, elements))
        return fail("cell", id.get(), "its sizes are negative or overflow");
    if (int64_t bits; llvm::MulOverflow<int64_t>(elements, cell.elementBits, bits))
      return fail("cell", id.get(), "its bytes overflow");
  }
}

void GraphCheck::checkDims(OpId id, llvm::ArrayRef<CellId> values, unsigned firstValue) {
  for (auto [index, cell] : llvm::enumerate(values)) {
    unsigned value = firstValue + index;
    llvm::SmallVector<int64_t> products(graph.cells[cell].rank, 1);
    llvm::SmallVector<bool> mapped(graph.cells[cell].rank, false), exact(graph.cells[cell].rank, true);
    llvm::SmallVector<uint8_t> seen;
    for (const DimFactor &entry : graph.getDimFactors(id)) {
      if (entry.value != value)
        continue;
      if (entry.dim >= products.size())
        return fail("op", id.get(), "a factor is on a dim that value " + std::to_string(value) + " does not have");
      const Factor &factor = graph.getFactors(id)[entry.factor];
      if (llvm::is_contained(seen, entry.factor) && factor.isSplittable())
        return fail("op", id.get(), "a factor that may be split stands twice in value " + std::to_string(value));
      seen.push_back(entry.factor);
      mapped[entry.dim] = true;
      exact[entry.dim] = exact[entry.dim] && factor.isSplittable();
      products[entry.dim] *= factor.size;
    }
    for (auto [dim, size] : llvm::enumerate(graph.getShape(cell)))
      if (mapped[dim] && exact[dim] && products[dim] != size)
        return fail("op", id.get(),
                    "factors of dim " + std::to_string(dim) + " of value " + std::to_string(value) + " multiply to " +
                        std::to_string(products[dim]) + ", its size is " + std::to_string(size));
  }
}

void GraphCheck::checkFactors(OpId id) {
  for (const Factor &factor : graph.getFactors(id)) {
    if (factor.size < 0)
      return fail("op", id.get(), "a factor has a negative size");
    if ((factor.kind == FactorKind::Reduce) != (factor.combiner != Combiner::None))
      return fail("op", id.get(), "a factor has a combiner if and only if it is reduced");
    if (!factor.halo.isEmpty() && factor.kind != FactorKind::Parallel && factor.kind != FactorKind::Reduce)
      return fail("op", id.get(), "only a parallel or a reduced factor has a halo");
    if ((factor.shift || factor.isReversed || factor.isPrefix) && factor.kind != FactorKind::Parallel)
      return fail("op", id.get(), "only along a parallel factor rows move or have prefixes");
  }
  unsigned numValues = graph.ops[id].numUses + graph.ops[id].numDefinitions;
  for (const DimFactor &entry : graph.getDimFactors(id))
    if (entry.value >= numValues || entry.factor >= graph.ops[id].numFactors)
      return fail("op", id.get(), "a factor or value is out of range");
  checkDims(id, graph.getOperands(id), 0);
  checkDims(id, graph.getResults(id), graph.ops[id].numUses);
}

/// The least number of operands of an op with this linearity; 0 if it carries no partial sums.
static uint32_t getNumLinearOperands(Linearity linearity) {
  switch (linearity) {
  case Linearity::None:
  case Linearity::Zero:
    return 0;
  case Linearity::Sum:
  case Linearity::First:
    return 1;
  case Linearity::Second:
  case Linearity::Update:
    return 2;
  case Linearity::Choice:
    return 3;
  }
  return 0;
}

void GraphCheck::checkOp(OpId id) {
  const Op &op = graph.ops[id];
  if (!isRange(graph.uses, op.firstUse, op.numUses) ||
      !isRange(graph.definitions, op.firstDefinition, op.numDefinitions) ||
      !isRange(graph.factors, op.firstFactor, op.numFactors) ||
      !isRange(graph.dimFactors, op.firstDimFactor, op.numDimFactors))
    return fail("op", id.get(), "a range is out of bounds");
  if (op.region.get() >= graph.regions.size() || !isName(op.opName) || !isName(op.name) || !isName(op.location))
    return fail("op", id.get(), "unknown region or name");
  if (op.kind != findOpKind(graph.getName(op.opName)))
    return fail("op", id.get(), "its kind is not that of its name");
  if (op.flops < 0)
    return fail("op", id.get(), "negative flops");
  for (CellId cell : graph.getOperands(id))
    if (!isCell(cell))
      return fail("op", id.get(), "an operand is no cell");
  for (CellId cell : graph.getResults(id))
    if (!isCell(cell))
      return fail("op", id.get(), "a result is no cell");
  if (op.numUses < getNumLinearOperands(op.linearity) ||
      (getNumLinearOperands(op.linearity) > 0 && op.numDefinitions != 1))
    return fail("op", id.get(), "a linear op has one result, and the operands in which it is linear");
  checkFactors(id);
}

void GraphCheck::checkBoundary() {
  for (CellId cell : graph.arguments)
    if (!isCell(cell) || graph.cells[cell].kind != CellKind::Argument)
      return fail("argument", cell.get(), "is no argument cell");
  for (CellId cell : graph.results)
    if (!isCell(cell) || graph.cells[cell].kind != CellKind::Result)
      return fail("result", cell.get(), "is no result cell");
  for (const Tie &tie : graph.ties)
    if (!isCell(tie.argument) || graph.cells[tie.argument].kind != CellKind::Argument || !isCell(tie.result) ||
        graph.cells[tie.result].kind != CellKind::Result || graph.getShape(tie.argument) != graph.getShape(tie.result))
      return fail("tie", tie.argument.get(), "must be of an argument and a result of one shape");
  for (CellId cell : graph.donated)
    if (!isCell(cell))
      return fail("donated", cell.get(), "is no cell");
  for (const SteppedDim &step : graph.steppedDims)
    if (!isCell(step.cell) || step.dim >= graph.cells[step.cell].rank || step.loop.get() >= graph.regions.size())
      return fail("stepped dim", step.cell.get(), "cell, dim or loop is out of range");
  for (const SplitBoundary &boundary : graph.boundaries)
    if (!isCell(boundary.cell) || boundary.dim >= graph.cells[boundary.cell].rank || boundary.stride < 1)
      return fail("boundary", boundary.cell.get(), "cell, dim or stride is out of range");
}

void GraphCheck::checkShardings() {
  for (auto [index, axis] : llvm::enumerate(graph.mesh)) {
    auto isSame = [&](const GivenAxis &other) { return other.name == axis.name; };
    if (axis.name.empty() || axis.size < 2 || llvm::any_of(llvm::ArrayRef(graph.mesh).take_front(index), isSame))
      return fail("mesh axis", index, "needs a name of its own and more than one device");
  }
  llvm::DenseSet<uint32_t> seen;
  for (const GivenSharding &sharding : graph.shardings) {
    uint32_t cell = sharding.cell.get();
    if (!isCell(sharding.cell) || !seen.insert(cell).second)
      return fail("sharding", cell, "is of no cell, or of one that has a sharding already");
    if (Status wrong = verifyGivenSharding(sharding, graph.cells[sharding.cell].rank, graph.mesh))
      return fail("sharding", cell, wrong->reason);
  }
}

Status GraphCheck::run() {
  checkRegions();
  if (!error)
    checkCells();
  for (OpId id : idRange<OpId>(graph.ops.size()))
    if (!error)
      checkOp(id);
  if (!error)
    checkBoundary();
  if (!error)
    checkShardings();
  return error;
}

Status verifyGraph(const Graph &graph) { return GraphCheck(graph).run(); }

} // namespace partita::graph
