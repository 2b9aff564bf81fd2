//===- Exchanges.h - collectives that ops run by themselves ---------------===//
//
// Reshards stand between ops. Some ops talk to other devices by themselves
// (Program/Rules/Exchanges.h):
//
//   a shift of pipeline stages   each device sends a row to its neighbor
//   a halo                       each device sends edges to its neighbors
//   a fold                       partial results are gathered
//   a move                       rows go to the devices that need them
//
// This lists their collectives, without a machine.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_EXCHANGES_H
#define PARTITA_COST_EXCHANGES_H

#include "partita/Cost/ReshardPlan.h"
#include "partita/Cost/Rooms.h"
#include "partita/Graph/RowMoves.h"
#include "partita/Propagate/Assignment.h"

namespace partita::cost {

/// One collective of an op, along one of its factors.
struct OpExchange {
  /// AllGather or CollectivePermute.
  CollectiveKind kind = CollectiveKind::CollectivePermute;
  uint8_t factor = 0;
  /// Of a permute: each device receives from the one whose number along the factor is smaller by this, or as `moves`
  /// say if there are any.
  int64_t by = 0;
  std::vector<RowMove> moves;
  /// As in ReshardStep.
  int64_t payloadBytes = 0;
  int64_t sentBytes = 0;
};

/// How rows move along a factor that has a shift.
struct OperandMoves {
  /// Of the operand's piece.
  int64_t rowBytes = 0;
  RowMoves plan;
};

/// One for each operand that has the factor, in their order.
llvm::SmallVector<OperandMoves, 2> listMoves(const Assignment &assignment, OpId op, uint8_t factor);

/// Whether the op is a shift: a collective that may be split.
bool isShift(const Graph &graph, OpId op);

/// The bytes of a device's piece of operand `value`, or of result `value` less the number of operands.
int64_t computePieceBytes(const Assignment &assignment, OpId op, uint32_t value);

/// The rows of a device's piece of operand 0 along the dim that has the factor.
int64_t countPieceRows(const Assignment &assignment, OpId op, uint8_t factor);

/// What the op exchanges under the assignment; nothing if no factor that needs it is split.
llvm::SmallVector<OpExchange, 2> listExchanges(const Assignment &assignment, OpId op);

} // namespace partita::cost

#endif
