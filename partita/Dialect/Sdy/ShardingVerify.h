//===- ShardingVerify.h - verifies shardings ------------------------------===//
//
// A sharding is valid for a type, on a mesh, at a location: inside a manual
// computation, shardings may not use its manual axes. The verifiers of ops and
// of the dialect call these functions.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_SDY_SHARDINGVERIFY_H
#define PARTITA_DIALECT_SDY_SHARDINGVERIFY_H

#include "partita/Dialect/Sdy/SdyDialect.h"

namespace partita::sdy {

/// Reports errors at an op, with a subject in front of the message.
class ErrorAt {
public:
  explicit ErrorAt(mlir::Operation *op, const llvm::Twine &subject = "") : op(op), subject(subject.str()) {}

  /// Begins a message: "'sdy.reshard' op " and the subject.
  mlir::InFlightDiagnostic operator()() const;
  /// The same op with a longer subject.
  ErrorAt with(const llvm::Twine &more) const;
  mlir::Operation *getOp() const { return op; }

private:
  mlir::Operation *op;
  std::string subject;
};

/// Checks that lists of axes do not overlap. The caller adds each list and calls `verifySubAxes` at the end.
class AxisLists {
public:
  AxisLists(MeshAttr mesh, const ErrorAt &error) : mesh(mesh), error(error) {}

  /// Fails on an axis that the mesh does not have or that was added before, and on neighbors that should be merged.
  llvm::LogicalResult add(llvm::ArrayRef<AxisRefAttr> axes);
  /// The same for a list that has to be in the mesh's order.
  llvm::LogicalResult addSorted(llvm::ArrayRef<AxisRefAttr> axes, llvm::StringRef what);
  /// Fails if a sub-axis is not a proper part of its axis, or overlaps another or the full axis.
  llvm::LogicalResult verifySubAxes();

private:
  llvm::LogicalResult verifySubAxis(AxisRefAttr axis);

  MeshAttr mesh;
  const ErrorAt &error;
  llvm::SmallVector<AxisRefAttr> seen;
};

/// Verifies a sharding of a value of `type` (null: of an op without results) that is used at or inside `error`'s op.
llvm::LogicalResult verifySharding(TensorShardingAttr sharding, mlir::Type type, const ErrorAt &error);

/// Verifies one sharding for each type. An op without results may have one that splits nothing.
llvm::LogicalResult verifyShardings(TensorShardingPerValueAttr shardings, mlir::TypeRange types, const ErrorAt &error);

/// Verifies the value of `sdy.sharding_rule` on `op`.
llvm::LogicalResult verifyShardingRule(OpShardingRuleAttr rule, mlir::Operation *op);

/// Verifies the value of `sdy.propagation_edges` on `op`.
llvm::LogicalResult verifyPropagationEdges(PropagationEdgesAttr edges, mlir::Operation *op);

} // namespace partita::sdy

#endif
