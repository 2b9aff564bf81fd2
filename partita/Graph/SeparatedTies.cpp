//===- SeparatedTies.cpp - ties that given shardings undo -----------------===//

#include "partita/Graph/SeparatedTies.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

namespace partita::graph {

std::vector<uint8_t> findSeparatedTies(const Graph &graph) {
  llvm::DenseMap<uint32_t, const GivenSharding *> given;
  for (const GivenSharding &sharding : graph.shardings)
    given[sharding.cell.get()] = &sharding;
  auto isSeparated = [&](const Tie &tie) {
    if (graph.getShape(tie.argument) != graph.getShape(tie.result))
      return true;
    const GivenSharding *argument = given.lookup(tie.argument.get()), *result = given.lookup(tie.result.get());
    return argument && result && !areCompatible(*argument, *result);
  };
  std::vector<uint8_t> separated(graph.ties.size());
  llvm::transform(graph.ties, separated.begin(), isSeparated);
  return separated;
}

} // namespace partita::graph
