//===- Axes.h - the axes of a mesh, refined where a program needs it ------===//
//
// An axis is the unit that splits: a whole mesh axis, or one of the sub-axes it
// was refined into, major to minor, so that a reshape can express every split.
// 4 heads of 128 in one dim of 512 under model=8 need model:(1)4, which splits
// the heads, and model:(4)2, which splits the 128.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROPAGATE_AXES_H
#define PARTITA_PROPAGATE_AXES_H

#include "partita/Graph/Graph.h"
#include "partita/Machine/Mesh.h"
#include "partita/Propagate/Rooms.h"

namespace partita::propagate {

using AxisId = Id<struct AxisTag>;

/// Axes that a mesh may be refined into at most: sets of them are bits of a word.
inline constexpr size_t maxAxes = 32;

struct Axis {
  /// Position in the mesh.
  uint32_t meshAxis = 0;
  /// Product of the sub-axes of the same mesh axis before this one.
  int64_t preSize = 1;
  int64_t size = 1;
  /// Distance, in device numbers, of neighbours along it.
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
  /// The axes that `model` or `model:(1)4` stands for, major to minor; empty if there are none that make up all of it.
  llvm::SmallVector<AxisId> find(llvm::StringRef name) const;
  /// Position of a device along an axis.
  int64_t getCoordinate(int64_t device, AxisId axis) const { return device / list[axis].stride % list[axis].size; }
};

/// One axis for each mesh axis of more than one device.
Axes makeAxes(const Mesh &mesh);

/// Axes refined as coarsely as `parts`, the parts that the program's own shardings name, and the boundaries of compound
/// dims in `graph` allow.
Axes refineAxes(const Mesh &mesh, const Graph &graph, llvm::ArrayRef<std::string> parts = {});

/// Names of axes in order, sub-axes that are one whole mesh axis joined: `["data", "model:(1)4"]`.
std::vector<std::string> getNames(const Axes &axes, llvm::ArrayRef<AxisId> list);

} // namespace partita::propagate

#endif
