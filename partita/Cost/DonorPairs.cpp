//===- DonorPairs.cpp - which results take donated buffers ----------------===//

#include "partita/Cost/DonorPairs.h"

#include <map>

namespace partita::cost {

DonorPairs::DonorPairs(const Topology &topology) : graph(&topology.getGraph()) {
  arguments.resize(graph->cells.size());
  isLoose.resize(graph->cells.size(), 0);
  IdVector<CellId, uint8_t> isDonor(graph->cells.size(), 0);
  for (CellId cell : graph->donated)
    isDonor[cell] = graph->cells[cell].kind == CellKind::Argument;
  for (const Tie &tie : graph->ties)
    if (isDonor[tie.argument] && topology.getRepresentative(tie.result) == tie.argument &&
        isAlike(tie.argument, tie.result) && !arguments[tie.result].isValid()) {
      arguments[tie.result] = tie.argument;
      isDonor[tie.argument] = 0;
    }
  for (CellId cell : graph->arguments)
    if (isDonor[cell])
      looseDonors.push_back(cell);
  for (CellId cell : graph->results)
    if (!arguments[cell].isValid())
      looseResults.push_back(cell);
  untied = looseDonors;
  // Drop types that only one side has: they cannot be paired.
  auto drop = [](std::vector<CellId> &list, const std::vector<CellId> &others, auto alike) {
    llvm::erase_if(
        list, [&](CellId cell) { return llvm::none_of(others, [&](CellId other) { return alike(cell, other); }); });
  };
  drop(looseDonors, looseResults, [&](CellId donor, CellId result) { return isAlike(donor, result); });
  drop(looseResults, looseDonors, [&](CellId result, CellId donor) { return isAlike(donor, result); });
  for (CellId cell : looseDonors)
    isLoose[cell] = 1;
  for (CellId cell : looseResults)
    isLoose[cell] = 1;
}

bool DonorPairs::isAlike(CellId argument, CellId result) const {
  return graph->cells[argument].element == graph->cells[result].element &&
         graph->cells[argument].elementBits == graph->cells[result].elementBits &&
         graph->getShape(argument) == graph->getShape(result);
}

void DonorPairs::update(const Assignment &assignment) {
  if (isFixed())
    return;
  using Key = std::tuple<NameId, std::vector<int64_t>, std::vector<DimAxes>>;
  auto getKey = [&](CellId cell) {
    Sharding sharding = assignment.getCellSharding(cell);
    return Key(graph->cells[cell].element, graph->getShape(cell).vec(),
               std::vector<DimAxes>(sharding.dims.begin(), sharding.dims.end()));
  };
  std::map<Key, llvm::SmallVector<CellId, 2>> left;
  for (CellId result : llvm::reverse(looseResults)) {
    arguments[result] = CellId();
    left[getKey(result)].push_back(result);
  }
  for (CellId donor : looseDonors)
    if (auto found = left.find(getKey(donor)); found != left.end() && !found->second.empty())
      arguments[found->second.pop_back_val()] = donor;
}

std::vector<CellId> DonorPairs::getLoosePairs() const {
  std::vector<CellId> pairs;
  for (CellId result : looseResults)
    pairs.push_back(arguments[result]);
  return pairs;
}

void DonorPairs::setLoosePairs(llvm::ArrayRef<CellId> pairs) {
  for (auto [result, argument] : llvm::zip_equal(looseResults, pairs))
    arguments[result] = argument;
}

std::vector<CellId> DonorPairs::findDropped() const {
  std::vector<CellId> list, pairs = getLoosePairs();
  for (CellId donor : untied)
    if (!llvm::is_contained(pairs, donor))
      list.push_back(donor);
  return list;
}

} // namespace partita::cost
