//===- RuleTable.h - registers rules and local forms by op ----------------===//
//
// Each file of Rules/ registers its ops:
//
//   static OpRule ruleOfTranspose(stablehlo::TransposeOp op, RuleContext &) { ... }
//   static Pieces localTranspose(stablehlo::TransposeOp op, const LocalContext &local) { ... }
//   void registerShapeRules(RuleTable &table) {
//     table.add<stablehlo::TransposeOp, ruleOfTranspose>();                    // local: the op on local shapes
//     table.add<stablehlo::IotaOp, ruleOfIota, localIota>();
//   }
//
// Without a local function, an op's local form is the op itself on the pieces,
// with the results' local types.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_RULES_RULETABLE_H
#define PARTITA_PROGRAM_RULES_RULETABLE_H

#include "partita/Program/Rooms.h"
#include "partita/Program/Rules/Rules.h"

#include "llvm/ADT/DenseMap.h"

namespace partita::program::rules {

using Pieces = llvm::SmallVector<mlir::Value>;

/// What a rule may depend on besides the op.
struct RuleContext {
  const UserRules &userRules;
  /// Set if the rule cannot be made because a user's rule is wrong.
  Status error;
};

/// What a local function needs to emit the op on one device.
struct LocalContext {
  mlir::OpBuilder &builder;
  const Rule &rule;
  mlir::ValueRange operands;
  llvm::ArrayRef<Split> splits;

  /// The split of a factor; null if it is whole.
  const Split *find(uint8_t factor) const;
  /// The split of the only factor of dim `dim` of the operand or result, if it is split.
  const Split *findOperandDim(unsigned operand, unsigned dim) const;
  const Split *findResultDim(unsigned result, unsigned dim) const;
  /// The type of the device's piece of a result.
  mlir::RankedTensorType getResultType(mlir::Operation *op, unsigned result) const;
  /// Index of the device's piece times `size`, as a scalar of `type` (an integer element type): where the piece starts.
  mlir::Value emitOffset(mlir::Location loc, const Split &split, int64_t size, mlir::Type type) const;
};

/// The op itself on the device's pieces.
Pieces emitSame(mlir::Operation *op, const LocalContext &local);

class RuleTable {
public:
  using RuleFunction = OpRule (*)(mlir::Operation *op, RuleContext &context);
  using LocalFunction = Pieces (*)(mlir::Operation *op, const LocalContext &local);
  struct Entry {
    RuleFunction rule = nullptr;
    LocalFunction local = nullptr;
  };

  template <typename OpT, OpRule (*rule)(OpT, RuleContext &)> void add() {
    entries[mlir::TypeID::get<OpT>()] = {
        [](mlir::Operation *op, RuleContext &context) { return rule(mlir::cast<OpT>(op), context); }, emitSame};
  }
  template <typename OpT, OpRule (*rule)(OpT, RuleContext &), Pieces (*local)(OpT, const LocalContext &)> void add() {
    entries[mlir::TypeID::get<OpT>()] = {
        [](mlir::Operation *op, RuleContext &context) { return rule(mlir::cast<OpT>(op), context); },
        [](mlir::Operation *op, const LocalContext &context) { return local(mlir::cast<OpT>(op), context); }};
  }

  Entry find(mlir::Operation *op) const { return entries.lookup(op->getName().getTypeID()); }
  /// Whether ops of that name have a rule of their own.
  bool contains(mlir::OperationName name) const { return entries.contains(name.getTypeID()); }

private:
  llvm::DenseMap<mlir::TypeID, Entry> entries;
};

const RuleTable &getRuleTable();

// One for each file of Rules/.
void registerElementwiseRules(RuleTable &table);
void registerShapeRules(RuleTable &table);
void registerReshapeRules(RuleTable &table);
void registerSlicingRules(RuleTable &table);
void registerContractionRules(RuleTable &table);
void registerConvolutionRules(RuleTable &table);
void registerIndexingRules(RuleTable &table);
void registerReductionRules(RuleTable &table);
void registerWindowRules(RuleTable &table);
void registerSortRules(RuleTable &table);
void registerLinalgRules(RuleTable &table);
void registerRandomRules(RuleTable &table);
void registerCustomRules(RuleTable &table);
void registerCollectiveRules(RuleTable &table);

//===----------------------------------------------------------------------===//
// Building blocks
//===----------------------------------------------------------------------===//

/// Sizes of a value's dims.
llvm::ArrayRef<int64_t> getShape(mlir::Value value);

/// A rule with an entry for every dim of every operand and result of `op`, and no factor yet. Values that are not
/// ranked tensors (tokens) have no dims.
OpRule makeRule(mlir::Operation *op);

/// Adds a factor that may not be split to each dim that is larger than one and has no factor yet.
void keepRestWhole(mlir::Operation *op, OpRule &rule);

/// One parallel factor for each dim. All operands and results must have the same shape or be scalars.
OpRule makeElementwiseRule(mlir::Operation *op);

/// Nothing may be split.
OpRule makeWholeRule(mlir::Operation *op, std::string why);

} // namespace partita::program::rules

#endif
