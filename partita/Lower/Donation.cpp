//===- Donation.cpp - which results take donated buffers ------------------===//

#include "partita/Lower/Donation.h"

#include "partita/Cost/DonorPairs.h"

namespace partita::lower {

Donation pairDonors(const Assignment &assignment) {
  const Graph &graph = assignment.getGraph();
  DonorPairs pairs(assignment.getTopology());
  pairs.update(assignment);
  Donation donation;
  donation.results.resize(graph.arguments.size());
  for (CellId result : graph.results)
    if (CellId argument = pairs.getArgument(result); argument.isValid())
      donation.results[graph.cells[argument].number] = graph.cells[result].number;
  for (CellId donor : pairs.findDropped())
    donation.dropped.push_back(graph.cells[donor].number);
  return donation;
}

} // namespace partita::lower
