//===- ReplicaGroups.h - verifies the device groups of a collective -------===//
//
// Replica groups are either rows of a rank-2 tensor of device ids or axes of a
// mesh. Where an op allows rows of different lengths, `-1` pads the shorter
// ones. These functions verify rows; the attribute of mesh axes verifies
// itself.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_REPLICAGROUPS_H
#define PARTITA_DIALECT_STABLEHLO_REPLICAGROUPS_H

#include "partita/Dialect/StableHlo/StableHloDialect.h"

namespace partita::stablehlo {

/// What an op requires of its replica groups, with the labels of the specification.
struct ReplicaGroupDemands {
  llvm::StringRef uniqueLabel;      ///< No id occurs twice.
  llvm::StringRef rangeLabel;       ///< Ids are not negative,
  bool areAllDevices = true;        ///< and N of them are 0 to N-1.
  bool mayPad = false;              ///< Rows may end in -1.
  bool mayBeEmpty = true;           ///< There may be no id at all.
  llvm::StringRef sizeLabel = {};   ///< Every row
  std::optional<int64_t> size = {}; ///< has this many ids.
};

/// Success if `groups`, the `replica_groups` of `op`, meet `demands`. Mesh axes always do.
llvm::LogicalResult verifyReplicaGroups(mlir::Operation *op, mlir::Attribute groups,
                                        const ReplicaGroupDemands &demands);

/// Success if the mesh that `groups` names, if any, is defined.
llvm::LogicalResult verifyReplicaGroupMesh(mlir::Operation *op, mlir::Attribute groups,
                                           mlir::SymbolTableCollection &symbolTable);

/// Success if rows of `pairs` are a source and a target each, no two of them with the same source or target.
llvm::LogicalResult verifySourceTargetPairs(mlir::Operation *op, mlir::DenseIntElementsAttr pairs);

} // namespace partita::stablehlo

#endif
