//===- Exchanges.h - collectives that ops run by themselves ---------------===//
//
// Reshards stand between ops. Some ops talk to other devices by themselves
// (Program/Rules/Exchanges.h):
//
//   a shift of pipeline stages   each device sends a row to its neighbor
//   a halo                       each device sends edges to its neighbors
//   a fold                       partial results are gathered
//   a move                       rows go to the devices that need them
//   a reversal                   devices swap their pieces
//   a prefix                     totals of pieces are gathered
//
// This lists their collectives and the copies around them, without a machine.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_EXCHANGES_H
#define PARTITA_COST_EXCHANGES_H

#include "partita/Cost/ReshardPlan.h"
#include "partita/Cost/Rooms.h"
#include "partita/Propagate/Assignment.h"

namespace partita::cost {

/// One collective of an op, along one of its factors.
struct OpExchange {
  /// AllGather or CollectivePermute.
  CollectiveKind kind = CollectiveKind::CollectivePermute;
  uint8_t factor = 0;
  /// Of a permute: sources and targets, by their numbers along the factor.
  std::vector<std::pair<int64_t, int64_t>> pairs;
  /// As in ReshardStep.
  int64_t payloadBytes = 0;
  int64_t sentBytes = 0;
};

/// A kernel that joins what arrives with what the device has.
struct ExchangeCopy {
  /// That it writes; it reads as many.
  int64_t bytes = 0;
  /// Of a buffer that is there while the op runs.
  int64_t keptBytes = 0;
};

struct OpExchanges {
  llvm::SmallVector<OpExchange, 2> collectives;
  llvm::SmallVector<ExchangeCopy, 2> copies;

  /// Of all copies.
  int64_t getKeptBytes() const;
};

/// Whether the op is a shift: a collective that may be split.
bool isShift(const Graph &graph, OpId op);

/// The bytes of a device's piece of operand `value`, or of result `value` less the number of operands.
int64_t computePieceBytes(const Assignment &assignment, OpId op, uint32_t value);

/// The rows of a device's piece of operand 0 along the dim that has the factor.
int64_t countPieceRows(const Assignment &assignment, OpId op, uint8_t factor);

/// What the op exchanges under the assignment; nothing if no factor that needs it is split.
OpExchanges listExchanges(const Assignment &assignment, OpId op);

} // namespace partita::cost

#endif
