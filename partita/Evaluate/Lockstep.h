//===- Lockstep.h - blocks as lists of steps with value slots -------------===//
//
// Prepares a program for the interpreter. Each value gets a slot in a device's
// memory. Each block becomes a list of steps. A step knows its function, its
// slots, and which use of a value is the last, so that values are freed, or
// edited in place, as early as possible.
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

/// A value that an op reads. `isLast` marks the last use in its block.
struct Use {
  Slot slot;
  bool isLast = false;
};

/// One op of a block.
struct Step {
  mlir::Operation *op = nullptr;
  /// One of the two is set; neither for an op that the evaluator does not know.
  OpTable::Function function = nullptr;
  CrossDeviceOps::Function crossDeviceFunction = nullptr;
  llvm::SmallVector<Use, 3> operands;
  /// Nothing for a result without uses.
  llvm::SmallVector<std::optional<Slot>, 1> results;
  /// Values that only the op's regions read, and that are dead afterwards.
  llvm::SmallVector<Slot, 0> dead;
  int64_t resultBytes = 0;
  /// Work on one device (Work.h).
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

  /// The block's steps, built on the first call and cached.
  const BlockSchedule &get(mlir::Block &block);

  /// All slots assigned so far are below this number.
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
