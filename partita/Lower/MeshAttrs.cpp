//===- MeshAttrs.cpp - axes and shardings as attributes -------------------===//

#include "partita/Lower/MeshAttrs.h"

using namespace mlir;

namespace partita::lower {

/// A sub-axis of one mesh axis, as sdy writes it.
struct JoinedAxis {
  uint32_t meshAxis;
  int64_t preSize;
  int64_t size;
};

/// `list` with adjacent sub-axes of one mesh axis joined.
static SmallVector<JoinedAxis> joinAxes(const Axes &axes, ArrayRef<AxisId> list) {
  SmallVector<JoinedAxis> joined;
  for (AxisId id : list) {
    const Axis &axis = axes[id];
    if (!joined.empty() && joined.back().meshAxis == axis.meshAxis &&
        joined.back().preSize * joined.back().size == axis.preSize)
      joined.back().size *= axis.size;
    else
      joined.push_back({axis.meshAxis, axis.preSize, axis.size});
  }
  return joined;
}

sdy::MeshAttr makeMeshAttr(MLIRContext *context, const Mesh &mesh) {
  SmallVector<sdy::MeshAxisAttr> axes;
  for (const MeshAxis &axis : mesh.axes)
    axes.push_back(sdy::MeshAxisAttr::get(context, axis.name, axis.size));
  return sdy::MeshAttr::get(context, axes);
}

sdy::ManualAxesAttr makeManualAxes(MLIRContext *context, const Mesh &mesh) {
  SmallVector<StringAttr> names;
  for (const MeshAxis &axis : mesh.axes)
    names.push_back(StringAttr::get(context, axis.name));
  return sdy::ManualAxesAttr::get(context, names);
}

sdy::DimensionShardingAttr ShardingAttrs::getDim(const DimAxes &dim) {
  sdy::DimensionShardingAttr &known = dims[dim];
  if (known)
    return known;
  SmallVector<sdy::AxisRefAttr> refs;
  for (const JoinedAxis &axis : joinAxes(axes, dim)) {
    const MeshAxis &whole = axes.mesh.axes[axis.meshAxis];
    sdy::SubAxisInfoAttr part;
    if (axis.size != whole.size)
      part = sdy::SubAxisInfoAttr::get(context, axis.preSize, axis.size);
    refs.push_back(sdy::AxisRefAttr::get(context, whole.name, part));
  }
  return known = sdy::DimensionShardingAttr::get(context, refs, /*isClosed=*/true);
}

sdy::TensorShardingAttr ShardingAttrs::get(const Sharding &sharding) {
  SmallVector<sdy::DimensionShardingAttr> list;
  for (const DimAxes &dim : sharding.dims)
    list.push_back(getDim(dim));
  return sdy::TensorShardingAttr::get(context, meshSymbol, list);
}

sdy::TensorShardingPerValueAttr ShardingAttrs::get(ArrayRef<Sharding> shardings) {
  SmallVector<sdy::TensorShardingAttr> list;
  for (const Sharding &sharding : shardings)
    list.push_back(get(sharding));
  return sdy::TensorShardingPerValueAttr::get(context, list);
}

Attribute makeGroupAxes(MLIRContext *context, const Axes &axes, ArrayRef<AxisId> list) {
  SmallVector<Attribute> refs;
  for (const JoinedAxis &axis : joinAxes(axes, list)) {
    const MeshAxis &whole = axes.mesh.axes[axis.meshAxis];
    stablehlo::SubAxisInfoAttr part;
    if (axis.size != whole.size)
      part = stablehlo::SubAxisInfoAttr::get(context, axis.preSize, axis.size);
    refs.push_back(stablehlo::AxisRefAttr::get(context, whole.name, part));
  }
  return stablehlo::ReplicaGroupMeshAxesAttr::get(context, FlatSymbolRefAttr::get(context, meshSymbol),
                                                  ArrayAttr::get(context, refs));
}

} // namespace partita::lower
