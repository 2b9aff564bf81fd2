//===- StructuralHash.cpp - finds ops and cells that look the same --------===//

#include "partita/Analysis/StructuralHash.h"

#include <map>
#include <optional>
#include <tuple>

namespace partita::analysis {

/// The same for equal texts on every platform.
static uint64_t hashText(llvm::StringRef text) {
  uint64_t hash = text.size();
  for (char c : text)
    hash = mixHash(hash, static_cast<unsigned char>(c));
  return hash;
}

StructuralHash::StructuralHash(const Topology &topology)
    : topology(topology), graph(topology.getGraph()), marks(graph.cells.size(), 0) {
  addMarks();
  addTypes();
  own = computeOwn();
  far = computeRound(computeRound(computeRound(own)));
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

bool StructuralHash::areAlike(CellId a, CellId b) const {
  return types[a] == types[b] && marks[a] == marks[b] && graph.cells[a].kind == graph.cells[b].kind;
}

bool StructuralHash::areAlike(RegionId a, RegionId b) const {
  return graph.regions[a].kind == graph.regions[b].kind && graph.regions[a].trips == graph.regions[b].trips;
}

bool StructuralHash::haveSameRule(const Op &a, const Op &b) const {
  auto factors = [&](const Op &op) { return llvm::ArrayRef(graph.factors).slice(op.firstFactor, op.numFactors); };
  auto dims = [&](const Op &op) { return llvm::ArrayRef(graph.dimFactors).slice(op.firstDimFactor, op.numDimFactors); };
  bool isSameRange = a.firstFactor == b.firstFactor && a.numFactors == b.numFactors &&
                     a.firstDimFactor == b.firstDimFactor && a.numDimFactors == b.numDimFactors;
  return isSameRange || (factors(a) == factors(b) && dims(a) == dims(b));
}

bool StructuralHash::haveSameTypes(llvm::ArrayRef<CellId> a, llvm::ArrayRef<CellId> b) const {
  return llvm::equal(a, b, [&](CellId left, CellId right) { return types[left] == types[right]; });
}

bool StructuralHash::areAlike(OpId a, OpId b) const {
  const Op &left = graph.ops[a], &right = graph.ops[b];
  return own[a] == own[b] && left.kind == right.kind && left.opClass == right.opClass && left.role == right.role &&
         left.phase == right.phase && left.linearity == right.linearity && left.precision == right.precision &&
         left.flops == right.flops && haveSameRule(left, right) &&
         haveSameTypes(graph.getOperands(a), graph.getOperands(b)) &&
         llvm::equal(graph.getResults(a), graph.getResults(b), [&](CellId x, CellId y) { return areAlike(x, y); });
}

//===----------------------------------------------------------------------===//
// Hashes
//===----------------------------------------------------------------------===//

/// The facts about a tied result are those of its argument, and vice versa.
void StructuralHash::addMarks() {
  auto add = [&](CellId cell, uint64_t what, uint64_t detail) { marks[cell] += mixHash(what, detail); };
  for (const Tie &tie : graph.ties) {
    add(tie.argument, 1, 0);
    add(tie.result, 1, 0);
  }
  for (CellId cell : graph.donated)
    add(cell, 2, 0);
  for (const SteppedDim &step : graph.steppedDims)
    add(step.cell, 3, step.dim);
  for (const SplitBoundary &boundary : graph.boundaries)
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

/// Finds types by the position of their sizes, which equal shapes mostly share (ShapePool).
void StructuralHash::addTypes() {
  struct KnownType {
    NameId element;
    uint32_t elementBits = 0, rank = 0;
    TypeId type;
  };
  std::vector<llvm::SmallVector<KnownType, 2>> ofFirstDim(graph.sizes.size() + 1);
  std::map<std::tuple<NameId, uint32_t, std::vector<int64_t>>, TypeId> known;
  types.reserve(graph.cells.size());
  for (CellId id : idRange<CellId>(graph.cells.size())) {
    const Cell &cell = graph.cells[id];
    auto isSame = [&](const KnownType &type) {
      return type.element == cell.element && type.elementBits == cell.elementBits && type.rank == cell.rank;
    };
    auto *found = llvm::find_if(ofFirstDim[cell.firstDim], isSame);
    if (found == ofFirstDim[cell.firstDim].end()) {
      auto [entry, isNew] = known.try_emplace({cell.element, cell.elementBits, graph.getShape(id).vec()}, TypeId());
      if (isNew)
        entry->second = typeHashes.push_back(hashType(id));
      ofFirstDim[cell.firstDim].push_back({cell.element, cell.elementBits, cell.rank, entry->second});
      found = &ofFirstDim[cell.firstDim].back();
    }
    types.push_back(found->type);
  }
}

uint64_t StructuralHash::hashType(CellId id) const {
  const Cell &cell = graph.cells[id];
  uint64_t hash = mixHash(cell.element.get(), uint64_t(cell.elementBits) << 32 | cell.rank);
  for (int64_t size : graph.getShape(id))
    hash = mixHash(hash, uint64_t(size));
  return hash;
}

uint64_t StructuralHash::hashRule(const Op &op) const {
  uint64_t hash = uint64_t(op.numFactors) << 32 | op.numDimFactors;
  for (const Factor &factor : llvm::ArrayRef(graph.factors).slice(op.firstFactor, op.numFactors))
    hash = mixHash(hash, uint64_t(factor.size) << 8 | unsigned(factor.kind) << 4 | unsigned(factor.combiner));
  for (const DimFactor &entry : llvm::ArrayRef(graph.dimFactors).slice(op.firstDimFactor, op.numDimFactors))
    hash = mixHash(hash, uint64_t(entry.value) << 32 | uint64_t(entry.dim) << 16 | unsigned(entry.factor) << 8 |
                             entry.position);
  return hash;
}

StructuralHash::Hashes StructuralHash::computeOwn() const {
  Hashes hashes;
  hashes.reserve(graph.ops.size());
  // Identify a rule by where it begins; a rule without dims begins where the next one does.
  std::vector<std::optional<uint64_t>> rules(graph.dimFactors.size());
  for (OpId id : idRange<OpId>(graph.ops.size())) {
    const Op &op = graph.ops[id];
    uint64_t hash = mixHash(op.opName.get(), uint64_t(op.flops));
    hash = mixHash(hash, uint64_t(op.precision) << 32 | unsigned(op.opClass) << 24 | unsigned(op.role) << 16 |
                             unsigned(op.phase) << 8 | unsigned(op.linearity));
    if (op.numDimFactors == 0) {
      hash = mixHash(hash, hashRule(op));
    } else {
      std::optional<uint64_t> &rule = rules[op.firstDimFactor];
      if (!rule)
        rule = hashRule(op);
      hash = mixHash(hash, *rule);
    }
    for (CellId cell : graph.getOperands(id))
      hash = mixHash(hash, typeHashes[types[cell]]);
    for (CellId cell : graph.getResults(id))
      hash = mixHash(hash, typeHashes[types[cell]] + marks[cell] + unsigned(graph.cells[cell].kind));
    hashes.push_back(hash);
  }
  return hashes;
}

/// The hash of a cell that no op defines.
uint64_t StructuralHash::hashSource(CellId cell) const {
  return mixHash(unsigned(graph.cells[cell].kind), typeHashes[types[cell]] + marks[cell]);
}

StructuralHash::Hashes StructuralHash::computeRound(const Hashes &last) const {
  // The sum over each cell's users; tied cells share one sum.
  IdVector<CellId, uint64_t> users(graph.cells.size(), 0);
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    uint64_t operand = 0;
    for (CellId cell : graph.getOperands(op))
      users[topology.getRepresentative(cell)] += mixHash(last[op], operand++);
  }
  Hashes hashes(last.size());
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    uint64_t hash = last[op];
    for (CellId cell : graph.getOperands(op)) {
      OpId definition = topology.getDefinition(cell);
      hash = mixHash(hash, definition.isValid() ? last[definition] : hashSource(cell));
    }
    for (CellId cell : graph.getResults(op))
      hash = mixHash(hash, users[topology.getRepresentative(cell)]);
    hashes[op] = hash;
  }
  return hashes;
}

} // namespace partita::analysis
