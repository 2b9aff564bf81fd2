//===- Reduction.h - reduce, reduce_window and scan -----------------------===//
//
// What the ops that combine elements share. A `Reducing` starts from the
// initial values, combines elements one by one, and gives the results.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_OPS_REDUCTION_H
#define PARTITA_EVALUATE_OPS_REDUCTION_H

#include "partita/Dialect/Chlo/CompositeOps.h"
#include "partita/Dialect/StableHlo/ReductionOps.h"
#include "partita/Evaluate/Ops/ElementFunction.h"
#include "partita/Evaluate/Rooms.h"
#include "partita/Evaluate/Scalars.h"

namespace partita::evaluate {

/// ReduceWindow.cpp
Status evaluateReduceWindow(stablehlo::ReduceWindowOp op, Call &call);
/// Scan.cpp
Status evaluateScan(chlo::ScanOp op, Call &call);

/// A reduction in progress. Accumulators, one tensor per input, begin as the initial values. Inputs have the element
/// types that the reducer takes. If the reducer is a known combiner, narrow floats are accumulated in f32 and rounded
/// at the end, as in XLA.
class Reducing {
public:
  /// Operands of a reduction are inputs, then as many initial values.
  Reducing(mlir::Operation *op, mlir::Region &reducer, Call &call);

  /// Makes the inputs the results, for reductions of single elements, where there is nothing to combine. Initial values
  /// may enter any number of times, and XLA leaves them out here.
  void takeInputs();

  std::optional<ScalarCombiner> getCombiner() const { return combiner; }
  const Tensor &getInput() const { return inputs.front(); }
  Tensor &getAccumulator() { return accumulators.front(); }

  /// Calls `work(accumulator, input)` for each pair.
  template <typename Work> void visit(Work work) {
    for (auto [accumulator, input] : llvm::zip_equal(accumulators, inputs))
      work(accumulator, input);
  }

  /// accumulators[to] = reducer(accumulators[to], inputs[from]).
  Status reduceElement(ElementFunction &reducer, int64_t to, int64_t from);

  /// Gives the call its results.
  void finish(mlir::Operation *op, Call &call);

private:
  std::optional<ScalarCombiner> combiner;
  llvm::SmallVector<Tensor> accumulators, inputs;
};

} // namespace partita::evaluate

#endif
