//===- Lockstep.h - a program made ready to run ---------------------------===//
//
// Values are numbered: each has a slot in a device's memory. Blocks become lists
// of steps that know their function, their slots, and which use of a value is
// the last one, so that values are freed, or edited in place, as early as
// possible.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_LOCKSTEP_H
#define PARTITA_EVALUATE_LOCKSTEP_H

#include "partita/Evaluate/CrossDeviceOps.h"
#include "partita/Evaluate/OpTable.h"
#include "partita/Evaluate/Rooms.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace partita::evaluate {

using Slot = unsigned;

/// A value that an op reads. After the last use in its block nobody does.
struct Use {
  Slot slot;
  bool isLast = false;
};

/// One op of a block.
struct Step {
  mlir::Operation *op = nullptr;
  /// One of the two, or neither for an op that the evaluator does not know.
  OpTable::Function function = nullptr;
  CrossDeviceOps::Function crossDeviceFunction = nullptr;
  llvm::SmallVector<Use, 3> operands;
  /// Nothing for a result that nobody uses.
  llvm::SmallVector<std::optional<Slot>, 1> results;
  /// Values that only the op's regions read, for the last time.
  llvm::SmallVector<Slot, 0> dead;
  int64_t resultBytes = 0;
  /// On one device.
  int64_t work = 0;
};

struct BlockSchedule {
  llvm::SmallVector<std::optional<Slot>, 4> arguments;
  std::vector<Step> steps;
  llvm::SmallVector<Use, 2> returned;
};

class Lockstep {
public:
  explicit Lockstep(Mode mode) : mode(mode) {}

  /// The block's steps; made when they are asked for the first time, then kept.
  const BlockSchedule &get(mlir::Block &block);

  /// All slots that were given so far are below this.
  Slot getNumSlots() const { return slots.size(); }

private:
  struct LastUses;

  BlockSchedule build(mlir::Block &block);
  Step buildStep(mlir::Operation &op, LastUses &lastUses);
  std::optional<Slot> assignSlot(mlir::Value value);

  Mode mode;
  llvm::DenseMap<mlir::Value, Slot> slots;
  llvm::DenseMap<mlir::Block *, std::unique_ptr<BlockSchedule>> blocks;
};

} // namespace partita::evaluate

#endif
