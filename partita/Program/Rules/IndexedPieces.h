//===- IndexedPieces.h - gather and scatter on pieces of the operand ------===//
//
// What gather and scatter share when an operand dim that they index is split.
// Index vectors count from the start of the whole dim, but a device's piece
// starts at an offset:
//
//   shifted[..., k] = wide(indices)[..., k] - offset[k]
//
// where k is a component of the index vector, `wide` is 64 bits signed (larger
// unsigned indices become the largest), and offset[k] is where the piece of the
// operand dim of k starts; zero if that dim is whole.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_RULES_INDEXEDPIECES_H
#define PARTITA_PROGRAM_RULES_INDEXEDPIECES_H

#include "partita/Dialect/StableHlo/IndexedDims.h"
#include "partita/Program/Rooms.h"
#include "partita/Program/Rules/LocalArithmetic.h"

namespace partita::program::rules {

/// The splits of operand dims along which windows have one element: an index decides which piece has it.
struct IndexedSplits {
  /// For each component of the index vector, the split of its dim; null if that is whole or has larger windows.
  llvm::SmallVector<const Split *> components;
  /// Dims that no component indexes: windows are at element 0.
  llvm::SmallVector<Split> fixed;

  bool hasComponents() const;
};

/// The factors of the operands and results of gather or scatter, by role.
struct IndexedRoles {
  /// Values with the operand's shape: gather's operand, scatter's inputs and results.
  llvm::SmallVector<ValueFactors *> operands;
  ValueFactors *indices;
  /// Values with the slices' shape: gather's result, scatter's updates.
  llvm::SmallVector<ValueFactors *> slices;
};

/// Sizes that the roles have.
struct IndexedShapes {
  llvm::ArrayRef<int64_t> operand, indices, slices;
  /// Per operand dim, the size of a window.
  llvm::SmallVector<int64_t> windows;
};

/// A dim of each role, -1 for none.
struct RoleDims {
  int64_t operand = -1, indices = -1, slices = -1;
};

/// Adds a factor of size `size` to the dims; none for sizes of 0 and 1.
void addFactor(Rule &rule, const IndexedRoles &roles, Factor factor, const RoleDims &dims);

/// The operand dim that goes with a batching dim of the indices; -1 if it is none.
int64_t findOperandBatchingDim(const stablehlo::IndexedDims &dims, int64_t indicesDim);

/// Whether windows have one element along the operand dim, which is longer, so that a piece contains a window wholly or
/// not at all.
bool isIndexedDim(const stablehlo::IndexedDims &dims, const IndexedShapes &shapes, int64_t operandDim);

/// The splits in `local` of dims that an index selects from.
IndexedSplits findIndexedSplits(const stablehlo::IndexedDims &dims, const IndexedShapes &shapes,
                                const LocalContext &local);

/// The device's indices as i64.
mlir::Value emitWideIndices(const LocalArithmetic &emit, mlir::Value indices);

/// Broadcasts one number for each component to the shape of `indices`.
mlir::Value emitPerComponent(const LocalArithmetic &emit, mlir::Value numbers, const stablehlo::IndexedDims &dims,
                             mlir::Value indices);

/// `indices`, wide, minus where the pieces start.
mlir::Value emitShifted(const LocalArithmetic &emit, const LocalContext &local, const stablehlo::IndexedDims &dims,
                        const IndexedSplits &splits, llvm::ArrayRef<int64_t> operandShape, mlir::Value indices);

} // namespace partita::program::rules

#endif
