//===- Numbering.h - which values of a program are the same ---------------===//
//
// Values of the original get numbers such that equal numbers mean equal values:
// ops of the same kind on the same numbers are one (as in global value
// numbering), since a device's op may stand for any of them. Barriers and marks of
// shardings pass their operand on.
//
// The size of a dim along which all elements are equal (of a broadcast, of a splat
// constant) is no part of the number: a device's piece of it does not tell the
// size of the whole. For the same reason tensors without elements are all one.
// So a number stands for values of several sizes, and ops on it are alike only if
// they take the same sizes, or give such a dim again: the sums of four and of eight
// ones differ, the negatives of both are one.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VERIFY_RELATION_NUMBERING_H
#define PARTITA_VERIFY_RELATION_NUMBERING_H

#include "mlir/IR/Block.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "partita/Verify/Rooms.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallBitVector.h"

#include <optional>
#include <unordered_map>
#include <vector>

namespace partita::verify {

using ValueNumber = unsigned;

/// Ops that pass each operand on as a result, whatever else they say of it.
bool isSumCarrier(mlir::Operation *op);

/// Ops with blocks of the program in them: while, case, if.
bool isStructured(mlir::Operation *op);

/// Whether an op gives nothing but zeros, given which of its operands are nothing but zeros.
bool givesZeros(mlir::Operation *op, llvm::function_ref<bool(unsigned)> isZero);

class Numbering {
public:
  /// Numbers all values of `block` and of the blocks below.
  explicit Numbering(mlir::Block &block) { numberBlock(block); }

  ValueNumber get(mlir::Value value) const { return numbers.lookup(value); }

  /// Along which dims all elements of the value are equal; empty if that is not known of any.
  const llvm::SmallBitVector &getUniformDims(ValueNumber number) const { return infos[number].uniform; }
  /// Whether it is nothing but zeros.
  bool isZero(ValueNumber number) const { return infos[number].isZero; }
  /// A constant, or made of constants by moving elements about: not worth to look for its users.
  bool isConstant(ValueNumber number) const { return infos[number].isConstant; }

  /// The number of tensors without elements of that element type and rank; nothing if the type has elements, or the
  /// program no such tensor.
  std::optional<ValueNumber> findEmpty(mlir::Type type) const;
  /// The number of constants with that value; nothing if the program has none.
  std::optional<ValueNumber> findConstant(mlir::ElementsAttr value) const;

  /// Ops that use the number, each that differs from the others in a number or a type once.
  llvm::ArrayRef<mlir::Operation *> getUsers(ValueNumber number) const { return infos[number].users; }
  /// Ops without operands that differ, but for constants.
  llvm::ArrayRef<mlir::Operation *> getSources() const { return sources; }

private:
  struct Info {
    llvm::SmallBitVector uniform;
    bool isZero = false;
    bool isConstant = false;
    std::vector<mlir::Operation *> users;
  };

  void numberBlock(mlir::Block &block);
  void numberOp(mlir::Operation *op);
  void numberStructured(mlir::Operation *op);
  /// Gives the value a number of its own, or that of empty tensors.
  ValueNumber addNumber(mlir::Value value);
  void addInfo(mlir::Operation *op);
  llvm::SmallBitVector findUniformDims(mlir::Operation *op) const;

  size_t hash(mlir::Operation *op, const llvm::SmallBitVector &uniform) const;
  bool isEqual(mlir::Operation *a, mlir::Operation *b, const llvm::SmallBitVector &uniform) const;
  void addToUsers(mlir::Operation *op);

  llvm::DenseMap<mlir::Value, ValueNumber> numbers;
  std::vector<Info> infos{1};
  std::unordered_map<size_t, std::vector<mlir::Operation *>> known;
  llvm::DenseMap<mlir::Attribute, ValueNumber> constants;
  /// By element type and rank.
  llvm::DenseMap<std::pair<mlir::Type, int64_t>, ValueNumber> empties;
  std::vector<mlir::Operation *> sources;
};

} // namespace partita::verify

#endif
