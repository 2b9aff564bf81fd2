//===- LegacyShardings.h - what the parts of one step share ---------------===//
//
// Older forms of shardings come from two times. First there was XLA's own
// notation in `mhlo.sharding` (HloShardings, with @Sharding and the @SPMD...
// custom calls); then sdy's shardings were carried through XLA as strings in
// `mhlo.frontend_attributes` (`convertRoundTrip`).
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

/// The `mhlo.sharding` texts of a module, and the mesh on which all of them can be said.
class HloShardings {
public:
  /// Reads all texts and adds the mesh to the module, if there is anything to say.
  Status collect(mlir::ModuleOp module);

  bool empty() const { return parsed.empty(); }

  /// The shardings of a text that was collected.
  llvm::ArrayRef<HloSharding> get(mlir::StringAttr text) const { return parsed.find(text)->second.shardings; }

  /// The sharding of a tensor of `rank` dims, of which `openDims` may be cut further; null for one that says nothing.
  Result<sdy::TensorShardingAttr> build(mlir::Operation *location, const HloSharding &sharding, int64_t rank,
                                        llvm::ArrayRef<int64_t> openDims = {});

  /// The axes along which a value of that sharding is seen by hand, major to minor.
  llvm::SmallVector<mlir::StringAttr> computeManualAxes(const HloSharding &sharding);

private:
  Status read(mlir::Operation *location, mlir::Attribute attribute);
  /// The mesh for the first `count` texts.
  std::optional<InferredMesh> inferMesh(size_t count, std::string &whyNot) const;
  Error explainNoMesh() const;
  Status chooseMesh();
  sdy::TensorShardingAttr buildMaximal(int64_t device);
  sdy::AxisRefAttr getAxis(unsigned axis);

  struct Entry {
    llvm::SmallVector<HloSharding> shardings;
    /// Where the text stands first.
    mlir::Operation *location = nullptr;
  };

  mlir::ModuleOp module;
  llvm::MapVector<mlir::StringAttr, Entry> parsed;
  std::optional<InferredMesh> mesh;
  mlir::FlatSymbolRefAttr meshName;
};

/// The `mhlo.sharding` of `op`; null if it has none.
mlir::StringAttr getHloSharding(mlir::Operation *op);

/// Whether `op` is a custom call of that name.
bool isCustomCall(mlir::Operation *op, llvm::StringRef target);

/// The dims that `@Sharding` leaves open: `backend_config = "unspecified_dims=[0,1]"`.
llvm::SmallVector<int64_t> readOpenDims(stablehlo::CustomCallOp op);

/// What stands between `@SPMDFullToShardShape` and `@SPMDShardToFullShape` becomes a manual computation.
Status convertManualRegions(mlir::ModuleOp module, HloShardings &shardings);

/// Shardings, meshes and custom calls that sdy's export for XLA wrote become what they were.
Status convertRoundTrip(mlir::ModuleOp module);

} // namespace partita::program::import

#endif
