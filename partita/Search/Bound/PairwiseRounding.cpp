//===- PairwiseRounding.cpp - a choice of labels --------------------------===//

#include "partita/Search/Bound/PairwiseAscent.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace partita::search {

/// Adds to `values` what each label of the variable costs along the edge if the variable at the other end has
/// `otherLabel`.
void PairwiseAscent::addCostsOf(const EdgeState &edge, uint8_t end, uint32_t otherLabel) {
  const EdgeEnd &own = edge.ends[end], &other = edge.ends[1 - end];
  computeShardingWeights(edge);
  size_t there = other.ofLabel[otherLabel];
  for (size_t label = 0; label < values.size(); ++label) {
    size_t here = own.ofLabel[label];
    size_t source = end == 0 ? here : there, target = end == 0 ? there : here;
    double cost = shardingWeights[source] * getTime(edge, source, target) +
                  double(std::min(own.getMemory(here), other.getMemory(there)));
    values[label] += ReshardTimeMatrix::roundDown(std::min(cost, double(large)));
  }
}

std::vector<uint32_t> PairwiseAscent::round() {
  std::vector<uint32_t> chosen(state.variables.size()), labels(state.variables.size());
  for (uint32_t own = 0; own < state.variables.size(); ++own) {
    const VariableState &variable = state.variables[own];
    values = variable.unary;
    for (auto [number, end] : variable.edges) {
      const EdgeState &edge = state.edges[number];
      uint32_t other = edge.ends[1 - end].variable;
      if (other < own) {
        addCostsOf(edge, end, chosen[other]);
        continue;
      }
      for (size_t label = 0; label < values.size(); ++label)
        values[label] += edge.ends[end].sent[edge.ends[end].ofLabel[label]];
    }
    chosen[own] = static_cast<uint32_t>(llvm::min_element(values) - values.begin());
    labels[state.order[own]] = variable.labels[chosen[own]];
  }
  return labels;
}

} // namespace partita::search
