//===- MovedRows.h - emits moves of rows between devices ------------------===//
//
// The local form of a slice, a pad or a concatenation along a dim that is split
// (partita/Graph/RowMoves.h). In each round a device sends some rows of its
// piece; those that arrive are written to where they belong in a buffer, which
// has room for rows that belong to others before and behind the device's own.
//
// Where the dim is as long before as after, rows keep their places in pieces. What
// arrives and what stays stand one behind the other, without a buffer.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_RULES_MOVEDROWS_H
#define PARTITA_PROGRAM_RULES_MOVEDROWS_H

#include "partita/Program/Rooms.h"
#include "partita/Program/Rules/RuleTable.h"

namespace partita::program::rules {

/// The device's `rows` rows, along `dim`, of a result whose row i is row i + `shift` of the values, one behind the
/// other, of which `pieces` are the device's pieces. Rows that they do not have are `fill`, a scalar, or zeros if it is
/// null.
mlir::Value emitMovedRows(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange pieces, unsigned dim,
                          int64_t rows, int64_t shift, const Split &split, mlir::Value fill = {});

} // namespace partita::program::rules

#endif
