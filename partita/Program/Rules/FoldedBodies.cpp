//===- FoldedBodies.cpp - bodies that combine partial results -------------===//

#include "partita/Program/Rules/FoldedBodies.h"

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/Combiners.h"
#include "partita/Program/Rules/NumericBodies.h"
#include "partita/Program/Rules/SelectionBodies.h"

using namespace mlir;

namespace partita::program::rules {

FoldedBody findFoldedBody(stablehlo::ReduceOp op) {
  auto haveSameType = [](auto values) {
    return getElementTypeOrSelf(std::get<0>(values)) == getElementTypeOrSelf(std::get<1>(values));
  };
  if (!llvm::all_of(llvm::zip_equal(op.getInputs(), op.getResults()), haveSameType))
    return {};
  if (combinesEach(op.getBody(), op.getInitValues()))
    return {.folds = true, .commutes = true, .mayPad = true, .rounds = false};
  if (foldsSelections(op.getBody(), op.getInitValues()))
    return {.folds = true, .commutes = false, .mayPad = true, .rounds = false};
  if (isSelection(op.getBody()))
    return {};
  BodyLaws laws = findBodyLaws(op);
  bool hasFloats =
      llvm::any_of(op.getResultTypes(), [](Type type) { return isa<FloatType>(getElementTypeOrSelf(type)); });
  return {
      .folds = laws.groups, .commutes = laws.commutes, .mayPad = laws.isNeutral, .rounds = laws.groups && hasFloats};
}

} // namespace partita::program::rules
