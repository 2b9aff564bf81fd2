//===- RowMoves.h - rows that go from device to device --------------------===//
//
// A slice, a pad or a concatenation of a dim that is split: the rows that a
// device needs for its piece of the result lie on other devices.
//
//   slice [4:8] of 12 rows, on two devices
//     pieces:   0 1 2 3 4 5 | 6 7 8 9 10 11
//     result:   4 5         | 6 7
//     device 0 keeps rows 4 and 5, device 1 keeps 6 and 7
//
// A round is what one permute can do: no device sends or receives twice in it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_GRAPH_ROWMOVES_H
#define PARTITA_GRAPH_ROWMOVES_H

#include "partita/Graph/Rooms.h"

#include <cstdint>
#include <vector>

namespace partita::graph {

/// Rows of an operand, numbered in the whole operand, that device `source` has and device `target` needs. Devices are
/// numbered along the factor.
struct RowMove {
  int64_t source, target;
  int64_t begin, end;

  bool operator==(const RowMove &) const = default;
};

struct MoveRound {
  std::vector<RowMove> moves;
  /// Of the move that has the most: all devices send as many.
  int64_t rows = 0;
};

struct RowMoves {
  /// Rows that stay on their device.
  MoveRound kept;
  std::vector<MoveRound> rounds;
  /// Over all rounds and the kept rows.
  int64_t maxRows = 0;
};

/// How the operand's `size` rows get to the pieces of a result of `resultSize` rows, of which row i is row i + `shift`
/// of the operand, if it has such a row. Both sizes are multiples of `parts`.
RowMoves planRowMoves(int64_t size, int64_t resultSize, int64_t shift, int64_t parts);

} // namespace partita::graph

#endif
