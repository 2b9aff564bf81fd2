//===- ExchangePrice.h - the time of what devices exchange in an op -------===//
//
// Some ops talk to other devices by themselves (Program/Rules/Exchanges.h):
//
//   a shift of pipeline stages   each device sends a row to its neighbor
//   a halo                       each device sends edges to its neighbors, and
//                                joins what it gets with its own rows: a copy
//   a fold                       partial results are gathered
//
// They take the time of these collectives on the links of the axes that split
// the factor, and nothing hides it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_EXCHANGEPRICE_H
#define PARTITA_COST_EXCHANGEPRICE_H

#include "partita/Cost/CostModel.h"
#include "partita/Cost/Rooms.h"

namespace partita::cost {

/// Whether the op is a shift: a collective that may be split.
bool isShift(const Graph &graph, OpId op);

struct ExchangePrice {
  int64_t timePs = 0;
  /// Operand 0 with its neighbors' edges, which is there while the op runs.
  int64_t copiedBytes = 0;
};

/// What the op's exchanges cost under the assignment; nothing if no factor that needs one is split.
ExchangePrice priceExchange(const CostModel &model, const Assignment &assignment, OpId op);

} // namespace partita::cost

#endif
