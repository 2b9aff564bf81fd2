//===- ExchangePrice.h - the time of what devices exchange in an op -------===//
//
// The collectives of an op (Exchanges.h) take their time on the links of the
// axes that split the factor, and nothing hides it. Kernels join what arrives
// with what the device has.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_EXCHANGEPRICE_H
#define PARTITA_COST_EXCHANGEPRICE_H

#include "partita/Cost/CostModel.h"
#include "partita/Cost/Exchanges.h"
#include "partita/Cost/Rooms.h"
#include "partita/Machine/CollectivePrice.h"

namespace partita::cost {

/// One execution of one collective of the op.
CollectivePrice priceExchange(const CostModel &model, const Assignment &assignment, OpId op,
                              const OpExchange &exchange);

/// The time of an op's collectives and of the kernels that join what they bring.
int64_t computeExchangePs(const CostModel &model, const Assignment &assignment, OpId op, const OpExchanges &exchanges);

} // namespace partita::cost

#endif
