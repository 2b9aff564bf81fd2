//===- Units.h - what the rewrite places as one ---------------------------===//
//
// The program's straight code, unit by unit: an op, or a loop or branch with all
// that is in it. A unit stands before the loop of microbatches, in it, or behind.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TEMPORAL_UNITS_H
#define PARTITA_TEMPORAL_UNITS_H

#include "partita/Temporal/Reach.h"
#include "partita/Temporal/Rooms.h"

namespace partita::temporal {

struct MicroUnit {
  /// The unit's ops.
  OpId first, end;
  /// The op of the module that it is: for a bundle, the loop or branch.
  mlir::Operation *origin = nullptr;
  bool isBundle = false;
};

struct Units {
  std::vector<MicroUnit> list;
  IdVector<OpId, uint32_t> ofOp;
  /// The unit that defines each cell; `none` for arguments.
  IdVector<CellId, uint32_t> ofCell;

  static constexpr uint32_t none = UINT32_MAX;
  const MicroUnit &get(OpId op) const { return list[ofOp[op]]; }
};

Units findUnits(const MicroProgram &program);

} // namespace partita::temporal

#endif
