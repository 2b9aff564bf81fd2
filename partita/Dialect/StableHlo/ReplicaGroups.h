//===- ReplicaGroups.h - which devices a collective combines --------------===//
//
// Replica groups are rows of a rank-2 tensor of device ids, `-1` filling rows
// that are shorter where an op allows it, or axes of a mesh. What rows must be
// is checked here; what axes must be, by their attribute itself.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_REPLICAGROUPS_H
#define PARTITA_DIALECT_STABLEHLO_REPLICAGROUPS_H

#include "partita/Dialect/StableHlo/StableHloDialect.h"

namespace partita::stablehlo {

/// What an op asks of its replica groups, and the labels under which the specification does.
struct ReplicaGroupDemands {
  llvm::StringRef uniqueLabel;      ///< No id stands twice.
  llvm::StringRef rangeLabel;       ///< Ids are not negative,
  bool areAllDevices = true;        ///< and N of them are 0 to N-1.
  bool mayPad = false;              ///< Rows may end in -1.
  bool mayBeEmpty = true;           ///< There may be no id at all.
  llvm::StringRef sizeLabel = {};   ///< Every row
  std::optional<int64_t> size = {}; ///< has this many ids.
};

/// Success if `groups`, the `replica_groups` of `op`, are what `demands` says. Mesh axes always are.
llvm::LogicalResult verifyReplicaGroups(mlir::Operation *op, mlir::Attribute groups,
                                        const ReplicaGroupDemands &demands);

/// Success if the mesh that `groups` names, if any, is defined.
llvm::LogicalResult verifyReplicaGroupMesh(mlir::Operation *op, mlir::Attribute groups,
                                           mlir::SymbolTableCollection &symbolTable);

/// Success if rows of `pairs` are a source and a target each, no two of them with the same source or target.
llvm::LogicalResult verifySourceTargetPairs(mlir::Operation *op, mlir::DenseIntElementsAttr pairs);

} // namespace partita::stablehlo

#endif
