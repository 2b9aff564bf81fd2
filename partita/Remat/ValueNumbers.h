//===- ValueNumbers.h - values of both passes that are equal --------------===//
//
// Values with one number are equal. Results of ops of one kind (AlikeOps.h) on
// equal operands are, and beyond that
//
//   - what a barrier, a sharding constraint or a reduce_precision without effect
//     passes on, and what a loop carries without a change;
//   - constants of one value, wherever they stand and however they were spread;
//   - values that differ in shape alone, where they are shaped alike again;
//   - loops with equal bodies.
//
// For a pair of layer loops (LayerLoops.h) a number in the forward body stands
// for the value of iteration k, and in the backward body for that of the
// iteration that reads what k wrote. So these are equal, too:
//
//   - integers that are the same function of k;
//   - what the backward loop reads from a stack, and what was written to it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_REMAT_VALUENUMBERS_H
#define PARTITA_REMAT_VALUENUMBERS_H

#include "partita/Program/AlikeOps.h"
#include "partita/Remat/LayerLoops.h"
#include "partita/Remat/Rooms.h"

#include <unordered_map>

namespace partita::remat {

/// Numbers count from 0 in program order.
using ValueNumber = Id<struct ValueNumberTag>;

class ValueNumbers {
public:
  ValueNumbers(mlir::ModuleOp module, llvm::ArrayRef<LayerLoops> pairs);

  /// Invalid for values in bodies of reductions and the like.
  ValueNumber get(mlir::Value value) const { return numbers.lookup(value); }

private:
  /// The loop whose body is numbered, if it is in a pair.
  struct Scope {
    const LayerLoops *pair = nullptr;
    uint64_t number = 0;
    bool isBackward = false;
    AffineEvaluator *evaluator = nullptr;
  };
  using Key = std::vector<uint64_t>;
  struct KeyHash {
    size_t operator()(const Key &key) const;
  };

  void addBlock(mlir::Block &block, Scope &scope);
  void addOp(mlir::Operation *op, Scope &scope);
  void addRegions(mlir::Operation *op, Scope &scope);
  void addLoopBody(stablehlo::WhileOp loop);
  ValueNumber find(mlir::OpResult result, Scope &scope);
  ValueNumber findPassedOn(mlir::OpResult result) const;
  ValueNumber findRead(mlir::OpResult result, const Scope &scope) const;
  ValueNumber findInteger(mlir::Value value, Scope &scope);
  ValueNumber findReshaped(mlir::OpResult result);
  ValueNumber findPart(mlir::OpResult result) const;
  ValueNumber findSplat(mlir::OpResult result);
  ValueNumber findComputed(mlir::OpResult result);
  mlir::Operation *findEqualOp(mlir::Operation *op);
  bool areEqual(mlir::Operation *a, mlir::Operation *b);
  ValueNumber getSplat(mlir::Attribute element, mlir::Type type);
  ValueNumber get(Key key, mlir::Type type);
  ValueNumber make(mlir::Type type);
  void set(mlir::Value value, ValueNumber number) { numbers[value] = number; }

  llvm::ArrayRef<LayerLoops> pairs;
  llvm::DenseMap<mlir::Value, ValueNumber> numbers;
  std::unordered_map<Key, ValueNumber, KeyHash> byKey;
  AlikeOps kinds;
  /// Ops with large bodies, by what is equal without these, and kernels.
  std::unordered_map<Key, llvm::SmallVector<mlir::Operation *, 1>, KeyHash> largeOps;
  IdVector<ValueNumber, mlir::Type> types;
  /// The value before it was reshaped: itself, if it was not.
  IdVector<ValueNumber, ValueNumber> unshaped;
  /// The one element of a constant whose elements are all equal.
  IdVector<ValueNumber, mlir::Attribute> splats;
  /// The first concatenation of each number.
  llvm::DenseMap<uint32_t, stablehlo::ConcatenateOp> concatenations;
};

/// The values of the block and its arguments by number, each the first of its number.
llvm::DenseMap<uint32_t, mlir::Value> indexValues(mlir::Block &block, const ValueNumbers &numbers);

} // namespace partita::remat

#endif
