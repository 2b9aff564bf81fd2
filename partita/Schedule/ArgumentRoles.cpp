//===- ArgumentRoles.cpp - parameters, optimizer state and batch ----------===//

#include "partita/Schedule/ArgumentRoles.h"

#include "partita/Schedule/ArgumentKinds.h"
#include "partita/Schedule/Matrices.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace partita::schedule {

namespace {

class RoleFinder {
public:
  explicit RoleFinder(const Topology &topology)
      : topology(topology), graph(topology.getGraph()), isTied(graph.cells.size()) {
    for (const Tie &tie : graph.ties)
      isTied[tie.argument] = isTied[tie.result] = true;
  }

  ArgumentRoles run() const { return graph.ties.empty() ? findInInference() : findInTraining(); }

private:
  bool isArray(CellId cell) const { return graph.cells[cell].rank > 0; }
  std::string getTop(CellId argument) const;
  bool isKey(CellId argument) const;
  bool isCaptured(CellId argument) const { return getTop(argument) == "const"; }
  std::vector<CellId> keepCommonFirstDim(llvm::ArrayRef<CellId> cells) const;
  llvm::StringSet<> findMixedTops(llvm::function_ref<bool(CellId)> hasProperty) const;
  llvm::StringSet<> findFrozenTops() const;
  ArgumentRoles findInTraining() const;
  ArgumentRoles findInInference() const;

  const Topology &topology;
  const Graph &graph;
  /// For arguments and results.
  IdVector<CellId, uint8_t> isTied;
};

} // namespace

/// The function's argument of which this is a part: `state` of `state.params['w']`.
std::string RoleFinder::getTop(CellId argument) const {
  llvm::StringRef name = graph.getName(graph.cells[argument].name);
  llvm::StringRef top = name.take_until([](char c) { return c == '.' || c == '['; });
  return top.empty() ? "#" + std::to_string(graph.cells[argument].number) : top.str();
}

/// Two or four words of 32 bits.
bool RoleFinder::isKey(CellId argument) const {
  llvm::ArrayRef<int64_t> shape = graph.getShape(argument);
  return graph.getName(graph.cells[argument].element) == "ui32" && shape.size() == 1 &&
         (shape.front() == 2 || shape.front() == 4);
}

/// The size that most first dims have, the first of them if there are several; none if there are no cells.
static std::optional<int64_t> findCommonFirstDim(const Graph &graph, llvm::ArrayRef<CellId> cells) {
  llvm::MapVector<int64_t, unsigned> counts;
  for (CellId cell : cells)
    ++counts[graph.getShape(cell).front()];
  if (counts.empty())
    return std::nullopt;
  return llvm::max_element(counts, [](const auto &a, const auto &b) { return a.second < b.second; })->first;
}

std::vector<CellId> RoleFinder::keepCommonFirstDim(llvm::ArrayRef<CellId> cells) const {
  std::vector<CellId> kept;
  std::optional<int64_t> size = findCommonFirstDim(graph, cells);
  llvm::copy_if(cells, std::back_inserter(kept), [&](CellId cell) { return graph.getShape(cell).front() == size; });
  return kept;
}

/// The function's arguments of which not all arrays have the property.
llvm::StringSet<> RoleFinder::findMixedTops(llvm::function_ref<bool(CellId)> hasProperty) const {
  llvm::StringSet<> mixed;
  for (CellId cell : graph.arguments)
    if (isArray(cell) && !hasProperty(cell))
      mixed.insert(getTop(cell));
  return mixed;
}

/// The function's arguments that hold matrices and are no state. If a loss is given back, what is fed may be
/// multiplied, too (adjacency), but all of it has one first dim.
llvm::StringSet<> RoleFinder::findFrozenTops() const {
  llvm::StringMap<int64_t> firstDims;
  for (CellId cell : graph.arguments)
    if (isArray(cell))
      firstDims.try_emplace(getTop(cell), graph.getShape(cell).front());
  llvm::StringSet<> various =
      findMixedTops([&](CellId cell) { return graph.getShape(cell).front() == firstDims.lookup(getTop(cell)); });
  llvm::StringSet<> tied;
  for (const Tie &tie : graph.ties)
    tied.insert(getTop(tie.argument));
  bool hasLoss = llvm::any_of(graph.results, [&](CellId cell) { return !isTied[cell] && !isArray(cell); });
  llvm::StringSet<> frozen;
  for (const Matrix &matrix : findMatrices(topology))
    if (std::string top = getTop(matrix.argument); !tied.contains(top) && (!hasLoss || various.contains(top)))
      frozen.insert(top);
  return frozen;
}

ArgumentRoles RoleFinder::findInTraining() const {
  ArgumentRoles roles;
  ArgumentKinds kinds = findArgumentKinds(topology);
  // Without a loss nothing tells what it depends on.
  bool hasOthers = llvm::any_of(graph.results, [&](CellId cell) { return !isTied[cell]; });
  llvm::StringSet<> frozen = findFrozenTops();
  std::vector<CellId> fed;
  for (CellId cell : graph.arguments) {
    if (!isArray(cell) || isKey(cell))
      continue;
    if (isTied[cell])
      (hasOthers && kinds.kinds[cell] == GroupKind::OptimizerState ? roles.optimizer : roles.parameters)
          .push_back(cell);
    else if (frozen.contains(getTop(cell)))
      roles.parameters.push_back(cell);
    else if (!isCaptured(cell))
      fed.push_back(cell);
  }
  roles.batch = keepCommonFirstDim(fed);
  return roles;
}

/// The batch is trees of which every array has the batch's size, and arrays of integers (tokens) that have it.
ArgumentRoles RoleFinder::findInInference() const {
  std::vector<CellId> arrays;
  llvm::copy_if(graph.results, std::back_inserter(arrays), [&](CellId cell) { return isArray(cell); });
  std::optional<int64_t> size = findCommonFirstDim(graph, arrays);
  auto hasSize = [&](CellId cell) { return graph.getShape(cell).front() == size && !isCaptured(cell); };
  llvm::StringSet<> mixed = findMixedTops(hasSize);
  ArgumentRoles roles;
  for (CellId cell : graph.arguments) {
    if (!isArray(cell) || isKey(cell))
      continue;
    llvm::StringRef element = graph.getName(graph.cells[cell].element);
    bool isInteger = element != "i1" && (element.starts_with("i") || element.starts_with("ui"));
    if (hasSize(cell) && (isInteger || !mixed.contains(getTop(cell))))
      roles.batch.push_back(cell);
    else
      roles.parameters.push_back(cell);
  }
  return roles;
}

ArgumentRoles findArgumentRoles(const Topology &topology) { return RoleFinder(topology).run(); }

} // namespace partita::schedule
