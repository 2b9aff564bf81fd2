//===- RowMoves.cpp - rows that go from device to device ------------------===//

#include "partita/Graph/RowMoves.h"

#include <algorithm>

namespace partita::graph {

static void addMove(MoveRound &round, const RowMove &move) {
  round.moves.push_back(move);
  round.rows = std::max(round.rows, move.end - move.begin);
}

/// The first round in which neither device is busy. Neither sources nor targets ever decrease from move to move, so the
/// last move of a round tells.
static MoveRound &findRound(std::vector<MoveRound> &rounds, const RowMove &move) {
  for (MoveRound &round : rounds)
    if (round.moves.back().source != move.source && round.moves.back().target != move.target)
      return round;
  return rounds.emplace_back();
}

RowMoves planRowMoves(int64_t size, int64_t resultSize, int64_t shift, int64_t parts) {
  RowMoves plan;
  int64_t piece = size / parts, resultPiece = resultSize / parts;
  for (int64_t target = 0; target < parts; ++target) {
    int64_t begin = std::max<int64_t>(0, target * resultPiece + shift);
    int64_t end = std::min(size, (target + 1) * resultPiece + shift);
    for (int64_t row = begin; row < end;) {
      int64_t source = row / piece, next = std::min(end, (source + 1) * piece);
      RowMove move{source, target, row, next};
      addMove(source == target ? plan.kept : findRound(plan.rounds, move), move);
      row = next;
    }
  }
  plan.maxRows = plan.kept.rows;
  for (const MoveRound &round : plan.rounds)
    plan.maxRows = std::max(plan.maxRows, round.rows);
  return plan;
}

} // namespace partita::graph
