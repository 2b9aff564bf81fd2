//===- ExchangePrice.h - the time of what devices exchange in an op -------===//
//
// The collectives of an op (Exchanges.h) take their time on the links of the
// axes that split the factor, and nothing hides it. A halo is joined with the
// device's own rows: a copy. What a fold gathers is folded by one more kernel.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_EXCHANGEPRICE_H
#define PARTITA_COST_EXCHANGEPRICE_H

#include "partita/Cost/CostModel.h"
#include "partita/Cost/Exchanges.h"
#include "partita/Cost/Rooms.h"
#include "partita/Machine/CollectivePrice.h"

namespace partita::cost {

struct ExchangePrice {
  /// Of the collectives and of the kernels that join what they bring.
  int64_t timePs = 0;
  /// Operand 0 with its neighbors' edges, which is there while the op runs.
  int64_t copiedBytes = 0;
};

/// One execution of one collective of the op.
CollectivePrice priceExchange(const CostModel &model, const Assignment &assignment, OpId op,
                              const OpExchange &exchange);

/// What the op's exchanges cost under the assignment; nothing if no factor that needs one is split.
ExchangePrice priceExchanges(const CostModel &model, const Assignment &assignment, OpId op);

} // namespace partita::cost

#endif
