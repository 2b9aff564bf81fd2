//===- RandomPieces.h - random products in pieces -------------------------===//

#ifndef PARTITA_FUZZ_RANDOMPIECES_H
#define PARTITA_FUZZ_RANDOMPIECES_H

#include "partita/Cost/ProductPieces.h"
#include "partita/Fuzz/RandomActions.h"
#include "partita/Fuzz/Rooms.h"

#include <map>
#include <string>

namespace partita::fuzz {

/// For one case in eight, tactics before all others that let a product wait for rows of an operand, or scatter its sums
/// along rows. The choice has random numbers of its own, so that other cases do not depend on it.
std::vector<DrawnTactic> drawRowTactics(uint64_t seed, const Mesh &mesh, const Graph &graph);

/// For every other case, most of the gathers and scatters that may run in pieces. The choice has random numbers of its
/// own, so that other cases do not depend on it.
ProductPieces drawPieces(uint64_t seed, const Assignment &assignment, const ReshardPlanner &planner,
                         const Reshards &reshards);

/// Adds how many there are, by kind and by where they stand.
void countPieces(const ProductPieces &pieces, const Graph &graph, const Reshards &reshards,
                 std::map<std::string, int64_t> &counts);

} // namespace partita::fuzz

#endif
