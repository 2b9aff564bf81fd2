//===- Axes.h - the axes of a mesh, refined where a program needs it ------===//
//
// An axis is the unit of splitting: a whole mesh axis, or one of the sub-axes,
// major to minor, into which it is refined so that a reshape can express every
// split. Example: a dim of 512 is 4 heads of 128, and the mesh is model=8. Then
// model:(1)4 splits the heads and model:(4)2 splits the 128.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROPAGATE_AXES_H
#define PARTITA_PROPAGATE_AXES_H

#include "partita/Graph/Graph.h"
#include "partita/Machine/Mesh.h"
#include "partita/Propagate/Rooms.h"

namespace partita::propagate {

using AxisId = Id<struct AxisTag>;

/// The most axes that a mesh may be refined into: a set of axes is one word of bits.
inline constexpr size_t maxAxes = 32;

struct Axis {
  /// Position in the mesh.
  uint32_t meshAxis = 0;
  /// Product of the sub-axes of the same mesh axis before this one.
  int64_t preSize = 1;
  int64_t size = 1;
  /// Difference of the device numbers of neighbors along the axis.
  int64_t stride = 1;
  bool operator==(const Axis &) const = default;
};

struct Axes {
  Mesh mesh;
  IdVector<AxisId, Axis> list;

  size_t size() const { return list.size(); }
  const Axis &operator[](AxisId axis) const { return list[axis]; }

  /// The (sub-)axes of a mesh axis, major to minor.
  llvm::SmallVector<AxisId> getParts(uint32_t meshAxis) const;
  /// `model`, or `model:(1)4` for a sub-axis.
  std::string getName(AxisId axis) const;
  /// The axes that make up `model` or `model:(1)4`, major to minor; empty if no axes make up exactly that.
  llvm::SmallVector<AxisId> find(llvm::StringRef name) const;
  /// Position of a device along an axis.
  int64_t getCoordinate(int64_t device, AxisId axis) const { return device / list[axis].stride % list[axis].size; }
};

/// One axis for each mesh axis of more than one device.
Axes makeAxes(const Mesh &mesh);

/// The coarsest axes that can express `parts`, the parts of axes that the given shardings name, and the
/// boundaries of compound dims in `graph`.
Axes refineAxes(const Mesh &mesh, const Graph &graph, llvm::ArrayRef<std::string> parts = {});

/// Names of axes in order: `["data", "model:(1)4"]`. Consecutive sub-axes that make up a whole mesh axis are joined.
std::vector<std::string> getNames(const Axes &axes, llvm::ArrayRef<AxisId> list);

} // namespace partita::propagate

#endif
