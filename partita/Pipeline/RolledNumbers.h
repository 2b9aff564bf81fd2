//===- RolledNumbers.h - which values of two programs are the same --------===//
//
// Values get the same number only if they are proven to be the same: results of
// equal ops on values of the same numbers. Loops that are named are run iteration
// by iteration, so that a loop over layers has the numbers of the layers one
// behind the other:
//
//   y = f(f(x, a), b)         and         ws = [a, b]; for k in 0..2: x = f(x, ws[k])
//
// To see through stacks, a slice of what was put together is the part that was put
// there, and a reshape of a reshape is one reshape.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PIPELINE_ROLLEDNUMBERS_H
#define PARTITA_PIPELINE_ROLLEDNUMBERS_H

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Pipeline/Rooms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <map>
#include <optional>
#include <vector>

namespace partita::pipeline {

class RolledNumbers {
public:
  /// The numbers of what @main returns. Arguments of all functions that are given have the same numbers, by position.
  /// The iterations of `unrolled`, which stand in the function's body, are counted.
  llvm::SmallVector<unsigned> numberResults(mlir::func::FuncOp main,
                                            const llvm::SetVector<mlir::Operation *> &unrolled = {});

private:
  /// An op with its attributes, types and the numbers of its operands; or what stands for a value.
  using Key = std::vector<uintptr_t>;
  /// What is known of a number.
  struct Fact {
    /// Of a single integer.
    std::optional<int64_t> integer = std::nullopt;
    /// The parts along dim 0, each of size 1.
    llvm::SmallVector<unsigned> parts = {};
    /// What it is a reshape of; or a slice of, along dim 0, from `start` on.
    std::optional<unsigned> reshaped = std::nullopt, sliced = std::nullopt;
    int64_t start = 0;
    mlir::Type type = {};
  };

  unsigned get(Key key, mlir::Type type);
  unsigned find(mlir::Value value) const { return numbers.lookup(value); }
  void numberOp(mlir::Operation *op);
  void numberLoop(stablehlo::WhileOp loop);
  void addRegion(mlir::Region &region, llvm::DenseMap<mlir::Value, uintptr_t> &inside, Key &key);
  void addOp(mlir::Operation *op, llvm::DenseMap<mlir::Value, uintptr_t> &inside, Key &key);

  // Ops that are seen through; nothing if the op is not one that is.
  std::optional<unsigned> seeThrough(mlir::Operation *op);
  std::optional<unsigned> computeInteger(mlir::Operation *op);
  std::optional<unsigned> update(stablehlo::DynamicUpdateSliceOp op);
  std::optional<int64_t> findFirst(mlir::ValueRange starts) const;
  unsigned number(int64_t integer, mlir::Type type);
  unsigned reshape(unsigned value, mlir::RankedTensorType type);
  unsigned slice(unsigned value, int64_t start, mlir::RankedTensorType type);
  unsigned join(llvm::ArrayRef<unsigned> parts, mlir::RankedTensorType type);

  std::map<Key, unsigned> known;
  std::vector<Fact> facts;
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  /// Ops with an effect that one program has had so far.
  uintptr_t numEffects = 0;
};

} // namespace partita::pipeline

#endif
