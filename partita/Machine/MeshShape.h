//===- MeshShape.h - meshes of some devices, with their placements --------===//
//
// A shape is a mesh and where it lies: a parallelism matrix (PlacementMatrix.h)
// whose rows are the axes in order, and nest in that order on each level.
//
//   64 devices of h100-sxm:8x8        node  nvlink
//   data=64                     data     8       8
//
//   data=16,model=4             data     8       2
//                               model    1       4
//
//   data=4,fsdp=4,model=4       data     4       1
//                               fsdp     2       2
//                               model    1       4
//
// Shapes grow: a mesh can do what another one can if it cuts an axis of that one
// once more, on the levels where it lies.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_MACHINE_MESHSHAPE_H
#define PARTITA_MACHINE_MESHSHAPE_H

#include "partita/Machine/PlacementMatrix.h"

namespace partita::machine {

struct MeshShape {
  /// For each axis and each level, how many positions of the level the axis takes.
  PlacementMatrix rows;

  /// The size of each axis.
  llvm::SmallVector<int64_t, 4> getSizes() const;
  bool operator==(const MeshShape &) const = default;
};

/// All devices of the machine along one axis.
MeshShape makeWhole(const Machine &machine);

/// The shape's placement; `mesh` has its sizes. Nothing if it cannot be written (Placement.h).
std::optional<Placement> placeShape(const MeshShape &shape, const Mesh &mesh, const Machine &machine);

/// Cuts of one axis of a shape into two.
struct ShapeCut {
  MeshShape shape;
  /// The axis that was cut: it and the next one of `shape` are its parts.
  uint32_t axis = 0;
};

/// All of them; those that are laid row-major first.
std::vector<ShapeCut> listCuts(const MeshShape &shape, const Machine &machine);

} // namespace partita::machine

#endif
