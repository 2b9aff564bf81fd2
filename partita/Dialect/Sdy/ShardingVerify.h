//===- ShardingVerify.h - what a valid sharding is ------------------------===//
//
// A sharding is valid for a type, on a mesh, at a place: axes that are manual
// around an op are not for its shardings. Verifiers of ops and of the dialect
// call these.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_SDY_SHARDINGVERIFY_H
#define PARTITA_DIALECT_SDY_SHARDINGVERIFY_H

#include "partita/Dialect/Sdy/SdyDialect.h"

namespace partita::sdy {

/// Where errors go: at an op, with a few words in front that say what is wrong there.
class ErrorAt {
public:
  explicit ErrorAt(mlir::Operation *op, const llvm::Twine &subject = "") : op(op), subject(subject.str()) {}

  /// Begins a message: "'sdy.reshard' op " and the subject.
  mlir::InFlightDiagnostic operator()() const;
  /// The same place with more words.
  ErrorAt with(const llvm::Twine &more) const;
  mlir::Operation *getOp() const { return op; }

private:
  mlir::Operation *op;
  std::string subject;
};

/// Lists of axes that must not overlap: each is added in turn, and sub-axes are compared at the end.
class AxisLists {
public:
  AxisLists(MeshAttr mesh, const ErrorAt &error) : mesh(mesh), error(error) {}

  /// Fails on an axis that the mesh does not have or that was added before, and on neighbours that should be merged.
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

/// Verifies one sharding for each type. An op without results may have one that cuts nothing.
llvm::LogicalResult verifyShardings(TensorShardingPerValueAttr shardings, mlir::TypeRange types, const ErrorAt &error);

/// Verifies the value of `sdy.sharding_rule` on `op`.
llvm::LogicalResult verifyShardingRule(OpShardingRuleAttr rule, mlir::Operation *op);

/// Verifies the value of `sdy.propagation_edges` on `op`.
llvm::LogicalResult verifyPropagationEdges(PropagationEdgesAttr edges, mlir::Operation *op);

} // namespace partita::sdy

#endif
