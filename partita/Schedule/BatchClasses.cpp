//===- BatchClasses.cpp - which dims are the batch's ----------------------===//

#include "partita/Schedule/BatchClasses.h"

#include "partita/Graph/ElementTypes.h"

#include "llvm/ADT/MapVector.h"

namespace partita::schedule {

BatchClasses::BatchClasses(const Graph &graph, const IdVector<CellId, GroupKind> &kinds, llvm::ArrayRef<CellId> fed)
    : graph(graph), classes(graph), isBatch(classes.size(), 0) {
  auto isTrained = [&](CellId cell) { return kinds[cell] == GroupKind::Parameter; };
  if (llvm::any_of(graph.arguments, isTrained)) {
    addSummed(kinds);
    keepClassesOf(fed);
    return;
  }
  addFed(fed);
  keepClassesOf(fed);
  if (!isKnown())
    addReturned(fed);
  keepClassesOf(fed);
}

void BatchClasses::keepClassesOf(llvm::ArrayRef<CellId> cells) {
  std::vector<uint8_t> present(classes.size(), 0);
  for (CellId cell : cells)
    classes.add(cell, present);
  for (size_t i = 0; i < isBatch.size(); ++i)
    isBatch[i] &= present[i];
}

void BatchClasses::addSummed(const IdVector<CellId, GroupKind> &kinds) {
  std::vector<uint8_t> isOfState(classes.size(), 0);
  for (CellId cell : graph.arguments)
    if (kinds[cell] == GroupKind::Parameter || kinds[cell] == GroupKind::OptimizerState)
      classes.add(cell, isOfState);
  auto hasOthers = [&](CellId cell) {
    for (auto [dim, size] : llvm::enumerate(graph.getShape(cell)))
      if (size > 1 && !isOfState[classes.get(cell, dim)])
        return true;
    return false;
  };
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    // Sums to a scalar run over all dims, those of frozen weights among them.
    bool isScalar = llvm::all_of(graph.getResults(op), [&](CellId cell) { return graph.cells[cell].rank == 0; });
    // The slice of a layer is no sum over layers, though devices that have none of it add zeros.
    bool isPart = readsPart(graph.ops[op].kind);
    if (graph.ops[op].phase == Phase::Forward || isScalar || isPart || llvm::any_of(graph.getResults(op), hasOthers))
      continue;
    for (const DimFactor &entry : graph.getDimFactors(op))
      if (entry.value < graph.ops[op].numUses && graph.getFactors(op)[entry.factor].kind == FactorKind::Reduce)
        isBatch[classes.get(graph.getOperands(op)[entry.value], entry.dim)] = 1;
  }
  for (size_t i = 0; i < isBatch.size(); ++i)
    isBatch[i] &= !isOfState[i];
}

/// The class of the first dim of more than one element.
std::optional<DimClass> BatchClasses::findFirst(CellId cell) const {
  for (auto [dim, size] : llvm::enumerate(graph.getShape(cell)))
    if (size > 1)
      return classes.get(cell, dim);
  return std::nullopt;
}

void BatchClasses::addFed(llvm::ArrayRef<CellId> fed) {
  for (CellId cell : fed) {
    llvm::StringRef element = graph.getName(graph.cells[cell].element);
    // Quantized weights have fewer bits.
    bool isIndex = element == "i32" || element == "i64" || element == "ui32" || element == "ui64";
    bool isKey = element.starts_with("u") && graph.cells[cell].rank == 1;
    if (std::optional<DimClass> first = findFirst(cell); first && isIndex && !isKey)
      isBatch[*first] = 1;
  }
}

/// The classes of the dims of weights: rows of tables, and dims of floats that are not their first.
std::vector<uint8_t> BatchClasses::findInnerClasses(llvm::ArrayRef<CellId> fed) const {
  std::vector<uint8_t> isInner(classes.size(), 0);
  for (CellId cell : fed)
    for (uint32_t dim = 1; dim < graph.cells[cell].rank; ++dim)
      if (isFloat(graph, cell) && graph.getShape(cell)[0] > 1)
        isInner[classes.get(cell, dim)] = 1;
  for (OpId op : idRange<OpId>(graph.ops.size()))
    if (graph.ops[op].kind == OpKind::Gather && llvm::is_contained(fed, graph.getOperands(op)[0]))
      for (const DimFactor &entry : graph.getDimFactors(op))
        if (entry.value == 0 && graph.getFactors(op)[entry.factor].kind == FactorKind::Reduce)
          isInner[classes.get(graph.getOperands(op)[0], entry.dim)] = 1;
  return isInner;
}

/// For each cell, whether a part of it was written: a cache, whose first dim may be the sequence's.
IdVector<CellId, uint8_t> BatchClasses::findWritten() const {
  IdVector<CellId, uint8_t> isWritten(graph.cells.size(), 0);
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    bool isPassed = graph.ops[op].opClass == OpClass::Identity;
    bool isUpdate = graph.ops[op].kind == OpKind::DynamicUpdateSlice || graph.ops[op].kind == OpKind::Scatter;
    if (isUpdate || (isPassed && graph.ops[op].numUses > 0 && isWritten[graph.getOperands(op).front()]))
      for (CellId cell : graph.getResults(op))
        isWritten[cell] = 1;
  }
  return isWritten;
}

/// Next states count only where nothing else is returned.
void BatchClasses::addReturned(llvm::ArrayRef<CellId> fed) {
  std::vector<uint8_t> isInner = findInnerClasses(fed);
  IdVector<CellId, uint8_t> isWritten = findWritten();
  auto isTied = [&](CellId result) {
    return llvm::any_of(graph.ties, [&](const Tie &tie) { return tie.result == result; });
  };
  llvm::MapVector<DimClass, unsigned> counts;
  for (bool withStates : {false, true}) {
    for (CellId result : graph.results)
      if (std::optional<DimClass> first = findFirst(result);
          first && !isInner[*first] && !isWritten[result] && isTied(result) == withStates)
        ++counts[*first];
    if (!counts.empty())
      break;
  }
  if (!counts.empty())
    isBatch[llvm::max_element(counts, [](const auto &a, const auto &b) { return a.second < b.second; })->first] = 1;
}

} // namespace partita::schedule
