//===- LegacyShardings.h - shardings of older versions become sdy's -------===//
//
// Older versions wrote shardings in two ways. First came XLA's own notation in
// `mhlo.sharding` (`HloShardings`, with @Sharding and the @SPMD... custom
// calls). Later, sdy's shardings passed through XLA as strings in
// `mhlo.frontend_attributes` (`convertRoundTrip`).
//
// This header is shared by the sources of one import step,
// `convertLegacyShardings` (Steps.h).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_IMPORT_LEGACYSHARDINGS_H
#define PARTITA_PROGRAM_IMPORT_LEGACYSHARDINGS_H

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Import/LegacyShardingsMesh.h"
#include "partita/Program/Import/Steps.h"
#include "partita/Program/Rooms.h"

#include "llvm/ADT/MapVector.h"

namespace partita::program::import {

inline constexpr llvm::StringRef hloShardingName = "mhlo.sharding";
inline constexpr llvm::StringRef sdyShardingName = "sdy.sharding";

/// The `mhlo.sharding` texts of a module, and one mesh that expresses all of them.
class HloShardings {
public:
  /// Reads all texts and adds the mesh to the module, if there are any.
  Status collect(mlir::ModuleOp module);

  bool empty() const { return parsed.empty(); }

  /// The shardings of a text that was collected.
  llvm::ArrayRef<HloSharding> get(mlir::StringAttr text) const { return parsed.find(text)->second.shardings; }

  /// The sharding of a tensor of `rank` dims, of which `openDims` may be split further. Null if the text says nothing.
  Result<sdy::TensorShardingAttr> build(mlir::Operation *op, const HloSharding &sharding, int64_t rank,
                                        llvm::ArrayRef<int64_t> openDims = {});

  /// The manual axes of that sharding, major to minor.
  llvm::SmallVector<mlir::StringAttr> computeManualAxes(const HloSharding &sharding);

private:
  Status read(mlir::Operation *op, mlir::Attribute attribute);
  /// The mesh for the first `count` texts.
  std::optional<InferredMesh> inferMesh(size_t count, std::string &whyNot) const;
  Error explainNoMesh() const;
  Status chooseMesh();
  sdy::TensorShardingAttr buildMaximal(int64_t device);
  sdy::AxisRefAttr getAxis(unsigned axis);

  struct Entry {
    llvm::SmallVector<HloSharding> shardings;
    /// The first op with this text.
    mlir::Operation *op = nullptr;
  };

  mlir::ModuleOp module;
  llvm::MapVector<mlir::StringAttr, Entry> parsed;
  std::optional<InferredMesh> mesh;
  mlir::FlatSymbolRefAttr meshName;
};

/// The `mhlo.sharding` of `op`; null if it has none.
mlir::StringAttr getHloSharding(mlir::Operation *op);

/// Whether `op` is a custom call of `target`.
bool isCustomCall(mlir::Operation *op, llvm::StringRef target);

/// The dims that `@Sharding` leaves open, as in `backend_config = "unspecified_dims=[0,1]"`.
llvm::SmallVector<int64_t> readOpenDims(stablehlo::CustomCallOp op);

/// Turns the ops between `@SPMDFullToShardShape` and `@SPMDShardToFullShape` into a manual computation.
Status convertManualRegions(mlir::ModuleOp module, HloShardings &shardings);

/// Restores the shardings, meshes and ops that sdy's export for XLA wrote as strings and custom calls.
Status convertRoundTrip(mlir::ModuleOp module);

} // namespace partita::program::import

#endif
