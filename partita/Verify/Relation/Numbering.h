//===- Numbering.h - value numbering of the original program --------------===//
//
// Values of the original get numbers such that equal numbers mean equal values.
// As in global value numbering, equal ops on equal numbers get one number,
// since a device's op may stand for any of them. Barriers and sharding
// annotations pass their operand's number on.
//
// A dim is uniform if all elements along it are equal (in a broadcast or a
// splat constant). Its size is not part of the number, since a device's piece
// does not tell the size of the whole. For the same reason all tensors without
// elements share one number. So a number may stand for values of several sizes.
// Ops on it are equal only if their operands have the same sizes or their
// result is uniform there too: the sums of four and of eight ones differ, but
// their negatives share a number.
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

/// Whether the op passes each operand on as a result (barriers, sharding annotations).
bool isSumCarrier(mlir::Operation *op);

/// Whether the op contains blocks of the program: while, case, if.
bool isStructured(mlir::Operation *op);

/// Whether an op gives only zeros, given which of its operands are all zeros.
bool givesZeros(mlir::Operation *op, llvm::function_ref<bool(unsigned)> isZero);

class Numbering {
public:
  /// Numbers all values of `block` and of the blocks below.
  explicit Numbering(mlir::Block &block) { numberBlock(block); }

  ValueNumber get(mlir::Value value) const { return numbers.lookup(value); }

  /// The uniform dims of the value; empty if none is known.
  const llvm::SmallBitVector &getUniformDims(ValueNumber number) const { return infos[number].uniform; }
  /// Whether the value is all zeros.
  bool isZero(ValueNumber number) const { return infos[number].isZero; }
  /// Whether the value is a constant, or made of constants by moving elements. Searching its users is not worthwhile.
  bool isConstant(ValueNumber number) const { return infos[number].isConstant; }

  /// The number of empty tensors of that element type and rank. Nothing if the type has elements, or if the program has
  /// no such tensor.
  std::optional<ValueNumber> findEmpty(mlir::Type type) const;
  /// The number of constants with that value; nothing if the program has none.
  std::optional<ValueNumber> findConstant(mlir::ElementsAttr value) const;

  /// Ops that use the number; one of each that differs in a number or a type.
  llvm::ArrayRef<mlir::Operation *> getUsers(ValueNumber number) const { return infos[number].users; }
  /// Whether the op, or one that its users do not tell from it, stands at the location.
  bool isAt(mlir::Operation *user, mlir::Location location) const;
  /// How many ops a user stands for, itself included.
  unsigned countCopies(mlir::Operation *user) const;
  /// Distinct ops without operands, except constants.
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
  /// Gives the value a new number, or that of empty tensors.
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
  /// Of ops that are no users of their own, where they stand: by the user that stands for them.
  llvm::DenseMap<mlir::Operation *, std::vector<mlir::Location>> copies;
};

} // namespace partita::verify

#endif
