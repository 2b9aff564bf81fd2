//===- MeshAttrs.h - axes and shardings as attributes ---------------------===//
//
// Converts Propagate's axes, which may be sub-axes of mesh axes, to the
// attributes of sdy and stablehlo that name them. Adjacent sub-axes of one mesh
// axis are written as one: model:(1)4 and model:(4)2 of model=8 are "model".
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LOWER_MESHATTRS_H
#define PARTITA_LOWER_MESHATTRS_H

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Lower/Rooms.h"
#include "partita/Propagate/Sharding.h"

#include <map>

namespace partita::lower {

/// The symbol under which a local program defines its mesh.
inline constexpr llvm::StringLiteral meshSymbol = "mesh";

sdy::MeshAttr makeMeshAttr(mlir::MLIRContext *context, const Mesh &mesh);

/// All axes of the mesh, including those of size one.
sdy::ManualAxesAttr makeManualAxes(mlir::MLIRContext *context, const Mesh &mesh);

/// Builds shardings over the mesh `@mesh`, all dims closed.
class ShardingAttrs {
public:
  ShardingAttrs(mlir::MLIRContext *context, const Axes &axes) : context(context), axes(axes) {}

  sdy::TensorShardingAttr get(const Sharding &sharding);
  sdy::TensorShardingPerValueAttr get(llvm::ArrayRef<Sharding> shardings);

private:
  sdy::DimensionShardingAttr getDim(const DimAxes &dim);

  mlir::MLIRContext *context;
  const Axes &axes;
  std::map<DimAxes, sdy::DimensionShardingAttr> dims;
};

/// `#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [...]>`: the axes along which the devices of a group
/// differ.
mlir::Attribute makeGroupAxes(mlir::MLIRContext *context, const Axes &axes, llvm::ArrayRef<AxisId> list);

} // namespace partita::lower

#endif
