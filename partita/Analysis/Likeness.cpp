//===- Likeness.cpp - which ops and cells look the same -------------------===//

#include "partita/Analysis/Likeness.h"

namespace partita {

/// The same for equal texts, on every platform.
static uint64_t hashText(llvm::StringRef text) {
  uint64_t hash = text.size();
  for (char c : text)
    hash = mixHash(hash, static_cast<unsigned char>(c));
  return hash;
}

Likeness::Likeness(const Topology &topology)
    : topology(topology), graph(topology.getGraph()), marks(graph.cells.size(), 0) {
  addMarks();
  types.reserve(graph.cells.size());
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    types.push_back(hashType(cell));
  own = computeOwn();
  far = computeRound(computeRound(computeRound(own)));
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

bool Likeness::areAlike(CellId a, CellId b) const {
  const Cell &left = graph.cells[a], &right = graph.cells[b];
  return left.kind == right.kind && left.element == right.element && left.elementBits == right.elementBits &&
         graph.getShape(a) == graph.getShape(b) && marks[a] == marks[b];
}

bool Likeness::areAlike(RegionId a, RegionId b) const {
  return graph.regions[a].kind == graph.regions[b].kind && graph.regions[a].trips == graph.regions[b].trips;
}

bool Likeness::haveSameRule(const Op &a, const Op &b) const {
  auto factors = [&](const Op &op) { return llvm::ArrayRef(graph.factors).slice(op.firstFactor, op.numFactors); };
  auto dims = [&](const Op &op) { return llvm::ArrayRef(graph.dimFactors).slice(op.firstDimFactor, op.numDimFactors); };
  bool isSameRange = a.firstFactor == b.firstFactor && a.numFactors == b.numFactors &&
                     a.firstDimFactor == b.firstDimFactor && a.numDimFactors == b.numDimFactors;
  return isSameRange || (factors(a) == factors(b) && dims(a) == dims(b));
}

bool Likeness::haveSameTypes(llvm::ArrayRef<CellId> a, llvm::ArrayRef<CellId> b) const {
  auto isSame = [&](CellId left, CellId right) {
    const Cell &x = graph.cells[left], &y = graph.cells[right];
    return x.element == y.element && x.elementBits == y.elementBits && graph.getShape(left) == graph.getShape(right);
  };
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), isSame);
}

bool Likeness::areAlike(OpId a, OpId b) const {
  const Op &left = graph.ops[a], &right = graph.ops[b];
  return own[a] == own[b] && left.kind == right.kind && left.opClass == right.opClass && left.role == right.role &&
         left.phase == right.phase && left.linearity == right.linearity && left.flops == right.flops &&
         haveSameRule(left, right) && haveSameTypes(graph.getOperands(a), graph.getOperands(b)) &&
         llvm::equal(graph.getResults(a), graph.getResults(b), [&](CellId x, CellId y) { return areAlike(x, y); });
}

//===----------------------------------------------------------------------===//
// Hashes
//===----------------------------------------------------------------------===//

/// What is said of a tied result is said of its argument, and the other way round.
void Likeness::addMarks() {
  auto add = [&](CellId cell, uint64_t what, uint64_t detail) { marks[cell] += mixHash(what, detail); };
  for (const Tie &tie : graph.ties) {
    add(tie.argument, 1, 0);
    add(tie.result, 1, 0);
  }
  for (CellId cell : graph.donated)
    add(cell, 2, 0);
  for (const SteppedDim &step : graph.steppedDims)
    add(step.cell, 3, step.dim);
  for (const Boundary &boundary : graph.boundaries)
    add(boundary.cell, 4, mixHash(boundary.dim, uint64_t(boundary.stride)));
  for (const GivenSharding &sharding : graph.shardings) {
    uint64_t hash = sharding.dims.size();
    for (const GivenDim &dim : sharding.dims) {
      hash = mixHash(hash, dim.isOpen ? 1 : 0);
      hash = mixHash(hash, dim.priority ? uint64_t(*dim.priority) + 1 : 0);
      for (const std::string &axis : dim.axes)
        hash = mixHash(hash, hashText(axis));
    }
    for (const std::string &axis : sharding.replicated)
      hash = mixHash(hash, hashText(axis) + 1);
    add(sharding.cell, 5, hash);
  }
}

uint64_t Likeness::hashType(CellId id) const {
  const Cell &cell = graph.cells[id];
  uint64_t hash = mixHash(cell.element.get(), uint64_t(cell.elementBits) << 32 | cell.rank);
  for (int64_t size : graph.getShape(id))
    hash = mixHash(hash, uint64_t(size));
  return hash;
}

uint64_t Likeness::hashRule(const Op &op) const {
  uint64_t hash = uint64_t(op.numFactors) << 32 | op.numDimFactors;
  for (const Factor &factor : llvm::ArrayRef(graph.factors).slice(op.firstFactor, op.numFactors))
    hash = mixHash(hash, uint64_t(factor.size) << 8 | unsigned(factor.kind) << 4 | unsigned(factor.combiner));
  for (const DimFactor &entry : llvm::ArrayRef(graph.dimFactors).slice(op.firstDimFactor, op.numDimFactors))
    hash = mixHash(hash, uint64_t(entry.value) << 32 | uint64_t(entry.dim) << 16 | unsigned(entry.factor) << 8 |
                             entry.position);
  return hash;
}

Likeness::Hashes Likeness::computeOwn() const {
  Hashes hashes;
  hashes.reserve(graph.ops.size());
  for (OpId id : idRange<OpId>(graph.ops.size())) {
    const Op &op = graph.ops[id];
    uint64_t hash = mixHash(op.kind.get(), uint64_t(op.flops));
    hash = mixHash(hash, unsigned(op.opClass) << 24 | unsigned(op.role) << 16 | unsigned(op.phase) << 8 |
                             unsigned(op.linearity));
    hash = mixHash(hash, hashRule(op));
    for (CellId cell : graph.getOperands(id))
      hash = mixHash(hash, types[cell]);
    for (CellId cell : graph.getResults(id))
      hash = mixHash(hash, types[cell] + marks[cell] + unsigned(graph.cells[cell].kind));
    hashes.push_back(hash);
  }
  return hashes;
}

Likeness::Hashes Likeness::computeRound(const Hashes &last) const {
  auto hashSource = [&](CellId cell) {
    OpId definition = topology.getDefinition(cell);
    return definition.isValid() ? last[definition]
                                : mixHash(unsigned(graph.cells[cell].kind), types[cell] + marks[cell]);
  };
  // What each cell's users add up to; of tied cells together.
  IdVector<CellId, uint64_t> users(graph.cells.size(), 0);
  for (OpId op : idRange<OpId>(graph.ops.size()))
    for (auto [operand, cell] : llvm::enumerate(graph.getOperands(op)))
      users[topology.getRepresentative(cell)] += mixHash(last[op], operand);
  Hashes hashes;
  hashes.reserve(last.size());
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    uint64_t hash = last[op];
    for (CellId cell : graph.getOperands(op))
      hash = mixHash(hash, hashSource(cell));
    for (CellId cell : graph.getResults(op))
      hash = mixHash(hash, users[topology.getRepresentative(cell)]);
    hashes.push_back(hash);
  }
  return hashes;
}

} // namespace partita
