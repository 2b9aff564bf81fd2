//===- Reducer.h - verifies reducer regions -------------------------------===//
//
// The reducer of N inputs takes N accumulators, then N elements, and returns
// N accumulators. It may accumulate in a wider type than the inputs have:
// the accumulators' element types are the results' ones. Shared by reduce,
// reduce_window, scatter, select_and_scatter and the reducing collectives.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_REDUCER_H
#define PARTITA_DIALECT_STABLEHLO_REDUCER_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/TypeRange.h"

namespace partita::stablehlo {

/// What a reducer must fit.
struct ReducerOperands {
  mlir::TypeRange inputs;        ///< Ranked tensors whose elements are combined.
  mlir::TypeRange initValues;    ///< One per input: what accumulators start from.
  llvm::ArrayRef<int64_t> shape; ///< A reducer's arguments may have dims of this shape, in order; mostly none.
};

/// Success if the region's block is a reducer of `operands`; messages start with `label`, such as "(C6)". The region
/// must have a block, which need not be verified yet.
llvm::LogicalResult verifyReducer(mlir::Operation *op, mlir::Region &region, const ReducerOperands &operands,
                                  llvm::StringRef label);

/// Element types of the accumulators that `region` returns, one per input; the inputs' own where the region has
/// no terminator yet. Fails with a message at `loc` where it returns something else.
llvm::FailureOr<llvm::SmallVector<mlir::Type>> getAccumulatorElementTypes(std::optional<mlir::Location> loc,
                                                                          mlir::Region &region, mlir::TypeRange inputs);

/// What the region's block returns; nothing while it has no terminator.
std::optional<mlir::TypeRange> getReturnedTypes(mlir::Region &region);

/// The type of one element of `tensor`, as regions take it: `tensor<4xf32>` to `tensor<f32>`.
mlir::Type getScalarType(mlir::Type tensor);

/// Whether two tensor types are equal but for dynamic dims and the precision of floats.
bool areAlike(mlir::Type a, mlir::Type b);

/// Whether every value of `from` is one of `to`: the same kind of element, and no more bits.
bool isPromotable(mlir::Type from, mlir::Type to);

} // namespace partita::stablehlo

#endif
