//===- RelationChecker.h - relates a local block to its original ----------===//
//
// Walks through a block of a local program, with its loops and branches, and
// finds for each value which piece of which original value it is. RelationCheck.h
// says what that proves; it sets the arguments and checks the results.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VERIFY_RELATION_RELATIONCHECKER_H
#define PARTITA_VERIFY_RELATION_RELATIONCHECKER_H

#include "partita/Program/DeviceDependence.h"
#include "partita/Verify/Relation/BodyMatch.h"
#include "partita/Verify/Relation/CollectiveLayouts.h"
#include "partita/Verify/Relation/LocalBody.h"
#include "partita/Verify/Relation/OpMatcher.h"
#include "partita/Verify/Relation/RelationCheck.h"
#include "partita/Verify/Rooms.h"

namespace partita::verify {

class RelationChecker {
public:
  RelationChecker(mlir::Block &original, const DeviceDependence &dependence, const LocalBody &body,
                  const UserRules &userRules)
      : numbering(original), dependence(dependence), body(body), numDevices(countParts(body.axes)),
        collectives(body.axes), matcher(numbering, facts, userRules) {
    for (mlir::Value value : dependence.differing)
      differingNumbers.insert(numbering.get(value));
  }

  void setArgument(mlir::Value local, mlir::Value original, PieceLayout layout) {
    facts.relations[local] = {numbering.get(original), std::move(layout)};
  }
  /// Walks through a block of the local program that stands for `original`.
  Status checkBlock(mlir::Block &original, mlir::Block &local);
  /// An error unless `local` is a piece of `original`; gives its layout.
  Result<PieceLayout> expect(mlir::Value local, mlir::Value original, mlir::Operation *user);
  /// Counts for a block after `checkBlock`.
  RelationCounts count(mlir::Block &local) const;

private:
  Status checkOp(mlir::Operation *op);
  Status checkCollective(mlir::Operation *op);
  /// Whether the op is an existing collective of the original, on the same whole values.
  bool checkExistingCollective(mlir::Operation *op);
  bool isShift(mlir::Operation *op) const;
  /// Handles the last reshape of an exchange in steps; false for other reshapes.
  bool checkExchange(stablehlo::ReshapeOp op);
  bool checkRotation(mlir::Operation *op);
  bool checkSlice(stablehlo::DynamicSliceOp op);
  /// Handles permutes and additions of terms of a sum; false for other ops.
  bool checkTerms(mlir::Operation *op);
  /// Handle the same of terms that are partial pieces; false for others.
  bool checkPartialTerms(stablehlo::AddOp op);
  bool checkPartialTerms(stablehlo::CollectivePermuteOp op);
  void setSum(mlir::Value local, TermSum sum);
  void checkConstant(stablehlo::ConstantOp op);
  /// A value whose elements are equal along the number's uniform dims, and whole otherwise.
  void setWhole(mlir::Value local, ValueNumber number);
  bool computeIndex(mlir::Operation *op);
  void checkOther(mlir::Operation *op);
  bool isEmpty(mlir::Operation *op);
  bool mayStandFor(mlir::Operation *local, mlir::Operation *original) const;
  /// The copy of a manual computation's body that begins at `begin`. Records the relations of its results.
  std::optional<BodyMatch> checkManualBody(sdy::ManualComputationOp manual, mlir::Block::iterator begin);

  Status checkWhile(stablehlo::WhileOp original, stablehlo::WhileOp local);
  /// One pass over condition and body; `layouts` become those that the body gives back.
  Status checkLoopBlocks(stablehlo::WhileOp original, stablehlo::WhileOp local,
                         mlir::SmallVectorImpl<PieceLayout> &layouts);
  Status checkBranches(mlir::Operation *original, mlir::Operation *local);
  /// A predicate decides which ops run, so it must be whole.
  Status expectPredicate(mlir::Value local, mlir::Value original, mlir::Operation *user);

  Error explain(mlir::Value local, mlir::Operation *user);

  Numbering numbering;
  const DeviceDependence &dependence;
  llvm::DenseSet<ValueNumber> differingNumbers;
  const LocalBody &body;
  int64_t numDevices;
  LocalFacts facts;
  CollectiveLayouts collectives;
  OpMatcher matcher;
  /// Why ops match no op of the original, where a reason is known.
  llvm::DenseMap<mlir::Operation *, std::string> reasons;
};

} // namespace partita::verify

#endif
