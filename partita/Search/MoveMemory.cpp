//===- MoveMemory.cpp - caches the effects of moves -----------------------===//

#include "partita/Search/MoveMemory.h"

#include "partita/Support/Hash.h"

namespace partita::search {

/// A factor whose size is divisible by all axes together can always take one more axis, and so can its dims. Minor
/// factors depend on the major ones, whatever their sizes.
MoveMemory::MoveMemory(const Topology &topology, const Axes &axes, size_t maxChanges)
    : coupledFactors(topology.getNumOpFactors(), 0), coupledCells(topology.getGraph().cells.size(), 0),
      maxChanges(maxChanges) {
  int64_t numDevices = 1;
  for (const Axis &axis : axes.list.raw())
    numDevices *= axis.size;
  const Graph &graph = topology.getGraph();
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    coupledCells[cell] = llvm::any_of(graph.getShape(cell), [&](int64_t size) { return size % numDevices != 0; });
  for (OpFactorId opFactor : idRange<OpFactorId>(topology.getNumOpFactors())) {
    auto isSmall = [&](const FactorDim &entry) {
      return graph.getShape(topology.getCell(entry.dim))[topology.getDimNumber(entry.dim)] % numDevices != 0;
    };
    if (topology.getSplitSize(opFactor) % numDevices != 0 || llvm::any_of(topology.getDims(opFactor), isSmall))
      coupledFactors[opFactor] = 1;
    for (uint8_t major : topology.getMajors(opFactor))
      coupledFactors[topology.getOpFactor(topology.getNode(opFactor), major)] = 1;
  }
}

size_t MoveMemory::Hash::operator()(const MoveSituation &situation) const {
  return mixHash(mixHash(situation.axisKey ^ situation.move.get()) ^ situation.coupledKey);
}

const MoveOutcome *MoveMemory::find(const MoveSituation &situation) const {
  std::lock_guard lock(mutex);
  auto found = outcomes.find(situation);
  return found == outcomes.end() ? nullptr : &found->second;
}

void MoveMemory::add(const MoveSituation &situation, MoveOutcome &&outcome) {
  std::lock_guard lock(mutex);
  if (numChanges + outcome.changes.size() > maxChanges)
    return;
  size_t count = outcome.changes.size();
  if (outcomes.try_emplace(situation, std::move(outcome)).second)
    numChanges += count + 1;
}

} // namespace partita::search
